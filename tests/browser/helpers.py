"""Starting the dashboard for the browser tests, and waiting until a page has come to rest."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from playwright.sync_api import Locator, Page

ROOT = Path(__file__).resolve().parents[2]
DASHBOARD = ROOT / "dashboard"
READY_SECONDS = 60


def free_port() -> int:
    """Return a TCP port of this machine that nobody listens on."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@contextmanager
def running(arguments: list[str], port: int) -> Iterator[str]:
    """Run a Streamlit server as a process of its own, and give its address once it answers."""
    url = f"http://127.0.0.1:{port}"
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
    with tempfile.TemporaryFile() as log:
        server = subprocess.Popen(
            [sys.executable, *arguments], cwd=DASHBOARD, env=environment, stdout=log, stderr=subprocess.STDOUT
        )
        try:
            _wait_until_it_answers(url, server, log)
            yield url
        finally:
            server.terminate()
            server.wait(timeout=20)


def dashboard_server() -> contextmanager[str]:
    """Run the dashboard as a reader starts it."""
    port = free_port()
    return running(["-m", "dashboard", "--port", str(port)], port)


def script_server(script: Path) -> contextmanager[str]:
    """Run another script with the dashboard's configuration, which Streamlit finds in the working directory."""
    port = free_port()
    options = [f"--server.port={port}", "--server.address=127.0.0.1", "--server.enableStaticServing=false"]
    return running(["-m", "streamlit", "run", str(script.resolve()), *options], port)


def open_page(page: Page, url: str, figures: int = 1) -> None:
    """Go to a page and wait until its script has run and its figures, at least so many, are drawn."""
    page.goto(url)
    settle(page, figures)


def settle(page: Page, figures: int = 1) -> None:
    """Wait until no script runs, nothing is loading, and every figure in sight (at least so many) has been drawn."""
    page.wait_for_selector('[data-testid="stApp"][data-test-script-state="notRunning"]')
    page.wait_for_function(
        """figures => {
             if (document.querySelector('[data-testid="stException"]')) return true;
             if (document.querySelector('[data-testid="stSkeleton"]')) return false;
             const nodes = [...document.querySelectorAll('.pc-picture')].filter(node => node.clientWidth > 0);
             return nodes.length >= figures && nodes.every(node => node.querySelector('.main-svg'));
           }""",
        arg=figures,
    )
    failed = page.get_by_test_id("stException")
    assert not failed.count(), failed.first.inner_text()


def drag(page: Page, area: Locator, start: tuple[float, float], end: tuple[float, float], steps: int = 8) -> None:
    """Draw a box with the mouse, from one place of an area to another, both as parts of its size."""
    area.scroll_into_view_if_needed()
    box = area.bounding_box()
    assert box is not None
    at: Any = lambda part: (box["x"] + part[0] * box["width"], box["y"] + part[1] * box["height"])  # noqa: E731
    page.mouse.move(*at(start))
    page.mouse.down()
    page.mouse.move(*at(end), steps=steps)
    page.mouse.up()


def choose_theme(page: Page, name: str) -> None:
    """Choose Light or Dark in Streamlit's menu."""
    page.get_by_test_id("stMainMenuButton").click()
    page.get_by_test_id(f"stMainMenuItem-theme-{name}").click()
    page.keyboard.press("Escape")


def _wait_until_it_answers(url: str, server: subprocess.Popen[bytes], log: object) -> None:
    deadline = time.monotonic() + READY_SECONDS
    while time.monotonic() < deadline and server.poll() is None:
        try:
            urllib.request.urlopen(f"{url}/_stcore/health", timeout=2)
        except (urllib.error.URLError, OSError):
            time.sleep(0.1)
        else:
            return
    log.seek(0)  # type: ignore[attr-defined]
    raise RuntimeError(f"the server at {url} did not start:\n{log.read().decode()}")  # type: ignore[attr-defined]
