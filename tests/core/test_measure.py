from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from privcore.cells import CellCounts
from privcore.domain import Box
from privcore.errors import InvalidMeasureError, InvalidParametersError
from privcore.measure import SPREAD_ATOMS, DiscreteMeasure, leaf_measure, spread_measure
from privcore.transport import wasserstein
from privcore.tree import Tree, hard

BOX = {d: Box([-1.0] * d, [3.0] * d) for d in (1, 2, 3)}


def tree_of(d: int, seed: int = 0, shift: tuple[float, ...] | None = None) -> Tree:
    points = np.random.default_rng(seed).random((60, d)) ** 2
    return hard(CellCounts(points, Box.unit(d), shift), 3).tree


def masses_of(tree: Tree, seed: int = 1) -> Any:
    masses = np.random.default_rng(seed).exponential(size=len(tree.leaves))
    masses[::4] = 0.0
    return masses / masses.sum()


def measures(d: int, shift: tuple[float, ...] | None = None) -> list[DiscreteMeasure]:
    tree = tree_of(d, d, shift)
    return [make(BOX[d], tree, masses_of(tree), 0.01) for make in (leaf_measure, spread_measure)]


def inside_cells(measure: DiscreteMeasure, points: Any) -> Any:
    slack = 1e-12
    lower, upper = measure.cell_lower[:, None] - slack, measure.cell_upper[:, None] + slack
    return ((points >= lower) & (points <= upper)).all(axis=2)


@pytest.mark.parametrize("d", [1, 2, 3])
@pytest.mark.parametrize("shifted", [False, True])
def test_spread_keeps_every_leaf_mass(d: int, shifted: bool) -> None:
    shift = (0.3, 0.8, 0.5)[:d] if shifted else None
    centre, spread = measures(d, shift)
    np.testing.assert_allclose(spread.leaf_masses, centre.leaf_masses, atol=1e-15)
    assert (spread.masses >= 0).all()
    atoms = np.bincount(spread.leaf)
    np.testing.assert_array_equal(atoms, np.where(centre.masses > 0, SPREAD_ATOMS, 1))
    assert (spread.points >= spread.cell_lower[spread.leaf] - 1e-12).all()
    assert (spread.points <= spread.cell_upper[spread.leaf] + 1e-12).all()


@pytest.mark.parametrize("d", [1, 2, 3])
@pytest.mark.parametrize("kind", [0, 1])
def test_systematic_samples_share_out_fairly(d: int, kind: int) -> None:
    measure = measures(d)[kind]
    for n in (1, 7, 500):
        points = measure.sample(n, seed=n)
        assert points.shape == (n, d)
        within = inside_cells(measure, points)
        assert within.any(axis=0).all()
        counts = np.bincount(within.argmax(axis=0), minlength=len(measure.cell_lower))
        share = n * measure.leaf_masses
        if kind == 0:
            assert (counts >= np.floor(share - 1e-9)).all()
            assert (counts <= np.ceil(share + 1e-9)).all()
        assert not counts[measure.leaf_masses == 0].any()


@pytest.mark.parametrize("method", ["low-discrepancy", "random"])
def test_samples_repeat_with_their_seed(method: Any) -> None:
    measure = measures(2)[1]
    np.testing.assert_array_equal(measure.sample(50, 3, method), measure.sample(50, 3, method))
    assert (measure.sample(50, 3, method) != measure.sample(50, 4, method)).any()
    assert measure.sample(0, 3, method).shape == (0, 2)


def test_random_samples_have_the_masses() -> None:
    measure = measures(2)[0]
    n = 100_000
    within = inside_cells(measure, measure.sample(n, 5, "random"))
    counts, p = within.sum(axis=1), measure.leaf_masses
    assert (np.abs(counts - n * p) <= 6 * np.sqrt(n * p * (1 - p)) + 1e-9).all()


@pytest.mark.parametrize("d", [1, 2])
def test_low_discrepancy_samples_are_nearer(d: int) -> None:
    """To a fine discretisation of the measure, on the average over seeds."""
    measure = measures(d)[0]
    fine = measure.sample(3000, 99)
    distance = {
        method: np.mean([wasserstein(fine, measure.sample(100, seed, method)).value for seed in range(6)])
        for method in ("low-discrepancy", "random")
    }
    assert distance["low-discrepancy"] < 0.7 * distance["random"]


@pytest.mark.parametrize("d", [1, 2, 3])
def test_mass_in_a_box_is_that_of_many_samples(d: int) -> None:
    measure, n = measures(d)[0], 100_000
    points = measure.sample(n, 1, "random")
    rng = np.random.default_rng(d)
    for _ in range(10):
        corners = np.sort(rng.uniform(-1.5, 3.5, (2, d)), axis=0)
        box = Box(corners[0], corners[1])
        found = measure.mass_in(box)
        share = ((points >= box.low) & (points <= box.high)).all(axis=1).mean()
        assert abs(found.mass - share) <= 6 * np.sqrt(max(found.mass * (1 - found.mass), 1e-4) / n)


def test_mass_in_the_whole_a_leaf_and_nothing() -> None:
    measure = measures(2)[0]
    whole = measure.mass_in(BOX[2])
    assert whole.mass == pytest.approx(1.0)
    assert whole.standard_error == pytest.approx(0.01 * np.sqrt(len(measure.masses)))
    for leaf in range(0, len(measure.masses), 5):
        found = measure.mass_in(Box(measure.cell_lower[leaf], measure.cell_upper[leaf]))
        assert found.mass == pytest.approx(measure.leaf_masses[leaf], abs=1e-15)
        assert found.standard_error == pytest.approx(0.01)
    assert measure.mass_in(Box([10, 10], [11, 11])) == (0.0, 0.0)
    with pytest.raises(InvalidMeasureError, match=r"1 axes.*has 2"):
        measure.mass_in(Box.unit(1))


@settings(max_examples=40)
@given(st.floats(-1.4, 3.4))
def test_masses_of_two_halves_add_up(cut: float) -> None:
    measure = measures(1)[1]
    parts = measure.mass_in(Box([-1.5], [cut])).mass + measure.mass_in(Box([cut], [3.5])).mass
    assert parts == pytest.approx(1.0, abs=1e-12)


def test_frames() -> None:
    tree = Tree.from_splits([True, False, False], 1)
    measure = leaf_measure(Box([0], [4], names=["mass"]), tree, np.array([0.25, 0.75]))
    frame = measure.to_frame()
    assert frame.columns.tolist() == ["mass", "mass_"]
    assert frame.to_numpy().tolist() == [[1.0, 0.25], [3.0, 0.75]]
    assert measures(2)[1].to_frame()["mass"].sum() == pytest.approx(1.0)


def test_one_atom_without_a_cell() -> None:
    measure = DiscreteMeasure([[0.25, 0.5]], [1.0])
    assert measure.sample(3, 0).tolist() == [[0.25, 0.5]] * 3
    assert measure.mass_in(Box.unit(2)).mass == 1.0
    assert np.isnan(measure.mass_in(Box.unit(2)).standard_error)
    assert measure.mass_in(Box([0.3, 0], [1, 1])).mass == 0.0


@pytest.mark.parametrize(
    "arguments",
    [
        ([[0.0]], [0.5]),
        ([[0.0]], [1.1]),
        ([[0.0], [1.0]], [1.5, -0.5]),
        ([[np.nan]], [1.0]),
        ([[0.0]], [np.nan]),
        ([0.0], [1.0]),
        ([[0.0]], [0.5, 0.5]),
        (np.empty((0, 1)), []),
        ([[0.0]], [1.0], [1]),
        ([[0.0]], [1.0], [-1]),
        ([[0.0]], [1.0], [0], [[0.0, 0.0]], [[1.0, 1.0]]),
        ([[0.0]], [1.0], [0], [[0.0]], [[1.0], [2.0]]),
    ],
)
def test_what_is_no_measure(arguments: tuple[Any, ...]) -> None:
    with pytest.raises(InvalidMeasureError):
        DiscreteMeasure(*arguments)


@pytest.mark.parametrize(
    ("n", "seed", "method"),
    [(n, 0, "random") for n in (-1, 1.5, math.nan, math.inf, "3", None)]
    + [(3, seed, "random") for seed in (-1, 1.5, "a", None, 2**128)]
    + [(3, 0, "sobol")],
)
def test_samples_that_can_not_be(n: Any, seed: Any, method: Any) -> None:
    with pytest.raises(InvalidParametersError, match=r"^(n|The seed|method) is .*must be"):
        measures(1)[0].sample(n, seed, method)


def test_a_measure_can_not_be_changed() -> None:
    points, masses = np.array([[0.5]]), np.array([1.0])
    measure = DiscreteMeasure(points, masses)
    points[0, 0] = 7.0
    assert measure.points[0, 0] == 0.5
    with pytest.raises(ValueError, match="read-only"):
        measure.masses[0] = 2.0
    with pytest.raises(AttributeError):
        measure.points = points  # type: ignore[misc]
