"""The free error bar: a function of the release alone, repeatable, honest on a small grid, safe at the edges."""

from __future__ import annotations

import json
import sys
from typing import Any

import numpy as np
import pytest

import privcore.simulation
from privcore import Box, Parameters, PrivcoreError, Release, error_estimate, release, simulate
from privcore.clouds import box_of, make
from privcore.error_estimate import HIDDEN, WIDEN, regime, summary


def released(n: int = 80, d: int = 2, **parameters: Any) -> Release:
    return release(make("uniform", n, d, seed=n), Box.unit(d), Parameters(**({"epsilon": 1.0} | parameters)))


def as_bytes(estimate: Any) -> bytes:
    return estimate.replicates.tobytes() + np.array([estimate.median, estimate.low, estimate.high]).tobytes()


@pytest.mark.parametrize(
    "dials",
    [
        {},
        {"mode": "paper"},
        {"representative": "spread"},
        {"shift": "random"},
        {"neighbours": "replace-one"},
        {"total": 60.5},
    ],
)
def test_depends_on_the_release_and_the_seed_alone(dials: dict[str, Any]) -> None:
    made = released(**dials)
    twins = [Release.from_json(made.to_json()) for _ in range(2)]
    first = as_bytes(error_estimate(made, seed=5, replicates=3))
    assert {as_bytes(error_estimate(twin, seed=5, replicates=3)) for twin in twins} == {first}
    assert as_bytes(error_estimate(made, seed=6, replicates=3)) != first


def test_a_simulation_gives_what_its_published_part_gives() -> None:
    run = simulate(make("blobs", 70, 2, seed=1), box_of("blobs", 2), Parameters(1.0), seed=1)

    class Published:
        box, parameters, total, measure = run.box, run.parameters, run.total, run.measure

    assert as_bytes(error_estimate(run, 2, 3)) == as_bytes(error_estimate(Published(), 2, 3))


def test_more_replicates_keep_the_first_ones() -> None:
    made = released()
    few, many = (error_estimate(made, seed=1, replicates=k).replicates for k in (2, 5))
    assert np.array_equal(few, many[:2])


def test_is_found_where_the_documents_say() -> None:
    assert privcore.simulation.error_estimate is error_estimate
    assert privcore.error_estimate is error_estimate


def test_the_range_is_ordered_and_no_wider_than_the_cube() -> None:
    estimate = error_estimate(released(), seed=1, replicates=9)
    assert 0.0 <= estimate.low <= estimate.median <= estimate.high <= np.sqrt(2)
    assert estimate.replicates.shape == (9,)
    assert not estimate.replicates.flags.writeable
    assert estimate.coverage_target == 0.9
    assert "not a bound" in estimate.note


@pytest.mark.parametrize("d", [1, 2, 10])
@pytest.mark.parametrize("n", [0, 1, 3])
def test_almost_no_records(n: int, d: int) -> None:
    made = release(np.full((n, d), 0.3), Box.unit(d), Parameters(epsilon=0.1, total=1.0))
    estimate = error_estimate(made, seed=1, replicates=3)
    assert np.isfinite(estimate.replicates).all()
    assert 0.0 <= estimate.low <= estimate.high <= np.sqrt(d)


def test_tiny_leaves() -> None:
    made = simulate(np.full((400, 2), 1 / 3), Box([-1e6, 0], [1e6, 1e-3]), Parameters(epsilon=10.0), seed=1)
    assert made.tree.leaf_depth.max() > 20
    estimate = error_estimate(made, seed=1, replicates=3)
    assert 0.0 <= estimate.low <= estimate.median <= estimate.high < 0.5


def test_a_large_total_is_capped_by_letting_points_stand_for_several(monkeypatch: pytest.MonkeyPatch) -> None:
    module = sys.modules["privcore.error_estimate"]
    made = simulate(make("uniform", 1_000, 2, seed=1), Box.unit(2), Parameters(epsilon=0.2), seed=1)
    full = error_estimate(made, seed=1, replicates=3)
    monkeypatch.setattr(module, "LARGEST_SAMPLE", 334)
    capped = error_estimate(made, seed=1, replicates=3)
    assert capped.median == pytest.approx(full.median, rel=0.25)


def test_progress_is_told_and_can_stop() -> None:
    seen: list[tuple[int, int]] = []

    def until_two(done: int, of: int) -> bool:
        seen.append((done, of))
        return done < 2

    estimate = error_estimate(released(), seed=1, replicates=6, progress=until_two)
    assert seen == [(1, 6), (2, 6)]
    assert len(estimate.replicates) == 2


@pytest.mark.parametrize(("seed", "replicates"), [(-1, 3), (1.5, 3), (True, 3), ("a", 3), (1, 0), (1, 2.5), (1, None)])
def test_mistakes_are_named(seed: Any, replicates: Any) -> None:
    with pytest.raises(PrivcoreError, match=r"seed|replicate"):
        error_estimate(released(), seed, replicates)


@pytest.mark.parametrize("d", [2, 5])
@pytest.mark.parametrize("representative", ["centre", "spread"])
def test_the_factors_are_those_of_the_regime(d: int, representative: Any) -> None:
    made = released(400, d, representative=representative)
    errors = 0.01 * np.ones(5)
    narrow = summary(errors, made)
    down, up = WIDEN[f"{representative}, d {'<=' if d <= 3 else '>'} 3"]
    assert (narrow.low, narrow.high) == pytest.approx((0.01 / down, 0.01 * up))
    stray = summary(100 * errors, made)
    assert regime(made, 1.0) == "stray"
    assert stray.low == pytest.approx(1.0 / WIDEN["stray"][0])


def test_a_release_that_cannot_tell_one_place_from_many_excludes_no_small_error() -> None:
    weak = released(30, epsilon=0.1, total=90.0)
    assert weak.parameters.epsilon * weak.total < HIDDEN
    assert summary(0.1 * np.ones(5), weak).low == 0.0


def test_every_factor_widens() -> None:
    assert all(down >= 1.0 and up >= 1.0 for down, up in WIDEN.values())


def test_nothing_of_the_estimate_is_written_into_the_release() -> None:
    made = released()
    before = json.loads(made.to_json())
    error_estimate(made, seed=1, replicates=2)
    assert json.loads(made.to_json()) == before


def test_coverage_on_a_small_grid() -> None:
    inside = []
    for number, (name, d) in enumerate([("uniform", 1), ("blobs", 2), ("ring", 2), ("uniform", 3), ("curve", 3)] * 4):
        n, epsilon = (60, 300)[number % 2], (0.2, 1.0)[number // 2 % 2]
        run = simulate(make(name, n, d, seed=number), box_of(name, d), Parameters(epsilon), seed=number)
        estimate = error_estimate(run, seed=number, replicates=12)
        inside.append(estimate.low <= run.w1.value <= estimate.high)
    assert np.mean(inside) >= 0.9
