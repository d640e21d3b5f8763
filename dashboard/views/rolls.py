"""The W1 figure with its band: other rolls of the noise, drawn as they come, as long as the reader lets them."""

from __future__ import annotations

import time
from collections.abc import Callable

import streamlit as st

from dashboard import compute
from dashboard.compute import Data
from dashboard.figures.style import Drawing
from dashboard.plot import plot
from dashboard.text import explore as words
from privcore.parameters import Parameters

ROLLS = 20
PAUSE = 0.4
"""Seconds between two drawings, about half of them left to other readers."""
WORK = 0.2
"""Seconds of rolling between two drawings; at least one roll is made."""


def w1_and_rolls(make: Callable[[list[float]], Drawing], data: Data, parameters: Parameters, seed: int) -> None:
    """The W1 figure, made from the rolls so far; a button rolls the noise again and again, and the figure fills in."""
    state, of = st.session_state, (data.digest, parameters, seed)
    if state.get("rolls_of") != of:
        state.rolls_of, state.rolls, state.rolling = of, [], False
    st.button(
        words.ROLLS,
        help=words.ROLLS_HELP,
        disabled=state.rolling or len(state.rolls) >= ROLLS,
        on_click=lambda: state.update(rolling=True),
        key="start_rolls",
    )

    def draw() -> None:
        if state.rolls_of != of:
            return  # the page has moved on, and this part of it is about to
        if state.rolling:
            _roll(data, parameters, seed)
        drawn = make(state.rolls)
        named = {"key": "figure_w1", "name": "w1", "data_id": data.digest, "memo": drawn.messages}
        plot(drawn.spec, alt=drawn.alt, table=drawn.table, **named)
        if state.rolling:
            st.progress(len(state.rolls) / ROLLS, text=words.ROLLING.format(done=len(state.rolls), of=ROLLS))
            st.button(words.STOP, key="stop_rolls", on_click=lambda: state.update(rolling=False))
            if len(state.rolls) >= ROLLS:
                state.rolling = False
        if not state.rolling and runs:
            st.rerun()  # the last drawing: nothing is to run by itself any more

    runs = state.rolling
    st.fragment(draw, run_every=PAUSE if runs else None)()


def _roll(data: Data, parameters: Parameters, seed: int) -> None:
    end, line = time.monotonic() + WORK, st.empty()
    rolls: list[float] = st.session_state.rolls
    while len(rolls) < ROLLS:
        rolls.append(
            compute.roll(
                data,
                parameters,
                seed + 1 + len(rolls),
                lambda before: line.caption(words.ROLL_WAITS.format(before=before)),
            )
        )
        if time.monotonic() >= end:
            return
