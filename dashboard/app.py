"""The entry script: the pages and the window. Streamlit runs it again at every interaction, so it does nothing else."""

from __future__ import annotations

import gc

import streamlit as st

st.set_page_config(page_title="privcore: private synthetic measures", page_icon=":material/grid_view:", layout="wide")


@st.cache_resource(show_spinner=False)
def _start() -> bool:
    """Once a server: load what every page needs, then keep the collector from walking over it again and again."""
    import dashboard.plot
    import privcore  # noqa: F401

    gc.collect()
    gc.freeze()
    return dashboard.plot.install()


_start()
st.navigation(
    [st.Page("views/explore.py", title="Explore", icon=":material/explore:", default=True)], position="top"
).run()
