from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from privcore.domain import Box
from privcore.errors import InvalidMeasureError, InvalidParametersError, InvalidPointsError
from privcore.measure import DiscreteMeasure
from privcore.transport import certified as certified_method
from privcore.transport import potentials, solve, wasserstein
from privcore.transport.plans import direct, fitted
from privcore.transport.pyramid import Layer
from privcore.transport.watch import Stop
from tests.bench import fuzz
from tests.oracle.hostile import MASSES, POINTS, hostile_masses, hostile_points
from tests.oracle.transport import check_proofs, w1_by_linear_program, w1_by_pot

Array = np.ndarray


class Measure:
    """Stands in for a DiscreteMeasure: anything with points and masses will do."""

    def __init__(self, points: Array, masses: Array) -> None:
        self.points, self.masses = points, masses


@pytest.fixture(autouse=True)
def method(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Tests that ask for the method run with the dense one and with the certified one, whatever the size."""
    name = getattr(request, "param", "")
    if name:
        monkeypatch.setattr(solve, "DENSE_PAIRS", 10**9 if name == "dense" else 0)
    return name


both = pytest.mark.parametrize("method", ["dense", "certified"], indirect=True)
certified = pytest.mark.parametrize("method", ["certified"], indirect=True)


def random_case(rng: np.random.Generator, n: int, m: int, d: int) -> tuple[Array, Array, Array, Array]:
    return rng.random((n, d)), rng.dirichlet(np.ones(n)), rng.random((m, d)), rng.dirichlet(np.ones(m))


@both
@pytest.mark.parametrize("d", [1, 2, 3, 7])
@pytest.mark.parametrize(("n", "m"), [(1, 1), (1, 5), (9, 1), (6, 11), (12, 8)])
def test_agrees_with_the_linear_program(n: int, m: int, d: int) -> None:
    points, weights, atoms, masses = random_case(np.random.default_rng(n + 10 * m + 100 * d), n, m, d)
    result = wasserstein(points, atoms, weights=weights, measure_weights=masses, plan=True)
    assert result.exact
    assert result.value == pytest.approx(w1_by_linear_program(points, weights, atoms, masses), rel=1e-8)
    check_proofs(result, points, weights, atoms, masses)


@both
@pytest.mark.parametrize("d", [1, 2, 5])
def test_agrees_with_pot(d: int) -> None:
    points, weights, atoms, masses = random_case(np.random.default_rng(d), 300, 120, d)
    result = wasserstein(points, Measure(atoms, masses), weights=weights)
    truth = w1_by_pot(points, weights, atoms, masses)
    assert result.exact
    assert result.lower <= truth * (1 + 1e-12)
    assert result.upper >= truth * (1 - 1e-12)
    assert result.value == pytest.approx(truth, rel=1e-9)


@pytest.mark.parametrize("d", [1, 2, 4])
def test_a_measure_has_distance_zero_to_itself(d: int) -> None:
    rng = np.random.default_rng(d)
    points = np.repeat(rng.random((40, d)), rng.integers(1, 5, 40), axis=0)
    places, counts = np.unique(points, axis=0, return_counts=True)
    result = wasserstein(rng.permutation(points), Measure(places, counts / len(points)), plan=True)
    assert (result.lower, result.upper, result.exact, result.value) == (0.0, 0.0, True, 0.0)
    assert result.plan is not None
    assert result.plan.mass.sum() == pytest.approx(1.0)


@both
@pytest.mark.parametrize("d", [1, 2, 3])
def test_a_translation_costs_its_length_and_scaling_scales(d: int) -> None:
    points = np.random.default_rng(3).random((50, d))
    step = np.linspace(0.3, 0.9, d)
    assert wasserstein(points, points + step).value == pytest.approx(np.linalg.norm(step), rel=1e-12)
    other = np.random.default_rng(4).random((30, d))
    value = wasserstein(points, other).value
    assert wasserstein(1e6 * points, 1e6 * other).value == pytest.approx(1e6 * value, rel=1e-12)
    assert wasserstein(1e-200 * points, 1e-200 * other).value == pytest.approx(1e-200 * value, rel=1e-9)


def test_wrong_input_is_named() -> None:
    points, atoms = np.zeros((3, 2)), np.ones((2, 2))
    bad_points = [np.zeros((0, 2)), np.zeros((3, 0)), np.zeros((2, 2, 2)), [[np.nan, 0.0]], [["a", "b"]]]
    for bad in bad_points:
        with pytest.raises(InvalidPointsError):
            wasserstein(bad, atoms)
        with pytest.raises(InvalidPointsError):
            wasserstein(points, bad)
    with pytest.raises(InvalidPointsError, match="2 coordinates and the atoms 3"):
        wasserstein(points, np.zeros((2, 3)))
    for masses in ([0.5, 0.4], [1.5, -0.5], [np.nan, 1.0], [1.0], [[0.5, 0.5]], ["a", "b"], [0.0, 0.0]):
        with pytest.raises(InvalidMeasureError):
            wasserstein(points, atoms, measure_weights=masses)
    with pytest.raises(InvalidMeasureError, match=r"sum to 0\.9, not 1"):
        wasserstein(points, atoms, measure_weights=[0.5, 0.4])
    with pytest.raises(InvalidMeasureError, match="own masses"):
        wasserstein(points, Measure(atoms, np.array([0.5, 0.5])), measure_weights=[0.5, 0.5])
    with pytest.raises(InvalidPointsError, match="float64"):
        wasserstein([[-1.5e308, 0.0]], [[1.5e308, 0.0]])
    for options in ({"tolerance": -1.0}, {"tolerance": np.nan}, {"deadline": -1.0}, {"deadline": np.nan}):
        with pytest.raises(InvalidParametersError):
            wasserstein(points, atoms, **options)


def test_a_box_maps_both_sides_to_the_unit_cube() -> None:
    box = Box([0.0, -1.0], [10.0, 1.0])
    points = np.array([[5.0, 0.0], [99.0, 0.0], [np.nan, 0.0]])
    atoms = np.array([[5.0, 1.0], [10.0, 1.0]])
    assert wasserstein(points, atoms, box=box).value == pytest.approx(0.5)
    assert wasserstein(points[:2], atoms, box=box, weights=[0.75, 0.25]).value == pytest.approx(
        wasserstein([[0.5, 0.5], [1.0, 0.5]], [[0.5, 1.0], [1.0, 1.0]], weights=[0.75, 0.25]).value
    )
    with pytest.raises(InvalidPointsError, match="their mass would be lost"):
        wasserstein(points, atoms, box=box, weights=[0.5, 0.25, 0.25])
    with pytest.raises(InvalidPointsError, match="no valid points"):
        wasserstein(points[2:], atoms, box=box)


@certified
@settings(max_examples=150)
@given(
    seed=st.integers(0, 2**32),
    sizes=st.tuples(st.integers(1, 150), st.integers(1, 150)),
    d=st.integers(2, 6),
    kinds=st.tuples(st.sampled_from(POINTS), st.sampled_from(POINTS)),
    masses=st.tuples(st.sampled_from(MASSES), st.sampled_from(MASSES)),
)
def test_hostile_geometry_agrees_with_pot(
    seed: int, sizes: tuple[int, int], d: int, kinds: tuple[str, str], masses: tuple[str, str]
) -> None:
    rng = np.random.default_rng(seed)
    points, atoms = (hostile_points(kind, rng, count, d) for kind, count in zip(kinds, sizes, strict=True))
    weights, mass = (hostile_masses(kind, rng, count) for kind, count in zip(masses, sizes, strict=True))
    result = wasserstein(points, atoms, weights=weights, measure_weights=mass, plan=True)
    truth = w1_by_pot(points, weights, atoms, mass)
    # POT stops at a plan that may be 1e-13 too dear; check_proofs is sharper
    assert result.lower <= truth * (1 + 1e-12) + 1e-15
    assert result.upper >= truth * (1 - 1e-10) - 1e-12
    assert result.exact or result.upper - result.lower < 1e-13
    check_proofs(result, points, weights, atoms, mass)


@certified
@pytest.mark.parametrize(("n", "m", "d"), [(2000, 300, 2), (900, 900, 3), (200, 1500, 2), (1500, 150, 10)])
def test_larger_problems_agree_with_pot(n: int, m: int, d: int) -> None:
    points, weights, atoms, masses = random_case(np.random.default_rng(n), n, m, d)
    result = wasserstein(points, atoms, weights=weights, measure_weights=masses, plan=True)
    truth = w1_by_pot(points, weights, atoms, masses)
    assert result.exact
    assert result.value == pytest.approx(truth, rel=1e-9)
    check_proofs(result, points, weights, atoms, masses)


@certified
def test_equal_masses_and_counted_atoms_do_not_cycle() -> None:
    rng = np.random.default_rng(5)
    points = np.round(rng.random((3000, 2)), 2)
    atoms = (np.stack(np.meshgrid(np.arange(16), np.arange(16)), axis=-1).reshape(-1, 2) + 0.5) / 16
    cell = np.minimum(points * 16, 15).astype(int)
    counts = np.bincount(cell[:, 1] * 16 + cell[:, 0], minlength=256)
    result = wasserstein(points, atoms, measure_weights=counts / 3000)
    assert result.exact
    assert result.value == pytest.approx(w1_by_pot(points, np.full(3000, 1 / 3000), atoms, counts / 3000), rel=1e-9)


@certified
def test_the_interval_narrows_and_the_run_is_deterministic() -> None:
    points, weights, atoms, masses = random_case(np.random.default_rng(8), 4000, 500, 2)
    seen: list[tuple[float, float]] = []

    def progress(lower: float, upper: float) -> None:
        seen.append((lower, upper))

    first = wasserstein(points, atoms, weights=weights, measure_weights=masses, progress=progress)
    second = wasserstein(points, atoms, weights=weights, measure_weights=masses)
    assert (first.lower, first.upper) == (second.lower, second.upper)
    lower, upper = np.transpose(seen)
    assert (np.diff(lower) >= 0).all()
    assert (np.diff(upper) <= 0).all()
    assert lower[-1] <= first.upper
    assert upper[-1] >= first.lower


@certified
def test_a_stopped_run_has_a_valid_interval_and_a_feasible_plan() -> None:
    points, weights, atoms, masses = random_case(np.random.default_rng(9), 4000, 600, 2)
    exact = wasserstein(points, atoms, weights=weights, measure_weights=masses)
    reports = 0
    for last in range(1, 12):
        left = last

        def progress(lower: float, upper: float) -> bool:
            nonlocal left, reports
            left -= 1
            reports += 1
            return left > 0

        result = wasserstein(points, atoms, weights=weights, measure_weights=masses, progress=progress, plan=True)
        assert result.lower <= exact.upper
        assert result.upper >= exact.lower
        assert result.plan is not None
        assert result.potentials is not None
        assert np.bincount(result.plan.source, result.plan.mass, 4000) == pytest.approx(weights, abs=1e-13)
        assert np.bincount(result.plan.target, result.plan.mass, 600) == pytest.approx(masses, abs=1e-13)
        f, g = result.potentials
        assert (f[:, None] + g <= np.linalg.norm(points[:, None] - atoms, axis=2) + 1e-12).all()
    assert reports >= 11
    result = wasserstein(points, atoms, weights=weights, measure_weights=masses, deadline=0.0)
    assert not result.exact
    assert result.lower <= exact.value <= result.upper
    assert "stopped" in result.method


@certified
def test_before_the_whole_problem_is_begun_a_preview_has_narrowed_the_interval(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(13)
    points, atoms = rng.random((24_000, 2)), rng.random((900, 2))
    exact = wasserstein(points, atoms)
    begin = certified_method.Descent.stage_at

    def only_coarse(self: certified_method.Descent, source: Layer, target: Layer) -> object:
        if len(source.units) == 24_000:
            raise Stop
        return begin(self, source, target)

    monkeypatch.setattr(certified_method.Descent, "stage_at", only_coarse)
    gaps = {}
    for least in (10**9, 0):
        monkeypatch.setattr(certified_method, "PREVIEW", least)
        known = wasserstein(points, atoms, progress=lambda lower, upper: True)
        assert known.lower <= exact.upper
        assert known.upper >= exact.lower
        gaps[least] = 1.0 - known.lower / known.upper
    assert gaps[0] < 0.1 < 0.2 < gaps[10**9]


@certified
def test_many_atoms_for_one_coarse_atom_are_refined_by_halves(monkeypatch: pytest.MonkeyPatch) -> None:
    """A run that is stopped at its coarsest stage still gives a feasible plan at once."""
    monkeypatch.setattr("privcore.transport.certified.COARSEST", 2)
    points, weights, atoms, masses = random_case(np.random.default_rng(14), 3000, 1500, 2)
    reports = iter(range(100))

    def progress(lower: float, upper: float) -> bool:
        return next(reports) < 2

    result = wasserstein(points, atoms, weights=weights, measure_weights=masses, progress=progress, plan=True)
    assert "stopped" in result.method
    assert result.plan is not None
    assert np.bincount(result.plan.target, result.plan.mass, 1500) == pytest.approx(masses, abs=1e-13)


@certified
def test_a_loose_tolerance_is_kept() -> None:
    points, weights, atoms, masses = random_case(np.random.default_rng(10), 4000, 600, 3)
    exact = wasserstein(points, atoms, weights=weights, measure_weights=masses)
    loose = wasserstein(points, atoms, weights=weights, measure_weights=masses, tolerance=0.05)
    assert loose.exact
    assert loose.upper - loose.lower <= 0.05 * loose.upper
    assert loose.lower <= exact.upper
    assert loose.upper >= exact.lower


@certified
def test_tolerance_zero_ends_with_what_rounding_allows() -> None:
    points, weights, atoms, masses = random_case(np.random.default_rng(12), 1000, 200, 3)
    result = wasserstein(points, atoms, weights=weights, measure_weights=masses, tolerance=0.0)
    assert 0.0 < result.upper - result.lower < 1e-12


@both
@pytest.mark.parametrize("d", [2, 5])
def test_what_exact_means_for_distances_that_are_tiny_beside_the_diameter(d: int) -> None:
    """The interval is some 1e-14 of the diameter wide, so relative to a tiny distance it is not narrow."""
    points = np.random.default_rng(15).random((300, d))
    step = np.full(d, 1.0 / np.sqrt(d))
    for moved, exact in ((1e-3, True), (1e-8, False)):
        result = wasserstein(points, points + moved * step)
        assert result.exact == exact
        assert 1e-16 < result.upper - result.lower < 1e-13
        assert result.lower <= moved * (1 + 1e-7)
        assert result.upper >= moved * (1 - 1e-7)
        assert wasserstein(points, points + moved * step, tolerance=1e-4).exact


def test_potentials_by_search_are_those_of_all_pairs(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(11)
    places, targets, prices = rng.random((300, 3)), rng.random((70, 3)), 0.3 * rng.random(70)
    everything = potentials.lipschitz(places, targets, prices)
    monkeypatch.setattr(potentials, "ALL_PAIRS", 0)
    assert potentials.lipschitz(places, targets, prices) == pytest.approx(everything, abs=1e-14)


def test_relays_are_replaced_by_what_goes_over_them() -> None:
    flow = (np.array([0, 1]), np.array([0, 0]), np.array([5, 3]))
    relays = (np.array([0, 1]), np.array([1, 2]), np.array([6, 2]))
    source, place, units = direct(flow, relays, 3)
    assert np.bincount(place, units, 3).tolist() == [2, 4, 2]
    assert np.bincount(source, units, 2).tolist() == [5, 3]


def test_a_flow_is_fitted_to_its_marginals() -> None:
    flow = (np.array([0, 0, 1]), np.array([0, 1, 1]), np.array([4, 3, 2]))
    source, target, units = fitted(flow, np.array([6, 4]), np.array([5, 5]))
    assert np.bincount(source, units).tolist() == [6, 4]
    assert np.bincount(target, units).tolist() == [5, 5]
    assert (units > 0).all()


@pytest.mark.parametrize("pairs", [0, 100_000], ids=["certified", "dense"])
@pytest.mark.parametrize("scale", [1e-9, 1e-3, 1e6])
def test_a_small_scale_is_measured_as_well_as_a_large_one(
    scale: float, pairs: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """POT's own tolerance is absolute: on unscaled costs near 1e-9 it stops at a plan that is not the cheapest."""
    monkeypatch.setattr("privcore.transport.solve.DENSE_PAIRS", pairs)
    generator = np.random.default_rng(4)
    points, atoms = generator.random((120, 2)), generator.random((40, 2))
    here, there = wasserstein(points, atoms), wasserstein(scale * points, scale * atoms)
    assert there.exact
    assert there.value == pytest.approx(scale * here.value, rel=1e-9)


def test_rounding_alone_does_not_keep_the_simplex_going(monkeypatch: pytest.MonkeyPatch) -> None:
    # found by fuzzing: costs of 1e-7 beside a span of 1, where arcs that seem to gain gain nothing along their cycles
    pivot, slices = certified_method.Stage.pivot, []

    def counted(self: certified_method.Stage, threshold: float) -> bool:
        slices.append(threshold)
        if len(slices) > 500:
            raise Stop
        return pivot(self, threshold)

    monkeypatch.setattr(certified_method.Stage, "pivot", counted)
    assert fuzz.attempt("mechanism", 106_668) == ""
    assert 0 < len(slices) <= 500


def test_a_table_is_measured_by_the_names_of_its_columns_as_it_is_released() -> None:
    """Another order of the columns, or one more of them, changes nothing; what a release refuses is refused."""
    rows = np.random.default_rng(0).normal([5.0, 2.0], [1.0, 0.5], size=(40, 2))
    table = pd.DataFrame(rows, columns=["x", "y"])
    named = DiscreteMeasure([[5.0, 2.0], [4.0, 1.0]], [0.5, 0.5], names=("x", "y"))
    expected = wasserstein(rows, named).value
    box = Box([0.0, 0.0], [10.0, 5.0], ["x", "y"])
    for same in (table, table[["y", "x"]], table.assign(z=1.0)[["z", "y", "x"]]):
        assert wasserstein(same, named).value == expected
        assert wasserstein(same, named, box=box).value == wasserstein(rows, named, box=box).value
        assert wasserstein(same, named, box=Box(box.low, box.high)).value == wasserstein(rows, named, box=box).value
    with pytest.raises(InvalidPointsError, match="no column 'x'"):
        wasserstein(table.rename(columns={"x": "a"}), named)
    unnamed = DiscreteMeasure(named.points, named.masses)
    assert wasserstein(table.rename(columns={"x": "a"}), unnamed).value == expected
