"""Realised privacy loss: what one output says about one record. Computed from the data, so NOT PRIVATE.

The loss of an output under two neighbouring data sets is L = ln P(output | D) - ln P(output | D'). D and D' differ
in the counts of the cells on one record's path alone, and in one leaf, so L is a sum along that path, exact and
equal for all records of a leaf. PRIVACY.md proves that it never leaves [-epsilon, epsilon]. Where a person has several
rows, a record is one of the rows that count, and epsilon that of a row.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from privcore.accounting import Cost
from privcore.arrays import Bools, Floats, Ints, Words, frozen
from privcore.domain import AXIS_DIGITS, Frame
from privcore.errors import InvalidParametersError, InvalidPointsError
from privcore.simulation import Simulation
from privcore.tree import UNIT, Tree, depth_cap


@dataclass(frozen=True, eq=False)
class LossParts:
    """The parts of the loss for a record of each leaf, arrays of shape (leaves,); NaN where there is no such record.

    `splits`: the split decisions above the leaf; `stop`: the leaf's own decision not to split (0 at the depth cap,
    where nothing is decided); `leaf`: its noisy count.
    """

    splits: Floats
    stop: Floats
    leaf: Floats

    @property
    def tree(self) -> Floats:
        """What the tree says, (leaves,)."""
        return np.asarray(self.splits + self.stop)

    @property
    def total(self) -> Floats:
        """The loss ln P(output | D) / P(output | D'), (leaves,)."""
        return np.asarray(self.splits + self.stop + self.leaf)


@dataclass(frozen=True, eq=False)
class RealisedLoss:
    """The privacy loss of one output for every record, from `realised_loss`. NOT PRIVATE.

    `removed`: D' is D without a record of the leaf, NaN where the leaf holds none. `added`: D' is D with one record
    more in the leaf. `replaced(source, target)`: D' is D with a record of one leaf moved to another.
    """

    removed: LossParts
    added: LossParts
    _tree: Tree = field(repr=False)
    _splits_removed: Floats = field(repr=False)
    _splits_added: Floats = field(repr=False)

    def replaced(self, source: Any, target: Any) -> Floats:
        """The loss when a record of leaf `source` moves to leaf `target`; arrays of leaf places, broadcast.

        The cells that hold both count the same before and after, so only the paths below them matter; moving inside a
        leaf costs 0.
        """
        source, target = np.broadcast_arrays(source, target)
        common = _last_common(self._tree, self._tree.leaves[source], self._tree.leaves[target])
        left = self.removed.total[source] - self._splits_removed[common]
        entered = self.added.total[target] - self._splits_added[common]
        still = np.where(np.isnan(self.removed.total[source]), np.nan, 0.0)
        return np.asarray(np.where(source == target, still, left + entered))


def realised_loss(run: Simulation) -> RealisedLoss:
    """The exact loss ln P(output | D) / P(output | D') of the run's tree and noisy counts, for each leaf. NOT PRIVATE.

    With S(y) = P(y + Lap(lambda) > 0), y(c) = max(c - k delta - theta, -delta) at depth k, and c the counts in D, a
    record fewer gives sum of ln S(y(c)) / S(y(c - 1)) over the cells above its leaf, plus ln (1 - S(y(c))) /
    (1 - S(y(c - 1))) at the leaf, plus a where the noisy count is at least c, else -b; a record more likewise. The
    error of rounding is below 1e-12. Source: beyond the paper; PRIVACY.md, sections 3 to 6.

    >>> from privcore import Box, Parameters, simulate
    >>> run = simulate(np.full((50, 2), 0.3), Box.unit(2), Parameters(epsilon=1.0), seed=1)
    >>> loss = realised_loss(run).removed.total
    >>> bool(np.nanmax(np.abs(loss)) <= 1.0), int(np.isnan(loss).sum()) == len(loss) - 1
    (True, True)
    """
    noise = np.rint(run.leaf_noise + run.cost.noise_mean)
    splits_removed, removed = _realised(run, noise, added=False)
    splits_added, added = _realised(run, noise, added=True)
    return RealisedLoss(removed, added, run.tree, splits_removed, splits_added)


def _realised(run: Simulation, noise: Floats, added: bool) -> tuple[Floats, LossParts]:
    tree, visits, cost = run.tree, run.visits, run.cost
    on_split, on_stop = _terms(visits.count, tree.depth, cost, added)
    splits = _path_sums(tree, np.where(visits.split, on_split, 0.0))
    stop = np.where(np.isnan(visits.noise), 0.0, on_stop)[tree.leaves]
    leaf = _leaf_loss(noise >= int(added), cost, added)
    absent = np.where((run.true_counts > 0) | added, 0.0, np.nan)
    parts = (frozen(part + absent) for part in (splits[tree.leaves], stop, leaf))
    return splits, LossParts(*parts)


@dataclass(frozen=True, eq=False)
class LossDistribution:
    """The law of the loss over the noise of the mechanism, from `loss_distribution`. NOT PRIVATE.

    `loss` (outcomes,), ascending, and the `probability` (outcomes,) of each when the data are D; under D' it is
    `probability` e^(-loss), which sums to 1 as well.
    """

    loss: Floats
    probability: Floats

    @property
    def neighbour_probability(self) -> Floats:
        """The probability of each outcome when the data are D', (outcomes,)."""
        return np.asarray(self.probability * np.exp(-self.loss))

    @property
    def mean(self) -> float:
        """The mean loss under D: the Kullback-Leibler divergence of D' from D, in nats."""
        return float(self.probability @ self.loss)

    @property
    def best_guess(self) -> float:
        """How often the best attack tells D from D', each as likely beforehand: sum of max(p, p') / 2.

        At most e^epsilon / (1 + e^epsilon). Source: Neyman and Pearson (1933).
        """
        return float(np.maximum(self.probability, self.neighbour_probability).sum() / 2)

    def sample(self, count: int, seed: int, neighbour: bool = False) -> Floats:
        """`count` independent losses, shape (count,), of runs on D, or on D' if `neighbour`."""
        weights = self.neighbour_probability if neighbour else self.probability
        return np.asarray(np.random.default_rng(seed).choice(self.loss, count, p=weights / weights.sum()))


def loss_distribution(run: Simulation, *, remove: int | None = None, add: Any = None) -> LossDistribution:
    """The exact law of the loss between the run's data D and D' = D without record `remove`, with a record `add`.

    `remove` is a row of `run.points`, `add` a point (d,) in the user's units; both together replace a record. The
    law is over the noise of tree and leaf counts, given the run's shift, which has the same law under D and D'. Only
    the depth at which a path ends and the side of the leaf noise matter: at most 2 (cap + 1) outcomes a path, found by
    one pass over its depths. Raises `InvalidParametersError` without a change or for a row that is not there,
    `InvalidPointsError` for a point that is none. Source: beyond the paper; PRIVACY.md, section 7.

    >>> from privcore import Box, Parameters, simulate
    >>> run = simulate(np.full((50, 2), 0.3), Box.unit(2), Parameters(epsilon=1.0), seed=1)
    >>> law = loss_distribution(run, remove=0)
    >>> bool(np.abs(law.loss).max() <= 1.0), round(float(law.neighbour_probability.sum()), 12)
    (True, 1.0)
    """
    return _distribution(run, run.tree.frame.shift, *_change(run, remove, add))


def sample_losses(
    run: Simulation, count: int, seed: int, *, remove: int | None = None, add: Any = None, neighbour: bool = False
) -> Floats:
    """`count` independent losses, shape (count,), of fresh runs on the data of `run`, or on D' if `neighbour`.

    As `loss_distribution`, but a random shift is drawn anew for each. Same errors.

    >>> from privcore import Box, Parameters, simulate
    >>> run = simulate([[0.3], [0.7]], Box.unit(1), Parameters(epsilon=1.0, shift="random"), seed=1)
    >>> bool(np.abs(sample_losses(run, 20, seed=2, remove=0)).max() <= 1.0)
    True
    """
    if run.parameters.shift != "random":
        return loss_distribution(run, remove=remove, add=add).sample(count, seed, neighbour)
    change, random = _change(run, remove, add), np.random.default_rng(seed)
    shifts = random.random((count, run.box.d))
    seeds = random.integers(2**63, size=count)
    laws = (_distribution(run, tuple(shift), *change) for shift in shifts.tolist())
    draws = [law.sample(1, int(one), neighbour) for law, one in zip(laws, seeds, strict=True)]
    return np.concatenate([np.empty(0), *draws])


def _change(run: Simulation, remove: int | None, add: Any) -> tuple[int | None, Floats | None]:
    """The row that leaves and the unit-cube point that comes, checked."""
    if remove is None and add is None:
        raise InvalidParametersError("Nothing changes: name a row to `remove`, a point to `add`, or both.")
    if remove is not None and not 0 <= remove < run.n:
        raise InvalidParametersError(f"`remove` is {remove}, but must be a row of `run.points`, from 0.")
    if add is None:
        return remove, None
    unit = run.box.to_unit(np.reshape(add, (1, -1)), run.parameters.invalid)
    if not len(unit):
        raise InvalidPointsError("`add` is not finite: such a row is dropped, and adding it changes nothing.")
    return remove, unit


def _distribution(
    run: Simulation, shift: tuple[float, ...] | None, remove: int | None, add: Floats | None
) -> LossDistribution:
    frame, cost = Frame(run.box.d, shift), run.cost
    cap = depth_cap(frame.d, run.parameters.max_depth)
    numbers = frame.numbers(run.unit_points)
    here = None if remove is None else numbers[remove]
    there = None if add is None else frame.numbers(add)[0]
    if here is None or there is None:
        record = here if there is None else there
        counts = _path_counts(numbers, np.asarray(record), cap)
        return _sorted(*_path_law(counts, 0, cost, added=here is None))
    leaving, coming = _path_counts(numbers, here, cap), _path_counts(numbers, there, cap)
    first = min(int(_common_digits(there[None, :], here)[0]) + 1, cap + 1)  # the first depth at which they are apart
    together = _split_probability(_margins(leaving[:first], np.arange(first), cost), cost)
    apart = float(together.prod()) if first <= cap else 0.0
    (loss_left, left), (loss_entered, entered) = (
        _path_law(counts, min(first, cap), cost, added) for counts, added in ((leaving, False), (coming, True))
    )
    loss = np.add.outer(loss_left, loss_entered).ravel()
    return _sorted(np.append(loss, 0.0), np.append(apart * np.outer(left, entered).ravel(), 1.0 - apart))


def _sorted(loss: Floats, probability: Floats) -> LossDistribution:
    possible = probability > 0
    values, place = np.unique(loss[possible], return_inverse=True)
    return LossDistribution(frozen(values), frozen(np.bincount(place, probability[possible], len(values))))


def _path_law(counts: Ints, first: int, cost: Cost, added: bool) -> tuple[Floats, Floats]:
    """The loss of one path and its probability, (outcomes,) each, given that the path reaches depth `first`.

    `counts` (cap + 1,) are the counts in D along the path. An outcome is the depth of the leaf, and whether its noisy
    count reaches the larger of the two true counts.
    """
    depth = np.arange(first, len(counts) - 1)  # at the cap nothing is decided
    on_split, on_stop = _terms(counts[depth], depth, cost, added)
    split = _split_probability(_margins(counts[depth], depth, cost), cost)
    ends = np.cumprod(np.append(1.0, split)) * np.append(
        _split_probability(-_margins(counts[depth], depth, cost), cost), 1.0
    )
    tree = np.append(0.0, np.cumsum(on_split)) + np.append(on_stop, 0.0)
    sides = np.array([True, False])
    loss = np.add.outer(_leaf_loss(sides, cost, added), tree)
    return loss.ravel(), np.outer(_side_probabilities(cost, added), ends).ravel()


def _terms(count: Ints, depth: Ints, cost: Cost, added: bool) -> tuple[Floats, Floats]:
    """ln P(decision | D) / P(decision | D') of cells that hold `count` in D, if they split and if they don't."""
    more = _margins(count + int(added), depth, cost)
    fewer = _margins(count + int(added) - 1, depth, cost)
    sign = -1.0 if added else 1.0
    # By the symmetry of the noise, not splitting at y has the probability of splitting at -y.
    return sign * _log_ratio(more, fewer, cost), -sign * _log_ratio(-fewer, -more, cost)


def _leaf_loss(reaches: Bools, cost: Cost, added: bool) -> Floats:
    """The loss of a noisy count, by whether it reaches the larger of the two true counts."""
    loss = np.where(reaches, cost.a, -cost.b)
    return -loss if added else loss


def _side_probabilities(cost: Cost, added: bool) -> Floats:
    """P(the noisy count reaches the larger true count) under D, and P(it doesn't): Z >= 0, or Z >= 1 if added."""
    up, down, both = (-np.expm1(-rate) for rate in (cost.a, cost.b, cost.a + cost.b))
    sides = [down * np.exp(-cost.a), up] if added else [down, up * np.exp(-cost.b)]
    return np.asarray(np.divide(sides, both))


def _margins(count: Ints, depth: Ints, cost: Cost) -> Ints:
    """max(c - k delta - theta, -delta) in whole units of 2^-20 records, exact."""
    delta, theta = int(cost.delta * UNIT), int(cost.theta * UNIT)
    return np.asarray(np.maximum(count * UNIT - depth * delta - theta, -delta))


def _split_probability(margin: Ints, cost: Cost) -> Floats:
    """S(y) = 1 - e^(-y/lambda)/2 for y >= 0, e^(y/lambda)/2 below."""
    half = np.exp(-np.abs(margin) / (cost.lam * UNIT)) / 2
    return np.where(margin >= 0, 1.0 - half, half)


def _log_ratio(high: Ints, low: Ints, cost: Cost) -> Floats:
    """ln S(high) / S(low) for margins high >= low, without cancellation: ln S has slope 1/lambda below 0."""
    scale = cost.lam * UNIT
    above = np.maximum(low, 0)
    decay = np.exp(-above / scale)
    grown = -np.expm1((above - np.maximum(high, 0)) / scale)
    return np.asarray((np.minimum(high, 0) - np.minimum(low, 0)) / scale + np.log1p(decay * grown / (2.0 - decay)))


def _path_sums(tree: Tree, terms: Floats) -> Floats:
    """For every node the sum of `terms` (nodes,) from the root down to it, its own included."""
    sums = terms.copy()
    begin = np.searchsorted(tree.depth, np.arange(int(tree.depth[-1]) + 2))  # nodes come breadth first
    for start, stop in itertools.pairwise(begin[1:]):
        sums[start:stop] += sums[tree.parent[start:stop]]
    return sums


def _last_common(tree: Tree, first: Ints, second: Ints) -> Ints:
    """The deepest node that holds both nodes: the larger number can't hold the other, so it moves to its parent."""
    while (first != second).any():
        first, second = (
            np.where(first > second, tree.parent[first], first),
            np.where(second > first, tree.parent[second], second),
        )
    return first


def _common_digits(numbers: Words, record: Words) -> Ints:
    """How many digits the path of each record (n, d) shares with that of `record` (d,), shape (n,)."""
    d = len(record)
    different = (numbers ^ record).astype(np.float64)  # below 2^52: exact
    equal = AXIS_DIGITS - np.frexp(different)[1].astype(np.int64)
    return np.asarray((equal * d + np.where(equal < AXIS_DIGITS, np.arange(d), 0)).min(axis=1, initial=AXIS_DIGITS * d))


def _path_counts(numbers: Words, record: Words, cap: int) -> Ints:
    """The records of `numbers` (n, d) in each cell on the path of `record` (d,), from depth 0 to the cap."""
    shared = np.minimum(_common_digits(numbers, record), cap)
    return np.bincount(shared, minlength=cap + 1)[::-1].cumsum()[::-1].astype(np.int64)
