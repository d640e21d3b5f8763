"""Starting the dashboard, and its configuration."""

from __future__ import annotations

import socket
import tomllib
from pathlib import Path

import pytest
from streamlit import config

import dashboard
from dashboard import __main__ as start
from dashboard.palette import COLOURS, contrast

FOLDER = Path(dashboard.__file__).parent
CONFIG = tomllib.loads((FOLDER / ".streamlit" / "config.toml").read_text(encoding="utf-8"))


def test_a_port_in_use_is_said_so(capsys: pytest.CaptureFixture[str]) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        assert start.main(["--port", str(port)]) == 2
    said = capsys.readouterr()
    assert str(port) in said.err
    assert "--port" in said.err
    assert not said.out


def test_the_code_that_needs_a_compiler_runs_before_the_first_reader_comes() -> None:
    assert start._compile() == "certified"


@pytest.mark.parametrize("port", ["0", "65536", "-1", "x"])
def test_a_number_that_is_no_port_is_refused(port: str) -> None:
    with pytest.raises(SystemExit) as stopped:
        start.main(["--port", port])
    assert stopped.value.code == 2


def test_every_option_of_the_configuration_exists() -> None:
    known = config.get_config_options()
    for section, options in CONFIG.items():
        for name, value in options.items():
            if isinstance(value, dict):
                assert all(f"{section}.{name}.{key}" in known for key in value)
            else:
                assert f"{section}.{name}" in known, f"{section}.{name}"


def test_what_the_dashboard_relies_on_is_configured() -> None:
    assert CONFIG["runner"]["postScriptGC"] is False
    assert CONFIG["global"]["minCachedMessageSize"] == 2000
    assert CONFIG["browser"]["gatherUsageStats"] is False
    assert CONFIG["client"] == {"toolbarMode": "viewer", "showErrorDetails": "none", "showErrorLinks": False}
    assert CONFIG["server"]["address"] == "127.0.0.1"
    assert CONFIG["server"]["enableStaticServing"] is True
    assert "fontFaces" not in CONFIG["theme"]  # no font comes from the network


@pytest.mark.parametrize(("theme", "index"), [("light", 0), ("dark", 1)])
def test_the_themes_are_the_palette_and_legible(theme: str, index: int) -> None:
    colours = CONFIG["theme"][theme]
    assert colours["primaryColor"] == COLOURS["release"][index]
    assert colours["backgroundColor"] == COLOURS["background"][index]
    assert colours["secondaryBackgroundColor"] == COLOURS["panel"][index]
    assert colours["textColor"] == COLOURS["text"][index]
    for ground in ("backgroundColor", "secondaryBackgroundColor"):
        for name in ("primaryColor", "textColor", "linkColor"):
            assert contrast(colours[name], colours[ground]) >= 4.5, (name, ground)


def test_the_entry_script_is_short() -> None:
    assert len((FOLDER / "app.py").read_text(encoding="utf-8").splitlines()) < 40
