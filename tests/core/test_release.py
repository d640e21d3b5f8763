"""A release: what it holds, how it is read back, and what it can never be made from."""

from __future__ import annotations

import inspect
import json
import sys
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import privcore
from privcore import Box, Parameters, Release, Simulation, release, simulate
from privcore.errors import InvalidPointsError, InvalidReleaseError
from privcore.noise import SeededWords
from privcore.release import Published

MODULE = sys.modules["privcore.release"]  # `privcore.release` itself is the function
POINTS = np.random.default_rng(0).random((300, 2))
CASES = [
    {},
    {"mode": "paper"},
    {"neighbours": "replace-one"},
    {"total": 250},
    {"shift": "random"},
    {"shift": (0.25, 1.0)},
    {"projection": "clip"},
    {"representative": "spread"},
    {"max_depth": 0},
    {"theta": -3.0},
]


@pytest.mark.parametrize("chosen", CASES, ids=str)
def test_a_release_is_a_probability_measure_and_survives_its_text(chosen: dict[str, Any]) -> None:
    made = release(POINTS, Box([0, 0], [1, 1], names=["a", "b"]), Parameters(1.0, **chosen))
    assert made.measure.masses.min() >= 0
    assert made.measure.masses.sum() == pytest.approx(1.0)
    assert np.bincount(made.measure.leaf, made.measure.masses) == pytest.approx(made.projection.masses)
    again = Release.from_json(made.to_json())
    assert again.to_json() == made.to_json()
    assert np.array_equal(again.measure.points, made.measure.points)
    assert np.array_equal(again.measure.masses, made.measure.masses)
    pd.testing.assert_frame_equal(again.to_frame(), made.to_frame())
    assert again.parameters == made.parameters


@pytest.mark.parametrize("points", [np.empty((0, 2)), np.full((5, 2), np.nan), [[0.5, 0.5]], np.full((40, 2), 7.0)])
@pytest.mark.parametrize("chosen", CASES, ids=str)
def test_empty_tiny_and_invalid_data_run_like_any_other(points: Any, chosen: dict[str, Any]) -> None:
    made = release(points, Box.unit(2), Parameters(0.5, **chosen))
    assert made.measure.masses.sum() == pytest.approx(1.0)


def test_frames_are_read_by_name() -> None:
    frame = pd.DataFrame({"z": ["no"] * 300, "b": POINTS[:, 1], "a": POINTS[:, 0]})
    box = Box([0, 0], [1, 1], names=["a", "b"])
    by_name = simulate(frame, box, Parameters(1.0), seed=3)
    assert np.array_equal(by_name.noisy_counts, simulate(POINTS, box, Parameters(1.0), seed=3).noisy_counts)
    with pytest.raises(InvalidPointsError, match="no column 'a'"):
        release(frame.drop(columns="a"), box, Parameters(1.0))


@pytest.mark.parametrize("points", [np.zeros((3, 5)), ["x"], [[1, 2], [3]], np.zeros((2, 2, 2))], ids=str)
def test_errors_about_points_say_nothing_of_their_number(points: Any) -> None:
    with pytest.raises(InvalidPointsError) as caught:
        release(points, Box.unit(2), Parameters(1.0))
    assert "3, 5" not in str(caught.value)


# ---- strict reading


def text() -> str:
    return release(POINTS[:60], Box.unit(2), Parameters(1.0, shift="random")).to_json()


@given(st.data())
@settings(max_examples=150, deadline=None)
def test_any_field_of_another_kind_is_refused(data: Any) -> None:
    content = json.loads(text())
    paths = [(key,) for key in content] + [("box", k) for k in content["box"]] + [("cost", k) for k in content["cost"]]
    path = data.draw(st.sampled_from(paths))
    wrong = data.draw(st.sampled_from(["x", -1e9, [], {}, True, [["a"]], {"low": 1}, 10**400, [1.5]]))
    place = content
    for key in path[:-1]:
        place = place[key]
    if (path == ("box", "names") and wrong in ([], "x")) or place[path[-1]] == wrong:
        return
    place[path[-1]] = wrong
    if path[0] == "cost" and isinstance(wrong, (int, float)) and not isinstance(wrong, bool):
        return  # a number where a number belongs: checked below
    with pytest.raises(InvalidReleaseError):
        Release.from_json(json.dumps(content))


@given(st.text() | st.binary())
@settings(max_examples=100, deadline=None)
def test_any_other_text_is_refused(content: str | bytes) -> None:
    with pytest.raises(InvalidReleaseError):
        Release.from_json(content)


@pytest.mark.parametrize(
    "change",
    [
        lambda c: c.update(version=2),
        lambda c: c.update(extra=1),
        lambda c: c.pop("counts"),
        lambda c: c.update(counts=c["counts"][:-1]),
        lambda c: c.update(counts=[*c["counts"][:-1], 0.5]),
        lambda c: c.update(splits=c["splits"] + "0"),
        lambda c: c.update(splits=c["splits"].replace("0", "2")),
        lambda c: c["cost"].update(tree=0.01),
        lambda c: c["cost"].update(a=-1),
        lambda c: c.update(shift=[0.5]),
        lambda c: c.update(total=-1),
        lambda c: c["parameters"].update(epsilon=-1),
    ],
)
def test_a_changed_release_is_refused(change: Any) -> None:
    content = json.loads(text())
    change(content)
    with pytest.raises(InvalidReleaseError):
        Release.from_json(json.dumps(content))


@pytest.mark.parametrize("wrong", ["NaN", "Infinity"])
def test_constants_and_double_fields_are_refused(wrong: str) -> None:
    with pytest.raises(InvalidReleaseError, match="not a number"):
        Release.from_json(text().replace('"total": null', f'"total": {wrong}'))
    with pytest.raises(InvalidReleaseError, match="twice"):
        Release.from_json(text().replace('{"format"', '{"version": 1, "format"'))


# ---- privacy is a property of types


def test_nothing_that_returns_a_release_takes_a_seed_or_a_generator() -> None:
    makers = [release, Release.from_json]
    for maker in makers:
        assert set(inspect.signature(maker).parameters) <= {"points", "box", "parameters", "text"}
    public = [getattr(privcore, name) for name in privcore.__all__]
    returning = [f for f in public if inspect.isfunction(f) and "Release" in str(f.__annotations__.get("return"))]
    assert returning == [release]


def test_a_release_has_no_other_constructor_and_a_simulation_is_none() -> None:
    run = simulate(POINTS, Box.unit(2), Parameters(1.0), seed=0)
    with pytest.raises(TypeError, match="made by"):
        Release(run.box, run.parameters, run.cost, run.tree, run.noisy_counts, None)
    assert not isinstance(run, (Release, Published))
    assert set(Release.__mro__) & set(Simulation.__mro__) == {object}
    assert not hasattr(run, "to_json")


def outputs(made: Release) -> dict[str, bytes]:
    """Every output a release has, found by looking: a new one is checked without anybody thinking of it."""
    found: dict[str, bytes] = {}
    for name in dir(made):
        if name.startswith("__") or name == "from_json":
            continue
        value = getattr(made, name)
        if inspect.ismethod(value):
            value = value()
        found[name] = value.to_csv().encode() if isinstance(value, pd.DataFrame) else _bytes(value)
    return found | {"repr": repr(made).encode()}


def _bytes(value: Any) -> bytes:
    if isinstance(value, np.ndarray):
        return value.tobytes()
    if hasattr(value, "__dict__"):
        return b"".join(name.encode() + _bytes(part) for name, part in sorted(vars(value).items()))
    return repr(value).encode()


def test_different_data_with_the_same_public_outcome_give_the_same_bytes(monkeypatch: pytest.MonkeyPatch) -> None:
    """Data sets that differ but agree on every cell of the tree (depth cap 2): nothing else may show."""
    rng = np.random.default_rng(1)
    first = rng.random((80, 2))
    second = np.floor(first * 2) / 2 + rng.random((80, 2)) / 2  # each record elsewhere in its quarter
    assert not np.allclose(first, second)
    shown = []
    for points in (first, second[::-1]):
        monkeypatch.setattr(MODULE, "SystemWords", lambda: SeededWords(9))
        shown.append(outputs(release(points, Box.unit(2), Parameters(1.0, max_depth=2))))
    assert shown[0] == shown[1]
    assert {"to_json", "to_frame", "measure", "noisy_counts", "projection", "tree"} <= set(shown[0])


def test_replacing_the_data_after_a_release_changes_nothing() -> None:
    points = POINTS.copy()
    made = release(points, Box.unit(2), Parameters(1.0))
    before = outputs(made)
    points[:] = 0.999
    assert outputs(made) == before


def test_a_release_and_its_simulation_walk_the_same_path(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(MODULE, "SystemWords", lambda: SeededWords(4))
    for chosen in CASES:
        parameters = Parameters(1.0, **chosen)
        made, run = release(POINTS, Box.unit(2), parameters), simulate(POINTS, Box.unit(2), parameters, seed=4)
        assert np.array_equal(made.noisy_counts, run.noisy_counts)
        assert np.array_equal(made.tree.splits, run.tree.splits)
        assert np.array_equal(made.measure.masses, run.measure.masses)
        pd.testing.assert_frame_equal(made.to_frame(), run.to_frame())


def test_two_releases_differ() -> None:
    one, other = (release(POINTS, Box.unit(2), Parameters(1.0)).to_json() for _ in range(2))
    assert one != other


def test_normalisers() -> None:
    assert release(np.full((7, 1), np.nan), Box.unit(1), Parameters(1.0, neighbours="replace-one")).total == 7
    assert release(POINTS, Box.unit(2), Parameters(1.0, total=123)).total == 123
    made = release(POINTS, Box.unit(2), Parameters(1.0))
    assert made.total == max(1.0, made.noisy_counts.sum())
