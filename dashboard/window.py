"""The window every page is in: its title, its icon and the style that is not Streamlit's own."""

from __future__ import annotations

import base64
from pathlib import Path

import streamlit as st

FILES = Path(__file__).parent / "browser"
TITLE = "privcore: private synthetic measures"
# Ours and in the page itself: Streamlit would fetch a symbol or an emoji from the network, and a file at every rerun.
ICON = "data:image/svg+xml;base64," + base64.b64encode((FILES / "icon.svg").read_bytes()).decode()
STYLE = f"<style>{(FILES / 'page.css').read_text(encoding='utf-8')}</style>"


def window() -> None:
    """Set it up; the first thing a rerun does."""
    st.set_page_config(page_title=TITLE, page_icon=ICON, layout="wide")
    st.html(STYLE)
