"""The README says what is true: its example runs, its commands exist, its pictures are there."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")


def blocks(language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", README, re.DOTALL)


def test_the_library_example_runs(capsys: pytest.CaptureFixture[str]) -> None:
    names: dict[str, object] = {}
    exec(blocks("python")[0], names)
    spent, errors = capsys.readouterr().out.splitlines()
    assert 1 - 1e-9 <= float(spent) <= 1
    assert all(0 < float(error) < 1 for error in errors.split())
    assert names["synthetic"].shape == (1000, 2)  # type: ignore[attr-defined]


def test_the_calls_named_below_the_example_run() -> None:
    import privcore
    from privcore import dimension, theory

    names: dict[str, object] = {**vars(privcore), "theory": theory, "dimension": dimension}
    exec(blocks("python")[0], names)
    text = README.split("Distances of a run")[1].split("## On the command line")[0]
    calls = re.findall(r"`([\w.]+\([^`]+\))`", text)
    assert [call.split("(")[0] for call in calls] == [
        "wasserstein",
        "error_estimate",
        "theory.bounds",
        "dimension.dimension",
    ]
    for call in calls:
        assert eval(call, names) is not None


def test_ci_runs_the_readmes_own_test_command() -> None:
    (line,) = [line for line in README.splitlines() if line.endswith("python -m pytest")]
    assert "chromium" in line
    assert "'.[test]'" in line
    assert "grep -m1 'python -m pytest$' README.md" in (ROOT / ".ci" / "run").read_text()


def test_the_command_line_of_the_readme_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from privcore.cli import main

    monkeypatch.chdir(tmp_path)
    Path("data.csv").write_text("x,y\n" + "\n".join(f"{i % 10},{i % 5}" for i in range(200)))
    lines = next(block for block in blocks("sh") if "privcore release" in block).splitlines()
    commands = [line.split("#")[0].split()[1:] for line in lines if "dashboard" not in line]
    assert [command[0] for command in commands] == ["release", "sample", "simulate", "check"]
    for command in commands:
        with pytest.raises(SystemExit) as stop:
            main(command)
        assert stop.value.code in (0, None), command
    assert Path("synthetic.csv").read_text().count("\n") == 1001


def test_the_ledger_of_the_readme_counts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from privcore.cli import main

    monkeypatch.chdir(tmp_path)
    Path("visits.csv").write_text("patient,x,y\n" + "\n".join(f"p{i % 30},{i % 10},{i % 5}" for i in range(200)))
    (block,) = [block for block in blocks("sh") if "privcore ledger" in block]
    for line in block.replace("\\\n", "").splitlines():
        with pytest.raises(SystemExit) as stop:
            main(line.split("#")[0].split()[1:])
        assert stop.value.code in (0, None), line
    assert "epsilon    1 spent in all, 2 of 3 left" in capsys.readouterr().out


def test_the_example_is_short_and_ci_passes_over_no_step() -> None:
    assert len([line for line in blocks("python")[0].splitlines() if line.strip()]) <= 12
    ci = (ROOT / ".ci" / "run").read_text(encoding="utf-8")
    for step in ("ruff check .", "ruff format --check .", "mypy", 'eval "$tests"'):
        assert f"\n{step}\n" in ci


def test_every_module_named_in_the_house_exists() -> None:
    house = README.split("## The house")[1].split("##")[0]
    names = re.findall(r"`(\w+)`", house)
    assert len(names) > 15
    for name in names:
        places = [ROOT / package / name for package in ("privcore", "dashboard", "")]
        assert any(place.is_dir() or place.with_suffix(".py").is_file() for place in places), name


def test_extras_and_pictures_exist() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    extras = re.findall(r"'\.\[(\w+)\]'", README)
    assert {"test", "excel", "parquet"} == set(extras) == set(project["optional-dependencies"])
    for picture in re.findall(r"\((assets/[^)]+)\)", README):
        assert (ROOT / picture).is_file()
