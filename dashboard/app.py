"""The entry script: the pages and the window. Streamlit runs it again at every interaction, so it does nothing else."""

from __future__ import annotations

import streamlit as st

from dashboard.compute import ready
from dashboard.views import explore, watch
from dashboard.views.panel import panel
from dashboard.window import window

window()
ready()
pages = [
    st.Page(explore.page, title="Explore", icon=":material/explore:", url_path="explore", default=True),
    st.Page(watch.page, title="Watch", icon=":material/play_circle:", url_path="watch"),
]
page = st.navigation(pages, position="top")
panel(page.title, with_axes=page.url_path == "watch")
page.run()
