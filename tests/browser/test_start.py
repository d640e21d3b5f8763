"""The dashboard as a reader starts it: `python -m dashboard`."""

from __future__ import annotations

import re

from playwright.sync_api import Page

from tests.browser.conftest import Watched
from tests.browser.helpers import open_page

SERVED = re.compile(r"/app/static/(plotly-[\w.]+\.min\.js|plot-[0-9a-f]{8}\.js)$")


def test_the_first_page_comes_from_this_machine_alone(page: Page, dashboard_url: str, watched: Watched) -> None:
    open_page(page, dashboard_url)
    assert "privcore" in page.title()
    assert watched.foreign(dashboard_url) == []
    assert watched.errors == []
    assert len({url for url in watched.requests if SERVED.search(url)}) == 2


def test_the_browser_keeps_the_drawing_library(page: Page, dashboard_url: str) -> None:
    open_page(page, dashboard_url)
    open_page(page, dashboard_url)
    sizes = page.evaluate(
        """() => performance.getEntriesByType('resource')
                 .filter(entry => /plotly-.*js$/.test(entry.name)).map(entry => entry.transferSize)"""
    )
    assert sizes == [0]
