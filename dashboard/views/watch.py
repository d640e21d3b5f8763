"""Watch: the mechanism step by step, on the run of Explore. It shows the data, and says so."""

from __future__ import annotations

import streamlit as st

from dashboard import compute, player
from dashboard.compute import Data
from dashboard.figures import watch as figures
from dashboard.plot import table
from dashboard.settings import Settings
from dashboard.text import explore as panel_words
from dashboard.text import watch as words
from dashboard.views import controls, pins, session
from dashboard.views.distance import measured
from dashboard.views.panel import shown
from dashboard.views.toolbar import toolbar


def page() -> None:
    """The dials of Explore, and the player."""
    settings, data = shown()
    if data is None:
        st.title(words.TITLE)
        st.info(words.UPLOAD_FIRST, icon=":material/upload_file:")
        st.caption(panel_words.CHOOSE_AGAIN)
        return
    _show(settings, data)


def _show(settings: Settings, data: Data) -> None:
    above, stage = st.container(), st.container()  # whatever stands above, the player keeps its node and its step
    with above:
        if not session.display().present:  # a projector shows the picture first
            st.title(words.TITLE)
            st.caption(words.INTRO if data.box.d <= 2 else words.PAIRS.format(d=data.box.d))
        if data.uploaded:
            st.warning(panel_words.UPLOAD_OWNER, icon=":material/visibility:")
        controls.say_problems()
    toolbar(data.digest if data.uploaded else "", keys=words.PROJECTOR_KEYS, link=panel_words.LINK_PLAYER)
    with stage:
        _play(settings, data)
    pins.pinned(data, measured)


def _play(settings: Settings, data: Data) -> None:
    parameters = settings.parameters()
    kept = compute.kept_run(data, parameters, settings.seed)
    run = kept.run
    if len(run.tree.leaves) > figures.MOST_LEAVES:
        found = words.TOO_MANY.format(leaves=len(run.tree.leaves), most=figures.MOST_LEAVES)
        st.info(found, icon=":material/info:")
        return
    axes = settings.axes if data.box.d > 1 else (0, 0)
    told = kept.once(("watch", axes), lambda: figures.watch(run, axes))
    linked = not data.uploaded  # the number of a step tells of the tree, and so of the data
    player.play(told.story, key="watch", data_id=data.digest, linked=linked, memo=told.messages)
    table(told.table, key="table_watch")
