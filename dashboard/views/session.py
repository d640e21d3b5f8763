"""One reader's session: the dials, their history, the pins and the display, all mirrored by the link."""

from __future__ import annotations

import dataclasses
from typing import Any
from urllib.parse import parse_qsl, urlencode

import streamlit as st

from dashboard.display import Display
from dashboard.settings import STEP, VERSION, Problem, Settings
from dashboard.text import settings as words

MOST_STEPS = 100
MOST_PINS = 4


def current() -> Settings:
    """The dials: from the link at first and whenever somebody else changed it.

    Streamlit empties the link when the reader goes to another page; the session stays as it is.
    """
    state, query = st.session_state, _query()
    page = state.get("page")
    moved, state.session_page = page != state.get("session_page"), page
    if moved and not query and "settings" in state:
        query = state.link
        _write(query)
    if "settings" not in state or query != state.link:
        _read(query)
    settings: Settings = state.settings
    return settings


def display() -> Display:
    """How the page is shown; call `current` before."""
    shown: Display = st.session_state.display
    return shown


def show(**values: Any) -> None:
    """Change how the page is shown."""
    st.session_state.display = dataclasses.replace(display(), **values)


def mirror(settings: Settings) -> None:
    """Write the session into the link, if it is not there yet; the step it was opened at stays for the browser."""
    query, step = link(settings, display()), st.session_state.pop("opened_at", None)
    if query != _query():
        _write(query if step is None else {**query, STEP: step})
    st.session_state.link = query


def link(settings: Settings, shown: Display) -> dict[str, Any]:
    """The link of some dials and a display, with this session's pins."""
    pinned = [urlencode(pin.to_query()) or "v=1" for pin in pins()]
    return settings.to_query() | shown.to_query() | ({"pin": pinned} if pinned else {})


def adopt(settings: Settings, problems: tuple[Problem, ...] = ()) -> None:
    """Take settings as the session's own, with what has to be said about them."""
    st.session_state.settings = settings
    st.session_state.problems = problems


def turn(**values: Any) -> None:
    """Turn some dials; what does not fit the data is repaired, and said. It can be undone."""
    state = st.session_state
    change(*fitted(state.settings.replace(**values), state.get("table_d")))


def fitted(settings: Settings, d: int | None) -> tuple[Settings, tuple[Problem, ...]]:
    """Settings made valid for a reader's own table of d columns, or for their own scenario if there is none.

    A table has no scenario: the one of the settings is kept for later.
    """
    if d is None:
        return settings.repaired()
    fit, problems = settings.replace(cloud="uniform", d=d).repaired()
    return fit.replace(cloud=settings.cloud, d=settings.d), problems


def change(settings: Settings, problems: tuple[Problem, ...] = ()) -> None:
    """Take other settings, and remember those before."""
    state = st.session_state
    if settings != state.settings:
        state.past = [*state.past, state.settings][-MOST_STEPS:]
        state.future = []
    adopt(settings, problems)


def undo() -> None:
    """Go back to the settings before."""
    state = st.session_state
    if state.past:
        state.future = [*state.future, state.settings]
        *state.past, before = state.past
        adopt(before)


def redo() -> None:
    """Take back an `undo`."""
    state = st.session_state
    if state.future:
        state.past = [*state.past, state.settings]
        *state.future, after = state.future
        adopt(after)


def pins(of: str = "") -> list[Settings]:
    """The pinned settings: of generated data, which the link holds, or of an upload, named by its digest."""
    kept: dict[str, list[Settings]] = st.session_state.setdefault("pins", {})
    return kept.setdefault(of, [])


def pin(of: str = "") -> None:
    """Pin the current settings, once each and at most `MOST_PINS`."""
    settings = st.session_state.settings
    if settings not in pins(of) and len(pins(of)) < MOST_PINS:
        pins(of).append(settings)


def unpin(settings: Settings, of: str = "") -> None:
    """Take a pin away."""
    pins(of).remove(settings)


def _read(query: dict[str, Any]) -> None:
    """Start the session from a link, or follow a link that somebody else changed, as one step that can be undone."""
    state = st.session_state
    state.display, more = Display.from_query(query)
    settings, problems = Settings.from_query(query)
    if "settings" not in state:
        state.settings, state.past, state.future = settings, [], []
        state.opened_at = st.query_params.get(STEP)
    change(settings, problems + more + _read_pins(query.get("pin", [])))
    state.link = query


def _read_pins(texts: list[str]) -> tuple[Problem, ...]:
    read = [Settings.from_query(dict(parse_qsl(text[:2000]))) for text in texts[:MOST_PINS]]
    pins()[:] = dict.fromkeys(settings for settings, _ in read)
    problems = tuple(
        Problem(problem.key, words.IN_A_PIN.format(message=problem.message)) for _, found in read for problem in found
    )
    left_out = (Problem("pin", words.PINS_LEFT_OUT.format(most=MOST_PINS)),) if len(texts) > MOST_PINS else ()
    return problems + left_out


def _query() -> dict[str, Any]:
    """The link, but for what is the browser's own: the step, and the version that it adds where it stands alone."""
    query: dict[str, Any] = st.query_params.to_dict()
    query.pop(STEP, None)
    if query == {"v": VERSION}:
        return {}
    return query | {"pin": st.query_params.get_all("pin")} if "pin" in query else query


def _write(query: dict[str, Any]) -> None:
    st.query_params.from_dict(query)
