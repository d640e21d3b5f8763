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
    """The frames for these dials: those of a preset at once, others when the reader asks; progress is shown here."""
    if not _wanted(settings, data, look):
        return None
    waiting = st.empty() if not compute.has_scrub(settings, data, look) else None

    def progress(part: float) -> None:
        if waiting is not None:
            waiting.progress(part, text=words.SCRUB_BUILDING.format(of=len(EPSILONS)))

    found = compute.scrub(settings, data, look, progress, lambda before: progress(0.0))
    if waiting is not None:
        waiting.empty()
    return found


def _wanted(settings: Settings, data: Data, look: Look) -> bool:
    if controls.hidden("epsilon") or not 0 < len(data.points) <= MOST_POINTS:
        return False
    if compute.has_scrub(settings, data, look) or preset(settings, data):
        return True
    asked = st.session_state.get("live") or session.display().present  # whose keys turn epsilon, and roll the noise
    return bool(asked) and _leaves(settings, data) <= MOST_LEAVES


def _leaves(settings: Settings, data: Data) -> int:
    return len(compute.simulation(data, settings.parameters(), settings.seed).tree.leaves)


def preset(settings: Settings, data: Data) -> bool:
    """Whether only the scenario and epsilon are turned: such frames are built once a server, for everybody."""
    return not data.uploaded and set(settings.changed()) <= {"cloud", "d", "epsilon"}


def slider(found: Scrub | None, settings: Settings, data: Data, look: Look) -> list[str]:
    """Draw the slider, or offer to make it; what is to be said of it: where dragging ends, or why there is none."""
    if found is None:
        return [] if controls.hidden("epsilon") or not len(data.points) else _why(settings, data, look)
    turn = controls.where_to_turn()
    epsilon, last, whole = settings.epsilon, found.epsilons[-1], found.epsilons[-1] == EPSILONS[-1]
    if not found.covers(epsilon):
        why = "" if whole or epsilon < last else words.SCRUB_WHY_LEAVES.format(most=MOST_LEAVES)
        return [words.SCRUB_BEYOND.format(epsilon=epsilon, least=found.epsilons[0], last=last, why=why, turn=turn)]
    scrubber(found.frames, key=KEY, on_frame=lambda frame: session.turn(epsilon=found.epsilons[frame]))
    return [] if whole else [words.SCRUB_ENDS.format(last=last, most=MOST_LEAVES, turn=turn)]


def _why(settings: Settings, data: Data, look: Look) -> list[str]:
    """Why epsilon can't be dragged; if only nobody has asked for it, a button that does, from now on."""
    turn = controls.where_to_turn()
    if len(data.points) > MOST_POINTS:
        return [words.SCRUB_OFF_POINTS.format(most=MOST_POINTS, turn=turn)]
    if _wanted(settings, data, look):
        return [words.SCRUB_OFF_LEAVES.format(least=EPSILONS[0], most=MOST_LEAVES, turn=turn)]
    if (leaves := _leaves(settings, data)) > MOST_LEAVES:  # what is shown now would not be among the frames
        return [words.SCRUB_OFF_HERE.format(epsilon=settings.epsilon, leaves=leaves, most=MOST_LEAVES, turn=turn)]
    st.button(
        words.SCRUB_OFFER,
        icon=":material/swipe:",
        help=words.SCRUB_OFFER_HELP.format(of=len(EPSILONS)),
        on_click=lambda: st.session_state.update(live=True),
        key="make_live",
    )
    return []
