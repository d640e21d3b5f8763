from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import ot
import pandas as pd
import pytest
from scipy.spatial.distance import cdist

from privcore.arrays import Floats, Ints
from privcore.cells import CellCounts
from privcore.domain import Box
from privcore.errors import InvalidParametersError
from privcore.noise import SeededWords
from privcore.parameters import Parameters
from privcore.projection import project, to_simplex
from privcore.release import release
from privcore.simulation import Simulation, simulate
from privcore.theory import bounds, privacy, rates, resolution, tree_bounds, tree_sizes, trees
from privcore.tree import Growth, Tree, capped, hard, privtree, soft
from tests.oracle.projection import discrepancy

ROUNDING = 1e-9
UNIT = 2.0**-20  # dials of the private tree are whole multiples of it


@dataclass(frozen=True)
class Data:
    points: Floats
    counts: CellCounts

    @property
    def n(self) -> int:
        return len(self.points)

    @property
    def d(self) -> int:
        return int(self.points.shape[1])


def data(seed: int, largest: int = 60) -> Data:
    """A small cloud of a random kind, with or without a shift: even, clustered, on a line, few places, walls."""
    rng = np.random.default_rng(seed)
    d, n = int(rng.choice([1, 2, 3, 5])), int(rng.integers(1, largest))
    clouds: list[Callable[[], Floats]] = [
        lambda: rng.random((n, d)),
        lambda: np.clip(rng.random(d) + 10.0 ** rng.uniform(-6, -1) * rng.normal(size=(n, d)), 0.0, 1.0),
        lambda: rng.random((n, 1)) * rng.random(d),
        lambda: rng.random((4, d))[rng.integers(0, 4, n)],
        lambda: rng.integers(0, 3, (n, d)) / 2.0,
    ]
    points = clouds[seed % 5]()
    shift = tuple(float(u) for u in rng.random(d)) if rng.random() < 0.4 else None
    return Data(points, CellCounts(points, Box.unit(d), shift))


def masses(growth: Growth) -> Floats:
    return growth.count[growth.tree.leaves] / growth.count[0]


def measured(points: Floats, growth: Growth) -> float:
    """W1 between the data and its masses at the centres of the leaves, by POT."""
    p = masses(growth)
    used = p > 0.0
    costs = cdist(points, growth.tree.representatives[used])
    return float(ot.emd2(np.full(len(points), 1 / len(points)), p[used], costs, numItermax=10**7))


def occupied(points: Floats, tree: Tree, theta: float, delta: float, levels: int) -> tuple[Ints, Floats]:
    """N_k and F(k) for k < levels, from the definition: floors of coordinates, no tree."""
    shift, side = (0.0, 1.0) if tree.shift is None else (tree.shift, 2.0)
    scaled = np.minimum((points + shift) / side, 1.0 - 2.0**-53)
    number, light = np.empty(levels, dtype=np.int64), np.empty(levels)
    for k in range(levels):
        halvings = k // tree.d + (np.arange(tree.d) < k % tree.d)
        _, size = np.unique(np.floor(scaled * 2.0**halvings), axis=0, return_counts=True)
        number[k] = size.size
        light[k] = size[size <= theta + k * delta].sum() / len(points)
    return number, light


@pytest.mark.parametrize("seed", range(200))
def test_resolution_bounds_any_tree_and_the_hard_threshold(seed: int) -> None:
    case, rng = data(seed), np.random.default_rng(seed)
    theta, cap = float(rng.integers(1, max(2, case.n))), int(rng.integers(1, 12 * case.d))
    growth = hard(case.counts, theta, cap)
    tree, p, error = growth.tree, masses(growth), measured(case.points, growth)
    d = tree.d
    half = resolution.cell_diameters(p, tree.leaf_diameters) / 2
    by_functional = resolution.resolution(p, tree.leaf_depth, d)
    assert error <= half + ROUNDING
    assert half <= by_functional + ROUNDING
    assert by_functional <= resolution.resolution_by_volume(p, tree.leaf_depth, d) + ROUNDING
    assert resolution.resolution_by_volume(p, tree.leaf_depth, d) <= trees.hard(theta / case.n, d, cap) + ROUNDING
    every_leaf = resolution.kraft(tree.depth[~tree.splits])
    assert every_leaf == pytest.approx(1.0)
    assert resolution.kraft(tree.leaf_depth) <= every_leaf + ROUNDING


@pytest.mark.parametrize("seed", range(100))
def test_light_profile_of_the_hard_threshold(seed: int) -> None:
    """With the exact F the bound is the resolution functional itself; with N_k it lies above."""
    case, rng = data(seed), np.random.default_rng(seed)
    theta, cap = float(rng.integers(1, max(2, case.n))), int(rng.integers(1, 12 * case.d))
    growth = hard(case.counts, theta, cap)
    number, light = occupied(case.points, growth.tree, theta, 0.0, cap)
    exact = resolution.light_profile(light, case.d)
    assert exact == pytest.approx(resolution.resolution(masses(growth), growth.tree.leaf_depth, case.d))
    above = resolution.light_from_occupied(number, theta / case.n)
    assert (light <= above + ROUNDING).all()
    assert measured(case.points, growth) <= exact + ROUNDING
    assert exact <= resolution.light_profile(above, case.d) + ROUNDING


@pytest.mark.parametrize("seed", range(200))
def test_hard_threshold_in_an_intrinsic_dimension(seed: int) -> None:
    """A is the least constant for which the growth condition holds, for a dimension s chosen at random."""
    case, rng = data(seed), np.random.default_rng(seed)
    s = float(rng.choice([rng.uniform(0.2, 0.9), 1.0, rng.uniform(1.05, 5.0)]))
    theta = float(rng.integers(1, max(2, case.n // 3)))
    growth = hard(case.counts, theta, 30 * case.d)
    levels = 12 * case.d
    number, _ = occupied(case.points, growth.tree, theta, 0.0, levels)
    reached = np.exp2(s * np.arange(levels) / case.d)
    constant = 1.0
    for k in range(levels):  # the condition is asked for down to the first depth where A 2^(sk/d) >= 1/theta
        constant = max(constant, float(number[k] / reached[k]))
        if constant * reached[k] >= case.n / theta:
            break
    else:
        pytest.fail("the depths looked at do not reach the last one that counts")
    assert measured(case.points, growth) <= trees.hard_dimension(theta / case.n, case.d, s, constant) + ROUNDING


@pytest.mark.parametrize("seed", range(200))
def test_soft_threshold(seed: int) -> None:
    case, rng = data(seed), np.random.default_rng(seed)
    theta, delta = rng.uniform(0.1, 0.3 * case.n + 1), rng.uniform(0.05, 2.0)
    cap = int(rng.integers(1, 12 * case.d)) if seed % 2 else None
    growth = soft(case.counts, theta, delta, 32 * case.d if cap is None else cap)
    p, q, d = theta / case.n, delta / case.n, case.d
    assert measured(case.points, growth) <= trees.soft(p, q, d, cap or 32 * d) + ROUNDING
    assert resolution.resolution(masses(growth), growth.tree.leaf_depth, d) <= trees.soft(p, q, d, cap or 32 * d)
    assert growth.tree.leaves.size <= trees.soft_leaves_by_level(p, q) <= trees.soft_leaves(p, q) + ROUNDING
    assert growth.tree.depth.max() <= trees.soft_depth(p, q)


@pytest.mark.parametrize("seed", range(40))
def test_soft_threshold_of_zero(seed: int) -> None:
    case = data(seed)
    delta = float(np.random.default_rng(seed).uniform(0.1, 3.0))
    tree = soft(case.counts, 0.0, delta).tree
    assert tree.leaves.size <= trees.soft_leaves_by_level(0.0, delta / case.n)
    assert tree.depth.max() <= trees.soft_depth(0.0, delta / case.n)


@pytest.mark.parametrize("seed", range(24))
def test_private_tree_on_average(seed: int) -> None:
    """Means over 60 trees, within four standard errors."""
    case, rng = data(seed, largest=200), np.random.default_rng(seed)
    lam = round(float(rng.uniform(0.3, 3.0)) / UNIT) * UNIT
    delta = round(float(rng.uniform(0.5, 2.0)) * lam / UNIT) * UNIT
    theta = 0.0 if seed % 2 else round(float(rng.uniform(-2.0, 6.0)) / UNIT) * UNIT
    cap = int(rng.integers(2, 30)) if seed % 3 == 0 else 32 * case.d
    d, dials = case.d, (theta / case.n, delta / case.n, lam / case.n)
    error, scale, leaves = [], [], []
    for replicate in range(60):
        growth = privtree(case.counts, theta, delta, lam, SeededWords(1000 * seed + replicate), cap)
        leaves.append(growth.tree.leaves.size)
        scale.append(resolution.resolution(masses(growth), growth.tree.leaf_depth, d))
        error.append(measured(case.points, growth))
    split = soft(case.counts, max(theta, 0.0), delta, cap)
    inside = split.tree.splits
    by_heavy = trees.privtree_heavy(split.count[inside] / case.n, split.tree.depth[inside], *dials, d)
    by_volume = trees.privtree(*dials, d, cap)
    for bound in (by_heavy, by_volume):
        assert np.mean(error) <= bound.value + 4 * _standard_error(error)
    assert by_heavy.value <= by_volume.value + ROUNDING
    if by_heavy.value < np.sqrt(d):
        assert np.mean(scale) <= by_heavy.value + 4 * _standard_error(scale)
    if theta == 0.0:
        assert np.mean(leaves) <= trees.privtree_leaves(*dials[1:]) + 4 * _standard_error(leaves)


@pytest.mark.parametrize("seed", range(30))
def test_private_tree_takes_the_best_t(seed: int) -> None:
    """Written out again as in the paper, no other t gives less; at its own t the formula gives the value."""
    rng = np.random.default_rng(seed)
    d, delta = int(rng.integers(1, 6)), 10.0 ** rng.uniform(-6, -3)
    sigma, theta = delta / rng.uniform(0.3, 2.0), float(rng.choice([0.0, rng.uniform(-12 * delta, 0.1)]))

    def formula(t: float) -> float:
        levels = max(0.0, np.ceil(np.log2(1 / (theta + t))))
        volume = theta + t + delta * (levels + 2) + 2.0**-40
        return float(2 * np.sqrt(d) * (volume ** (1 / d) + 0.5 * (1 + 1 / delta) * np.exp(-t / sigma)))

    best = trees.privtree(theta, delta, sigma, d, 40)
    others = max(0.0, -theta) + 10.0 ** rng.uniform(-9, 0, 500)
    assert best.value <= min(np.sqrt(d), *(formula(t) for t in others)) * (1 + 1e-3)
    assert best.value == pytest.approx(min(np.sqrt(d), formula(best.t)))


def test_private_tree_bounds_never_exceed_the_diameter() -> None:
    assert trees.privtree(2.0, 0.1, 0.1, d=4).value == 2.0
    assert trees.privtree(0.0, 1.0, 1.0, d=4).value == 2.0
    assert trees.privtree_heavy(np.empty(0), np.empty(0, dtype=np.int64), 0.0, 0.1, 0.1, d=4).value == 2.0


@pytest.mark.parametrize("seed", range(20))
def test_laplacian_complexity(seed: int) -> None:
    """E sup over F by linear programming, for Laplace noise, is below the bound."""
    rng = np.random.default_rng(seed)
    d, m = int(rng.choice([1, 2, 3, 5])), int(rng.integers(1, 16))
    points = rng.random((m, d)) * (rng.random(d) if seed % 2 else 0.05)
    sup = [discrepancy(points, rng.laplace(0.0, 1.0, m)) / m for _ in range(20)]
    bound = privacy.laplacian_complexity(points)
    assert np.mean(sup) <= bound.value + 4 * _standard_error(sup)
    # The least over J, and the formula as the paper writes it.
    effective = np.array([np.sqrt(privacy.effective_cells(points, j)) for j in range(1, 60)])
    chained = np.sqrt(2 * d / m) * (1 + np.cumsum(np.append(0.0, effective * 0.5 ** np.arange(59))))
    every = chained + np.sqrt(d) * 0.5 ** np.arange(60)
    assert bound.value == pytest.approx(every.min())
    assert bound.value == pytest.approx(every[bound.levels])


@pytest.mark.parametrize("seed", range(40))
def test_effective_cells_lie_between_one_and_the_occupied_cells(seed: int) -> None:
    rng = np.random.default_rng(seed)
    points = rng.random((30, int(rng.integers(1, 5)))) ** 3
    previous = 1.0
    for level in (0, 1, 3, 10, 60):
        now = privacy.effective_cells(points, level)
        assert previous - ROUNDING <= now <= len(np.unique(np.floor(points * 2.0**level), axis=0)) + ROUNDING
        previous = now


@pytest.mark.parametrize(("up", "down"), [(0.5, 0.5), (0.3, 0.9), (0.9, 0.3), (2.0, 5.0), (0.05, 0.07), (1e-3, 1.0)])
def test_moments_of_the_leaf_noise(up: float, down: float) -> None:
    sd, mean_absolute = privacy.two_rate_moments(up, down)
    reach = int(40 / min(up, down))
    z = np.arange(-reach, reach + 1)
    weight = np.where(z >= 0, np.exp(-up * z), np.exp(down * np.minimum(z, 0)))
    weight /= weight.sum()
    mean = weight @ z
    assert sd == pytest.approx(np.sqrt(weight @ (z - mean) ** 2))
    assert mean_absolute == pytest.approx(weight @ np.abs(z - mean))
    if up == down:
        assert sd <= np.sqrt(2) / up
        assert mean_absolute <= 1 / up


@pytest.mark.parametrize("seed", range(24))
@pytest.mark.parametrize("noisy_total", [False, True])
def test_privacy_of_the_lipschitz_projection_on_average(seed: int, noisy_total: bool) -> None:
    """With the noisy total as the normaliser it is the mean of total W1 that the theorem bounds."""
    rng = np.random.default_rng(seed)
    d, m = int(rng.choice([1, 2, 3, 5])), int(rng.integers(2, 40))
    points, counts = rng.random((m, d)), rng.integers(0, 2 + seed, m) + (np.arange(m) == 0) * 60
    up, down = sorted(rng.uniform(0.3, 2.0, 2))
    n, scaled = float(counts.sum()), []
    noise_mean = 1 / np.expm1(up) - 1 / np.expm1(down)
    for _ in range(40):
        noise = rng.geometric(-np.expm1(-up), m) - rng.geometric(-np.expm1(-down), m) - noise_mean
        total = n + noise.sum() if noisy_total else n
        if total < 1.0:
            continue
        released = project(points, (counts + noise) / total, "lipschitz").masses
        scaled.append(total * ot.emd2(counts / n, released / released.sum(), cdist(points, points)))
    bound = privacy.privacy(points, n, *privacy.two_rate_moments(up, down)).value
    assert np.mean(scaled) / n <= bound + 4 * _standard_error(scaled) / n


def test_privacy_bound_is_false_for_the_euclidean_projection() -> None:
    """Why it is never shown for it: an even tree on the line, half the leaves empty."""
    m = 2**17
    places = (np.arange(m)[:, None] + 0.5) / m
    truth = np.where(np.arange(m) < m // 2, 2.0 / m, 0.0)
    released = to_simplex(truth + np.random.default_rng(0).laplace(0.0, 1.0, m) / (4 * m))
    error = np.abs(np.cumsum(released - truth)).sum() / m
    assert error > 1.5 * privacy.privacy(places, 4.0 * m).value


def test_rates() -> None:
    assert rates.worst_case(1e4, 2) == pytest.approx(1e-2 * np.log(1e4))
    assert rates.worst_case(1e4, 3) == pytest.approx(rates.intrinsic(1e4, 3.0))
    assert np.isnan(rates.worst_case(1.0, 2))
    assert np.isnan(rates.intrinsic(0.5, 3.0))


def test_dials_out_of_range_are_named() -> None:
    for call, name in [
        (lambda: trees.soft(0.0, 0.1, 2), "theta"),
        (lambda: trees.soft(0.1, 0.0, 2), "delta"),
        (lambda: trees.soft_depth(-0.1, 0.1), "theta"),
        (lambda: trees.hard_dimension(0.1, 2, 1.0, np.nan), "constant"),
        (lambda: trees.privtree(0.0, 0.1, 0.0, 2), "sigma"),
        (lambda: privacy.privacy(np.full((1, 1), 0.5), 0.0), "total"),
        (lambda: privacy.two_rate_moments(0.0, 1.0), "up"),
        (lambda: rates.worst_case(-1.0, 2), "epsilon_n"),
    ]:
        with pytest.raises(InvalidParametersError, match=name):
            call()


PAPER = Parameters(1.0, mode="paper")


def many(n: int = 400, d: int = 2) -> Floats:
    return np.random.default_rng(1).random((n, d)) ** 2


def simulated(parameters: Parameters, n: int = 400, d: int = 2, seed: int = 0) -> Simulation:
    return simulate(many(n, d), Box.unit(d), parameters, seed)


def test_every_bound_of_the_paper_s_own_dials_is_proved() -> None:
    table = bounds(simulated(PAPER, d=3), dimension=2.5)
    assert table[table.kind != "rate"].proved.all()
    assert not table[table.kind == "rate"].proved.any()
    assert table.value.notna().all()
    assert (table.reason != "").equals(~table.proved)
    assert table.name.is_unique
    assert list(table.columns[:4]) == ["name", "quantity", "value", "proved"]


def test_a_release_gives_only_what_is_public() -> None:
    table = bounds(release(many(), Box.unit(2), PAPER))
    assert (table[table.needs == "true counts"].value.isna()).all()
    assert table[table.proved].name.tolist() == ["Kraft", "Laplacian complexity"]
    known = bounds(release(many(), Box.unit(2), Parameters(1.0, mode="paper", neighbours="replace-one")))
    assert known[known.proved].name.tolist() == ["Kraft", "PrivTree", "leaves", "Laplacian complexity"]


@pytest.mark.parametrize("projection", ["euclidean", "clip"])
def test_other_projections_have_no_privacy_bound_and_no_rate(projection: Any) -> None:
    table = bounds(simulated(Parameters(1.0, mode="paper", projection=projection), d=3), dimension=2.5)
    grey = table[~table.proved]
    assert set(grey.quantity) == {"privacy", "total"}
    assert grey.value.isna().all()
    assert grey.reason.str.contains("Lipschitz projection only").all()


@pytest.mark.parametrize(
    ("parameters", "name", "reason"),
    [
        (Parameters(1.0, theta=3.0), "leaves", "θ = 0 only"),
        (Parameters(1.0, mode="paper", representative="spread"), "resolution + privacy", "spread"),
        (PAPER, "rate, intrinsic", "intrinsic dimension"),
    ],
)
def test_unproved_bounds_say_why(parameters: Parameters, name: str, reason: str) -> None:
    row = _row(bounds(simulated(parameters)), name)
    assert not row.proved
    assert np.isnan(row.value)
    assert reason in row.reason


def test_a_noisy_total_below_one_record_has_no_privacy_bound() -> None:
    parameters = Parameters(0.02, mode="paper")
    runs = (simulated(parameters, n=1, seed=seed) for seed in range(100))
    low = next(run for run in runs if run.noisy_counts.sum() < 1.0)
    assert "below 1 record" in _row(bounds(low), "Laplacian complexity").reason


def test_a_constant_total_adds_the_missing_mass() -> None:
    right, short = (
        _row(bounds(simulated(Parameters(1.0, mode="paper", total=total))), "Laplacian complexity")
        for total in (400.0, 200.0)
    )
    assert short.value == pytest.approx(2 * right.value + 2 * np.sqrt(2))


def test_formulas_hold_the_numbers_of_the_run() -> None:
    table = bounds(simulated(PAPER))
    for row in table.itertuples():
        assert f"{row.value:.4g}" in row.formula or row.name == "rate, intrinsic"
    assert "min(√2, 2 √2 {[0 + " in _row(table, "PrivTree").formula


def test_no_records_and_a_shift_are_no_mistake() -> None:
    table = bounds(simulate(np.empty((0, 2)), Box.unit(2), PAPER, seed=0))
    assert "there are no records" in set(table.reason)
    shifted = bounds(simulated(Parameters(1.0, mode="paper", shift="random")))
    assert _row(shifted, "Kraft").value < 1.0
    assert shifted[shifted.kind == "bound"].proved.all()


@pytest.mark.parametrize(
    "parameters",
    [
        PAPER,
        Parameters(2.0, projection="lipschitz", theta=4.0),
        Parameters(1.0, mode="paper", shift="random"),
        Parameters(4.0, mode="paper", neighbours="replace-one"),
        Parameters(2.0, projection="lipschitz", total=150.0),
    ],
    ids=["paper", "tight", "shifted", "replace-one", "constant"],
)
@pytest.mark.parametrize("d", [1, 2, 4])
def test_simulations_err_less_than_their_bounds(parameters: Parameters, d: int) -> None:
    """Each run against the bounds for its own tree; those on a mean against the mean of 25 runs."""
    resolutions, leaves, excess, whole = [], [], [], []
    for seed in range(25):
        run = simulated(parameters, n=120, d=d, seed=seed)
        table = bounds(run).set_index("name")
        on_this_tree = table[(table.quantity == "resolution") & ~table.expected]
        assert run.w1_resolution.upper <= on_this_tree.value.min() + ROUNDING
        resolutions.append(run.w1_resolution.upper)
        leaves.append(run.tree.leaves.size)
        for errors, error, name in [
            (excess, run.w1_privacy, "Laplacian complexity"),
            (whole, run.w1, "resolution + privacy"),
        ]:
            if table.loc[name, "proved"]:
                errors.append(run.total * (error.upper - table.loc[name, "value"]))
    for name in ("PrivTree", "PrivTree, heavy cells"):
        if parameters.shift == "none" or name == "PrivTree":  # heavy cells depend on the shift, drawn anew each time
            assert np.mean(resolutions) <= table.loc[name, "value"] + 4 * _standard_error(resolutions)
    if parameters.theta == 0.0:
        assert np.mean(leaves) <= table.loc["leaves", "value"] + 4 * _standard_error(leaves)
    for errors in (excess, whole):
        assert np.mean(errors) <= 4 * _standard_error(errors)


def _standard_error(values: Any) -> float:
    return float(np.std(values) / np.sqrt(len(values)))


def _row(table: pd.DataFrame, name: str) -> pd.Series[Any]:
    return table.set_index("name").loc[name]


def test_trees_that_are_not_private_have_their_tables() -> None:
    case = data(20)
    growth = hard(case.counts, 3.0)
    table = tree_bounds("hard", growth, 3.0)
    assert table.proved.all()
    assert _row(table, "hard threshold").value == pytest.approx(trees.hard(3.0 / case.n, case.d, 32 * case.d))
    table = tree_bounds("soft", soft(case.counts, 2.0, 0.5), 2.0, 0.5)
    assert table.proved.all()
    assert set(table.quantity) == {"resolution", "tree", "leaves", "depth"}
    row = _row(tree_bounds("capped", capped(case.counts, 0.0, 5), 0.0), "capped")
    assert not row.proved
    assert "no bound is known" in row.reason


def test_soft_tables_say_where_theta_must_be_positive() -> None:
    case = data(20)
    table = tree_bounds("soft", soft(case.counts, 0.0, 0.5), 0.0, 0.5)
    assert not _row(table, "soft threshold").proved
    assert _row(table, "soft leaves by level").proved


@pytest.mark.parametrize("theta", [-1e9, -1.0, -0.1, 0.0, 0.5, 3.0, 1e9])
@pytest.mark.parametrize("rule", ["hard", "capped", "soft"])
def test_what_is_called_proved_is_a_number_from_zero(rule: Any, theta: float) -> None:
    counts = CellCounts([0.1, 0.2, 0.9], Box.unit(1))
    table = tree_bounds(rule, hard(counts, 1), theta, delta=0.5)
    proved = table[table.proved]
    assert (proved.value >= 0).all()
    assert (table[~table.proved].reason != "").all()
    for row in proved.itertuples():
        last = row.formula.replace("≤ 1", "").split("=")[-1].split("(θ")[0]
        if row.kind == "bound" and "over" not in last and "centres" not in last:
            assert float(last) == pytest.approx(row.value, rel=1e-3)


@pytest.mark.parametrize("value", [math.nan, math.inf, "1", None, True])
def test_a_threshold_is_a_number(value: Any) -> None:
    growth = hard(CellCounts([0.1, 0.2, 0.9], Box.unit(1)), 1)
    with pytest.raises(InvalidParametersError, match="theta is"):
        tree_bounds("hard", growth, value)
    with pytest.raises(InvalidParametersError, match="rule is 'best'"):
        tree_bounds("best", growth, 1.0)  # type: ignore[arg-type]
    with pytest.raises(InvalidParametersError, match="theta is"):
        trees.hard(value, 2)
    with pytest.raises(InvalidParametersError, match="one theta or more"):
        tree_sizes(CellCounts([0.1], Box.unit(1)), [], 1.0, 3)
