"""The command line, through its one entry point, and once as a real process."""

from __future__ import annotations

import importlib
import io
import json
import os
import pty
import re
import subprocess
import sys
import time
import warnings
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from privcore import Ledger, cli
from privcore.domain import Box
from privcore.errors import InvalidPointsError
from privcore.parameters import Parameters
from privcore.release import Release
from privcore.simulation import simulate

BOUNDS = ["--columns", "x", "y", "--low", "0", "0", "--high", "10", "5"]
COMMANDS = ["release", "sample", "simulate", "check", "ledger", "dashboard"]


@dataclass
class Result:
    code: int
    out: str
    err: str


class Runner:
    def __init__(self, capsys: pytest.CaptureFixture[str]) -> None:
        self.capsys = capsys

    def __call__(self, *arguments: str | Path) -> Result:
        with pytest.raises(SystemExit) as stopped:
            cli.main([str(argument) for argument in arguments])
        captured = self.capsys.readouterr()
        assert isinstance(stopped.value.code, int)
        return Result(stopped.value.code, captured.out, captured.err)


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Runner:
    monkeypatch.chdir(tmp_path)
    return Runner(capsys)


@pytest.fixture
def data(tmp_path: Path) -> Path:
    return write(tmp_path / "data.csv", points())


def points(n: int = 400) -> pd.DataFrame:
    values = np.random.default_rng(0).random((n, 2)) * [10, 5]
    return pd.DataFrame(values, columns=["x", "y"])


def write(path: Path, frame: pd.DataFrame) -> Path:
    frame.to_csv(path, index=False)
    return path


def is_one_line(text: str) -> bool:
    return text.startswith("privcore: ") and text.endswith("\n") and text.count("\n") == 1


# ------------------------------------------------------------------------------------- help and usage


@pytest.mark.parametrize("command", COMMANDS)
def test_help_has_an_example(run: Runner, command: str) -> None:
    result = run(command, "--help")
    assert result.code == 0
    assert f"\n  privcore {command}" in result.out
    assert not result.err


def test_without_a_command_the_help_is_printed(run: Runner) -> None:
    result = run()
    assert result.code == 0
    assert all(f"\n  {command} " in result.out for command in COMMANDS)


@pytest.mark.parametrize(
    "arguments",
    [
        ["nonsense"],
        ["release"],
        ["release", "data.csv", "--epsilon", "1"],
        ["release", "data.csv", *BOUNDS, "--epsilon", "much", "--out", "r.json"],
        ["release", "data.csv", *BOUNDS, "--epsilon", "1", "--out", "r.json", "--mode", "loose"],
        [
            "release",
            "data.csv",
            "--columns",
            "x",
            "y",
            "--low",
            "0",
            "--high",
            "1",
            "2",
            "--epsilon",
            "1",
            "--out",
            "r.json",
        ],
        ["release", "data.csv", "--columns", "x", "--low", "a", "--high", "1", "--epsilon", "1", "--out", "r.json"],
        ["release", "data.csv", "--columns", "x", "--low", "--high", "1", "--epsilon", "1", "--out", "r.json"],
        ["release", "data.csv", "--columns"],
        ["check", "data.csv", "--delimiter", "x"],
        ["check", "data.csv", "--encoding", "x"],
        ["sample", "r.json", "-n", "0"],
        ["dashboard", "--port", "99999"],
    ],
)
def test_wrong_usage_is_one_line_and_exit_code_2(run: Runner, data: Path, arguments: list[str]) -> None:
    result = run(*arguments)
    assert result.code == 2
    assert is_one_line(result.err)
    assert not result.out
    assert not list(data.parent.glob("*.json"))


@pytest.mark.parametrize(
    "changed",
    [
        {"--epsilon": ["0"]},
        {"--epsilon": ["-1"]},
        {"--epsilon": ["nan"]},
        {"--low": ["0", "5"]},
        {"--low": ["0", "nan"]},
        {"--high": ["inf", "5"]},
        {"--columns": ["x", "x"]},
        {"--columns": ["x", "z"]},
        {"--mode": ["paper"], "--theta": ["3"]},
        {"--out": ["missing/r.json"]},
        {"--out": ["."]},
        {"--out": ["data.csv"], "--force": []},
    ],
)
def test_refused_input_is_one_line_and_exit_code_1(run: Runner, data: Path, changed: dict[str, list[str]]) -> None:
    options: dict[str, list[str]] = {
        "--columns": ["x", "y"],
        "--low": ["0", "0"],
        "--high": ["10", "5"],
        "--epsilon": ["1"],
        "--out": ["r.json"],
    }
    before = data.read_bytes()
    result = run("release", data, *(part for name, values in (options | changed).items() for part in (name, *values)))
    assert result.code == 1
    assert result.err.endswith(".\n")  # a sentence, and the last one says what to do
    assert is_one_line(result.err)
    assert not result.out
    assert data.read_bytes() == before
    assert sorted(path.name for path in data.parent.iterdir()) == ["data.csv"]


def test_unexpected_errors_show_no_traceback_and_no_text(
    run: Runner, data: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: Any, **__: Any) -> None:
        raise ZeroDivisionError("cell 17")

    monkeypatch.setattr("privcore.tables.read_table", fail)
    result = run("check", data)
    assert result.code == 1
    assert is_one_line(result.err)
    assert "17" not in result.err


NUMBERS = st.floats(allow_nan=False).map(repr)


@given(
    low=st.lists(NUMBERS, min_size=1),
    high=st.lists(NUMBERS, min_size=1),
    rest=st.sampled_from([[], ["--out", "a"], ["-n", "3"]]),
)
def test_several_values_after_one_flag(low: list[str], high: list[str], rest: list[str]) -> None:
    spread = cli.spread(["f.csv", "--low", *low, "--high", *high, *rest])
    assert spread == ["f.csv", *(f"--low={value}" for value in low), *(f"--high={value}" for value in high), *rest]


# --------------------------------------------------------------------------------------------- release


@pytest.mark.parametrize(
    "bounds",
    [
        BOUNDS,
        ["--columns", "x,y", "--low", "0,0", "--high", "10,5"],
        ["--columns", "x", "--columns", "y", "--low=0", "--low=0", "--high", "10", "--high", "5"],
    ],
)
def test_release_writes_what_the_library_reloads(run: Runner, data: Path, bounds: list[str]) -> None:
    result = run("release", data, *bounds, "--epsilon", "1", "--out", "r.json")
    assert result.code == 0, result.err
    assert not result.err
    made = Release.from_json(Path("r.json").read_text())
    assert made.box == Box([0, 0], [10, 5], names=["x", "y"])
    assert made.parameters == Parameters(1)
    assert f"leaves     {len(made.noisy_counts)}\n" in result.out
    assert "r.json" in result.out


def test_release_takes_every_parameter(run: Runner, data: Path) -> None:
    dials = ["--theta", "-2", "--delta", "5", "--tree-share", "0.4", "--shift", "random", "--max-depth", "9"]
    dials += ["--projection", "clip", "--representative", "spread", "--total", "300"]
    low = ["--columns", "x", "y", "--low", "-1", "-2.5", "--high", "11", "6"]
    result = run("release", data, *low, "--epsilon", "2", *dials, "--out", "r.json")
    assert result.code == 0, result.err
    made = Release.from_json(Path("r.json").read_text())
    assert made.box.low == (-1, -2.5)
    expected = Parameters(
        2,
        theta=-2,
        delta=5,
        tree_share=0.4,
        shift="random",
        max_depth=9,
        projection="clip",
        representative="spread",
        total=300,
    )
    assert made.parameters == expected


def masked(result: Result) -> list[str]:
    return [line for line in result.out.splitlines() if not line.startswith("leaves ")]


def test_what_release_prints_does_not_depend_on_a_cell(run: Runner, tmp_path: Path) -> None:
    tables = {
        "many": points(5000).to_csv(index=False),
        "few": "x,y\n1,2\n",
        "none": "x,y\n",
        "outside": "x,y\n-1e300,1e300\ninf,2\n1e400,3\n",
        "bad cells": "x,y\n1,a\n2,3\n3,4\nb,5\n6,7\n",
        "ragged": "x,y\n1,2\n3\n4,5,6\n7,8\n9,1\n",
    }
    printed = []
    for text in tables.values():
        (tmp_path / "t.csv").write_text(text)
        result = run("release", "t.csv", *BOUNDS, "--epsilon", "1", "--out", "r.json", "--force")
        assert result.code == 0, result.err
        assert not result.err
        printed.append(masked(result))
    assert all(lines == printed[0] for lines in printed)


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"\x89PNG\x00",
        b'x,y\n1,"2\n',
        b"x,z\n1,2\n",
        b"x,y\nred,1\nblue,2\n",
        b"PK\x03\x04 secret",
        b"x;y\n1,234;1\n",
    ],
)
def test_a_file_that_is_no_such_table_is_refused_with_fixed_text(run: Runner, tmp_path: Path, content: bytes) -> None:
    (tmp_path / "bad.csv").write_bytes(content)
    result = run("release", "bad.csv", *BOUNDS, "--epsilon", "1", "--out", "r.json")
    assert result.code == 1
    assert result.err == f"privcore: {cli.UNREADABLE}\n"
    assert not result.out
    assert not Path("r.json").exists()


def test_nothing_is_spent_before_the_output_is_known_to_be_free(
    run: Runner, data: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def spend(*_: Any) -> None:
        raise AssertionError("the budget was spent")

    monkeypatch.setattr(importlib.import_module("privcore.release"), "release", spend)
    Path("r.json").write_text("kept")
    result = run("release", data, *BOUNDS, "--epsilon", "1", "--out", "r.json")
    assert result.code == 1
    assert "--force" in result.err
    assert Path("r.json").read_text() == "kept"


def test_a_failed_release_leaves_the_old_file_and_says_fixed_text(
    run: Runner, data: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: Any) -> None:
        raise ValueError("row 17 is Ada")

    monkeypatch.setattr(importlib.import_module("privcore.release"), "release", fail)
    Path("r.json").write_text("kept")
    result = run("release", data, *BOUNDS, "--epsilon", "1", "--out", "r.json", "--force")
    assert result.code == 1
    assert result.err == f"privcore: {cli.FAILED}\n"
    assert Path("r.json").read_text() == "kept"
    assert sorted(path.name for path in data.parent.iterdir()) == ["data.csv", "r.json"]


def test_warnings_are_not_shown(run: Runner, data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    module = importlib.import_module("privcore.release")
    real = module.release

    def warn(*arguments: Any) -> Any:
        warnings.warn("overflow in row 17", RuntimeWarning, stacklevel=1)
        return real(*arguments)

    monkeypatch.setattr(module, "release", warn)
    result = run("release", data, *BOUNDS, "--epsilon", "1", "--out", "r.json")
    assert (result.code, result.err) == (0, "")


def test_an_error_of_several_lines_becomes_one(run: Runner, data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: Any, **__: Any) -> None:
        raise InvalidPointsError("First line.\nSecond line.")

    monkeypatch.setattr("privcore.tables.read_table", fail)
    assert run("check", data).err == "privcore: First line. Second line.\n"


def test_a_file_that_appears_meanwhile_is_not_overwritten(
    run: Runner, data: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    module = importlib.import_module("privcore.release")
    real = module.release

    def slow(*arguments: Any) -> Any:
        Path("r.json").write_text("theirs")
        return real(*arguments)

    monkeypatch.setattr(module, "release", slow)
    result = run("release", data, *BOUNDS, "--epsilon", "1", "--out", "r.json")
    assert result.code == 1
    assert Path("r.json").read_text() == "theirs"


def test_force_overwrites(run: Runner, data: Path) -> None:
    Path("r.json").write_text("old")
    assert run("release", data, *BOUNDS, "--epsilon", "1", "--out", "r.json", "--force").code == 0
    assert json.loads(Path("r.json").read_text())


# ---------------------------------------------------------------------------------------------- sample


@pytest.fixture
def released(run: Runner, data: Path) -> Path:
    assert run("release", data, *BOUNDS, "--epsilon", "1", "--out", "r.json").code == 0
    return Path("r.json")


@pytest.mark.parametrize("option", ["--mode", "--neighbours", "--projection", "--representative"])
def test_a_choice_that_is_none_is_answered_with_the_choices(run: Runner, data: Path, option: str) -> None:
    result = run("release", data, *BOUNDS, "--epsilon", "1", "--out", "r.json", option, "loose")
    assert result.code == cli.USAGE
    said = rf"privcore: Invalid value for '{option}': 'loose' is not one of '.*'\. See privcore release --help\.\n"
    assert re.fullmatch(said, result.err), result.err


@pytest.mark.parametrize("method", ["low-discrepancy", "random"])
def test_sample_writes_points_of_the_release(run: Runner, released: Path, method: str) -> None:
    result = run("sample", released, "-n", "250", "--out", "s.csv", "--seed", "3", "--method", method)
    assert result.code == 0, result.err
    frame = pd.read_csv("s.csv")
    assert list(frame) == ["x", "y"]
    expected = Release.from_json(released.read_text()).measure.sample(250, 3, method=method)
    np.testing.assert_array_equal(frame.to_numpy(), expected)


def test_sample_prints_without_out(run: Runner, released: Path) -> None:
    first, again = run("sample", released, "-n", "10"), run("sample", released, "-n", "10")
    assert first.out == again.out
    assert pd.read_csv(io.StringIO(first.out)).shape == (10, 2)


@pytest.mark.parametrize("content", [b"", b"{}", b"[1, 2]", b"\xff\xfe", b"not json"])
def test_sample_refuses_what_is_no_release(run: Runner, tmp_path: Path, content: bytes) -> None:
    (tmp_path / "bad.json").write_bytes(content)
    result = run("sample", "bad.json", "-n", "10", "--out", "s.csv")
    assert result.code == 1
    assert is_one_line(result.err)
    assert not Path("s.csv").exists()


# ------------------------------------------------------------------------------------- simulate, check


def test_simulate_says_not_private_first_and_then_what_the_library_says(run: Runner, data: Path) -> None:
    result = run("simulate", data, *BOUNDS, "--epsilon", "1", "--seed", "5")
    assert result.code == 0, result.err
    lines = result.out.splitlines()
    assert lines[0].startswith("NOT PRIVATE")
    truth = simulate(pd.read_csv(data).to_numpy(), Box([0, 0], [10, 5], names=["x", "y"]), Parameters(1), 5)
    found = {line.split()[0]: line for line in lines[1:]}
    for name, distance in (("W1", truth.w1), ("resolution", truth.w1_resolution), ("privacy", truth.w1_privacy)):
        assert f" {distance.upper:.6g} " in found[name]
    assert found["leaves"].split()[1] == str(len(truth.noisy_counts))
    assert found["rows"].split()[1:] == ["400", "of", "400"]
    assert run("simulate", data, *BOUNDS, "--epsilon", "1", "--seed", "5").out == result.out


def test_a_distance_that_is_not_exact_at_the_deadline_is_an_interval(run: Runner, tmp_path: Path) -> None:
    write(tmp_path / "large.csv", points(20_000))
    arguments = ("simulate", "large.csv", *BOUNDS, "--epsilon", "20", "--seed", "5")
    exact = run(*arguments)
    stopped = run(*arguments, "--deadline", "0")
    assert (exact.code, stopped.code) == (0, 0), stopped.err
    found, known = ({line.split()[0]: line.split()[1:] for line in each.out.splitlines()} for each in (exact, stopped))
    assert found["leaves"] == known["leaves"]
    low, to, high = known["W1"][:3]
    assert to == "to"
    assert float(low) < float(found["W1"][0]) < float(high)
    assert found["W1"][1:] == known["W1"][3:]
    assert run(*arguments, "--deadline", "-1").code == cli.USAGE


def test_simulate_tells_the_owner_about_the_file(run: Runner, tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("x,y\n1,a\n2,3\n3,4\n4,5\n")
    result = run("simulate", "t.csv", *BOUNDS, "--epsilon", "1")
    assert result.code == 0, result.err
    assert "'a'" in result.err
    assert "rows       3 of 4" in result.out


def test_check_shows_how_the_table_is_read(run: Runner, tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("name;x\nAda;1,5\nBob;\n")
    result = run("check", "t.csv", "--columns", "x")
    assert result.code == 0, result.err
    assert result.out.splitlines()[0].startswith("NOT PRIVATE")
    assert "semicolon" in result.out
    assert "x: number" in result.out
    assert "line 3" in result.out
    assert run("check", "t.csv", "--columns", "x", "z").code == 1
    assert run("check", "t.csv", "--columns", "name").code == 1


def test_check_has_exit_code_1_for_an_error(run: Runner, tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("x;y\n1,234;1\n")
    assert run("check", "t.csv").code == 1
    assert run("check", "t.csv", "--decimal", ",").code == 0
    assert run("check", "none.csv").code == 1


# ------------------------------------------------------------------------------------------- processes


STAND_IN = """
import pathlib, signal, sys, time
def stop(*_):
    pathlib.Path("stopped").touch()
    sys.exit(3)
signal.signal(signal.SIGTERM, stop)
pathlib.Path("started").write_text(" ".join(sys.argv[1:]))
while True:
    time.sleep(0.02)
"""


def test_dashboard_starts_a_process_and_takes_it_down_with_it(tmp_path: Path) -> None:
    (tmp_path / "dashboard.py").write_text(STAND_IN)  # found first, since the command runs in this folder
    command = [
        sys.executable,
        "-m",
        "privcore.cli",
        "dashboard",
        "--port",
        "8600",
        "--address",
        "0.0.0.0",
        "--classroom",
    ]
    with subprocess.Popen(command, cwd=tmp_path) as process:
        while not (started := tmp_path / "started").exists() or not started.read_text():
            assert process.poll() is None
            time.sleep(0.02)
        assert started.read_text() == "--port=8600 --address=0.0.0.0 --classroom"
        process.terminate()
        assert process.wait() == 3
    assert (tmp_path / "stopped").exists()


def test_a_real_process_in_an_empty_directory(tmp_path: Path) -> None:
    def process(*arguments: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-m", "privcore.cli", *arguments]
        return subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)

    write(tmp_path / "data.csv", points())
    done = process("release", "data.csv", *BOUNDS, "--epsilon", "1", "--out", "release.json")
    assert (done.returncode, done.stderr) == (0, "")
    done = process("sample", "release.json", "-n", "100", "--out", "synthetic.csv")
    assert (done.returncode, done.stderr) == (0, "")
    assert len(pd.read_csv(tmp_path / "synthetic.csv")) == 100
    done = process("release", "data.csv", *BOUNDS, "--epsilon", "1", "--out", "release.json")
    assert done.returncode == 1
    assert is_one_line(done.stderr)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["data.csv", "release.json", "synthetic.csv"]


def test_progress_is_shown_on_a_terminal_only(tmp_path: Path) -> None:
    write(tmp_path / "data.csv", points())
    reader, writer = pty.openpty()
    command = [sys.executable, "-m", "privcore.cli", "check", "data.csv"]
    environment = os.environ | {"TERM": "xterm"}
    done = subprocess.run(command, cwd=tmp_path, stdout=subprocess.PIPE, stderr=writer, env=environment, check=True)
    os.close(writer)
    shown = os.read(reader, 65536).decode()
    os.close(reader)
    assert "Reading the table" in shown
    assert b"Reading the table" not in done.stdout


# ------------------------------------------------------------------------------------ ledger and persons


def test_a_release_spends_from_its_ledger_and_says_so(run: Runner, data: Path) -> None:
    first = run("release", data, *BOUNDS, "--epsilon", "1", "--out", "a.json", "--ledger", "l.json", "--budget", "3")
    assert first.code == 0, first.err
    assert first.out.splitlines()[0] == "ledger     l.json: 1 spent now; 1 spent in all, 2 of 3 left"
    note = ["--note", "second look"]
    again = run("release", data, *BOUNDS, "--epsilon", "0.5", "--out", "b.json", "--ledger", "l.json", *note)
    assert again.out.splitlines()[0] == "ledger     l.json: 0.5 spent now; 1.5 spent in all, 1.5 of 3 left"
    lines = Ledger("l.json").account.debits
    assert [line.cost for line in lines] == [
        Release.from_json(Path(f"{x}.json").read_text()).unit_epsilon for x in "ab"
    ]
    assert [line.note for line in lines] == ["", "second look"]
    assert data.name not in Path("l.json").read_text()
    shown = run("ledger", "show", "l.json").out.splitlines()
    assert shown[:3] == [
        "ledger     l.json: l",
        "protects   adding or removing one row",
        "epsilon    1.5 spent in all, 1.5 of 3 left",
    ]
    assert [line.split("  ", 1)[1] for line in shown[3:]] == ["1", "0.5, second look"]


def test_the_ledger_holds_the_debit_before_the_release_runs(
    run: Runner, data: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    Ledger.create("l.json", 1)
    seen = []

    def fail(*_: Any) -> None:
        seen.append(Ledger("l.json").account.spent)
        raise ValueError("row 17 is Ada")

    monkeypatch.setattr(importlib.import_module("privcore.release"), "release", fail)
    result = run("release", data, *BOUNDS, "--epsilon", "0.5", "--out", "r.json", "--ledger", "l.json")
    assert result.code == 1
    assert result.err == f"privcore: {cli.FAILED_IN_LEDGER}\n"
    assert result.out == "ledger     l.json: 0.5 spent now; 0.5 spent in all, 0.5 of 1 left\n"
    assert seen == [Ledger("l.json").account.spent] == [Parameters(0.5).unit_epsilon(2)]
    assert not Path("r.json").exists()


@pytest.mark.parametrize(
    ("options", "says"),
    [
        (["--epsilon", "1.5", "--ledger", "l.json"], "has 1 of its budget of 1 left, but 1.5 is asked, 0.5 too much"),
        (["--epsilon", "1", "--ledger", "none.json"], "Make it with --budget"),
        (["--epsilon", "1", "--ledger", "none.json", "--budget", "0.5"], "'none' has 0.5 of its budget of 0.5 left"),
        (["--epsilon", "1", "--ledger", "none.json", "--budget", "much"], "must be a number above 0"),
        (["--epsilon", "1", "--ledger", "l.json", "--budget", "2"], "has a budget of 1, for good"),
        (["--epsilon", "1", "--ledger", "data.csv"], "is no ledger"),
        (["--epsilon", "1", "--ledger", "l.json", "--out", "l.json", "--force"], "the ledger. Name another file"),
        (["--epsilon", "1", "--ledger", "o.json", "--budget", "1", "--out", "o.json"], "the ledger. Name another file"),
        (["--epsilon", "1", "--ledger", "l.json", "--neighbours", "replace-one"], "replacing one row"),
        (["--epsilon", "1", "--ledger", "l.json", "--person", "z", "--max-rows", "2"], "one person (z)"),
        (["--epsilon", "1", "--ledger", "l.json", "--delimiter", ";"], cli.UNREADABLE),
        (["--epsilon", "1", "--ledger", "l.json", "--note", "a\nb"], "The note must be text on one line"),
        (["--epsilon", "1", "--max-rows", "0", "--person", "z"], "max_rows is 0"),
        (["--epsilon", "1", "--max-rows", "2", "--person", "z", "--neighbours", "replace-one"], "needs 'add-remove'"),
        (["--epsilon", "1", "--max-rows", "2", "--person", "z"], cli.UNREADABLE),
    ],
)
def test_a_refused_release_spends_nothing(run: Runner, data: Path, options: list[str], says: str) -> None:
    Ledger.create("l.json", 1)
    before = Path("l.json").read_bytes()
    result = run("release", data, *BOUNDS, "--out", "r.json", *options)
    assert result.code == 1
    assert is_one_line(result.err)
    assert says in result.err
    assert not result.out
    assert Path("l.json").read_bytes() == before
    assert sorted(path.name for path in Path().iterdir()) == [".l.json.lock", "data.csv", "l.json"]


@pytest.mark.parametrize(
    "options",
    [["--budget", "1"], ["--note", "a"], ["--max-rows", "2"], ["--person", "z"], ["--person", "x", "--max-rows", "2"]],
)
def test_options_that_need_another_are_wrong_usage(run: Runner, data: Path, options: list[str]) -> None:
    result = run("release", data, *BOUNDS, "--epsilon", "1", "--out", "r.json", *options)
    assert result.code == 2
    assert is_one_line(result.err)
    assert not Path("r.json").exists()


def test_a_ledger_is_made_and_shown(run: Runner) -> None:
    made = run("ledger", "new", "visits.json", "--budget", "0.3", "--person", "patient", "--name", "Visits of 2026")
    assert made.code == 0, made.err
    assert made.out == run("ledger", "show", "visits.json").out
    assert made.out.splitlines() == [
        "ledger     visits.json: Visits of 2026",
        "protects   adding or removing one person (patient) with all their rows",
        "epsilon    0 spent in all, 0.3 of 0.3 left",
    ]
    assert Ledger("visits.json").account.budget == Fraction(3, 10)
    assert run("ledger", "new", "visits.json", "--budget", "9").code == 1
    assert run("ledger", "show", "none.json").code == 1
    assert run("ledger", "new", "other.json").code == 2
    assert "show" in run("ledger").out


VISITS = "id,x,y\n" + "".join(f"{'0' * (i % 3)}{i % 10},{i % 7},{i % 5}\n" for i in range(240)) + ",1,1\n" * 9 + "3,1\n"


def test_a_release_of_persons_keeps_some_rows_of_each_and_costs_so_many_times_epsilon(
    run: Runner, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "visits.csv").write_text(VISITS)
    kept: list[int] = []
    module = importlib.import_module("privcore.release")
    real = module.run

    def look(*arguments: Any) -> Any:
        outcome = real(*arguments)
        kept.append(len(outcome.rows))
        return outcome

    monkeypatch.setattr(module, "run", look)
    options = ["--person", "id", "--max-rows", "3", "--ledger", "l.json", "--budget", "2"]
    result = run("release", "visits.csv", *BOUNDS, "--epsilon", "0.5", *options, "--out", "r.json")
    assert result.code == 0, result.err
    assert kept == [3 * 30]  # 10 numbers in 3 spellings each: "7", "07" and "007" are three persons
    made = Release.from_json(Path("r.json").read_text())
    assert made.parameters.max_rows == 3
    (line,) = Ledger("l.json").account.debits
    assert (line.person, line.max_rows, line.cost) == ("id", 3, made.unit_epsilon)
    assert "1.5 spent now" in result.out
    assert "one person with all their rows, of which at most 3 count." in result.out
    assert "epsilon    1.5 for one person: 3 rows, 0.5 each" in result.out
    assert ", 3 rows a person" in run("ledger", "show", "l.json").out


def test_what_a_release_of_persons_prints_does_not_depend_on_a_cell(run: Runner, tmp_path: Path) -> None:
    printed = []
    for text in (VISITS, "id,x,y\n", "id,x,y\n,1,2\n", "id,x,y\nAda,1,2\n", "id,x,y\n1,5,4\n2,3,3\n1,5,4\n"):
        (tmp_path / "t.csv").write_text(text)
        options = ["--person", "id", "--max-rows", "2", "--out", "r.json", "--force"]
        result = run("release", "t.csv", *BOUNDS, "--epsilon", "1", *options)
        assert result.code == 0, result.err
        printed.append(masked(result))
    assert all(lines == printed[0] for lines in printed)


def test_simulate_shows_what_bounding_moves(run: Runner, tmp_path: Path) -> None:
    (tmp_path / "visits.csv").write_text(VISITS)
    result = run("simulate", "visits.csv", *BOUNDS, "--epsilon", "1", "--person", "id", "--max-rows", "2")
    assert result.code == 0, result.err
    assert "rows       60 of 250" in result.out
    assert "all rows to those that count" in result.out


@pytest.mark.parametrize("text", ["x;y\n1,5;2\n0,25;3\n", "x;y\n1.234;1\n0,5;1\n"])
def test_a_release_never_guesses_a_decimal_comma(run: Runner, tmp_path: Path, text: str) -> None:
    """One cell with a comma would decide how the cells of the others are read."""
    (tmp_path / "t.csv").write_text(text)
    release = ["release", "t.csv", "--columns", "x", "--low", "0", "--high", "5", "--epsilon", "1", "--out", "r.json"]
    refused = run(*release)
    assert refused.code == 1
    assert "--decimal ," in refused.err
    assert not (tmp_path / "r.json").exists()
    assert run(*release, "--decimal", ",").code == 0
    assert (tmp_path / "r.json").exists()


# ------------------------------------------------------------------------------------------ what a slip is told


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["relese"], "Did you mean 'release'? See privcore --help."),
        (["release"], "Missing argument 'FILE'. See privcore release --help."),
        (["ledger", "new"], "See privcore ledger new --help."),
        (["release", "--columns", "x", "y", "data.csv", "--low", "0", "0", "--high", "1", "1"], cli.FILE_FIRST),
        (["release", "data.csv", "--columns", "--low", "0"], "'--columns': It has no value."),
        (["check", "data.csv", "--columns"], "'--columns': It has no value."),
        (
            ["simulate", "data.csv", *BOUNDS[:3], "--low", "0,5", "1", "--high", "1", "1", "--epsilon", "1"],
            "'0,5' is not",
        ),
        (
            ["simulate", "data.csv", *BOUNDS[:3], "--low", "7", "--high", "1", "1", "--epsilon", "1"],
            "x, y, but the numbers 7",
        ),
    ],
)
def test_a_usage_error_names_what_is_wrong_and_the_help_of_its_command(
    run: Runner, data: Path, arguments: list[str], says: str
) -> None:
    result = run(*arguments)
    assert result.code == 2
    assert is_one_line(result.err)
    assert says in result.err
    assert ".." not in result.err
    assert "?." not in result.err


@pytest.mark.parametrize("command", ["release", "simulate", "check", "sample"])
def test_a_directory_is_not_called_missing(run: Runner, tmp_path: Path, command: str) -> None:
    options = {"check": [], "sample": [], "simulate": [*BOUNDS, "--epsilon", "1"]}
    result = run(command, tmp_path, *options.get(command, [*BOUNDS, "--epsilon", "1", "--out", "r.json"]))
    assert result.code == 1
    assert result.err == f"privcore: {tmp_path} is a directory. Name a file in it.\n"


def test_what_is_no_release_is_named_with_its_file(run: Runner, data: Path) -> None:
    for text in ("", "x,y\n1,2\n", "{}", "[]"):
        Path("r.json").write_text(text)
        result = run("sample", "r.json")
        assert result.code == 1
        assert result.err.startswith("privcore: r.json can't be read. The text is not a release")


def test_the_owner_can_see_why_a_release_was_refused(run: Runner, data: Path) -> None:
    given = [
        "release",
        data,
        "--low",
        "0",
        "0",
        "--high",
        "9",
        "9",
        "--epsilon",
        "1",
        "--out",
        "r.json",
        "--max-rows",
        "2",
    ]
    for options in (["--columns", "x", "no"], ["--columns", "x", "y", "--person", "no"]):
        person = [] if "--person" in options else ["--person", "id"]
        assert cli.UNREADABLE in run(*given, *options, *person).err
        assert "The table has no column 'no'. Its columns are x, y" in run("check", data, *options).err


def test_a_table_that_can_not_be_read_has_no_number_of_rows(run: Runner) -> None:
    Path("ragged.csv").write_text("x,y\n1,2\n1\n3,4,5\n")
    result = run("check", "ragged.csv")
    assert result.code == 1
    assert "rows  " not in result.out
    assert "many rows have 1 field (line 3)" in result.out
    said = run("simulate", "ragged.csv", *BOUNDS, "--epsilon", "1").err
    assert "The table has no column 'x'. It has none, and its problems say why." in said


def test_a_table_is_read_from_a_pipe() -> None:
    command = [sys.executable, "-m", "privcore.cli", "check", "/dev/stdin"]
    done = subprocess.run(command, input=b"x,y\n1,2\n3,4\n", capture_output=True, check=True)
    assert b"rows       2\n" in done.stdout


def test_the_share_of_the_tree_is_an_epsilon_and_no_percentage(run: Runner, data: Path) -> None:
    result = run("release", data, *BOUNDS, "--epsilon", "0.05", "--out", "r.json")
    assert "cost       0.05, of which the tree takes 0.03\n" in result.out


def test_help_shows_no_type_of_python(run: Runner) -> None:
    for command in ("release", "simulate", "check"):
        text = run(command, "--help").out
        assert "list[" not in text
        assert "|||" not in text
