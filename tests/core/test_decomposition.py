"""The parts of the error: each a proved interval, the triangle inequality between them, and who is 0 when."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from privcore import Box, Parameters, Simulation, simulate, wasserstein
from privcore.clouds import box_of, make

DIALS: tuple[dict[str, Any], ...] = (
    {},
    {"mode": "paper"},
    {"representative": "spread"},
    {"projection": "clip", "representative": "spread"},
    {"shift": "random", "projection": "lipschitz"},
    {"neighbours": "replace-one", "representative": "spread"},
    {"total": 40.0, "max_depth": 5},
)
SLACK = 1e-12


def small_run(seed: int) -> Simulation:
    generator = np.random.default_rng(seed)
    d = int(generator.choice([1, 2, 3, 5]))
    name = str(generator.choice(["uniform", "blobs", "line" if d == 1 else "ring", "cluster"]))
    epsilon = float(generator.choice([0.05, 0.5, 5.0]))
    points = make(name, int(generator.integers(1, 90)), d, seed=seed)
    return simulate(points, box_of(name, d), Parameters(epsilon, **DIALS[seed % len(DIALS)]), seed)


@pytest.mark.parametrize("seed", range(70))
def test_triangle_inequalities(seed: int) -> None:
    run = small_run(seed)
    assert run.w1.lower <= run.w1_resolution.upper + run.w1_privacy.upper + run.w1_spread.upper + SLACK
    assert run.w1_privacy.lower <= run.w1_noise.upper + run.w1_projection.upper + SLACK
    assert run.w1_resolution.lower <= run.w1.upper + run.w1_privacy.upper + run.w1_spread.upper + SLACK
    assert run.w1_projection.lower <= run.w1_noise.upper + run.w1_privacy.upper + SLACK


@pytest.mark.parametrize("seed", range(20))
@pytest.mark.parametrize("method", ["random", "low-discrepancy"])
def test_a_sample_is_no_further_than_its_two_steps(seed: int, method: Any) -> None:
    run = small_run(seed)
    sampling = run.w1_sampling(30, seed, method)
    direct = wasserstein(run.points, run.measure.sample(30, seed, method), box=run.box)
    assert direct.lower <= run.w1.upper + sampling.upper + SLACK
    assert run.w1.lower <= direct.upper + sampling.upper + SLACK
    assert sampling.lower <= direct.upper + run.w1.upper + SLACK


@pytest.mark.parametrize("seed", range(len(DIALS)))
def test_parts_that_do_nothing_are_zero(seed: int) -> None:
    run = small_run(seed)
    if run.parameters.representative == "centre":
        assert run.w1_spread.upper == 0.0
    if run.parameters.method == "clip":
        assert run.w1_projection.upper == 0.0
    for part in (run.w1, run.w1_resolution, run.w1_privacy, run.w1_spread, run.w1_noise, run.w1_projection):
        assert 0.0 <= part.lower <= part.upper <= np.sqrt(run.box.d) + SLACK


def test_parts_are_computed_once() -> None:
    run = small_run(2)
    assert run.w1_noise is run.w1_noise
    assert run.w1_spread is run.w1_spread


def test_the_clipped_measure_is_the_noisy_masses_without_their_negative_ones() -> None:
    run = next(run for run in map(small_run, range(70)) if (run.noisy_masses > 0).any())
    positive = np.maximum(run.noisy_masses, 0)
    assert run.clipped_measure.masses == pytest.approx(positive / positive.sum())


def test_without_noise_to_speak_of_only_the_resolution_is_left() -> None:
    points = make("uniform", 60, 2, seed=1)
    run = simulate(points, Box.unit(2), Parameters(500.0), seed=1)
    assert run.w1_privacy.upper == pytest.approx(0.0, abs=1e-12)
    assert run.w1.value == pytest.approx(run.w1_resolution.value, rel=1e-6)


def test_the_line_has_the_parts_that_its_distribution_functions_have() -> None:
    run = simulate(make("uniform", 50, 1, seed=3), Box.unit(1), Parameters(0.5), seed=3)
    order = np.argsort(run.tree.representatives.ravel())
    place = run.tree.representatives.ravel()[order]
    for part, first, second in (
        (run.w1_noise, run.oracle_measure, run.clipped_measure),
        (run.w1_projection, run.clipped_measure, run.projected_measure),
    ):
        gap = np.cumsum((first.masses - second.masses)[order])[:-1]
        assert part.value == pytest.approx(float(np.abs(gap) @ np.diff(place)), abs=1e-12)
