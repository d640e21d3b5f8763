"""The ledger: exact sums, debits that are on the disk before anything runs, and files that are whole or refused."""

from __future__ import annotations

import contextlib
import importlib
import json
import multiprocessing
import os
import signal
import stat
import sys
import tempfile
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from decimal import ROUND_CEILING, ROUND_FLOOR, Decimal
from fractions import Fraction
from multiprocessing.connection import Connection
from multiprocessing.context import ForkServerContext
from pathlib import Path
from types import FrameType, ModuleType
from typing import Any

import numpy as np
import pytest
from filelock import FileLock
from hypothesis import given, settings
from hypothesis import strategies as st

from privcore import Box, Ledger, Parameters
from privcore.errors import InvalidParametersError, InvalidPointsError, LedgerError, OverBudgetError
from privcore.ledger import Account, Debit, debit_of, exact, readable

module = importlib.import_module("privcore.ledger")
BOX = Box([0.0, 0.0], [1.0, 1.0], names=["x", "y"])
POINTS = np.random.default_rng(0).random((60, 2))

COSTS = st.one_of(
    st.floats(1e-300, 1e3),
    st.decimals(Decimal("0.0001"), 100, places=4),
    st.fractions(Fraction(1, 997), 10, max_denominator=997),
    st.integers(1, 10),
    st.sampled_from(["0.1", "1e-3", "2.50"]),
)


@pytest.fixture
def ledger(tmp_path: Path) -> Ledger:
    return Ledger.create(tmp_path / "census.json", "1")


# Sums


@given(st.lists(COSTS, max_size=30), COSTS)
def test_sums_are_exact_and_the_budget_is_never_passed(costs: list[Any], budget: Any) -> None:
    account = Account("data", exact(budget, "The budget"))
    spent = Fraction(0)
    for cost in costs:
        amount = Fraction(cost)
        if spent + amount <= Fraction(budget):
            account = account.after(Debit(exact(cost, "The cost")))
            spent += amount
        else:
            with pytest.raises(OverBudgetError):
                account.after(Debit(exact(cost, "The cost")))
    assert account.spent == spent
    assert account.remaining == Fraction(budget) - spent >= 0
    assert Account.from_json(account.to_json()) == account
    assert Account.from_json(account.to_json()).to_json() == account.to_json()


@settings(max_examples=20)
@given(st.lists(COSTS, min_size=1, max_size=6))
def test_a_file_keeps_every_debit_and_refusals_leave_it_as_it_was(costs: list[Any]) -> None:
    with tempfile.TemporaryDirectory() as directory:
        path = Path(directory) / "l.json"
        Ledger.create(path, 10)
        spent = Fraction(0)
        for cost in costs:
            before = path.read_bytes()
            try:
                spent = Ledger(path).debit(cost).spent
            except OverBudgetError:
                assert path.read_bytes() == before
                assert spent + Fraction(cost) > 10
        assert Ledger(path).account.spent == spent <= 10
        assert sorted(os.listdir(directory)) == [".l.json.lock", "l.json"]


def test_the_last_bit_decides(tmp_path: Path) -> None:
    """Three times the float 0.1 is more than 3/10, and more than the float 0.3; three times the text is 3/10."""
    for budget in ("0.3", 0.3, Decimal("0.3"), Fraction(3, 10)):
        account = Account("data", exact(budget, "The budget"))
        account = account.after(Debit(exact(0.1, ""))).after(Debit(exact(0.1, "")))
        with pytest.raises(OverBudgetError, match=r"0\.1 is asked.*e-1[78] too much"):
            account.after(Debit(exact(0.1, "")))
    half = Account("data", Fraction(1)).after(Debit(Fraction(1, 2)))
    with pytest.raises(OverBudgetError, match="e-31 too much"):
        half.after(Debit(Fraction(1, 2) + Fraction(1, 2**101)))  # as floats they are equal
    assert half.after(Debit(Fraction(1, 2))).remaining == 0
    ledger = Ledger.create(tmp_path / "l.json", "0.3")
    for _ in range(3):
        ledger.debit("0.1")
    assert ledger.remaining == 0
    with pytest.raises(OverBudgetError, match="It is used up"):
        ledger.debit(5e-324)


@pytest.mark.parametrize(
    "amount",
    [
        *(0, -1, "0", -0.5, float("nan"), float("inf"), "nan", "inf", "-Infinity", Decimal("sNaN"), "", "a", "1/3"),
        *(True, None, [1], 1e7, 10**400, "1e999999999", "1e-999999999", Fraction(1, 2**5000), 1j, b"1"),
    ],
)
def test_what_is_no_amount_is_refused(tmp_path: Path, ledger: Ledger, amount: Any) -> None:
    before = ledger.path.read_bytes()
    with pytest.raises(LedgerError, match="number above 0"):
        ledger.debit(amount)
    with pytest.raises(LedgerError, match="number above 0"):
        Ledger.create(tmp_path / "new.json", amount)
    assert ledger.path.read_bytes() == before
    assert not (tmp_path / "new.json").exists()


@pytest.mark.parametrize("kind", [np.float64, np.float32, np.int64, int, Fraction, Decimal, str])
def test_numbers_of_every_kind_are_taken_exactly(ledger: Ledger, kind: Any) -> None:
    assert ledger.debit(kind(1)).spent == 1


@given(st.fractions(0, 10**6), st.booleans())
def test_readable_amounts_are_rounded_to_the_safe_side(value: Fraction, up: bool) -> None:
    shown = Fraction(Decimal(readable(value, ROUND_CEILING if up else ROUND_FLOOR)))
    assert (shown >= value) if up else (shown <= value)
    assert abs(shown - value) <= value / 10**5


def test_an_overspending_message_says_what_remains_what_was_asked_and_what_to_do(ledger: Ledger) -> None:
    ledger.debit("0.75")
    with pytest.raises(OverBudgetError) as found:
        ledger.debit("0.5")
    assert str(found.value) == (
        "The ledger 'census' has 0.25 of its budget of 1 left, but 0.5 is asked, 0.25 too much. "
        "Nothing was spent. Ask for at most 0.25; a budget can't be raised."
    )


# One relation, one unit


def test_a_ledger_has_one_relation_and_one_unit(tmp_path: Path) -> None:
    units: list[dict[str, Any]] = [
        {},
        {"neighbours": "replace-one"},
        {"person": "patient"},
        {"person": "household"},
    ]
    for index, own in enumerate(units):
        ledger = Ledger.create(tmp_path / f"{index}.json", 1, **own)
        for other in units:
            if other == own:
                ledger.debit("0.1", **other)
            else:
                before = ledger.path.read_bytes()
                with pytest.raises(LedgerError, match="can't be added up: nothing was spent"):
                    ledger.debit("0.1", **other)
                assert ledger.path.read_bytes() == before
        assert ledger.account.spent == Fraction(1, 10)


def test_a_person_may_have_another_number_of_rows_each_time(tmp_path: Path) -> None:
    ledger = Ledger.create(tmp_path / "l.json", 10, person="patient")
    persons = [f"p{i % 9}" for i in range(60)]
    made = ledger.release(POINTS, BOX, Parameters(0.5, max_rows=3), persons)
    ledger.release(POINTS, BOX, Parameters(1.0, max_rows=2), persons, person="patient", note="finer")
    lines = ledger.account.debits
    assert [line.max_rows for line in lines] == [3, 2]
    assert lines[0].cost == made.unit_epsilon == 3 * Fraction(made.cost.total)
    assert {line.person for line in lines} == {"patient"}
    before = ledger.path.read_bytes()
    with pytest.raises(LedgerError, match=r"one person \(patient\).*but this is about adding or removing one row"):
        ledger.release(POINTS, BOX, Parameters(0.1))
    with pytest.raises(LedgerError, match="household"):
        ledger.release(POINTS, BOX, Parameters(0.1, max_rows=2), persons, person="household")
    assert ledger.path.read_bytes() == before


@pytest.mark.parametrize(
    "wrong",
    [
        *({"neighbours": "swap"}, {"neighbours": "replace-one", "person": "p"}, {"person": ""}, {"person": "a\nb"}),
        *({"name": " "}, {"name": "a\x1b[2J"}),
    ],
)
def test_a_ledger_that_makes_no_sense_is_not_made(tmp_path: Path, wrong: dict[str, Any]) -> None:
    with pytest.raises(LedgerError):
        Ledger.create(tmp_path / "l.json", 1, **wrong)
    assert not (tmp_path / "l.json").exists()


@pytest.mark.parametrize(
    "wrong",
    [
        *({"note": "two\nlines"}, {"note": 3}, {"note": "\ud800"}, {"max_rows": 2}),
        *({"parameters": value} for value in ([1], 3, {"a": float("nan")}, {"a": object()}, {"a": "\ud800"})),
    ],
)
def test_a_debit_that_makes_no_sense_spends_nothing(ledger: Ledger, wrong: dict[str, Any]) -> None:
    before = ledger.path.read_bytes()
    with pytest.raises(LedgerError):
        ledger.debit("0.1", **wrong)
    assert ledger.path.read_bytes() == before


# Before the release


def test_the_debit_is_in_the_file_before_the_release_runs_and_stays_when_it_fails(
    ledger: Ledger, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen = []

    def fail(*_: Any) -> None:
        seen.append(Ledger(ledger.path).account.spent)
        raise ZeroDivisionError

    monkeypatch.setattr(module, "release", fail)
    with pytest.raises(ZeroDivisionError):
        ledger.release(POINTS, BOX, Parameters(0.5))
    assert seen == [Parameters(0.5).unit_epsilon(2)] == [ledger.account.spent]


def test_a_release_that_is_too_dear_does_not_run(ledger: Ledger, monkeypatch: pytest.MonkeyPatch) -> None:
    def run(*_: Any) -> None:
        raise AssertionError("it ran")

    monkeypatch.setattr(module, "release", run)
    with pytest.raises(OverBudgetError):
        ledger.release(POINTS, BOX, Parameters(1.5))


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        ((POINTS[:, :1], BOX, Parameters(0.5)), InvalidPointsError),
        (([["a", "b"]], BOX, Parameters(0.5)), InvalidPointsError),
        ((POINTS, BOX, Parameters(0.5, max_depth=500)), InvalidParametersError),
        ((POINTS, BOX, Parameters(0.5), ["p"] * 60), InvalidParametersError),
        ((POINTS, BOX, Parameters(0.5, max_rows=2), ["p"]), InvalidPointsError),
    ],
)
def test_a_slip_costs_nothing(ledger: Ledger, arguments: Any, error: type[Exception]) -> None:
    with pytest.raises(error):
        ledger.release(*arguments)
    assert ledger.account.debits == ()


def test_releases_add_up_to_the_budget(ledger: Ledger) -> None:
    for epsilon in (0.5, 0.25, 0.25):
        made = ledger.release(POINTS, BOX, Parameters(epsilon), note=f"epsilon {epsilon}")
        assert ledger.account.debits[-1].cost == made.unit_epsilon
    assert 0 <= ledger.remaining < 1e-9
    with pytest.raises(OverBudgetError):
        ledger.release(POINTS, BOX, Parameters(0.1))


def test_a_line_says_when_how_much_for_whom_and_with_what_and_nothing_of_the_data(tmp_path: Path) -> None:
    lines = []
    for points in (POINTS, np.full((7, 2), 0.123)):
        ledger = Ledger.create(tmp_path / f"{len(points)}.json", 3, name="census")
        ledger.release(points, BOX, Parameters(0.5, shift=(0.25, 0.5)), note="for the atlas")
        (line,) = json.loads(ledger.path.read_text())["debits"]
        lines.append(line)
    for line in lines:
        assert line.pop("time").endswith("Z")
    assert lines[0] == lines[1]
    expected = Parameters(0.5, shift=(0.25, 0.5))
    assert lines[0] == {
        "cost": str(expected.unit_epsilon(2)),
        "epsilon": float(expected.unit_epsilon(2)),
        "neighbours": "add-remove",
        "person": None,
        "max_rows": None,
        "parameters": {"d": 2, **expected.to_dict()},
        "note": "for the atlas",
    }


# Files that are no ledger, or no longer


def content(ledger: Ledger) -> dict[str, Any]:
    ledger.debit("0.25", parameters={"d": 2}, note="é")
    loaded: dict[str, Any] = json.loads(ledger.path.read_text())
    return loaded


def refused(ledger: Ledger, data: bytes, pattern: str = "is refused") -> None:
    """The ledger is refused with a sentence by every door, and its file is left alone."""
    ledger.path.write_bytes(data)
    doors = (
        lambda: Ledger(ledger.path),
        lambda: ledger.account,
        lambda: ledger.remaining,
        lambda: ledger.debit("0.1"),
        lambda: ledger.release(POINTS, BOX, Parameters(0.1)),
        lambda: Ledger.create(ledger.path, 5),
    )
    for door in doors:
        with pytest.raises(LedgerError, match=pattern if door is not doors[-1] else "is there already"):
            door()
    assert ledger.path.read_bytes() == data


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b" ",
        b"{}",
        b"[]",
        b"null",
        b"3",
        b"\xff\xfe\x00",
        b"\x89PNG",
        b"[" * 50_000,
        b'{"format": "privcore-release"}',
        b'{"format": "privcore-ledger"}',
        b'{"format": "privcore-ledger", "version": 1}',
        b"{'format': 1}",
    ],
)
def test_foreign_files_are_refused(ledger: Ledger, data: bytes) -> None:
    refused(ledger, data, "is refused")


@pytest.mark.parametrize(
    ("field", "value", "pattern"),
    [
        ("version", 2, "Update privcore"),
        ("version", 0, "changed or is damaged"),
        ("version", True, "changed or is damaged"),
        ("format", "other", "no ledger that privcore wrote"),
        ("budget", "0.5", "no fraction"),
        ("budget", "-1", "no fraction"),
        ("budget", 1, "changed or is damaged"),
        ("budget", "2/2", "budget"),
        ("budget", "1/0", "no fraction"),
        ("budget", "1/5", "more than its budget"),
        ("budget", "9" * 5000, "no fraction"),
        ("neighbours", "replace-one", "other neighbours"),
        ("neighbours", ["add-remove"], "must be 'add-remove'"),
        ("person", "patient", "other neighbours"),
        ("name", "", "on one line"),
        ("name", None, "on one line"),
        ("debits", None, "changed or is damaged"),
        ("debits", {}, "debits"),
        ("extra", 1, "extra"),
    ],
)
def test_changed_fields_are_refused(ledger: Ledger, field: str, value: Any, pattern: str) -> None:
    refused(ledger, json.dumps(content(ledger) | {field: value}).encode(), pattern)


@pytest.mark.parametrize(
    ("field", "value"),
    [("cost", value) for value in ("-1/4", "0", "5/4", "1/3", 0.25, "0.25", "1/4 ", "٢", None, "")]
    + [("epsilon", 0.2), ("epsilon", "0.25"), ("neighbours", "replace-one"), ("person", "p"), ("max_rows", 2)]
    + [("parameters", []), ("note", None), ("note", "a\nb"), ("time", "2026-01-01"), ("time", None)]
    + [("time", "2026-02-30T00:00:00Z"), ("time", "2026-1-01T00:00:00Z"), ("extra", 1)],
)
def test_changed_debits_are_refused(ledger: Ledger, field: str, value: Any) -> None:
    changed = content(ledger)
    changed["debits"][0][field] = value
    refused(ledger, json.dumps(changed).encode(), "changed or is damaged")


def test_missing_fields_and_cut_files_are_refused(ledger: Ledger) -> None:
    whole = content(ledger)
    data = ledger.path.read_bytes()
    for name in whole:
        refused(ledger, json.dumps({key: value for key, value in whole.items() if key != name}).encode())
    for name in whole["debits"][0]:
        line = {key: value for key, value in whole["debits"][0].items() if key != name}
        refused(ledger, json.dumps(whole | {"debits": [line]}).encode())
    for length in range(0, len(data) - 2, 7):
        refused(ledger, data[:length])
    ledger.path.write_bytes(data)
    assert ledger.account.spent == Fraction(1, 4)


def test_a_file_that_was_only_laid_out_anew_is_read(ledger: Ledger) -> None:
    ledger.path.write_text(json.dumps(content(ledger)))
    assert ledger.account.spent == Fraction(1, 4)


def test_parameters_of_another_version_of_privcore_are_kept(ledger: Ledger) -> None:
    ledger.debit("0.25", parameters={"a dial of the future": [1, {"deep": None}]})
    ledger.debit("0.25")
    assert ledger.account.debits[0].parameters == {"a dial of the future": [1, {"deep": None}]}


# Where it lies


def test_a_missing_ledger_is_not_started_anew(tmp_path: Path, ledger: Ledger) -> None:
    ledger.path.unlink()
    for use in (lambda: Ledger(ledger.path), lambda: ledger.account, lambda: ledger.debit("0.1")):
        with pytest.raises(LedgerError, match=r"no ledger census\.json"):
            use()
    assert not ledger.path.exists()
    with pytest.raises(LedgerError, match="no directory"):
        Ledger.create(tmp_path / "typo" / "l.json", 1)
    with pytest.raises(LedgerError, match="can't be read"):
        Ledger(tmp_path)
    assert sorted(path.name for path in tmp_path.iterdir()) == [".census.json.lock"]


def test_a_ledger_is_declared_once(ledger: Ledger) -> None:
    before = ledger.path.read_bytes()
    with pytest.raises(LedgerError, match="is there already"):
        Ledger.create(ledger.path, 100)
    assert ledger.path.read_bytes() == before


def test_a_link_to_a_ledger_is_the_ledger(tmp_path: Path, ledger: Ledger) -> None:
    (tmp_path / "elsewhere").mkdir()
    link = tmp_path / "elsewhere" / "link.json"
    link.symlink_to(ledger.path)
    Ledger(link).debit("0.5")
    assert link.is_symlink()
    assert ledger.remaining == Fraction(1, 2)
    assert os.listdir(link.parent) == ["link.json"]


def test_permissions_stay(ledger: Ledger) -> None:
    ledger.path.chmod(0o664)
    ledger.debit("0.5")
    assert stat.S_IMODE(ledger.path.stat().st_mode) == 0o664


def test_a_ledger_in_use_is_waited_for_and_then_refused(ledger: Ledger, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "WAIT", 0.01)
    before = ledger.path.read_bytes()
    with FileLock(ledger.path.with_name(".census.json.lock")), ThreadPoolExecutor(1) as other:
        with pytest.raises(LedgerError, match="in use by another process"):
            other.submit(ledger.debit, "0.5").result()
        assert ledger.account.debits == ()  # reading needs no lock
    assert ledger.path.read_bytes() == before


# Crashes


class Crash(BaseException):
    """Stands for the end of the process: nothing in the code catches it."""


def lines_of_the_write(crash_at: int) -> Iterator[list[int]]:
    """Count the lines that `_replace` executes and end the process, so to speak, at one of them."""
    count = [0]

    def trace(frame: FrameType, event: str, _: Any) -> Any:
        if frame.f_code.co_filename != module.__file__ or frame.f_code.co_name not in ("_replace", "_sync"):
            return trace if frame.f_code.co_filename == module.__file__ else None
        if event == "line":
            count[0] += 1
            if count[0] == crash_at:
                raise Crash
        return trace

    old = sys.gettrace()
    sys.settrace(trace)
    try:
        yield count
    finally:
        sys.settrace(old)


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")  # a crash leaves a file unclosed
def test_a_crash_at_any_line_of_the_write_leaves_a_whole_ledger(tmp_path: Path) -> None:
    step, outcomes = 0, []
    while True:
        step += 1
        ledger = Ledger.create(tmp_path / f"{step}.json", 1)
        ledger.debit("0.25")
        tracer = lines_of_the_write(step)
        next(tracer)
        try:
            ledger.debit("0.5")
        except Crash:
            outcomes.append(ledger.account.spent)
        else:
            break
        finally:
            tracer.close()
        assert ledger.account.spent in (Fraction(1, 4), Fraction(3, 4))
        rest = ledger.debit("0.25")  # the lock is free, and what was left behind does not matter
        assert rest.spent == outcomes[-1] + Fraction(1, 4)
    assert len(outcomes) >= 10
    assert outcomes == sorted(outcomes)
    assert set(outcomes) == {Fraction(1, 4), Fraction(3, 4)}
    assert not list(tmp_path.glob("*.part"))


class Busy:
    """A call that Windows refuses a number of times, as it does while another process has the file open."""

    def __init__(self, real: Any, times: int) -> None:
        self.real, self.times, self.calls = real, times, 0

    def __call__(self, *arguments: Any) -> Any:
        self.calls += 1
        if self.calls <= self.times:
            raise PermissionError(13, "Permission denied")
        return self.real(*arguments)


def like_windows(monkeypatch: pytest.MonkeyPatch) -> None:
    """What the module sees there: the flag, no way to open a directory, and no waiting in a test."""
    monkeypatch.setattr(module, "_WINDOWS", True)
    monkeypatch.setattr(module, "_PAUSE", 0.0)
    monkeypatch.delattr(os, "O_DIRECTORY")


def test_on_windows_a_file_that_somebody_reads_is_tried_again(ledger: Ledger, monkeypatch: pytest.MonkeyPatch) -> None:
    like_windows(monkeypatch)
    replace, read = Busy(os.replace, 3), Busy(ledger.path.read_bytes, 3)
    monkeypatch.setattr(os, "replace", replace)
    monkeypatch.setattr(Path, "read_bytes", lambda _: read())
    assert ledger.debit("0.25").remaining == Fraction(3, 4)
    assert (replace.calls, read.calls) == (4, 4)


@pytest.mark.parametrize("windows", [True, False])
def test_a_file_that_stays_in_use_is_told_and_nothing_is_spent(
    ledger: Ledger, windows: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patched:
        if windows:
            like_windows(patched)
        replace = Busy(os.replace, 10**6)
        patched.setattr(os, "replace", replace)
        with pytest.raises(LedgerError, match="can't be written: Permission denied"):
            ledger.debit("0.25")
        assert replace.calls == (module._TRIES + 1 if windows else 1)
    assert ledger.remaining == 1
    assert not list(ledger.path.parent.glob(".*.part"))
    assert ledger.debit("0.25").remaining == Fraction(3, 4)


def test_on_windows_a_read_only_ledger_leaves_nothing_behind(ledger: Ledger, monkeypatch: pytest.MonkeyPatch) -> None:
    like_windows(monkeypatch)
    ledger.path.chmod(stat.S_IREAD)
    made: list[int] = []
    real = os.replace
    monkeypatch.setattr(os, "replace", lambda a, b: (made.append(os.stat(a).st_mode), real(a, b)))
    ledger.debit("0.25")
    assert made[0] & stat.S_IWRITE


@pytest.mark.parametrize("broken", ["fsync", "replace", "chmod"])
def test_errors_of_the_disk_are_told_and_nothing_runs(
    ledger: Ledger, broken: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = ledger.path.read_bytes()

    def fail(*_: Any, **__: Any) -> None:
        raise OSError(28, "No space left on device")

    def run(*_: Any) -> None:
        raise AssertionError("it ran")

    with monkeypatch.context() as patched:
        patched.setattr(module, "release", run)
        patched.setattr(os, broken, fail)
        with pytest.raises(LedgerError, match=r"can't be written: No space left on device\. Nothing was run"):
            ledger.release(POINTS, BOX, Parameters(0.5))
    assert ledger.path.read_bytes() == before
    assert sorted(path.name for path in ledger.path.parent.iterdir()) == [".census.json.lock", "census.json"]


def test_a_directory_that_can_not_be_synchronised_is_told_after_the_debit(
    ledger: Ledger, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = os.fsync

    def directory_fails(code: int) -> Any:
        def fsync(descriptor: int) -> None:
            if stat.S_ISDIR(os.fstat(descriptor).st_mode):
                raise OSError(code, os.strerror(code))
            real(descriptor)

        return fsync

    monkeypatch.setattr(os, "fsync", directory_fails(5))
    with pytest.raises(LedgerError, match="look what it says"):
        ledger.debit("0.25")
    assert ledger.account.spent == Fraction(1, 4)  # spent, and not run: the safe side
    monkeypatch.setattr(os, "fsync", directory_fails(22))
    assert ledger.debit("0.25").spent == Fraction(1, 2)


PROCESSES = multiprocessing.get_context("forkserver")
PROCESSES.set_forkserver_preload(["tests.core.test_ledger"])  # imported once, not in every process


@pytest.fixture
def processes(monkeypatch: pytest.MonkeyPatch) -> ForkServerContext:
    """Processes that don't run `__main__` first: Streamlit's AppTest leaves its page there."""
    monkeypatch.setitem(sys.modules, "__main__", ModuleType("__main__"))
    return PROCESSES


def die_at_the_replace(path: Path, first: bool) -> None:
    real = os.replace

    def replace(part: Path, target: Path) -> None:
        if not first:
            real(part, target)
        os.kill(os.getpid(), signal.SIGKILL)

    os.replace = replace  # type: ignore[assignment]
    Ledger(path).debit("0.25")


@pytest.mark.parametrize(("first", "spent"), [(True, 0), (False, Fraction(1, 4))])
def test_kill_9_in_the_middle(ledger: Ledger, first: bool, spent: Fraction, processes: ForkServerContext) -> None:
    process = processes.Process(target=die_at_the_replace, args=(ledger.path, first))
    process.start()
    process.join()
    assert process.exitcode == -signal.SIGKILL
    names = sorted(path.name for path in ledger.path.parent.iterdir())
    assert names == [".census.json.lock"] + [".census.json.part"] * first + ["census.json"]
    assert ledger.account.spent == spent
    assert ledger.debit("0.5").spent == spent + Fraction(1, 2)
    assert not list(ledger.path.parent.glob(".*.part"))


def spend_and_tell(path: Path, told: Connection) -> None:
    while True:
        Ledger(path).debit("0.001")
        told.send("spent")


def test_kill_9_at_any_moment_loses_nothing_that_was_acknowledged(ledger: Ledger, processes: ForkServerContext) -> None:
    total = 0
    for debits in (1, 2, 8, 30):
        ours, theirs = processes.Pipe(duplex=False)
        process = processes.Process(target=spend_and_tell, args=(ledger.path, theirs))
        process.start()
        theirs.close()
        heard = [ours.recv() for _ in range(debits)]
        process.kill()
        process.join()
        with contextlib.suppress(EOFError):
            while True:
                heard.append(ours.recv())
        made = len(ledger.account.debits) - total
        assert len(heard) <= made <= len(heard) + 1
        total += made


# Several at once


def spend(path: Path, times: int) -> list[str]:
    results = []
    for number in range(times):
        try:
            results.append(f"{Ledger(path).debit(Fraction(1, 3), note=f'{os.getpid()} {number}').spent}")
        except OverBudgetError:
            results.append("refused")
    return results


def test_four_processes_lose_no_debit_and_never_pass_the_budget(tmp_path: Path, processes: ForkServerContext) -> None:
    ledger = Ledger.create(tmp_path / "l.json", 20)
    with ProcessPoolExecutor(4, processes) as pool:
        futures = [pool.submit(spend, ledger.path, 25) for _ in range(4)]
        results = [result for future in futures for result in future.result()]
    assert results.count("refused") == 40
    taken = sorted(Fraction(result) for result in results if result != "refused")
    assert taken == [Fraction(k, 3) for k in range(1, 61)]  # each saw a state of its own
    account = ledger.account
    assert account.spent == 20
    assert len({line.note for line in account.debits}) == 60


def test_threads_that_share_a_ledger_lose_no_debit(tmp_path: Path) -> None:
    ledger = Ledger.create(tmp_path / "l.json", 4)
    with ThreadPoolExecutor(4) as pool:
        results = list(pool.map(lambda _: ledger.debit("0.1").spent, range(40)))
    assert sorted(results) == [Fraction(k, 10) for k in range(1, 41)]
    assert ledger.remaining == 0


def test_two_that_make_the_same_ledger_at_once_make_one(tmp_path: Path) -> None:
    def create(budget: int) -> int | None:
        try:
            Ledger.create(tmp_path / "l.json", budget)
        except LedgerError:
            return None
        return budget

    with ThreadPoolExecutor(4) as pool:
        (made,) = [budget for budget in pool.map(create, range(1, 9)) if budget is not None]
    assert Ledger(tmp_path / "l.json").account.budget == made


def test_crumbs_of_rounding_are_no_advice() -> None:
    parameters = Parameters(epsilon=1.0)
    account = Account("census", Fraction(1)).after(debit_of(Box.unit(2), parameters))
    assert 0 < account.remaining < Fraction(1, 10**8)
    with pytest.raises(OverBudgetError, match="What is left is too little"):
        account.after(debit_of(Box.unit(2), parameters))
