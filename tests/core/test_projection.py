from __future__ import annotations

from typing import cast

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.optimize import linprog
from scipy.spatial.distance import cdist

from privcore import projection
from privcore.arrays import Floats
from privcore.cells import CellCounts
from privcore.domain import Box
from privcore.errors import InvalidMeasureError, InvalidParametersError, InvalidPointsError
from privcore.parameters import Method
from privcore.projection import cancel_in_tree, project, to_simplex
from privcore.tree import hard
from tests.oracle.projection import discrepancy, optimum

METHODS: list[Method] = ["euclidean", "lipschitz", "clip"]


@st.composite
def instances(draw: st.DrawFn, largest: float = 2.0) -> tuple[Floats, Floats]:
    """Points on a coarse lattice (ties and duplicates are common) with masses of any sign and total."""
    d, m = draw(st.sampled_from([1, 2, 3, 5])), draw(st.integers(1, 12))
    places = st.sampled_from([0.0, 0.125, 0.25, 0.3, 0.5, 0.75, 1.0])
    sizes = st.one_of(st.just(0.0), st.floats(-largest, largest, allow_subnormal=False))
    return draw(arrays(np.float64, (m, d), elements=places)), draw(arrays(np.float64, (m,), elements=sizes))


def random_instance(seed: int) -> tuple[Floats, Floats]:
    rng = np.random.default_rng(seed)
    d, m = int(rng.choice([1, 2, 3, 5])), int(rng.integers(1, 25))
    points = rng.random((m, d)) if seed % 2 else (rng.integers(0, 4, (m, d)) + 0.5) / 4
    masses = rng.normal(rng.choice([-0.1, 0.0, 0.1, 0.3]), 1.0, m) * 10.0 ** rng.uniform(-2.0, 1.0)
    if seed % 3 == 0 and masses.sum() > 0.0:
        masses /= masses.sum()
    return points, masses


@pytest.mark.parametrize("seed", range(80))
def test_lipschitz_is_the_optimum_of_the_linear_program(seed: int) -> None:
    points, masses = random_instance(seed)
    result = project(points, masses, "lipschitz")
    best = optimum(points, masses)
    assert result.certified
    assert result.cost == pytest.approx(best, rel=1e-9, abs=1e-9)
    assert discrepancy(points, result.masses - masses) == pytest.approx(best, rel=1e-9, abs=1e-9)


@settings(max_examples=60)
@given(instances())
def test_lipschitz_attains_its_cost_on_lattices_ties_and_duplicates(instance: tuple[Floats, Floats]) -> None:
    points, masses = instance
    result = project(points, masses, "lipschitz")
    assert result.certified
    assert result.cost == pytest.approx(optimum(points, masses), rel=1e-9, abs=1e-9)
    assert discrepancy(points, result.masses - masses) <= result.cost * (1 + 1e-9) + 1e-9


@settings(max_examples=150)
@given(instances(largest=1e12), st.sampled_from(METHODS), st.sampled_from([1e-30, 1e-9, 1.0, 1e30]))
def test_result_is_a_probability_vector(instance: tuple[Floats, Floats], method: Method, scale: float) -> None:
    points, masses = instance
    result = project(points, masses * scale, method)
    assert result.masses.min() >= 0.0
    assert result.masses.sum() == pytest.approx(1.0, abs=1e-12)
    assert not result.masses.flags.writeable
    assert result.method == method
    assert np.isnan(result.cost) == (method != "lipschitz")


@settings(max_examples=100)
@given(instances())
def test_plan_takes_what_there_is_and_fills_holes(instance: tuple[Floats, Floats]) -> None:
    points, masses = instance
    plan = project(points, masses, "lipschitz").plan
    surplus, deficit = np.maximum(masses, 0.0), np.maximum(-masses, 0.0)
    taken = np.bincount(plan.source, weights=plan.mass, minlength=masses.size)
    filled = np.bincount(plan.target, weights=plan.mass, minlength=masses.size)
    assert (plan.mass > 0.0).all()
    assert (taken <= surplus + 1e-12).all()
    assert (filled <= deficit + 1e-12).all()
    assert plan.mass.sum() == pytest.approx(min(deficit.sum(), max(surplus.sum() - 1.0, 0.0)), abs=1e-9)


@settings(max_examples=100)
@given(instances())
def test_lipschitz_moves_masses_one_way(instance: tuple[Floats, Floats]) -> None:
    """The tie-break only destroys what is left when the total is above 1, and only creates when it is below."""
    points, masses = instance
    result = project(points, masses, "lipschitz")
    left = np.maximum(masses, 0.0)
    left -= np.bincount(result.plan.source, weights=result.plan.mass, minlength=masses.size)
    if masses.sum() > 1.0:
        assert (result.masses <= left + 1e-12).all()
    else:
        assert (result.masses >= left - 1e-12).all()


@pytest.mark.parametrize(("first", "d"), [(1, 2), (2, 3), (5, 10)])
def test_neighbour_doubling_reaches_the_dense_optimum(monkeypatch: pytest.MonkeyPatch, first: int, d: int) -> None:
    """Holes crowded round few sources need far neighbours; the certificate must not stop too early."""
    monkeypatch.setattr(projection, "_FIRST_NEIGHBOURS", first)
    rng = np.random.default_rng(d)
    points = np.concatenate([0.1 * rng.random((60, d)), rng.random((60, d))])
    masses = np.where(np.arange(120) < 50, -1.0, rng.random(120) + 0.9)
    masses /= masses.sum()
    result = project(points, masses, "lipschitz")
    positive, negative = masses > 0, masses < 0
    distance = cdist(points[positive], points[negative])
    rows = np.kron(np.eye(positive.sum()), np.ones(negative.sum()))
    columns = np.kron(np.ones(positive.sum()), np.eye(negative.sum()))
    dense = linprog(
        distance.ravel(), A_ub=rows, b_ub=masses[positive], A_eq=columns, b_eq=-masses[negative], method="highs"
    )
    assert result.certified
    assert result.cost == pytest.approx(dense.fun, rel=1e-9)


def test_thousands_of_leaves_are_certified() -> None:
    rng = np.random.default_rng(5)
    points, masses = rng.random((5000, 3)), rng.normal(0.3, 1.0, 5000)
    result = project(points, masses / masses.sum(), "lipschitz")
    assert result.certified
    assert result.masses.sum() == pytest.approx(1.0, abs=1e-12)
    again = project(points, masses / masses.sum(), "lipschitz")
    np.testing.assert_array_equal(result.masses, again.masses)


def test_mass_comes_from_the_nearest_leaf() -> None:
    points = np.array([[0.1], [0.4], [0.5], [0.9]])
    result = project(points, np.array([0.5, 0.3, -0.2, 0.4]), "lipschitz")
    np.testing.assert_allclose(result.masses, [0.5, 0.1, 0.0, 0.4], atol=1e-15)
    assert (result.plan.source.tolist(), result.plan.target.tolist()) == ([1], [2])
    assert result.cost == pytest.approx(0.2 * 0.1)


@settings(max_examples=200)
@given(arrays(np.float64, st.integers(1, 30), elements=st.floats(-1e6, 1e6)))
def test_simplex_projection_meets_its_optimality_conditions(masses: Floats) -> None:
    """p = max(masses - t, 0) for one t: equal shift on the support, at least that shift off it."""
    result = to_simplex(masses)
    shift = masses - result
    support = result > 0.0
    size = 1e-15 * max(1.0, np.abs(masses).max()) * masses.size
    assert np.ptp(shift[support]) <= 4 * size + 1e-14
    assert (masses[~support] <= shift[support].min() + 4 * size + 1e-14).all()


def test_probability_vectors_stay_what_they_are() -> None:
    rng = np.random.default_rng(3)
    masses = rng.dirichlet(np.ones(20))
    masses[:3] = 0.0
    masses /= masses.sum()
    for method in METHODS:
        np.testing.assert_allclose(project(rng.random((20, 2)), masses, method).masses, masses, atol=1e-15)


@pytest.mark.parametrize("method", METHODS)
def test_one_leaf_takes_all_of_it(method: Method) -> None:
    for mass in (-3.0, 0.0, 1e-30, 0.5, 1.0, 7e20):
        assert project(np.array([[0.5, 0.5]]), np.array([mass]), method).masses.tolist() == [1.0]


@pytest.mark.parametrize("method", ["euclidean", "lipschitz"])
def test_all_zero_masses_become_equal(method: Method) -> None:
    np.testing.assert_allclose(project(np.full((4, 1), 0.5), np.zeros(4), method).masses, 0.25)


def test_without_positive_mass_clip_follows_the_volumes() -> None:
    points, masses = np.array([[0.25], [0.625], [0.875]]), np.array([-1.0, 0.0, -2.0])
    np.testing.assert_allclose(project(points, masses, "clip", np.array([2.0, 1.0, 1.0])).masses, [0.5, 0.25, 0.25])
    np.testing.assert_allclose(project(points, masses, "clip").masses, 1 / 3)


def test_wrong_input_is_named() -> None:
    points, masses = np.full((2, 1), 0.5), np.array([0.5, 0.5])
    with pytest.raises(InvalidMeasureError, match="finite"):
        project(points, np.array([np.nan, 1.0]))
    with pytest.raises(InvalidMeasureError, match="finite"):
        project(points, np.array([np.inf, 1.0]), "lipschitz")
    with pytest.raises(InvalidMeasureError, match="non-empty"):
        project(np.empty((0, 1)), np.empty(0))
    with pytest.raises(InvalidPointsError, match="shape"):
        project(points[:1], masses)
    with pytest.raises(InvalidPointsError, match="unit cube"):
        project(points + 1.0, masses)
    with pytest.raises(InvalidPointsError, match="unit cube"):
        project(points * np.nan, masses)
    with pytest.raises(InvalidParametersError, match="'nearest'"):
        project(points, masses, cast(Method, "nearest"))
    with pytest.raises(InvalidMeasureError, match="volumes"):
        project(points, -masses, "clip", np.zeros(2))


@pytest.mark.parametrize("seed", range(25))
def test_cancelling_in_the_tree_is_never_better_than_the_optimum(seed: int) -> None:
    rng = np.random.default_rng(seed)
    d = int(rng.integers(1, 4))
    growth = hard(CellCounts(rng.random((40, d)) ** 2, Box.unit(d)), theta=2)
    tree = growth.tree
    noisy = growth.count[tree.leaves] + rng.laplace(0.0, 1.0, tree.leaves.size)
    masses = noisy / noisy.sum()
    approximate = cancel_in_tree(tree.parent, tree.leaves, masses)
    exact = project(tree.representatives, masses, "lipschitz")
    assert approximate.min() >= 0.0
    assert approximate.sum() == pytest.approx(1.0, abs=1e-12)
    assert discrepancy(tree.representatives, approximate - masses) >= exact.cost - 1e-9


def test_cancelling_in_the_tree_stays_in_the_smallest_common_cell() -> None:
    growth = hard(CellCounts(np.array([0.1, 0.3, 0.6, 0.9]), Box.unit(1)), theta=1)
    assert growth.tree.representatives.ravel().tolist() == [0.125, 0.375, 0.625, 0.875]
    result = cancel_in_tree(growth.tree.parent, growth.tree.leaves, np.array([0.5, -0.25, 0.25, 0.5]))
    np.testing.assert_allclose(result, [0.25, 0.0, 0.25, 0.5])


@pytest.mark.parametrize("size", [1.0, 1e6, 1e12, 1e15, 1e17, 1e99])
def test_what_is_certified_is_right_however_large_the_masses(size: float) -> None:
    found = project([[0.2], [0.3]], [size + 1.0, -size], "lipschitz")
    assert found.certified == (size < 1e16)
    if found.certified:
        assert found.masses.tolist() == [1.0, 0.0]
