from __future__ import annotations

import copy
import gc
import importlib
import inspect
import json
import pickle
import pkgutil
import weakref
from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import privcore
from privcore.cells import CellCounts
from privcore.domain import Box
from privcore.errors import InvalidParametersError, InvalidPointsError, InvalidReleaseError
from privcore.mechanism import Run
from privcore.noise import SeededWords
from privcore.parameters import Parameters
from privcore.release import Published, Release, release
from privcore.simulation import Simulation, simulate
from privcore.tree import Growth

module = importlib.import_module("privcore.release")  # `privcore.release` is the function
POINTS = np.random.default_rng(0).random((200, 2)) ** 2
NAMED = Box([0.0, -1.0], [2.0, 1.0], names=["x", "y"])
HELD = {"box", "parameters", "cost", "tree", "counts", "public_total"}
CHOICES: list[dict[str, Any]] = [
    {},
    {"mode": "paper"},
    {"shift": "random"},
    {"shift": (0.25, 1.0), "theta": -1.5, "delta": 20.0},
    {"neighbours": "replace-one"},
    {"neighbours": "replace-one", "mode": "paper"},
    {"total": 200.0, "projection": "clip", "representative": "spread", "max_depth": 3},
    {"max_depth": 0, "theta": -3.0},
]


@pytest.fixture(params=range(len(CHOICES)))
def made(request: pytest.FixtureRequest) -> Release:
    return release(POINTS, NAMED, Parameters(1.0, **CHOICES[request.param]))


def with_words(monkeypatch: pytest.MonkeyPatch, seed: int) -> None:
    monkeypatch.setattr(module, "SystemWords", lambda: SeededWords(seed))


def outputs(made: Release) -> dict[str, Any]:
    """Every public output of a release as bytes or text, found by introspection."""
    found: dict[str, Any] = {"repr": repr(made), "str": str(made)}
    for name, member in inspect.getmembers(made):
        if name.startswith("_") or name == "from_json":
            continue
        found[name] = text_of(member() if inspect.ismethod(member) else member)
    found["samples"] = made.measure.sample(20, 3).tobytes()
    found["mass"] = made.measure.mass_in(made.box)
    return found


def text_of(value: Any) -> str:
    if isinstance(value, np.ndarray):
        return f"{value.dtype}{value.shape}{value.tolist()}"
    if isinstance(value, pd.DataFrame):
        return value.to_csv()
    if hasattr(value, "__dataclass_fields__"):
        return str({name: text_of(getattr(value, name)) for name in value.__dataclass_fields__})
    return repr(value)


# Files


def test_a_file_holds_everything(made: Release) -> None:
    again = Release.from_json(made.to_json())
    assert again.to_json() == made.to_json()
    assert outputs(again) == outputs(made)
    assert Release.from_json(made.to_json().encode()).to_json() == made.to_json()
    assert Release.from_json(json.dumps(json.loads(made.to_json()), indent=2)).to_json() == made.to_json()


BASE = json.loads(release(POINTS, NAMED, Parameters(1.0, shift=(0.5, 0.25), total=200)).to_json())
JUNK = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-3, 3),
    st.floats(allow_nan=False),
    st.text(max_size=3),
    st.lists(st.integers(0, 1), max_size=3),
    st.dictionaries(st.text(max_size=2), st.integers(), max_size=2),
)
PATHS = [(name,) for name in BASE] + [(name, inner) for name in ("box", "parameters", "cost") for inner in BASE[name]]


@settings(max_examples=300)
@given(st.sampled_from(PATHS), JUNK)
def test_any_other_value_is_refused(path: tuple[str, ...], junk: Any) -> None:
    content = copy.deepcopy(BASE)
    place = content if len(path) == 1 else content[path[0]]
    if json.dumps(place[path[-1]]) == json.dumps(junk):
        return
    place[path[-1]] = junk
    try:
        read = Release.from_json(json.dumps(content))
    except InvalidReleaseError:
        return
    # Some other values are as good: then they are kept exactly, and only these fields have them.
    assert json.loads(read.to_json()) == content
    near = isinstance(junk, float) and path != ("cost", "theta") and abs(junk) < 1e-5  # lost in rounding to 2^-20
    assert near or path[-1] in {"names", "low", "high", "projection", "max_depth", "max_rows"}, path


@settings(max_examples=60)
@given(st.sampled_from(PATHS), st.booleans())
def test_missing_and_extra_fields_are_refused(path: tuple[str, ...], extra: bool) -> None:
    content = copy.deepcopy(BASE)
    place = content if len(path) == 1 else content[path[0]]
    if extra:
        place["also"] = 1
    else:
        del place[path[-1]]
    with pytest.raises(InvalidReleaseError):
        Release.from_json(json.dumps(content))


@settings(max_examples=200)
@given(st.sampled_from(sorted(BASE["cost"])), st.floats(0.5, 2.0))
def test_a_cost_that_was_changed_is_refused(name: str, factor: float) -> None:
    content = copy.deepcopy(BASE)
    content["cost"][name] = BASE["cost"][name] * factor if name != "theta" else factor
    if abs(factor - 1) < 1e-3 and name != "theta":
        return
    with pytest.raises(InvalidReleaseError):
        Release.from_json(json.dumps(content))


@pytest.mark.parametrize(
    "change",
    [
        {"version": 1},
        {"version": 3},
        {"version": True},
        {"version": 1.0},
        {"version": "1"},
        {"format": "other"},
        {"shift": None},
        {"shift": [0.5, 0.5]},
        {"shift": [0.5]},
        {"total": None},
        {"total": 100.0},
        {"total": 200},
        {"total": "200.0"},
        {"splits": ""},
        {"splits": "2"},
        {"splits": BASE["splits"] + "0"},
        {"splits": BASE["splits"][:-1]},
        {"splits": list(BASE["splits"])},
        {"counts": BASE["counts"][:-1]},
        {"counts": [*BASE["counts"], 0]},
        {"counts": [float(count) for count in BASE["counts"]]},
        {"counts": [True] * len(BASE["counts"])},
        {"counts": [2**53] * len(BASE["counts"])},
        {"box": {"low": ["0", "-1"], "high": [2.0, 1.0], "names": ["x", "y"]}},
        {"box": {"low": [0.0], "high": [2.0], "names": ["x"]}},
        {"box": {"low": [0.0, -1.0], "high": [2.0, 1.0], "names": [1, 2]}},
        {"box": {"low": [0.0, -1.0], "high": [2.0, 1.0], "names": "xy"}},
        {"box": {"low": [0.0, -1.0], "high": [2.0, -1.0], "names": None}},
    ],
)
def test_changes_that_are_refused(change: dict[str, Any]) -> None:
    with pytest.raises(InvalidReleaseError):
        Release.from_json(json.dumps(BASE | change))


def test_a_tree_deeper_than_its_cap_is_refused() -> None:
    capped = json.loads(release(POINTS, NAMED, Parameters(50.0, max_depth=3)).to_json())
    capped["parameters"]["max_depth"] = 0
    with pytest.raises(InvalidReleaseError, match=r"depth \d.* at 0"):
        Release.from_json(json.dumps(capped))


@settings(max_examples=100)
@given(st.one_of(st.text(max_size=20), st.binary(max_size=20)))
def test_any_other_text_is_refused(text: str | bytes) -> None:
    with pytest.raises(InvalidReleaseError):
        Release.from_json(text)


@settings(max_examples=60)
@given(st.integers(0, len(json.dumps(BASE)) - 1))
def test_a_cut_file_is_refused(length: int) -> None:
    with pytest.raises(InvalidReleaseError):
        Release.from_json(json.dumps(BASE)[:length])


@pytest.mark.parametrize("number", ["NaN", "Infinity", "-Infinity", "1e999"])
def test_numbers_that_are_none_are_refused(number: str) -> None:
    text = json.dumps(BASE).replace('"total": 200.0', f'"total": {number}')
    assert number in text
    with pytest.raises(InvalidReleaseError):
        Release.from_json(text)


def test_fields_twice_and_deep_nesting_are_refused() -> None:
    for text in ('{"format": 1, ' + json.dumps(BASE)[1:], "[" * 100_000, "{}", "[]", "null", "3"):
        with pytest.raises(InvalidReleaseError):
            Release.from_json(text)


VERSION_1 = """{"format": "privcore-release", "version": 1,
"box": {"low": [0.0, 0.0], "high": [1.0, 2.0], "names": ["x", "y"]},
"parameters": {"epsilon": 1.0, "theta": 0.0, "delta": null, "gamma": null, "tree_share": null, "mode": "tight",
"neighbours": "add-remove", "total": null, "shift": "random", "max_depth": 1, "projection": null,
"representative": "centre"},
"cost": {"epsilon": 1.0, "lam": 3.8550291061401367, "delta": 2.6771039962768555, "theta": 0.0,
"a": 0.40000007720755093, "b": 0.7405985862960733, "tree": 0.5999999227916795, "leaves": 0.7405985862960733,
"total": 0.9999999999993424, "published_tree": 0.7775324637525607, "published_total": 1.518131050048634},
"total": null, "shift": [0.4121658573110283, 0.7035560255582334], "splits": "100", "counts": [3, 1]}"""


def test_files_of_version_1_are_read_and_written_in_the_present_version() -> None:
    made = Release.from_json(VERSION_1)
    assert made.counts.tolist() == [3, 1]
    assert made.unit_epsilon == Fraction(0.9999999999993424)
    written, old = json.loads(made.to_json()), json.loads(VERSION_1)
    assert written == old | {"version": 2, "parameters": old["parameters"] | {"max_rows": None}}
    assert Release.from_json(made.to_json()).to_json() == made.to_json()


@pytest.mark.parametrize(
    "change",
    [
        {"version": 1.0},
        {"version": True},
        {"version": 2},
        {"parameters": json.loads(VERSION_1)["parameters"] | {"max_rows": None}},
        {"parameters": json.loads(VERSION_1)["parameters"] | {"max_rows": 3}},
        {"parameters": {}},
        {"parameters": None},
        {"parameters": []},
        {"counts": [3]},
        {"total": 1.0},
    ],
)
def test_version_1_is_read_as_strictly(change: dict[str, Any]) -> None:
    with pytest.raises(InvalidReleaseError):
        Release.from_json(json.dumps(json.loads(VERSION_1) | change))


def test_the_rows_of_a_person_are_part_of_a_release() -> None:
    made = release(POINTS, NAMED, Parameters(0.5, max_rows=3), [f"person {i // 7}" for i in range(len(POINTS))])
    assert made.unit_epsilon == 3 * Fraction(made.cost.total)
    assert "epsilon=0.5 a row, 1.5 a person" in repr(made)
    again = Release.from_json(made.to_json())
    assert again.parameters.max_rows == 3
    assert outputs(again) == outputs(made)
    assert "person" not in made.to_json()


def test_the_names_of_persons_leave_no_trace(monkeypatch: pytest.MonkeyPatch) -> None:
    texts = set()
    for name in ("Ada{}", "{} Bob", "{}"):
        with_words(monkeypatch, 5)
        persons = [name.format(i * 7 % 40) for i in range(len(POINTS))]
        texts.add(release(POINTS, NAMED, Parameters(1.0, max_rows=2), persons).to_json())
    assert len(texts) == 1


# One way to make one


def test_there_is_no_constructor() -> None:
    for arguments in ((), (NAMED,), (NAMED, Parameters(1.0), None, None, None, None)):
        with pytest.raises(TypeError, match=r"made by privcore\.release"):
            Release(*arguments)
    assert Release.__mro__ == (Release, Published, object)


def test_nothing_that_returns_a_release_takes_randomness() -> None:
    """Found by introspection over every module, so that a new function can't be forgotten."""
    forbidden, seen = ("seed", "random", "rng", "generator", "source", "word", "entropy", "noise", "state"), []
    names = [info.name for info in pkgutil.walk_packages(privcore.__path__, "privcore.")]
    for module_name in [*names, "dashboard.compute"]:
        for name, thing in vars(importlib.import_module(module_name)).items():
            members = [(name, thing), *(vars(thing).items() if inspect.isclass(thing) else ())]
            for label, member in members:
                function = getattr(member, "__func__", member)
                if not inspect.isfunction(function) or "Release" not in str(function.__annotations__.get("return")):
                    continue
                seen.append(label)
                assert not [kind for kind in function.__annotations__.values() if "Simulation" in str(kind)]
                assert not [p for p in inspect.signature(function).parameters if any(w in p for w in forbidden)]
    assert {"release", "from_json"} <= set(seen)
    assert list(inspect.signature(release).parameters) == ["points", "box", "parameters", "persons"]


def test_a_copy_is_the_public_text_and_nothing_else(made: Release) -> None:
    """Pickled or copied, a release is what `to_json` says: what else was hung on it, or cached, stays behind."""
    made.secret = POINTS  # type: ignore[attr-defined]
    _ = made.measure
    for again in (pickle.loads(pickle.dumps(made)), copy.copy(made), copy.deepcopy(made)):
        assert type(again) is Release
        assert again.to_json() == made.to_json()
        assert set(vars(again)) == HELD
    assert made.__reduce__() == (Release.from_json, (made.to_json(),))


def test_a_pickle_that_was_changed_is_refused() -> None:
    text = pickle.dumps(release(POINTS, NAMED, Parameters(1.0)), protocol=0)
    with pytest.raises(InvalidReleaseError):
        pickle.loads(text.replace(b'"total": null', b'"total": 2000'))


def test_a_simulation_stays_one_and_becomes_no_release() -> None:
    """Pickled or copied it is the same thing, data and warning included; nothing that makes a release takes one."""
    run = simulate(POINTS, NAMED, Parameters(1.0), seed=0)
    for again in (pickle.loads(pickle.dumps(run)), copy.copy(run), copy.deepcopy(run)):
        assert type(again) is Simulation
        assert not isinstance(again, Published)
        assert "NOT PRIVATE" in repr(again)
        np.testing.assert_array_equal(again.noisy_counts, run.noisy_counts)
        np.testing.assert_array_equal(again.unit_points, run.unit_points)
    with pytest.raises(TypeError):
        Release(run)
    for text in (run, repr(run), run.to_frame().to_json(), pickle.dumps(run)):
        with pytest.raises((InvalidReleaseError, TypeError)):
            Release.from_json(text)  # type: ignore[arg-type]
    with pytest.raises(InvalidPointsError):
        release(run, NAMED, Parameters(1.0))


def test_nothing_of_the_data_outlives_a_release() -> None:
    """When `release` returns, no key, count or row of the data is in memory but what the caller holds."""
    gc.collect()
    points = POINTS.copy()
    before = {id(thing) for thing in gc.get_objects()}
    made, alive = release(points, NAMED, Parameters(1.0, shift="random")), weakref.ref(points)
    _ = everything_reachable(made)
    del points
    gc.collect()
    assert alive() is None
    kinds = (CellCounts, Growth, Run, Simulation)
    assert not [thing for thing in gc.get_objects() if isinstance(thing, kinds) and id(thing) not in before]
    arrays = [thing for thing in everything_reachable(made) if isinstance(thing, np.ndarray)]
    assert arrays
    assert not [array for array in arrays if array.size >= len(POINTS) and array.shape[0] == len(POINTS)]


def everything_reachable(thing: Any) -> list[Any]:
    """The objects that can be reached from a release, modules and classes left out."""
    found, waiting = {}, [thing]
    while waiting:
        current = waiting.pop()
        if id(current) in found or isinstance(current, type | type(importlib) | type(release)):
            continue
        found[id(current)] = current
        waiting += gc.get_referents(current)
        if isinstance(current, np.ndarray) and current.base is not None:
            waiting.append(current.base)
    return list(found.values())


def test_two_releases_differ() -> None:
    first, second = (release(POINTS, NAMED, Parameters(1.0, shift="random")) for _ in range(2))
    assert first.to_json() != second.to_json()


def test_a_release_holds_no_data() -> None:
    assert set(vars(release(POINTS, NAMED, Parameters(1.0)))) == HELD


# Hard input


@pytest.mark.parametrize("choices", CHOICES)
@pytest.mark.parametrize(
    "points", [np.empty((0, 2)), [[0.3, 0.4]], np.full((5, 2), np.nan), np.full((50, 2), 0.7), [[9e99, -9e99]]]
)
def test_hard_input_runs_like_any_other(points: Any, choices: dict[str, Any]) -> None:
    made = release(points, NAMED, Parameters(1.0, **choices))
    assert made.measure.masses.sum() == pytest.approx(1.0)
    assert (made.measure.masses >= 0).all()
    assert made.total >= 1.0
    assert len(made.to_frame()) == len(made.tree.leaves) == len(made.noisy_counts)
    if made.parameters.neighbours == "replace-one":
        assert made.total == max(len(points), 1)


def test_invalid_rows_count_when_n_is_public(monkeypatch: pytest.MonkeyPatch) -> None:
    """Under replace-one an invalid row is a row at the lower corner, and n is the number of rows."""
    parameters = Parameters(1.0, neighbours="replace-one")
    texts = set()
    for row in ([np.nan, 0.2], [np.inf, np.inf], [0.0, -1.0]):
        with_words(monkeypatch, 5)
        points = np.vstack([POINTS, [row]])
        texts.add(release(points, NAMED, parameters).to_json())
    assert len(texts) == 1
    assert json.loads(texts.pop())["total"] == 201.0


def test_invalid_rows_vanish_when_n_is_private(monkeypatch: pytest.MonkeyPatch) -> None:
    with_words(monkeypatch, 5)
    clean = release(POINTS, NAMED, Parameters(1.0)).to_json()
    dirty = np.vstack([POINTS, [[np.nan, 0.0]], [[0.0, np.inf]]])
    assert release(dirty, NAMED, Parameters(1.0)).to_json() == clean


def test_the_public_total_is_the_normaliser() -> None:
    made = release(POINTS, NAMED, Parameters(1.0, total=50.0))
    assert made.total == 50.0
    np.testing.assert_allclose(made.noisy_masses * 50.0, made.noisy_counts)
    private = release(POINTS, NAMED, Parameters(1.0))
    assert private.total == max(1.0, private.noisy_counts.sum())
    np.testing.assert_allclose(private.noisy_counts, private.counts - private.cost.noise_mean)


def test_errors_come_before_any_randomness(monkeypatch: pytest.MonkeyPatch) -> None:
    class Never:
        def words(self, count: int) -> None:
            raise AssertionError(f"{count} words drawn")

    monkeypatch.setattr(module, "SystemWords", Never)
    with pytest.raises(InvalidPointsError):
        release([["a", "b"]], NAMED, Parameters(1.0, shift="random"))
    with pytest.raises(InvalidParametersError):
        release(POINTS, NAMED, Parameters(1.0, shift=(0.5,)))


# Non-interference: what is released is a function of the public outcome


@pytest.mark.parametrize("choices", CHOICES)
def test_data_moved_inside_its_leaves_leaves_no_trace(monkeypatch: pytest.MonkeyPatch, choices: dict[str, Any]) -> None:
    parameters = Parameters(1.0, **choices)
    with_words(monkeypatch, 11)
    first = release(POINTS, NAMED, parameters)
    tree = first.tree
    unit = NAMED.to_unit(POINTS)
    leaf = tree.leaf_of(unit)
    centres = tree.representatives[leaf]
    moved = NAMED.from_unit(centres + 0.5 * (unit - centres))
    assert (moved != POINTS).any()
    second = release(moved[::-1], NAMED, parameters)
    assert outputs(first) == outputs(second)


def test_sizes_leave_no_trace_but_in_the_noisy_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    """Data of different size that happen to give the same splits and noisy counts give the same bytes."""
    parameters = Parameters(1.0, max_depth=1)
    box, found = Box.unit(1), 0
    seen: dict[str, Release] = {}
    for n in (3, 4):
        for seed in range(60):
            with_words(monkeypatch, seed)
            made = release(np.linspace(0.1, 0.9, n), box, parameters)
            key = f"{made.tree.splits.tolist()} {made.counts.tolist()}"
            if n == 3:
                seen[key] = made
            elif key in seen:
                found += 1
                assert outputs(made) == outputs(seen[key])
    assert found > 10


def test_replacing_the_data_after_a_release_changes_nothing() -> None:
    points = POINTS.copy()
    made = release(points, NAMED, Parameters(1.0))
    before = outputs(made)
    points[:] = 0.999
    assert outputs(made) == before


def test_frames_are_read_by_name(monkeypatch: pytest.MonkeyPatch) -> None:
    frame = pd.DataFrame({"z": ["no"] * 200, "y": POINTS[:, 1], "x": POINTS[:, 0]})
    texts = set()
    for points in (frame, POINTS):
        with_words(monkeypatch, 3)
        texts.add(release(points, NAMED, Parameters(1.0)).to_json())
    assert len(texts) == 1
    with pytest.raises(InvalidPointsError, match="no column 'x'"):
        release(frame.drop(columns="x"), NAMED, Parameters(1.0))
