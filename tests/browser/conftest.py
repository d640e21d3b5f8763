"""A real browser and real servers: Debian's Chromium if there is one, else the one Playwright installed."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect

from tests.browser import helpers

FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--force-color-profile=srgb"]


@pytest.fixture(scope="session")
def browser_type_launch_args(browser_type_launch_args: dict[str, Any]) -> dict[str, Any]:
    chromium = shutil.which("chromium") or shutil.which("chromium-browser")
    return {**browser_type_launch_args, "args": FLAGS, **({"executable_path": chromium} if chromium else {})}


@pytest.fixture(scope="session")
def browser_context_args(browser_context_args: dict[str, Any]) -> dict[str, Any]:
    return {
        **browser_context_args,
        "viewport": {"width": 1440, "height": 1000},
        "locale": "en-GB",
        "timezone_id": "UTC",
        "color_scheme": "light",
        "reduced_motion": "reduce",
    }


@pytest.fixture(scope="module")
def context(browser: Browser, browser_context_args: dict[str, Any]) -> Iterator[BrowserContext]:
    """One context for the file, so that the browser keeps what it has loaded; every test has a page of its own."""
    context = browser.new_context(**browser_context_args)
    yield context
    context.close()


@pytest.fixture
def page(context: BrowserContext) -> Iterator[Page]:
    page = context.new_page()
    page.set_default_timeout(60_000)
    expect.set_options(timeout=30_000)  # a busy machine takes its time
    yield page
    page.evaluate("localStorage.clear()")  # the chosen theme
    page.close()


@pytest.fixture(scope="session")
def dashboard_url() -> Iterator[str]:
    with helpers.dashboard_server() as url:
        yield url


@pytest.fixture(scope="session")
def plot_app_url() -> Iterator[str]:
    with helpers.script_server(Path(__file__).with_name("plot_app.py")) as url:
        yield url


@dataclass
class Watched:
    """What a page asked for and complained about."""

    requests: list[str] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)

    def foreign(self, url: str) -> list[str]:
        local = (url, url.replace("http", "ws", 1), "data:", "blob:")
        return [address for address in self.requests if not address.startswith(local)]


@pytest.fixture
def watched(page: Page) -> Watched:
    """Collects every request and every error of the page, from before it is opened."""
    seen = Watched()
    page.on("request", lambda request: seen.requests.append(request.url))
    page.on("websocket", lambda socket: seen.requests.append(socket.url))
    page.on("pageerror", lambda error: seen.errors.append(str(error)))
    page.on("console", lambda message: message.type == "error" and seen.errors.append(message.text))
    return seen
