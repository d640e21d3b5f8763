"""A distance of a run, measured while the reader watches."""

from __future__ import annotations

import time

import streamlit as st

from dashboard import compute
from dashboard.compute import Data, Distance
from dashboard.figures.style import number
from dashboard.settings import Settings
from dashboard.text import explore as words
from privcore.transport import W1

PATIENCE = 0.3
"""Seconds that a distance may take before the page speaks of it: most are known by then."""


def measured(settings: Settings, data: Data, name: Distance = "total") -> W1 | None:
    """A distance of a run; the interval narrows on screen while it is being measured."""
    known = compute.kept_run(data, settings.parameters(), settings.seed).known(name)
    if known is not None:
        return known
    line, begun = st.empty(), time.monotonic()

    def progress(what: Distance, lower: float, upper: float) -> bool:
        if time.monotonic() - begun > PATIENCE:
            line.caption(words.MEASURED_SO_FAR.format(what=words.PARTS[what], lower=lower, upper=upper))
        return True

    def waiting(before: int) -> None:
        most = compute.simulation(data, settings.parameters(), settings.seed).w1_at_most
        line.caption(words.WAITING.format(before=before, most=number(most)))

    if len(data.points) > compute.QUICK_POINTS:
        line.caption(words.MEASURING)
    found = compute.distance(name, data, settings.parameters(), settings.seed, progress, waiting)
    line.empty()
    return found
