"""A simulation: the truth beside the private outcome, consistent in every number."""

from __future__ import annotations

import importlib
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from privcore import Box, Parameters, Release, Simulation, release, simulate
from privcore.errors import InvalidParametersError, InvalidPointsError
from privcore.noise import SeededWords
from privcore.release import Published

POINTS = np.random.default_rng(0).random((300, 2)) ** 2
CASES = [{}, {"mode": "paper"}, {"neighbours": "replace-one"}, {"shift": "random"}, {"max_depth": 3}, {"theta": -5.0}]


@given(st.integers(0, 2**32), st.sampled_from(CASES), st.sampled_from([1, 2, 3]), st.integers(0, 200))
@settings(max_examples=60)
def test_the_truth_adds_up(seed: int, chosen: dict[str, Any], d: int, n: int) -> None:
    points = np.random.default_rng(seed).random((n, d)) ** 2
    run = simulate(points, Box.unit(d), Parameters(1.0, **chosen), seed)
    assert run.true_counts.sum() == run.n == n
    assert run.noisy_counts - run.leaf_noise == pytest.approx(run.true_counts)
    visits, tree, cost = run.visits, run.tree, run.cost
    decided = ~np.isnan(visits.noise)
    assert (visits.split[decided] == (visits.margin + visits.noise > 0)[decided]).all()
    assert visits.margin.min() >= -cost.delta
    assert np.array_equal(visits.penalty, tree.depth * cost.delta)
    assert (visits.count[tree.leaves] == run.true_counts).all()
    whole = run.noisy_counts + cost.noise_mean
    assert whole == pytest.approx(np.round(whole), abs=1e-9)


@pytest.mark.parametrize("chosen", CASES, ids=str)
@pytest.mark.parametrize("d", [1, 2, 3])
def test_the_parts_of_the_error_bound_it(chosen: dict[str, Any], d: int) -> None:
    for seed in range(3):
        points = np.random.default_rng(seed).random((120, d)) ** 2
        run = simulate(points, Box.unit(d), Parameters(1.0, **chosen), seed)
        assert run.w1.lower <= run.w1_resolution.upper + run.w1_privacy.upper + 1e-12
        assert run.w1_privacy.lower <= run.w1.upper + run.w1_resolution.upper + 1e-12
        assert run.w1_resolution.upper <= (run.true_counts / run.n) @ run.tree.leaf_diameters + 1e-12


def test_units_cancel() -> None:
    points = np.random.default_rng(0).random((200, 2))
    here = simulate(points, Box.unit(2), Parameters(1.0), seed=1)
    there = simulate(points * [8, 2] - 4, Box([-4, -4], [4, -2]), Parameters(1.0), seed=1)
    assert np.array_equal(here.tree.splits, there.tree.splits)
    assert here.w1.value == pytest.approx(there.w1.value)
    assert there.points == pytest.approx(points * [8, 2] - 4)


def test_a_seed_is_the_whole_of_the_noise() -> None:
    points = np.random.default_rng(0).random((200, 2))
    runs = [simulate(points, Box.unit(2), Parameters(1.0), seed) for seed in (1, 1, 2)]
    assert np.array_equal(runs[0].noisy_counts, runs[1].noisy_counts)
    assert not np.array_equal(runs[0].noisy_counts, runs[2].noisy_counts)
    assert "NOT PRIVATE" in repr(runs[0])


@pytest.mark.parametrize("seed", [-1, 1.5, True, 2**128])
def test_a_seed_is_a_whole_number(seed: Any) -> None:
    with pytest.raises(InvalidParametersError, match="seed"):
        simulate([[0.5]], Box.unit(1), Parameters(1.0), seed)


def test_without_data_there_is_an_outcome_and_no_error_to_measure() -> None:
    run = simulate(np.empty((0, 2)), Box.unit(2), Parameters(1.0), seed=0)
    assert run.measure.masses.sum() == pytest.approx(1.0)
    with pytest.raises(InvalidPointsError, match="no row is valid"):
        _ = run.w1


def test_spreading_the_mass_helps_on_spread_data_and_keeps_the_leaves() -> None:
    points = np.random.default_rng(3).random((2000, 2))
    centre, spread = (
        simulate(points, Box.unit(2), Parameters(1.0, representative=how), seed=0) for how in ("centre", "spread")
    )
    assert spread.w1.value < 0.8 * centre.w1.value
    assert spread.measure.leaf_masses == pytest.approx(centre.measure.leaf_masses)


def test_leaf_noise_follows_its_law_and_does_not_depend_on_the_tree() -> None:
    points = np.random.default_rng(0).random((500, 2))
    runs = [simulate(points, Box.unit(2), Parameters(1.0), seed) for seed in range(200)]
    noise = np.concatenate([run.leaf_noise for run in runs])
    cost = runs[0].cost
    assert abs(noise.mean()) < 5 * cost.noise_sd / np.sqrt(len(noise))
    assert noise.std() == pytest.approx(cost.noise_sd, rel=0.05)
    leaves = np.array([len(run.tree.leaves) for run in runs])
    means = np.array([run.leaf_noise.mean() for run in runs])
    assert abs(np.corrcoef(leaves, means)[0, 1]) < 0.3


def test_w1_in_one_dimension_by_its_closed_form() -> None:
    points = np.random.default_rng(2).random(100) ** 3
    run = simulate(points, Box([0], [1]), Parameters(1.0), seed=1)
    atoms, masses = run.measure.points[:, 0], run.measure.masses
    grid = np.sort(np.concatenate([points, atoms]))
    left = np.searchsorted(np.sort(points), grid, side="right") / 100
    order = np.argsort(atoms, kind="stable")
    total = np.concatenate([[0.0], np.cumsum(masses[order])])
    right = total[np.searchsorted(atoms[order], grid, side="right")]
    assert run.w1.value == pytest.approx(float((np.abs(left - right)[:-1] * np.diff(grid)).sum()), abs=1e-12)


def test_rows_in_any_order_give_the_same_run() -> None:
    first, second = (simulate(rows, Box.unit(2), Parameters(1.0), seed=8) for rows in (POINTS, POINTS[::-1]))
    np.testing.assert_array_equal(first.visits.count, second.visits.count)
    np.testing.assert_array_equal(first.noisy_counts, second.noisy_counts)


def test_a_simulation_is_no_release() -> None:
    """No common base, no way to write one as a release, and a name that says what it is."""
    run = simulate(POINTS, Box.unit(2), Parameters(1.0), seed=0)
    assert Simulation.__mro__ == (Simulation, object)
    assert set(Simulation.__mro__) & set(Release.__mro__) == {object}
    assert not isinstance(run, Published | Release)
    assert not hasattr(run, "to_json")
    assert not hasattr(run, "counts")
    assert "NOT PRIVATE" in repr(run)
    for name in ("true_counts", "leaf_noise", "visits", "points", "unit_points", "w1", "oracle_measure", "seed"):
        assert hasattr(Simulation, name) or hasattr(run, name)
        assert not hasattr(Release, name)
        assert not hasattr(release(POINTS, Box.unit(2), Parameters(1.0)), name)


@pytest.mark.parametrize("chosen", CASES)
def test_the_twin_of_a_release(monkeypatch: pytest.MonkeyPatch, chosen: dict[str, Any]) -> None:
    """With the same words both give the same public part: one code path."""
    module = importlib.import_module("privcore.release")
    monkeypatch.setattr(module, "SystemWords", lambda: SeededWords(7))
    parameters = Parameters(1.0, **chosen)
    made, run = release(POINTS, Box.unit(2), parameters), simulate(POINTS, Box.unit(2), parameters, seed=7)
    np.testing.assert_array_equal(run.tree.splits, made.tree.splits)
    np.testing.assert_array_equal(run.noisy_counts, made.noisy_counts)
    np.testing.assert_array_equal(run.noisy_masses, made.noisy_masses)
    np.testing.assert_array_equal(run.projection.masses, made.projection.masses)
    np.testing.assert_array_equal(run.measure.points, made.measure.points)
    np.testing.assert_array_equal(run.measure.masses, made.measure.masses)
    assert run.to_frame().equals(made.to_frame())
    assert (run.total, run.cost, run.box, run.parameters) == (made.total, made.cost, made.box, made.parameters)


@pytest.mark.parametrize("representative", ["centre", "spread"])
@pytest.mark.parametrize("shift", ["none", "random"])
@pytest.mark.parametrize("d", [1, 2, 3])
def test_w1_is_at_most_what_cells_and_masses_say(d: int, shift: str, representative: str) -> None:
    for seed in range(10):
        points = np.random.default_rng(seed).random((60, d)) ** 3
        parameters = Parameters(0.5, shift=shift, representative=representative)
        run = simulate(points, Box.unit(d), parameters, seed)
        assert run.w1.upper <= run.w1_at_most * (1 + 1e-12)


@pytest.mark.parametrize("d", [1, 3])
def test_records_and_mass_of_the_whole_box_are_all(d: int) -> None:
    run = simulate(np.random.default_rng(0).random((80, d)), Box.unit(d), Parameters(1.0), 1)
    assert run.records_in(Box.unit(d)) == run.n == 80
    assert np.allclose(run.measure.overlap(Box.unit(d)), 1.0)
    assert run.measure.mass_in(Box.unit(d)).mass == pytest.approx(1.0)
    left = Box([0.0] * d, [0.5] + [1.0] * (d - 1))
    assert run.records_in(left) == int((run.points[:, 0] <= 0.5).sum())
