"""Up to four settings side by side."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import streamlit as st

from dashboard import compute
from dashboard.compute import Data
from dashboard.figures import measure as measure_figures
from dashboard.figures.error import interval
from dashboard.plot import plot, table
from dashboard.settings import Settings
from dashboard.text import explore as words
from dashboard.views import session, upload
from privcore.transport import W1

NARROWEST = 230
"""Pixels that the picture of a pin needs; where there is less room, a row holds fewer of them."""

Measure = Callable[[Settings, Data], W1 | None]


def pinned(data: Data, measure: Measure) -> None:
    """The pins of generated data, or of this upload, each with its picture, its numbers and the way back."""
    of = data.digest if data.uploaded else ""
    kept = session.pins(of)
    if not kept:
        return
    st.subheader(words.PINS)
    rows = []
    side_by_side = st.grid(max(len(kept), 2), min_column_width=NARROWEST)
    for place, settings in enumerate(list(kept)):
        with side_by_side.cell():
            rows.append(_pin(place, settings, data if data.uploaded else compute.generated(settings), measure, of))
    table(rows, key="pin_table", label=words.PIN_TABLE)


def _pin(place: int, settings: Settings, data: Data, measure: Measure, of: str) -> dict[str, Any]:
    turned = upload.for_table(settings, data) if data.uploaded else settings
    run = compute.simulation(data, turned.parameters(), turned.seed)
    name = settings.summary() or words.PIN_DEFAULT
    st.markdown(f"**{words.PIN_NAME.format(number=place + 1)}**: {name}")
    drawn = measure_figures.measure(
        run.measure, run.tree, run.box, run.noisy_counts, epsilon=run.cost.total, simulated=True, kind="pair"
    )
    plot(
        drawn.spec,
        memo=drawn.messages,
        key=f"figure_pin_{place}",
        alt=drawn.alt,
        data_id=data.digest,
        name="pin",
    )
    found = measure(turned, data)
    with st.container(horizontal=True, gap="large"):
        st.metric(words.LEAVES, f"{len(run.tree.leaves):,}", width="content")
        st.metric(words.W1, "–" if found is None else interval(found), width="content")
    with st.container(horizontal=True):
        st.button(words.PIN_TAKE, key=f"take_{place}", on_click=lambda: session.change(settings))
        st.button(words.PIN_REMOVE, key=f"unpin_{place}", on_click=lambda: session.unpin(settings, of))
    ends = (None, None) if found is None else (found.lower, found.upper)
    return dict(zip(words.PIN_COLUMNS, (name, run.cost.total, len(run.tree.leaves), *ends), strict=True))
