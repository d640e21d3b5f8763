"""The realised privacy loss: against brute-force likelihoods, within epsilon, and as a law."""

from __future__ import annotations

import math
from dataclasses import replace
from decimal import Decimal
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from privcore import Box, Parameters, Simulation, simulate
from privcore.arrays import Floats
from privcore.errors import InvalidParametersError, InvalidPointsError
from privcore.loss import (
    LossDistribution,
    _leaf_loss,
    _path_law,
    _terms,
    loss_distribution,
    realised_loss,
    sample_losses,
)
from privcore.tree import default_depth
from tests.oracle.cost import shapes
from tests.oracle.loss import log_likelihood, loss_law, total_variation

ROUNDING = 1e-12
"""What float64 may add to a loss: a sum of at most a few hundred terms, each right to a few units of its last digit."""

CASES: list[dict[str, Any]] = [
    {},
    {"mode": "paper"},
    {"mode": "paper", "neighbours": "replace-one"},
    {"neighbours": "replace-one"},
    {"shift": "random"},
    {"shift": (1.0, 0.25), "theta": -1.0},
    {"theta": 2.5, "gamma": 2.0},
    {"max_depth": 3},
    {"max_depth": 0},
    {"gamma": 4.0, "tree_share": 0.9},
    {"gamma": 0.05, "tree_share": 0.9},
]


def hostile(kind: int, n: int, d: int, seed: int) -> Floats:
    """Data that test the partition: a pile, a pile on a corner of cells, two piles, a far loner, a cloud."""
    random = np.random.default_rng(seed)
    points = [
        np.full((n, d), 0.3),
        np.full((n, d), 0.5),
        random.choice([0.0, 1.0], (n, d)),
        np.vstack([np.full((max(n - 1, 0), d), 0.2), np.ones((min(n, 1), d))]),
        random.random((n, d)) ** 4,
    ]
    return points[kind]


def cap_of(run: Simulation) -> int:
    return default_depth(run.box.d) if run.parameters.max_depth is None else run.parameters.max_depth


def likelihood(run: Simulation, unit: Floats) -> Any:
    """ln P(the run's output | these points), by brute force."""
    tree = run.tree
    splits = [tree.splits[(tree.depth == k) & tree.active].tolist() for k in range(int(tree.depth[-1]) + 1)]
    noisy = np.rint(run.noisy_counts + run.cost.noise_mean).astype(int).tolist()
    shift = None if tree.shift is None else tuple(float(u) for u in tree.shift)
    return log_likelihood(unit.tolist(), run.box.d, splits, noisy, run.cost, cap_of(run), shift)


# One output


@settings(max_examples=60)
@given(
    st.sampled_from(CASES),
    st.integers(0, 4),
    st.sampled_from([0, 1, 2, 7, 40]),
    st.sampled_from([0.1, 1.0, 5.0]),
    st.integers(0, 2**32),
)
def test_the_loss_is_the_ratio_of_two_brute_force_likelihoods(
    chosen: dict[str, Any], kind: int, n: int, epsilon: float, seed: int
) -> None:
    """Removed, added, replaced: the whole output's likelihood, counted cell by cell in 40 digits, twice."""
    points = hostile(kind, n, 2, seed)
    run = simulate(points, Box.unit(2), Parameters(epsilon, **chosen), seed)
    random = np.random.default_rng(seed)
    loss, base = realised_loss(run), likelihood(run, run.unit_points)
    leaf_of = run.tree.leaf_of(run.unit_points)
    coming = random.random((1, 2))
    target = int(run.tree.leaf_of(coming)[0])
    more = likelihood(run, np.vstack([run.unit_points, coming]))
    assert loss.added.total[target] == pytest.approx(float(base - more), abs=ROUNDING)
    for row in random.integers(0, n, min(n, 2)):
        rest = np.delete(run.unit_points, row, axis=0)
        fewer, moved = likelihood(run, rest), likelihood(run, np.vstack([rest, coming]))
        assert loss.removed.total[leaf_of[row]] == pytest.approx(float(base - fewer), abs=ROUNDING)
        assert float(loss.replaced(leaf_of[row], target)) == pytest.approx(float(base - moved), abs=ROUNDING)


@pytest.mark.parametrize("d", [1, 3, 5])
@pytest.mark.parametrize("shift", ["none", "random"])
def test_every_record_of_a_leaf_has_the_leafs_loss(d: int, shift: Any) -> None:
    points = hostile(4, 60, d, 1)
    run = simulate(points, Box.unit(d), Parameters(2.0, shift=shift), seed=d)
    loss, base = realised_loss(run).removed.total, likelihood(run, run.unit_points)
    leaves = run.tree.leaf_of(run.unit_points)
    assert len(set(leaves)) > 1
    assert np.isnan(loss[run.true_counts == 0]).all()
    for row in range(0, 60, 6):
        expected = float(base - likelihood(run, np.delete(run.unit_points, row, axis=0)))
        assert loss[leaves[row]] == pytest.approx(expected, abs=ROUNDING)


def test_the_parts() -> None:
    """Splits cost at least 0 when a record leaves and stops at most 0; the leaf's part is a or -b; the cap's stop 0."""
    for chosen in CASES:
        run = simulate(hostile(4, 200, 2, 3), Box.unit(2), Parameters(1.0, **chosen), seed=4)
        loss, cost = realised_loss(run), run.cost
        here = run.true_counts > 0
        removed, added = loss.removed, loss.added
        assert (removed.splits[here] >= 0).all()
        assert (removed.stop[here] <= 0).all()
        assert set(removed.leaf[here]) <= {cost.a, -cost.b}
        assert (added.splits <= 0).all()
        assert (added.stop >= 0).all()
        assert set(added.leaf) <= {-cost.a, cost.b}
        capped = run.tree.leaf_depth == cap_of(run)
        assert (added.stop[capped] == 0).all()
        assert removed.total[here] == pytest.approx((removed.tree + removed.leaf)[here])
        noise = np.rint(run.leaf_noise + cost.noise_mean)
        assert ((removed.leaf > 0) == (noise >= 0))[here].all()
        assert ((added.leaf > 0) == (noise <= 0)).all()


def test_replacing_inside_a_leaf_changes_nothing_and_is_undone_by_replacing_back() -> None:
    run = simulate(hostile(4, 200, 2, 3), Box.unit(2), Parameters(1.0), seed=4)
    loss, leaves = realised_loss(run), np.flatnonzero(run.true_counts)
    assert (loss.replaced(leaves, leaves) == 0).all()
    assert loss.replaced(leaves[:, None], leaves).shape == (len(leaves), len(leaves))
    empty = np.flatnonzero(run.true_counts == 0)
    assert np.isnan(loss.replaced(empty[0], [leaves[0], empty[0]])).all()


@settings(max_examples=200)
@given(
    st.sampled_from(CASES),
    st.integers(0, 4),
    st.sampled_from([0, 1, 2, 7, 40, 300, 3000]),
    st.floats(1e-3, 20.0),
    st.integers(1, 3),
    st.integers(0, 2**32),
)
def test_no_output_says_more_than_epsilon(
    chosen: dict[str, Any], kind: int, n: int, epsilon: float, d: int, seed: int
) -> None:
    """tests/bench/loss.py does this 100,000 times."""
    if isinstance(chosen.get("shift"), tuple):
        chosen = chosen | {"shift": chosen["shift"][:1] * d}
    run = simulate(hostile(kind, n, d, seed), Box.unit(d), Parameters(epsilon, **chosen), seed)
    assert largest(run) <= run.cost.total * (1 + ROUNDING) <= epsilon * (1 + ROUNDING) or run.parameters.mode == "paper"
    assert largest(run) <= epsilon * (1 + ROUNDING)


@pytest.mark.parametrize("chosen", CASES, ids=str)
def test_no_path_of_counts_says_more_than_epsilon(chosen: dict[str, Any]) -> None:
    """10,000 hostile paths of counts a case, 110,000 in all: every depth of the leaf, either side of its noise."""
    random = np.random.default_rng(2)
    chosen = chosen | ({"shift": (0.5,)} if "shift" in chosen else {})
    cost = Parameters(1.0, **chosen).cost(1)
    depth = np.arange(60)
    start = np.rint(np.exp(random.uniform(0, 9, (10_000, 1))))
    falls = random.geometric(random.uniform(0.02, 1, (10_000, 1)), (10_000, 60)) - 1
    counts = np.maximum(start - np.cumsum(falls * random.integers(0, 2, (10_000, 1)), axis=1), 1).astype(np.int64)
    for added, most in ((False, cost.tree + cost.a), (True, 1 / cost.lam + cost.b)):
        on_split, on_stop = _terms(counts, depth, cost, added)
        tree = np.cumsum(on_split, axis=1) - on_split + on_stop
        losses = np.stack([tree, np.cumsum(on_split, axis=1)])[..., None] + _leaf_loss(
            np.array([True, False]), cost, added
        )
        assert losses.max() <= most * (1 + ROUNDING)
        assert np.abs(losses).max() <= (cost.total if cost.a != cost.b else 1.0) * (1 + ROUNDING)


def largest(run: Simulation) -> float:
    """The largest absolute loss of the run over all neighbours that its relation allows."""
    loss = realised_loss(run)
    if run.parameters.neighbours == "add-remove":
        every = np.concatenate([loss.removed.total, loss.added.total])
    else:
        sources = np.flatnonzero(run.true_counts)
        every = np.append(loss.replaced(sources[:200, None], np.arange(len(run.true_counts))[-200:]), 0.0)
    return float(np.nanmax(np.abs(every)))


# The law


def check_law(law: LossDistribution, epsilon: float) -> None:
    assert law.probability.sum() == pytest.approx(1.0, abs=1e-12)
    assert law.neighbour_probability.sum() == pytest.approx(1.0, abs=1e-12)
    assert (np.diff(law.loss) >= 0).all()
    assert np.abs(law.loss).max() <= epsilon * (1 + ROUNDING)
    assert law.mean >= 0
    assert 0.5 <= law.best_guess <= 1 / (1 + math.exp(-epsilon)) + ROUNDING


@settings(max_examples=200)
@given(
    st.sampled_from(CASES),
    st.integers(0, 4),
    st.sampled_from([1, 2, 7, 40, 3000]),
    st.floats(1e-3, 20.0),
    st.integers(0, 2**32),
)
def test_every_outcome_of_the_law_is_within_epsilon(
    chosen: dict[str, Any], kind: int, n: int, epsilon: float, seed: int
) -> None:
    """Stronger than samples: the largest of all outcomes. And both laws sum to one, which ties loss to probability."""
    run = simulate(hostile(kind, n, 2, seed), Box.unit(2), Parameters(epsilon, **chosen), seed)
    random = np.random.default_rng(seed)
    row, point = int(random.integers(n)), random.random(2)
    if run.parameters.neighbours == "add-remove":
        check_law(loss_distribution(run, remove=row), epsilon)
        check_law(loss_distribution(run, add=point), epsilon)
    else:
        check_law(loss_distribution(run, remove=row, add=point), epsilon)


@pytest.mark.parametrize("chosen", [{}, {"neighbours": "replace-one"}, {"theta": -1.5, "delta": 12.0}, {"theta": 2.0}])
@pytest.mark.parametrize(
    ("data", "remove", "add"),
    [
        ([0.1, 0.1, 0.15], 0, None),
        ([0.1, 0.3, 0.8], 2, None),
        ([], None, 0.7),
        ([0.1, 0.1], None, 0.12),
        ([0.1, 0.3, 0.8], 0, 0.9),
        ([0.1, 0.3, 0.8], 0, 0.2),
        ([0.1, 0.3, 0.8], 0, 0.11),
        ([0.4] * 6, 3, 0.6),
    ],
)
def test_the_law_against_all_trees_and_all_noise(
    chosen: dict[str, Any], data: list[float], remove: int | None, add: float | None
) -> None:
    """All 26 trees of depth 3 or less, every noisy count within reach: the same atoms with the same probabilities."""
    run = simulate(np.reshape(data, (-1, 1)), Box.unit(1), Parameters(3.0, max_depth=3, **chosen), seed=1)
    law = loss_distribution(run, remove=remove, add=add)
    neighbour = [x for i, x in enumerate(data) if i != remove] + ([] if add is None else [add])
    oracle = loss_law(shapes(3), data, neighbour, run.cost, 3, reach=60)
    assert 1 - sum(oracle.values()) < 1e-9
    assert total_variation(oracle, law.loss.tolist(), law.probability.tolist()) < 1e-8


@pytest.mark.parametrize(
    ("chosen", "remove", "add"),
    [
        ({}, 0, None),
        ({}, None, [0.9, 0.2]),
        ({"neighbours": "replace-one"}, 0, [0.9, 0.2]),
        ({"shift": "random"}, None, [0.9, 0.2]),
        ({"max_depth": 3}, 0, None),
    ],
)
def test_runs_follow_the_law(chosen: dict[str, Any], remove: int | None, add: Any) -> None:
    """The losses of the mechanism itself have the law's distribution function, and so do its samples."""
    points = np.vstack([hostile(0, 8, 2, 0), np.random.default_rng(5).random((8, 2))])
    parameters, runs = Parameters(2.0, **chosen), 500
    losses = []
    for seed in range(runs):
        run = simulate(points, Box.unit(2), parameters, seed)
        loss, leaf_of = realised_loss(run), run.tree.leaf_of
        source = None if remove is None else int(leaf_of(run.unit_points[remove : remove + 1])[0])
        target = None if add is None else int(leaf_of(np.array([add]))[0])
        if source is not None and target is not None:
            losses.append(float(loss.replaced(source, target)))
        else:
            losses.append(float(loss.added.total[target] if source is None else loss.removed.total[source]))
    drawn = sample_losses(run, runs, 7, remove=remove, add=add)
    assert drawn.shape == (runs,)
    bound = math.sqrt(math.log(2 / 1e-7) / (2 * runs))  # Dvoretzky, Kiefer, Wolfowitz (Massart 1990)
    grid = np.linspace(-2, 2, 401)
    empirical = [np.searchsorted(np.sort(sample), grid, side="right") / runs for sample in (losses, drawn)]
    assert np.abs(empirical[0] - empirical[1]).max() <= 2 * bound
    if parameters.shift != "random":
        law = loss_distribution(run, remove=remove, add=add)
        cdf = np.append(0.0, np.cumsum(law.probability))[np.searchsorted(law.loss, grid, side="right")]
        assert np.abs(empirical[0] - cdf).max() <= bound


def test_samples_of_the_neighbour() -> None:
    """Under D' the loss has the law p e^-L: its mean is negative; D and D' swapped, it changes its sign."""
    points = np.full((20, 1), 0.3)
    run = simulate(points, Box.unit(1), Parameters(2.0), seed=0)
    without = simulate(points[1:], Box.unit(1), Parameters(2.0), seed=0)
    forth, back = loss_distribution(run, remove=0), loss_distribution(without, add=[0.3])
    mirrored = {Decimal(-loss): Decimal(p) for loss, p in zip(forth.loss, forth.neighbour_probability, strict=True)}
    assert total_variation(mirrored, back.loss.tolist(), back.probability.tolist()) < 1e-12
    assert forth.best_guess == pytest.approx(back.best_guess)
    here, there = (sample_losses(run, 20_000, 1, remove=0, neighbour=other) for other in (False, True))
    assert here.mean() == pytest.approx(forth.mean, abs=0.05)
    assert there.mean() == pytest.approx(-back.mean, abs=0.05)
    assert ((here > 0).mean() + (there <= 0).mean()) / 2 == pytest.approx(forth.best_guess, abs=0.02)


def test_a_point_that_stays_in_its_cell_costs_nothing() -> None:
    run = simulate([[0.3], [0.8]], Box.unit(1), Parameters(1.0, neighbours="replace-one", max_depth=2), seed=0)
    law = loss_distribution(run, remove=0, add=[0.31])
    assert law.loss.tolist() == [0.0]
    assert law.probability.tolist() == [1.0]
    assert law.best_guess == 0.5


def test_the_worst_data_come_close_to_epsilon() -> None:
    """The cost is reached: a long pile with the best offset, and the noise on the right side."""
    cost = Parameters(1.0).cost(1)
    depth = 400
    count = 10_000
    offset = 1 - (math.ceil(1 / cost.delta) - 1) * cost.delta  # margins that end at 1 modulo delta
    steps = depth - 3
    theta = count - offset - steps * cost.delta
    loss, probability = _path_law(np.full(depth + 1, count), 0, replace(cost, theta=theta), added=False)
    assert loss.max() <= 1.0
    assert loss.max() > 1.0 - 1e-6
    loss, _ = _path_law(np.full(depth + 1, count), 0, replace(cost, theta=theta), added=True)
    assert loss.max() == pytest.approx(1.0, abs=1e-9)  # 1/lambda + b: a heavy root that doesn't split
    assert loss.min() > -1.0 - 1e-12
    assert probability.sum() == pytest.approx(1.0)


@pytest.mark.parametrize(
    ("change", "error", "says"),
    [
        ({}, InvalidParametersError, "Nothing changes"),
        ({"remove": 2}, InvalidParametersError, "`remove` is 2"),
        ({"remove": -1}, InvalidParametersError, "`remove` is -1"),
        ({"add": [math.nan]}, InvalidPointsError, "not finite"),
        ({"add": [0.1, 0.2]}, InvalidPointsError, "1 axes"),
    ],
)
def test_what_is_refused(change: dict[str, Any], error: type[Exception], says: str) -> None:
    run = simulate([[0.3], [0.7]], Box.unit(1), Parameters(1.0), seed=0)
    for ask in (loss_distribution, lambda r, **c: sample_losses(r, 3, 0, **c)):
        with pytest.raises(error, match=says):
            ask(run, **change)


def test_an_invalid_row_is_at_the_corner_when_n_is_public() -> None:
    run = simulate([[0.3], [math.nan]], Box.unit(1), Parameters(1.0, neighbours="replace-one"), seed=0)
    forth = loss_distribution(run, remove=0, add=[math.inf])
    corner = loss_distribution(run, remove=0, add=[0.0])
    np.testing.assert_array_equal(forth.loss, corner.loss)


def test_no_samples() -> None:
    for shift in ("none", "random"):
        run = simulate([[0.3]], Box.unit(1), Parameters(1.0, shift=shift), seed=0)  # type: ignore[arg-type]
        assert sample_losses(run, 0, 0, remove=0).shape == (0,)
