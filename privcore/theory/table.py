"""The bounds of the theory for one run: which hold for its dials, their values, their formulas in numbers."""

from __future__ import annotations

from dataclasses import asdict, dataclass, fields
from typing import Any, Literal, TypeAlias, get_args

import numpy as np
import pandas as pd

from privcore.arrays import Floats, Ints
from privcore.cells import CellCounts
from privcore.checks import checked_choice, is_real
from privcore.domain import Box
from privcore.errors import InvalidParametersError
from privcore.release import Release
from privcore.simulation import Simulation
from privcore.theory import privacy, rates, resolution, trees
from privcore.tree import Growth, Tree, depth_cap, soft

Kind: TypeAlias = Literal["bound", "rate", "identity"]
Needs: TypeAlias = Literal["public", "true counts"]
Run: TypeAlias = Release | Simulation
Rule: TypeAlias = Literal["hard", "capped", "soft"]

_TRUE_COUNTS = "needs the true counts, which a release does not tell"


@dataclass(frozen=True, slots=True)
class Bound:
    """One row: a statement about `quantity`, and whether it is proved for the dials of the run.

    quantity: what it bounds ("resolution", "privacy", "total": W1 in the unit cube; "leaves"; "depth"; "tree").
    value: nan where it is not proved, or not known. reason: why it is not proved, else empty. expected: it bounds
    the mean over the noise, not this run. needs: what must be known to compute it.
    """

    name: str
    quantity: str
    value: float
    proved: bool
    reason: str
    formula: str
    needs: Needs
    source: str
    kind: Kind = "bound"
    expected: bool = False


@dataclass(frozen=True)
class _Dials:
    """The numbers of a run that the bounds take. n and the true counts are None where they are private."""

    run: Run
    true_counts: Ints | None
    n: float | None

    @property
    def d(self) -> int:
        return self.run.tree.d

    @property
    def max_depth(self) -> int:
        return depth_cap(self.d, self.run.parameters.max_depth)

    @property
    def normaliser(self) -> Literal["n", "noisy total", "constant"]:
        if self.run.parameters.neighbours == "replace-one":
            return "n"
        return "noisy total" if self.run.parameters.total is None else "constant"

    @property
    def n_needs(self) -> Needs:
        return "public" if self.normaliser == "n" else "true counts"

    def without_n(self) -> str:
        """Why a bound that divides by n cannot be computed, or nothing."""
        if self.n is None:
            return "needs the true number of records, which a release does not tell"
        return "" if self.n > 0 else "there are no records"


def bounds(run: Run, *, dimension: float | None = None) -> pd.DataFrame:
    """Return every bound of the theory for a run, one row each, with the fields of `Bound` as columns.

    run: a Simulation, or a Release (rows that need the true counts are then without value). dimension: an intrinsic
    dimension s, for the rate that depends on it. Lengths are those of the unit cube. Raises `TypeError`.

    >>> from privcore import Parameters, simulate
    >>> table = bounds(simulate([[0.2], [0.4]], Box.unit(1), Parameters(1.0), seed=0))
    >>> table.set_index("name").value["Kraft"].item()
    1.0
    """
    if not isinstance(run, Release | Simulation):
        raise TypeError(f"The run is of type {type(run).__name__}. Give a Release or a Simulation.")
    if not (dimension is None or is_real(dimension)):
        raise TypeError(f"dimension is {dimension!r}. Give the intrinsic dimension, a number, or None.")
    if isinstance(run, Simulation):
        dials = _Dials(run, run.true_counts, float(run.n))
    else:
        dials = _Dials(run, None, run.total if run.parameters.neighbours == "replace-one" else None)
    on_this_tree = _resolution_rows(run.tree, dials.true_counts)
    noise = _privacy_row(dials)
    rows = [
        *on_this_tree,
        _privtree_row(dials),
        _privtree_heavy_row(dials),
        _privtree_leaves_row(dials),
        noise,
        _total_row(dials, on_this_tree, noise),
        _worst_case_row(dials),
        _intrinsic_row(dials, dimension),
    ]
    return _frame(rows)


def tree_bounds(
    rule: Rule, growth: Growth, theta: float, delta: float | None = None, max_depth: int | None = None
) -> pd.DataFrame:
    """Return the bounds for a tree of the paper that is not private, with the fields of `Bound` as columns.

    theta, delta (soft only): the dials of the rule, in records. Every row needs the true counts. Raises
    `InvalidParametersError`.

    >>> from privcore.tree import hard
    >>> growth = hard(CellCounts([0.1, 0.2, 0.9], Box.unit(1)), theta=1)
    >>> tree_bounds("hard", growth, theta=1).query("name == 'hard threshold'").value.round(3).item()
    0.667
    """
    checked_choice("rule", rule, get_args(Rule))
    for name, value in {"theta": theta, "delta": 0.0 if delta is None else delta}.items():
        if not (is_real(value) and np.isfinite(value)):
            raise InvalidParametersError(f"{name} is {value!r}, but must be a finite number of records.")
    tree = growth.tree
    cap = depth_cap(tree.d, max_depth)
    n = float(growth.count[0])
    rows = _resolution_rows(tree, growth.count[tree.leaves])
    unless = "" if n > 0 else "there are no records"
    p, q = (theta / n, (delta or 0.0) / n) if n > 0 else (np.nan, np.nan)
    if rule == "hard":
        rows.append(_hard_row(p, tree.d, cap, unless))
    elif rule == "soft":
        rows.extend(_soft_rows(p, q, tree.d, cap, unless))
    else:
        reason = "no bound is known for a tree stopped at a number of leaves"
        rows.append(_row("capped", "resolution", reason, "", lambda: (0.0, ""), "appendix A"))
    return _frame(rows)


def _resolution_rows(tree: Tree, true_counts: Ints | None) -> list[Bound]:
    n = 0.0 if true_counts is None else float(np.sum(true_counts))
    unless = "" if n > 0 else "there are no records"
    if true_counts is None:
        unless = _TRUE_COUNTS
    p = np.asarray(true_counts) / n if n > 0 else np.zeros(tree.leaves.size)
    depths, d = tree.leaf_depth, tree.d
    root = f"2 √{d}"

    def diameters(factor: float) -> tuple[float, str]:
        value = factor * resolution.cell_diameters(p, tree.leaf_diameters)
        return value, f"{_n(value)} over {depths.size} leaves"

    def functional() -> tuple[float, str]:
        r = resolution.resolution_functional(p, depths, d)
        value = resolution.resolution(p, depths, d)
        return value, f"{root} · {_n(r)} = {_n(value)}"

    def volume() -> tuple[float, str]:
        value = resolution.resolution_by_volume(p, depths, d)
        mean = float(p @ np.exp2(-depths.astype(np.float64)))
        return value, f"{root} · {_n(mean)}^(1/{d}) = {_n(value)}"

    def kraft() -> tuple[float, str]:
        value = resolution.kraft(depths)
        return value, _n(value) if tree.shift is None else f"{_n(value)} ≤ 1"

    return [
        _row("cell diameters", "resolution", unless, "Σ p diam", lambda: diameters(1.0), "2.3"),
        _row("half diameters", "resolution", unless, "Σ p diam / 2 (centres)", lambda: diameters(0.5), "2.3"),
        _row("resolution functional", "resolution", unless, "2 √d R, R = Σ p 2^(−depth/d)", functional, "2.3"),
        _row("mean volume", "resolution", unless, "2 √d (Σ p 2^(−depth))^(1/d)", volume, "2.3"),
        _row("Kraft", "tree", "", "Σ 2^(−depth)", kraft, "2.3", needs="public", kind="identity"),
    ]


def _hard_row(theta: float, d: int, cap: int, unless: str) -> Bound:
    def value() -> tuple[float, str]:
        bound = trees.hard(theta, d, cap)
        return bound, f"2 √{d} ({_n(theta)} + 2^(−{cap}))^(1/{d}) = {_n(bound)}"

    unless = unless or _below_zero(theta)
    return _row("hard threshold", "resolution", unless, "2 √d (θ + 2^(−K))^(1/d)", value, "4.1")


def _below_zero(theta: float) -> str:
    return "" if theta >= 0.0 else "proved for θ ≥ 0 only"


def _soft_rows(theta: float, delta: float, d: int, cap: int, unless: str) -> list[Bound]:
    def error() -> tuple[float, str]:
        bound = trees.soft(theta, delta, d, cap)
        levels = trees.levels(theta)
        inside = f"{_n(theta)} + {_n(delta)} ({levels} + 2) + 2^(−{cap})"
        return bound, f"2 √{d} [{inside}]^(1/{d}) = {_n(bound)}"

    def leaves() -> tuple[float, str]:
        bound = trees.soft_leaves(theta, delta)
        if theta > 1.0:
            return bound, "1 (θ is above the whole mass)"
        return bound, f"1 + 1/{_n(theta)} + ln(1/{_n(theta)})/{_n(delta)} = {_n(bound)}"

    def by_level() -> tuple[float, str]:
        bound = trees.soft_leaves_by_level(theta, delta)
        return bound, f"over {trees.soft_depth(theta, delta)} levels = {_n(bound)}"

    def depth() -> tuple[float, str]:
        bound = trees.soft_depth(theta, delta)
        return float(bound), f"max(0, ⌈(1 − {_n(theta)})/{_n(delta)}⌉) = {bound}"

    above_zero = unless or ("" if theta > 0.0 else "proved for θ > 0 only")
    not_negative = unless or _below_zero(theta)
    inside = "2 √d [θ + δ (L + 2) + 2^(−K)]^(1/d), L = ⌈log₂(1/θ)⌉"
    return [
        _row("soft threshold", "resolution", above_zero, inside, error, "5.1"),
        _row("soft leaves", "leaves", above_zero, "1 + 1/θ + ln(1/θ)/δ", leaves, "5.1"),
        _row("soft leaves by level", "leaves", not_negative, "1 + Σ min(2^k, 1/(θ + k δ))", by_level, "5.1"),
        _row("soft depth", "depth", not_negative, "⌈(1 − θ)/δ⌉", depth, "5.1"),
    ]


def _privtree_row(dials: _Dials) -> Bound:
    def value() -> tuple[float, str]:
        theta, delta, sigma = _in_masses(dials)
        bound = trees.privtree(theta, delta, sigma, dials.d, dials.max_depth)
        levels = trees.levels(theta + bound.t)
        fine = f"[{_n(theta)} + {_n(bound.t)} + {_n(delta)} ({levels} + 2) + 2^(−{dials.max_depth})]^(1/{dials.d})"
        return bound.value, _with_early_stops(dials, fine, bound)

    formula = "min(√d, 2 √d {[θ + t + δ (L + 2) + 2^(−K)]^(1/d) + (1 + 1/δ) e^(−t/σ)/2})"
    unless = dials.without_n()
    return _row("PrivTree", "resolution", unless, formula, value, "5.2", needs=dials.n_needs, expected=True)


def _privtree_heavy_row(dials: _Dials) -> Bound:
    def value() -> tuple[float, str]:
        masses, depths = _heavy_cells(dials)
        bound = trees.privtree_heavy(masses, depths, *_in_masses(dials), dials.d)
        return bound.value, _with_early_stops(dials, _n(bound.scale), bound)

    formula = "min(√d, 2 √d {(1 − α) Σ α^k F(k) + (1 + 1/δ) e^(−t/σ)/2}), α = 2^(−1/d)"
    unless = _TRUE_COUNTS if dials.true_counts is None else dials.without_n()
    return _row("PrivTree, heavy cells", "resolution", unless, formula, value, "5.3", expected=True)


def _with_early_stops(dials: _Dials, fine: str, bound: trees.Minimised) -> str:
    _, delta, sigma = _in_masses(dials)
    early = f"(1 + 1/{_n(delta)}) e^(−{_n(bound.t)}/{_n(sigma)})/2"
    return f"min(√{dials.d}, 2 √{dials.d} {{{fine} + {early}}}) = {_n(bound.value)}"


def _privtree_leaves_row(dials: _Dials) -> Bound:
    def value() -> tuple[float, str]:
        _, delta, sigma = _in_masses(dials)
        bound = trees.privtree_leaves(delta, sigma)
        survives = f"e^(−{_n(delta)}/{_n(sigma)})"
        return bound, f"(4 + 1/{_n(delta)}) (1 − {survives}/2) / (1 − {survives}) = {_n(bound)}"

    unless = dials.without_n() if dials.run.cost.theta == 0.0 else "proved for θ = 0 only"
    formula = "(4 + 1/δ) (1 − e^(−δ/σ)/2) / (1 − e^(−δ/σ))"
    return _row("leaves", "leaves", unless, formula, value, "5.2", needs=dials.n_needs, expected=True)


def _privacy_row(dials: _Dials) -> Bound:
    constant = dials.normaliser == "constant"

    def value() -> tuple[float, str]:
        run = dials.run
        sd, mean_absolute = privacy.two_rate_moments(run.cost.a, run.cost.b)
        m, points = run.tree.leaves.size, run.tree.representatives
        bound, levels = privacy.privacy(points, run.total, sd, mean_absolute)
        complexity = bound * run.total / (2.0 * m)
        noise = f"sd {_n(sd)}, E|Z| {_n(mean_absolute)}, J = {levels}"
        text = f"2 · {m} · {_n(complexity)}/{_n(run.total)} ({noise}) = {_n(bound)}"
        if constant and dials.n is not None:
            missing = 2.0 * np.sqrt(dials.d) * abs(dials.n / run.total - 1.0)
            bound += missing
            text += f"; + 2 √{dials.d} |{_n(dials.n)}/{_n(run.total)} − 1| = {_n(bound)}"
        return float(bound), text

    formula = "2 m L(F; Z)/total" + (" + 2 √d |n/total − 1|" if constant else "")
    unless = _lipschitz_only(dials)
    if not unless and constant:
        unless = dials.without_n()
    if not unless and dials.normaliser == "noisy total":
        # The noisy total is at least 1 by decree; below that the masses do not sum to 1 and the proof fails.
        noisy_total = float(np.sum(dials.run.noisy_counts))
        unless = "" if noisy_total >= 1.0 else "the noisy total was below 1 record"
        formula += " (bounds E[total · W1]/total)"
    needs: Needs = "true counts" if constant else "public"
    return _row("Laplacian complexity", "privacy", unless, formula, value, "3", needs=needs, expected=True)


def _total_row(dials: _Dials, on_this_tree: list[Bound], noise: Bound) -> Bound:
    proved = [row for row in on_this_tree if row.quantity == "resolution" and row.proved]
    best = min(proved, key=lambda row: row.value) if proved else on_this_tree[0]

    def value() -> tuple[float, str]:
        total = best.value + noise.value
        return total, f"{_n(best.value)} ({best.name}) + {_n(noise.value)} = {_n(total)}"

    unless = best.reason or noise.reason
    if dials.run.parameters.representative != "centre":
        unless = "no bound is known for mass spread inside the cells"
    return _row("resolution + privacy", "total", unless, "resolution + privacy", value, "3", expected=True)


def _worst_case_row(dials: _Dials) -> Bound:
    def value() -> tuple[float, str]:
        epsilon_n = dials.run.parameters.epsilon * (dials.n or 0.0)
        rate = rates.worst_case(epsilon_n, dials.d)
        fitted = rates.fitted_worst_case(epsilon_n, dials.d)
        about = (
            "" if np.isnan(fitted) else f"; with the constant fitted to uniform data {_n(fitted)}, which is no bound"
        )
        return rate, f"{_n(rate)}, ε n = {_n(epsilon_n)}, times a constant that the paper does not give{about}"

    formula = {1: "(ε n)^(−1/2)", 2: "(ε n)^(−1/2) ln(ε n)"}.get(dials.d, "(ln(ε n)/(ε n))^(1/d)")
    return _rate_row(dials, "rate", _lipschitz_only(dials), formula, value, "1.1")


def _intrinsic_row(dials: _Dials, dimension: float | None) -> Bound:
    def value() -> tuple[float, str]:
        epsilon_n = dials.run.parameters.epsilon * (dials.n or 0.0)
        rate = rates.intrinsic(epsilon_n, dimension or 0.0)
        numbers = f"ε n = {_n(epsilon_n)}, s = {_n(dimension or 0.0)}"
        return rate, f"{_n(rate)}, {numbers}, times a constant that the paper does not give"

    unless = _lipschitz_only(dials)
    if dimension is None:
        unless = unless or "needs the intrinsic dimension of the data"
    elif not 2.0 < dimension <= dials.d:
        unless = unless or "proved for dimensions above 2 only"
    return _rate_row(dials, "rate, intrinsic", unless, "(ln(ε n)/(ε n))^(1/s)", value, "5.3")


def _rate_row(dials: _Dials, name: str, unless: str, formula: str, value: Any, source: str) -> Bound:
    """A rate is never proved as a bound; it has a value where the rate itself is proved."""
    needs = dials.n_needs
    row = _row(name, "total", unless or dials.without_n(), formula, value, source, needs=needs, expected=True)
    reason = row.reason or "a rate: its constant is not explicit"
    changes = {"kind": "rate", "proved": False, "reason": reason}
    return Bound(**{**asdict(row), **changes})


def _lipschitz_only(dials: _Dials) -> str:
    if dials.run.parameters.method == "lipschitz":
        return ""
    return "false for this projection: proved for the Lipschitz projection only"


def _in_masses(dials: _Dials) -> tuple[float, float, float]:
    """theta, delta and sigma = lambda / n."""
    cost, n = dials.run.cost, dials.n or np.nan
    return cost.theta / n, cost.delta / n, cost.lam / n


def _heavy_cells(dials: _Dials) -> tuple[Floats, Ints]:
    """The masses and depths of the cells heavier than max(theta, 0) + depth delta, above the cap."""
    run = dials.run
    if not isinstance(run, Simulation):
        raise TypeError("only a Simulation knows its records")
    counts = CellCounts(run.unit_points, Box.unit(run.box.d), run.tree.frame.shift)
    growth = soft(counts, max(run.cost.theta, 0.0), run.cost.delta, dials.max_depth)
    split = growth.tree.splits
    return growth.count[split] / float(run.n), growth.tree.depth[split]


def _row(
    name: str,
    quantity: str,
    unless: str,
    formula: str,
    value: Any,
    source: str,
    *,
    needs: Needs = "true counts",
    kind: Kind = "bound",
    expected: bool = False,
) -> Bound:
    """A row that is proved and valued when there is nothing to say against it; `value()` gives (number, text)."""
    number, text = (float("nan"), "") if unless else value()
    formula = f"{formula} = {text}" if text else formula
    source = f"the paper, {source if source.startswith('appendix') else 'section ' + source}"
    return Bound(name, quantity, number, not unless, unless, formula, needs, source, kind, expected)


def _frame(rows: list[Bound]) -> pd.DataFrame:
    columns = [field.name for field in fields(Bound)]
    return pd.DataFrame([asdict(row) for row in rows], columns=columns)


def _n(value: float) -> str:
    return f"{value:.4g}"
