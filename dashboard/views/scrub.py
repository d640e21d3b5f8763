"""The slider under the main picture: epsilon, dragged in the browser through frames that are built once."""

from __future__ import annotations

from collections.abc import Callable

import streamlit as st

from dashboard import compute
from dashboard.compute import Data
from dashboard.figures.error import interval
from dashboard.figures.privacy import right_guesses
from dashboard.figures.style import Drawing
from dashboard.plot import scrubber
from dashboard.scrubbing import EPSILONS, KEY, MOST_LEAVES, MOST_POINTS, Scrub, scrub
from dashboard.settings import Settings
from dashboard.text import explore as words
from dashboard.views import controls, session
from privcore.simulation import Simulation

Draw = Callable[[Simulation], dict[str, Drawing]]


def frames(settings: Settings, data: Data, looks: tuple[str, ...], draw: Draw) -> Scrub | None:
    """The frames for these dials: those of a preset at once, others when the reader asks; None with the reason.

    `draw` makes the pictures of a run, and `looks` names all it depends on beside the run.
    """
    if controls.hidden("epsilon"):
        return None
    if not 0 < len(data.points) <= MOST_POINTS:
        if len(data.points):
            st.caption(words.SCRUB_OFF_POINTS.format(most=MOST_POINTS))
        return None
    alike = settings.replace(epsilon=1.0, axes=(0, 1))
    key, kept = (data.digest, alike, looks), compute.scrubs(data)
    if not (key in kept or preset(settings, data) or st.session_state.get("live")):
        help_text = words.SCRUB_OFFER_HELP.format(of=len(EPSILONS))
        if not st.button(words.SCRUB_OFFER, icon=":material/swipe:", help=help_text, key="make_live"):
            return None
        st.session_state.live = True
    line = st.empty()

    def progress(part: float) -> None:
        line.progress(part, text=words.SCRUB_BUILDING.format(of=len(EPSILONS)))

    def at(epsilon: float) -> Simulation:
        turned, _ = settings.replace(epsilon=epsilon).repaired()
        return compute.fresh_simulation(data, turned.parameters(), settings.seed)

    def measured(run: Simulation) -> str:
        return interval(compute.total_error(run))

    found: Scrub | None = kept.get(key, lambda: scrub(at, draw, measured, right_guesses, progress))
    line.empty()
    if found is None:
        st.caption(words.SCRUB_OFF_LEAVES.format(least=EPSILONS[0], most=MOST_LEAVES))
    return found


def preset(settings: Settings, data: Data) -> bool:
    """Whether only the scenario and epsilon are turned: such frames are built once a server, for everybody."""
    return not data.uploaded and set(settings.changed()) <= {"cloud", "d", "epsilon"}


def slider(found: Scrub | None, epsilon: float) -> None:
    """Draw the slider, and say where dragging ends, or that it ended before this epsilon."""
    if found is None:
        return
    last, whole = found.epsilons[-1], found.epsilons[-1] == EPSILONS[-1]
    if not found.covers(epsilon):
        why = words.SCRUB_WHY_RANGE if whole or epsilon < last else words.SCRUB_WHY_LEAVES.format(most=MOST_LEAVES)
        st.caption(words.SCRUB_BEYOND.format(epsilon=epsilon, least=found.epsilons[0], last=last, why=why))
        return
    scrubber(found.frames, key=KEY, on_frame=lambda frame: session.turn(epsilon=found.epsilons[frame]))
    if not whole:
        st.caption(words.SCRUB_ENDS.format(last=last, most=MOST_LEAVES))
