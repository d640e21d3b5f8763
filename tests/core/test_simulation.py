"""A simulation: the truth beside the private outcome, consistent in every number."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from privcore import Box, Parameters, simulate
from privcore.errors import InvalidParametersError

CASES = [{}, {"mode": "paper"}, {"neighbours": "replace-one"}, {"shift": "random"}, {"max_depth": 3}, {"theta": -5.0}]


@given(st.integers(0, 2**32), st.sampled_from(CASES), st.sampled_from([1, 2, 3]), st.integers(0, 200))
@settings(max_examples=60, deadline=None)
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
    with pytest.raises(InvalidParametersError, match="no row is valid"):
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
