"""What every page has above its picture: undo, redo, reset, new noise, pin, the link, projector mode."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import streamlit as st

from dashboard.display import Display
from dashboard.plot import SCALE
from dashboard.settings import Settings
from dashboard.text import explore as words
from dashboard.text.settings import DIALS
from dashboard.views import session

PROJECTOR_SCALE = 1.4
STYLE = Path(__file__).parents[1] / "browser" / "present.css"


def toolbar(
    of: str = "", keys: str = words.KEYS, link: str = words.LINK_HELP, look: Callable[[], None] | None = None
) -> None:
    """The row of buttons; `of` names an upload, whose pins no link may hold.

    `keys` says what the keys do on a projector, `link` what the link holds; `look` draws the choices of how the page's
    pictures look.
    """
    state = session.kept()
    settings = state.settings
    changed = settings != Settings()
    with st.container(horizontal=True, key="toolbar"):
        st.button(
            words.UNDO, icon=":material/undo:", shortcut="U", disabled=not state.past, on_click=session.undo, key="undo"
        )
        st.button(words.REDO, icon=":material/redo:", disabled=not state.future, on_click=session.redo, key="redo")
        st.button(
            words.RESET,
            icon=":material/restart_alt:",
            disabled=not changed,
            on_click=lambda: session.change(Settings()),
            key="reset",
        )
        st.button(
            words.ROLL,
            icon=":material/casino:",
            shortcut="N",
            on_click=lambda: session.turn(seed=settings.seed + 1),
            key="roll",
        )
        pinned = session.pins(of)
        st.button(
            words.PIN,
            icon=":material/push_pin:",
            shortcut="P",
            disabled=settings in pinned or len(pinned) >= session.MOST_PINS,
            help=words.PIN_HELP.format(most=session.MOST_PINS),
            on_click=lambda: session.pin(of),
            key="pin",
        )
        if look is not None:
            _view(look)
        _link(settings, words.LINK_UPLOAD if of else link)
        _projector()
    present = session.display().present
    st.session_state[SCALE] = PROJECTOR_SCALE if present else 1.0
    if present:
        st.html(STYLE)
        st.caption(keys)


def _view(look: Callable[[], None]) -> None:
    box = st.popover(words.VIEW, icon=":material/tune:", key="view_box", on_change="rerun")
    if box.open:
        with box:
            look()


def _link(settings: Settings, holds: str) -> None:
    box = st.popover(words.LINK, icon=":material/link:", key="link_box", on_change="rerun")
    if not box.open:
        return
    kept: dict[str, Any] = {"persist_state": "session"}
    with box:
        st.caption(holds)
        hide = st.multiselect(words.CLASS_LINK, list(DIALS), format_func=DIALS.get, key="class_hides", **kept)
        present = st.checkbox(words.CLASS_PROJECTOR, key="class_presents", **kept)
        query = session.link(
            settings, Display(frozenset(hide) | session.display().hide, present, session.display().part)
        )
        address = (st.context.url or "").split("?")[0]
        st.code(
            f"{address}?{urlencode(query, doseq=True)}" if query else address or "/", language=None, wrap_lines=True
        )


def _projector() -> None:
    present = session.display().present
    st.button(
        words.LEAVE_PROJECTOR if present else words.PROJECTOR,
        icon=":material/present_to_all:",
        help=words.PROJECTOR_HELP,
        on_click=lambda: session.show(present=not present),
        key="projector",
    )
