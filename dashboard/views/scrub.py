"""The slider under the main picture: epsilon, dragged in the browser through frames that are built once."""

from __future__ import annotations

import streamlit as st

from dashboard import compute
from dashboard.compute import Data
from dashboard.plot import scrubber
from dashboard.scrubbing import EPSILONS, KEY, MOST_LEAVES, MOST_POINTS, Look, Scrub
from dashboard.settings import Settings
from dashboard.text import explore as words
from dashboard.views import controls, session


def frames(settings: Settings, data: Data, look: Look) -> Scrub | None:
    """The frames for these dials: those of a preset at once, others when the reader asks; None with the reason."""
    if controls.hidden("epsilon"):
        return None
    if not 0 < len(data.points) <= MOST_POINTS:
        if len(data.points):
            st.caption(words.SCRUB_OFF_POINTS.format(most=MOST_POINTS))
        return None
    if not (compute.has_scrub(settings, data, look) or preset(settings, data)):
        leaves = len(compute.simulation(data, settings.parameters(), settings.seed).tree.leaves)
        if leaves > MOST_LEAVES:  # what is shown now would not be among the frames
            st.caption(words.SCRUB_OFF_HERE.format(epsilon=settings.epsilon, leaves=leaves, most=MOST_LEAVES))
            return None
        if not _asked():
            return None
    line = st.empty()

    def progress(part: float) -> None:
        line.progress(part, text=words.SCRUB_BUILDING.format(of=len(EPSILONS)))

    found = compute.scrub(settings, data, look, progress, lambda before: progress(0.0))
    line.empty()
    if found is None:
        st.caption(words.SCRUB_OFF_LEAVES.format(least=EPSILONS[0], most=MOST_LEAVES))
    return found


def _asked() -> bool:
    """Whether the reader wants frames for dials of his own, from now on."""
    state = st.session_state
    if not state.get("live"):
        help_text = words.SCRUB_OFFER_HELP.format(of=len(EPSILONS))
        state.live = st.button(words.SCRUB_OFFER, icon=":material/swipe:", help=help_text, key="make_live")
    return bool(state.live)


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
