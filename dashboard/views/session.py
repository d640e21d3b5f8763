"""One reader's session: the dials, their history, the pins and the display, all mirrored by the link."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import parse_qsl, urlencode

import streamlit as st

from dashboard.display import Display
from dashboard.settings import STEP, VERSION, Problem, Settings
from dashboard.text import settings as words

MOST_STEPS = 100
MOST_PINS = 4


@dataclass
class Session:
    """What a reader's session keeps, in one piece: Streamlit walks over all it keeps at almost every dial.

    `past` and `future` are the settings that undo and redo go to, `problems` what is to be said about the settings
    taken last, `link` the link that stands for all this, `page` the page it was written on, `step` where Watch was
    opened, `table_d` the columns of the reader's own table, `pins` those of generated data ("") and of each upload,
    `picks` the choices of a page that are no dials.
    """

    settings: Settings
    display: Display
    past: list[Settings] = field(default_factory=list)
    future: list[Settings] = field(default_factory=list)
    problems: tuple[Problem, ...] = ()
    link: dict[str, Any] = field(default_factory=dict)
    page: str = ""
    step: str | None = None
    table_d: int | None = None
    pins: dict[str, list[Settings]] = field(default_factory=dict)
    picks: dict[str, str] = field(default_factory=dict)


KEY = "session"
"""Where Streamlit keeps it."""


def kept() -> Session:
    """The session; call `current` before."""
    found: Session = st.session_state[KEY]
    return found


def current(page: str) -> Settings:
    """The dials on a page: from the link at first and whenever somebody else changed it.

    Streamlit empties the link when the reader goes to another page; the session stays as it is.
    """
    query = _query()
    if KEY not in st.session_state:
        st.session_state[KEY] = _opened(query, page)
        return kept().settings
    me = kept()
    moved, me.page = page != me.page, page
    if moved and not query:
        query = me.link
        _write(query)
    if query != me.link:
        _follow(query)
    return me.settings


def display() -> Display:
    """How the page is shown; call `current` before."""
    return kept().display


def show(**values: Any) -> None:
    """Change how the page is shown."""
    kept().display = dataclasses.replace(display(), **values)


def mirror() -> None:
    """Write the session into the link, if it is not there yet; the step it was opened at stays for the browser."""
    me = kept()
    query, step, me.step = link(me.settings, me.display), me.step, None
    if query != _query():
        _write(query if step is None else {**query, STEP: step})
    me.link = query


def link(settings: Settings, shown: Display) -> dict[str, Any]:
    """The link of some dials and a display, with this session's pins."""
    pinned = [urlencode(pin.to_query()) or "v=1" for pin in pins()]
    return settings.to_query() | shown.to_query() | ({"pin": pinned} if pinned else {})


def adopt(settings: Settings, problems: tuple[Problem, ...] = ()) -> None:
    """Take settings as the session's own, with what has to be said about them."""
    me = kept()
    me.settings, me.problems = settings, problems


def turn(**values: Any) -> None:
    """Turn some dials; what does not fit the data is repaired, and said. It can be undone."""
    me = kept()
    change(*fitted(me.settings.replace(**values), me.table_d))


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
    me = kept()
    if settings != me.settings:
        me.past = [*me.past, me.settings][-MOST_STEPS:]
        me.future = []
    adopt(settings, problems)


def undo() -> None:
    """Go back to the settings before."""
    me = kept()
    if me.past:
        me.future.append(me.settings)
        adopt(me.past.pop())


def redo() -> None:
    """Take back an `undo`."""
    me = kept()
    if me.future:
        me.past.append(me.settings)
        adopt(me.future.pop())


def pins(of: str = "") -> list[Settings]:
    """The pinned settings: of generated data, which the link holds, or of an upload, named by its digest."""
    return kept().pins.setdefault(of, [])


def pin(of: str = "") -> None:
    """Pin the current settings, once each and at most `MOST_PINS`."""
    settings = kept().settings
    if settings not in pins(of) and len(pins(of)) < MOST_PINS:
        pins(of).append(settings)


def unpin(settings: Settings, of: str = "") -> None:
    """Take a pin away."""
    pins(of).remove(settings)


def _opened(query: dict[str, Any], page: str) -> Session:
    """A session that starts from a link."""
    shown, more = Display.from_query(query)
    settings, problems = Settings.from_query(query)
    pinned, left_out = _pins_of(query)
    said = problems + more + left_out
    me = Session(settings, shown, problems=said, link=query, page=page, step=st.query_params.get(STEP))
    me.pins[""] = pinned
    return me


def _follow(query: dict[str, Any]) -> None:
    """Follow a link that somebody else changed, as one step that can be undone."""
    me = kept()
    me.display, more = Display.from_query(query)
    settings, problems = Settings.from_query(query)
    pins()[:], left_out = _pins_of(query)
    change(settings, problems + more + left_out)
    me.link = query


def _pins_of(query: dict[str, Any]) -> tuple[list[Settings], tuple[Problem, ...]]:
    texts = query.get("pin", [])
    read = [Settings.from_query(dict(parse_qsl(text[:2000]))) for text in texts[:MOST_PINS]]
    problems = tuple(
        Problem(problem.key, words.IN_A_PIN.format(message=problem.message)) for _, found in read for problem in found
    )
    left_out = (Problem("pin", words.PINS_LEFT_OUT.format(most=MOST_PINS)),) if len(texts) > MOST_PINS else ()
    return list(dict.fromkeys(settings for settings, _ in read)), problems + left_out


def _query() -> dict[str, Any]:
    """The link, but for what is the browser's own: the step, and the version that it adds where it stands alone."""
    query: dict[str, Any] = st.query_params.to_dict()
    query.pop(STEP, None)
    if query == {"v": VERSION}:
        return {}
    return query | {"pin": st.query_params.get_all("pin")} if "pin" in query else query


def _write(query: dict[str, Any]) -> None:
    st.query_params.from_dict(query)
