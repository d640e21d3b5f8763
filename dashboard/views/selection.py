"""The reader's box: drawn on a picture or typed, counted in the data and in the release."""

from __future__ import annotations

from collections.abc import Callable

import streamlit as st

from dashboard import compute
from dashboard.compute import Data
from dashboard.figures.style import number
from dashboard.plot import Selection
from dashboard.text import explore as words
from dashboard.text.settings import literal
from dashboard.views import controls
from privcore.domain import Box
from privcore.errors import PrivcoreError
from privcore.simulation import Simulation

Ranges = dict[int, tuple[float, float]]


def on_select(data: Data, axes: tuple[int, ...]) -> Callable[[Selection | None], None]:
    """What a picture calls when a box is drawn on these axes of the data (None when it is taken away)."""

    def keep(selection: Selection | None) -> None:
        ranges = {} if selection is None else dict(_by_axis(selection, axes))
        _keep(data, ranges)

    return keep


def chosen(data: Data) -> Box | None:
    """The box that is chosen in this data set, in the user's units: the axes it does not name are whole."""
    of, ranges = st.session_state.get("chosen", ("", {}))
    if of != data.digest or not ranges:
        return None
    ends = [ranges.get(axis, whole) for axis, whole in enumerate(zip(data.box.low, data.box.high, strict=True))]
    low = [max(end[0], bound) for end, bound in zip(ends, data.box.low, strict=True)]
    high = [min(end[1], bound) for end, bound in zip(ends, data.box.high, strict=True)]
    try:
        return Box(low, high, names=data.box.columns)
    except PrivcoreError:
        return None  # drawn beside the declared box


def help_text(d: int) -> str:
    """How to choose a box."""
    return words.SELECT_HELP if d != 3 else words.SELECT_HELP_3D


def summary(run: Simulation, data: Data, box: Box | None, axes: tuple[int, ...]) -> None:
    """What the data and the release hold in the box; and the box in numbers, for those who don't drag."""
    if box is not None:
        found = compute.selected(run, box)
        sigma = words.SELECT_ERROR_HELP.format(error=number(found.standard_error))
        with st.container(horizontal=True, gap="large"):
            st.metric(words.SELECT_TRUE, number(found.true_count), help=words.SELECT_TRUE_HELP, width="content")
            released = number(found.released_count)
            st.metric(words.SELECT_RELEASED, released, help=words.SELECT_RELEASED_HELP, width="content")
            st.metric(words.SELECT_ERROR, number(found.error), help=sigma, width="content")
        st.caption(words.SELECT_LEAVES.format(some=int(found.leaves.sum()), all=len(run.tree.leaves)))
    numbers = st.expander(words.SELECT_TYPE, key="type_box", on_change="rerun")
    if numbers.open:
        with numbers:
            _typed(data, box, axes)


def _typed(data: Data, box: Box | None, axes: tuple[int, ...]) -> None:
    """The box as numbers; a number commits when it is left."""
    typed: Ranges = {}
    for axis in axes:
        name, shown = data.box.columns[axis], box or data.box
        cells = st.columns(2)
        ends = []
        low, high = ("low", words.SELECT_LOW, shown.low[axis]), ("high", words.SELECT_HIGH, shown.high[axis])
        for cell, (end, label, value) in zip(cells, (low, high), strict=True):
            limits = {"min_value": float(data.box.low[axis]), "max_value": float(data.box.high[axis])}
            key = f"box_{data.digest}_{axis}_{end}_{value!r}"  # the box moved elsewhere: the field starts anew
            ends.append(
                cell.number_input(
                    label.format(name=literal(name)), value=float(value), format=controls.EXACT, key=key, **limits
                )
            )
        typed[axis] = (ends[0], ends[1])
    before = {axis: ((box or data.box).low[axis], (box or data.box).high[axis]) for axis in axes}
    if any(low >= high for low, high in typed.values()):
        st.error(words.SELECT_EMPTY)
    elif typed != before:
        _keep(data, typed)
        st.rerun()
    st.button(words.SELECT_CLEAR, disabled=box is None, on_click=lambda: _keep(data, {}), key="clear_box")


def _keep(data: Data, ranges: Ranges) -> None:
    st.session_state.chosen = (data.digest, ranges)


def _by_axis(selection: Selection, axes: tuple[int, ...]) -> list[tuple[int, tuple[float, float]]]:
    """The ranges by axis of the data: a picture's x is the first axis it shows, its y the second."""
    named = dict(zip("xy", axes, strict=False))
    return [(named[letter], ends) for letter, ends in selection.range.items() if letter in named]
