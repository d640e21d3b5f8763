"""What a server does once, before the first reader sees anything."""

from __future__ import annotations

import gc

import streamlit as st

from dashboard import compute, plot


@st.cache_resource(show_spinner=False)
def ready() -> bool:
    """Make the first view, then keep the collector from walking over it all again and again."""
    compute.warm()
    gc.collect()
    gc.freeze()
    return plot.install()
