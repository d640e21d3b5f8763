from __future__ import annotations

import numpy as np
import pytest

from privcore.errors import InvalidMeasureError, InvalidParametersError, InvalidPointsError
from privcore.transport import W1, wasserstein
from tests.oracle.transport import w1_by_linear_program, w1_by_pot

Array = np.ndarray


class Measure:
    """Stands in for a DiscreteMeasure: anything with points and masses will do."""

    def __init__(self, points: Array, masses: Array) -> None:
        self.points, self.masses = points, masses


def check_proofs(result: W1, points: Array, weights: Array, atoms: Array, masses: Array) -> None:
    """The plan has the marginals and the cost, the potentials are feasible and prove the lower bound."""
    scale = float(np.abs(np.concatenate([points, atoms])).max()) + 1e-300
    assert result.plan is not None
    assert result.potentials is not None
    plan, (f, g) = result.plan, result.potentials
    assert (plan.mass > 0).all()
    assert np.bincount(plan.source, plan.mass, len(points)) == pytest.approx(weights, abs=1e-14)
    assert np.bincount(plan.target, plan.mass, len(atoms)) == pytest.approx(masses, abs=1e-14)
    cost = np.linalg.norm(points[plan.source] - atoms[plan.target], axis=1) @ plan.mass
    assert cost == pytest.approx(result.upper, rel=1e-9, abs=1e-13 * scale)
    assert (f[:, None] + g <= np.linalg.norm(points[:, None] - atoms, axis=2) + 1e-12 * scale).all()
    assert weights @ f + masses @ g == pytest.approx(result.lower, rel=1e-9, abs=1e-12 * scale)


def random_case(rng: np.random.Generator, n: int, m: int, d: int) -> tuple[Array, Array, Array, Array]:
    return rng.random((n, d)), rng.dirichlet(np.ones(n)), rng.random((m, d)), rng.dirichlet(np.ones(m))


@pytest.mark.parametrize("d", [1, 2, 3, 7])
@pytest.mark.parametrize(("n", "m"), [(1, 1), (1, 5), (9, 1), (6, 11), (12, 8)])
def test_agrees_with_the_linear_program(n: int, m: int, d: int) -> None:
    points, weights, atoms, masses = random_case(np.random.default_rng(n + 10 * m + 100 * d), n, m, d)
    result = wasserstein(points, atoms, weights=weights, measure_weights=masses, plan=True)
    assert result.exact
    assert result.value == pytest.approx(w1_by_linear_program(points, weights, atoms, masses), rel=1e-8)
    check_proofs(result, points, weights, atoms, masses)


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
