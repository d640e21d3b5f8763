"""The panel at the side, which pages share: the data and the dials, mirrored by the link."""

from __future__ import annotations

import streamlit as st

from dashboard import compute
from dashboard.compute import Data
from dashboard.limits import limits
from dashboard.settings import Settings, cost_of
from dashboard.text import explore as words
from dashboard.views import controls, session, upload


def panel(page: str, with_axes: bool) -> tuple[Settings, Data | None]:
    """Draw it; the settings and the data, None as long as a reader's own table is not whole.

    The entry script draws it, not a page: Streamlit forgets a page's widgets, and with them a file, when the reader
    goes to another page. `page` names the one that is open; `with_axes` offers the pair of axes that is drawn where
    d > 2.
    """
    st.session_state.shown = _panel(page, with_axes)
    return shown()


def shown() -> tuple[Settings, Data | None]:
    """The settings and the data of the panel that stands beside the page."""
    found: tuple[Settings, Data | None] = st.session_state.shown
    return found


def _panel(page: str, with_axes: bool) -> tuple[Settings, Data | None]:
    settings = session.current(page)
    with st.sidebar:
        settings, data = _data(settings)
    if data is None:
        return settings, None
    with st.sidebar:
        controls.main_dials(settings, data.box.columns, cost_of(settings.parameters(), data.box.d))
        if with_axes and data.box.d > 2:
            controls.axes_dial(settings, data.box.columns)
        more = st.expander(words.MORE, key="more", on_change="rerun")
        if more.open:
            with more:
                controls.more_dials(settings, generated=not data.uploaded)
        controls.footer(settings, generated=not data.uploaded)
    if not data.uploaded:
        session.mirror()
    return settings, data


def _data(settings: Settings) -> tuple[Settings, Data | None]:
    if _own_table():
        data = upload.panel(settings)
        return (settings if data is None else upload.fitted(settings, data)), data
    settings = _of_scenario(settings)
    controls.data_dials(settings)
    if limits().uploads and st.session_state.get("file") is not None:
        with st.expander(words.UPLOAD_KEPT):  # or Streamlit would forget the file, its columns and their bounds
            upload.panel(settings)
    return settings, compute.generated(settings)


def _of_scenario(settings: Settings) -> Settings:
    """The dials made to fit the scenario: they may have been turned for a table of other dimension."""
    session.kept().table_d = None
    fit, problems = session.fitted(settings, None)
    if fit != settings:
        session.adopt(fit, problems)
    return fit


def _own_table() -> bool:
    """Whether the reader wants a table of their own; a classroom offers none."""
    if not limits().uploads:
        return False
    sources = [words.GENERATED, words.UPLOADED]
    chosen = st.segmented_control(words.SOURCE, sources, default=sources[0], required=True, key="source")
    return bool(chosen == words.UPLOADED)
