"""The laws of the house, as tests of the repository itself."""

from __future__ import annotations

import ast
import inspect
import subprocess
import sys
from pathlib import Path

import pytest

import privcore

ROOT = Path(__file__).parents[2]
SOURCES = {room: sorted((ROOT / room).rglob("*.py")) for room in ("privcore", "dashboard", "tests")}


def imports(path: Path) -> set[str]:
    found: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            found |= {alias.name.split(".")[0] for alias in node.names}
        if isinstance(node, ast.ImportFrom) and node.module:
            found.add(node.module.split(".")[0])
    return found


@pytest.mark.parametrize("path", SOURCES["privcore"], ids=lambda p: str(p.relative_to(ROOT)))
def test_the_core_knows_no_drawing_and_no_dashboard(path: Path) -> None:
    assert not imports(path) & {"streamlit", "plotly", "dashboard", "tests"}


def test_the_core_starts_without_what_only_some_calls_need() -> None:
    """POT, scikit-learn and scipy.stats take longer to import than all the rest: `privcore --help` waits for none."""
    heavy = "{'ot', 'sklearn', 'scipy.stats'}"
    code = f"import sys, privcore; print(sorted({heavy} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, check=True, text=True)
    assert done.stdout.strip() == "[]"


def test_figures_and_texts_know_no_streamlit() -> None:
    for room in ("figures", "text"):
        for path in (ROOT / "dashboard" / room).glob("*.py"):
            assert "streamlit" not in imports(path), path


def test_views_do_no_numerics() -> None:
    for path in (ROOT / "dashboard" / "views").glob("*.py"):
        assert not imports(path) & {"numpy", "scipy", "ot", "pandas"}, path


def test_only_settings_knows_the_ranges_of_the_link_and_only_compute_caches() -> None:
    for path in SOURCES["dashboard"]:
        text = path.read_text()
        if path.name != "compute.py":
            assert "cache_data" not in text, path
            assert "cache_resource" not in text, path


@pytest.mark.parametrize("name", sorted(set(privcore.__all__) - {"PrivcoreError"}))
def test_every_public_name_has_a_sentence_and_an_example(name: str) -> None:
    thing = getattr(privcore, name)
    text = inspect.getdoc(thing) or ""
    assert text.split("\n")[0].rstrip().endswith((".", ":")), text
    examples = [text]
    if inspect.isclass(thing):
        examples += [inspect.getdoc(member) or "" for _, member in inspect.getmembers(thing)]
        examples.append(inspect.getdoc(privcore.simulate) or "")
    assert any(">>>" in example for example in examples)


def test_tests_are_not_skipped_or_excused() -> None:
    marks = ("mark." + "skip", "mark." + "xfail", "pytest." + "skip(", "importor" + "skip")
    for path in SOURCES["tests"]:
        assert not [mark for mark in marks if mark in path.read_text()], path


def test_no_large_file_and_no_copy_of_plotly_is_committed() -> None:
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, check=True).stdout.decode()
    files = [ROOT / name for name in listed.split("\0") if name]
    assert files
    assert not [path for path in files if path.exists() and path.stat().st_size > 2_000_000]
    assert not [path for path in files if "plotly" in path.name and path.suffix == ".js"]
