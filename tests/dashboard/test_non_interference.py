"""Non-interference: whatever is shown of a release is a function of its public outcome, byte for byte.

Two data sets are released with scripted words that give the same splits and the same noisy counts. Every output is
compared: those of the release, of every function of the core that takes one, of every figure that can be drawn from
one, files, messages and log lines. They are found by introspection: a new one is compared, or the test says so.
"""

from __future__ import annotations

import importlib
import inspect
import json
import logging
import pkgutil
import typing
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import dashboard.figures
import privcore
from dashboard import compute
from dashboard.figures.style import Drawing
from privcore import Box, Parameters, Release, release
from privcore.arrays import Floats
from privcore.dimension import dimension
from privcore.errors import PrivcoreError
from privcore.noise import SeededWords
from privcore.persons import kept_rows
from tests.core.test_release import CHOICES, NAMED, POINTS, outputs, with_words

TRUTHS = {"loss", "sizes", "true_counts", "count", "noise", "leaf_noise", "plan", "unit", "total", "run"}
"""Names of required arguments that only a simulation has: figures that take one are private and carry the banner."""
BOXES = {1: Box([-1.0], [3.0], names=["x"]), 2: NAMED, 3: Box.unit(3), 5: Box.unit(5)}

Twins = tuple[Release, Release]


def cloud(d: int) -> Floats:
    return BOXES[d].from_unit(np.random.default_rng(d).random((150, d)) ** 2)


def moved(made: Release, points: Floats) -> Floats:
    """Other data with the same counts in every cell of the release's tree: every record moved inside its leaf."""
    unit = made.box.to_unit(points)
    centres = made.tree.representatives[made.tree.leaf_of(unit)]
    other = made.box.from_unit(centres + 0.3 * (unit - centres))[::-1]
    assert (np.sort(other, axis=0) != np.sort(points, axis=0)).all()
    return np.asarray(other)


def twins_of_place(monkeypatch: pytest.MonkeyPatch, d: int, choices: dict[str, Any]) -> Twins:
    """The same words, other places."""
    if isinstance(choices.get("shift"), tuple):
        choices = choices | {"shift": (0.25,) * d}
    points, parameters = cloud(d), Parameters(1.0, **choices)
    with_words(monkeypatch, 11)
    first = release(points, BOXES[d], parameters)
    with_words(monkeypatch, 11)
    return first, release(moved(first, points), BOXES[d], parameters)


def twins_of_size(monkeypatch: pytest.MonkeyPatch) -> Twins:
    """Other words, other sizes: three records and nine, with rows that don't count, and the same noisy counts."""
    parameters = Parameters(1.0, max_depth=1)
    seen: dict[str, Release] = {}
    many = np.concatenate([np.linspace(-0.9, 2.9, 9), [np.nan, np.inf, np.nan]])[:, None]
    for seed in range(2000):
        for points in (np.array([[-0.5], [0.1], [2.0]]), many):
            with_words(monkeypatch, seed)
            made = release(points, BOXES[1], parameters)
            other = seen.setdefault(f"{len(points)} {made.to_json()}", made)
            twin = seen.get(f"{15 - len(points)} {made.to_json()}")
            if twin is not None and len(made.tree.leaves) == 2:
                return twin, other
    raise AssertionError("no two data sets with one outcome found")


def modules(package: Any) -> list[Any]:
    names = [info.name for info in pkgutil.walk_packages(package.__path__, package.__name__ + ".")]
    return [importlib.import_module(name) for name in names if not name.endswith("__main__")]


def functions(package: Any) -> dict[str, Any]:
    """Every public function that a module of the package defines."""
    return {
        f"{module.__name__}.{name}": thing
        for module in modules(package)
        for name, thing in vars(module).items()
        if inspect.isfunction(thing) and not name.startswith("_") and thing.__module__ == module.__name__
    }


def takes_a_release(function: Any) -> str | None:
    """The name of the argument that may be a release: by its annotation, aliases resolved."""
    for name, hint in function.__annotations__.items():
        meant = function.__globals__.get(hint, hint) if isinstance(hint, str) else hint
        kinds = {kind.strip() for kind in str(hint).split("|")} | {
            getattr(kind, "__name__", "") for kind in typing.get_args(meant)
        }
        if name != "return" and kinds & {"Release", "PublicPart"}:
            return str(name)
    return None


def computed(made: Release) -> dict[str, str]:
    """What every function of the core makes of the release."""
    found: dict[str, str] = {}
    for name, function in functions(privcore).items():
        argument = takes_a_release(function)
        if argument is None:
            continue
        known = {"seed": 3, "replicates": 2, "errors": np.array([0.1, 0.2, 0.4]), "median": 0.2, "spread": 0.1}
        needed = inspect.signature(function).parameters
        unknown = {n for n, p in needed.items() if p.default is p.empty} - {argument, *known}
        assert not unknown, f"{name} takes a release, and this test doesn't know its {unknown}: teach it"
        found[name] = text(function(**{argument: made}, **{n: v for n, v in known.items() if n in needed}))
    assert {"privcore.error_estimate.error_estimate", "privcore.theory.table.bounds"} <= set(found)
    return found


def text(value: Any) -> str:
    if hasattr(value, "to_csv"):
        return str(value.to_csv())
    if not hasattr(value, "__dataclass_fields__"):
        return repr(value)
    return repr({name: np.asarray(getattr(value, name)).tolist() for name in value.__dataclass_fields__})


def figures() -> dict[str, Any]:
    """Every function of dashboard/figures that gives a `Drawing`."""
    return {
        name: function
        for name, function in functions(dashboard.figures).items()
        if function.__annotations__.get("return") == "Drawing"
    }


def needed(function: Any) -> set[str]:
    return {name for name, p in inspect.signature(function).parameters.items() if p.default is p.empty}


def is_private(name: str, function: Any) -> bool:
    return bool(needed(function) & TRUTHS) or name.endswith("partition.cdfs")  # which takes points and a measure


def drawn(made: Release) -> dict[str, Drawing]:
    """Every figure that can be made of a release alone."""
    measure, epsilon = made.measure, made.parameters.epsilon
    known = {
        "released": measure,
        "tree": made.tree,
        "box": made.box,
        "released_counts": made.noisy_counts,
        "leaf_counts": made.noisy_counts,
        "points": measure.sample(50, 1),
        "noisy_masses": made.noisy_masses,
        "masses": made.projection.masses,
        "method": made.projection.method,
        "found": dimension(measure.points, made.box, epsilon * made.total, weights=measure.masses),
        "cost": made.cost,
        "epsilon": epsilon,
        "private": False,
        "chosen": made.box,
    }
    result: dict[str, Drawing] = {}
    for name, function in figures().items():
        if is_private(name, function):
            continue
        known["drawing"] = result.get("dashboard.figures.measure.measure")
        unknown = needed(function) - set(known)
        assert not unknown, f"{name} may be drawn from a release, and this test doesn't know its {unknown}: teach it"
        accepted = set(inspect.signature(function).parameters)
        result[name] = function(**{n: v for n, v in known.items() if n in accepted})
    assert {"dashboard.figures.measure.measure", "dashboard.figures.tree.icicle"} <= set(result)
    return result


def everything(made: Release) -> dict[str, Any]:
    """Every output of a release, as text."""
    found: dict[str, Any] = outputs(made) | computed(made)
    for name, drawing in drawn(made).items():
        assert not drawing.private, name
        found[name] = drawing.figure.to_json(), drawing.alt, compute.csv(drawing.table)
    found["leaves.csv"] = compute.csv(made.to_frame())
    return found


def assert_same(twins: Twins) -> None:
    first, second = map(everything, twins)
    assert set(first) == set(second)
    assert [name for name in first if first[name] != second[name]] == []


@pytest.mark.parametrize("choices", CHOICES, ids=str)
def test_places_leave_no_trace(monkeypatch: pytest.MonkeyPatch, choices: dict[str, Any]) -> None:
    assert_same(twins_of_place(monkeypatch, 2, choices))


@pytest.mark.parametrize("d", [1, 3, 5])
def test_places_leave_no_trace_in_other_dimensions(monkeypatch: pytest.MonkeyPatch, d: int) -> None:
    assert_same(twins_of_place(monkeypatch, d, {"shift": "random"}))


def test_sizes_leave_no_trace(monkeypatch: pytest.MonkeyPatch) -> None:
    assert_same(twins_of_size(monkeypatch))


def test_names_of_persons_and_rows_that_are_not_kept_leave_no_trace(monkeypatch: pytest.MonkeyPatch) -> None:
    """Other names in the same order, and other places for the rows that the choice passed over."""
    parameters, number = Parameters(1.0, max_rows=2), np.repeat(np.arange(50), 3)
    points, made = cloud(2), []
    kept = kept_rows(number, 2, SeededWords(11))
    passed_over = np.where(kept[:, None], points, NAMED.from_unit(np.full((150, 2), 0.9)))
    for rows, name in ((points, "a"), (passed_over, "somebody else")):
        with_words(monkeypatch, 11)
        made.append(release(rows, NAMED, parameters, [f"{name} {i:02}" for i in number]))
    assert (passed_over != points).any()
    assert_same((made[0], made[1]))


def test_a_trace_would_be_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    """The comparison can fail: one more record changes what is released."""
    with_words(monkeypatch, 11)
    first = release(cloud(2), NAMED, Parameters(1.0))
    with_words(monkeypatch, 11)
    second = release(cloud(2)[1:], NAMED, Parameters(1.0))
    with pytest.raises(AssertionError):
        assert_same((first, second))


def test_every_figure_is_private_or_compared() -> None:
    private = {name for name, function in figures().items() if is_private(name, function)}
    assert {"dashboard.figures.partition.partition", "dashboard.figures.noise.leaf_scatter"} <= private
    assert private < set(figures())


# What is said on the way


def test_no_log_line_no_warning_no_print(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, capfd: pytest.CaptureFixture[str]
) -> None:
    """Warnings are errors in this suite. Nothing is logged at any level and nothing printed, whatever the data are."""
    caplog.set_level(logging.NOTSET)
    for points in (POINTS, np.full((300, 2), 0.7), np.empty((0, 2)), np.array([[np.nan, 9e99], [-9e99, 0.2]])):
        for choices in CHOICES:
            everything(release(points, NAMED, Parameters(1.0, **choices)))
    assert not caplog.records
    assert capfd.readouterr() == ("", "")


BAD: list[tuple[str, list[Any]]] = [
    ("letters", [[["a", "b"]], [["secret", "1"], ["0.1", "0.2"]]]),
    ("too few columns", [np.zeros((3, 1)), np.ones((77, 1))]),
    ("a list of numbers", [np.zeros(3), np.full(50, 0.7)]),
    ("three axes", [np.zeros((2, 3, 4)), np.ones((9, 3, 4))]),
]


@pytest.mark.parametrize(("name", "pair"), BAD, ids=lambda value: value if isinstance(value, str) else "")
def test_errors_say_nothing_of_the_values_or_of_n(name: str, pair: list[Any]) -> None:
    said = set()
    for points in pair:
        with pytest.raises(PrivcoreError) as caught:
            release(points, NAMED, Parameters(1.0))
        assert caught.value.__cause__ is None
        said.add(str(caught.value))
    assert len(said) == 1


# Files

CHOSEN = "--columns x y --low 0 -1 --high 2 1 --epsilon 1"


def test_the_pages_release_has_the_same_bytes(monkeypatch: pytest.MonkeyPatch) -> None:
    parameters = Parameters(1.0)
    with_words(monkeypatch, 11)
    first = release(cloud(2), NAMED, parameters)
    texts = set()
    for points in (cloud(2), moved(first, cloud(2))):
        with_words(monkeypatch, 11)
        texts.add(compute.HeldRelease(compute.uploaded(points, NAMED), parameters).text())
    assert texts == {first.to_json()}


@pytest.mark.parametrize("neighbours", ["add-remove", "replace-one"])
def test_the_command_line_says_the_same_and_writes_the_same(
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    capfd: pytest.CaptureFixture[str],
    caplog: pytest.LogCaptureFixture,
    neighbours: Any,
) -> None:
    """Two tables, records moved in their leaves and rows that don't count: one release, one screen, one exit code."""
    from privcore.cli import main

    caplog.set_level(logging.NOTSET)
    points = cloud(2)
    with_words(monkeypatch, 11)
    made = release(points, NAMED, Parameters(1.0, neighbours=neighbours))
    odd = [["", "0.5"], ["nobody", "0.1"], ["nan", "nan"], ["1e999", "3"]] if neighbours == "add-remove" else []
    seen = set()
    for name, rows in (("one", points.tolist()), ("two", moved(made, points).tolist() + odd)):
        place = tmp_path / name
        place.mkdir()
        monkeypatch.chdir(place)
        lines = ["x,y", *(f"{x},{y}" for x, y in rows)]
        Path("data.csv").write_text("\n".join(lines) + "\n")
        with_words(monkeypatch, 11)
        with pytest.raises(SystemExit) as stop:
            main(f"release data.csv --out out.json --neighbours {neighbours} {CHOSEN}".split())
        written = Path("out.json").read_text()
        seen.add((stop.value.code, *capfd.readouterr(), written, tuple(r.getMessage() for r in caplog.records)))
        assert sorted(path.name for path in place.iterdir()) == ["data.csv", "out.json"]
        assert json.loads(written)["counts"] == made.counts.tolist()
    assert len(seen) == 1


def test_tables_that_are_none_are_refused_in_one_line(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    from privcore.cli import main

    monkeypatch.chdir(tmp_path)
    said = set()
    for content in ("a,b\n1,2\n", "a,b\n" + "3,4\n" * 99, "a\nsecret\n"):
        Path("data.csv").write_text(content)
        with pytest.raises(SystemExit) as stop:
            main(["release", "data.csv", "--columns=x", "--low=0", "--high=1", "--epsilon=1", "--out=out.json"])
        said.add((stop.value.code, *capfd.readouterr()))
        assert not Path("out.json").exists()
    assert len(said) == 1


def test_scripted_words_are_the_only_randomness(monkeypatch: pytest.MonkeyPatch) -> None:
    """With the same words the same data give the same release: no clock, no hash seed, no other entropy."""
    texts = set()
    for _ in range(3):
        with_words(monkeypatch, 4)
        texts.add(release(POINTS, NAMED, Parameters(1.0, shift="random")).to_json())
    assert len(texts) == 1
