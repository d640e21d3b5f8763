"""T3, T4, T5: many runs on one data set, against the exact law of the trees and of the leaf noise."""

from __future__ import annotations

import math

import numpy as np

from privcore.arrays import Floats, Ints
from tests.audit.cases import Case
from tests.audit.engine import DEEP, Runs
from tests.audit.statistics import Frequencies, expect
from tests.oracle.law import Partition, two_rate_law


def t3(case: Case, runs: Runs) -> None:
    """Every shape of the first four levels is as frequent as its exact probability says, given the public shift."""
    cost = case.parameters.cost(case.d)
    frequencies, begin = Frequencies(f"T3 {case}"), 0
    for count, shift in runs.parts:
        law = Partition(case.unit, DEEP, shift).law(cost.theta, cost.delta, cost.lam, case.parameters.max_depth)
        seen = np.bincount(runs.deep[begin : begin + count], minlength=len(law))
        frequencies.add("shape", seen, count, law)
        begin += count
    frequencies.judge()


def t4(case: Case, runs: Runs) -> None:
    """Noisy minus true count is G(a) - G(b), whatever the leaf: empty or not, first or last, the only one or not."""
    expect(np.issubdtype(runs.noisy.dtype, np.integer), f"T4 {case}: the noisy counts are not whole numbers")
    residual, law = _residuals(case, runs)
    empty, size = runs.true == 0, runs.leaves()[runs.owner]
    frequencies = Frequencies(f"T4 {case}")
    for name, chosen in {
        "a leaf": np.ones(len(residual), dtype=np.bool_),
        "an empty leaf": empty,
        "an occupied leaf": ~empty,
        "the first leaf": runs.rank == 0,
        "the last leaf": runs.rank == size - 1,
        "the only leaf": size == 1,
    }.items():
        frequencies.add(name, np.bincount(residual[chosen], minlength=len(law)), int(chosen.sum()), law)
    frequencies.judge()


def t5(case: Case, runs: Runs) -> None:
    """The leaf noise does not know the tree, nor another leaf's noise, nor another run's.

    Bins of the noise, up to four by size and two by parity (the first digit of a draw): their frequencies given the
    shape of the first two levels, and their joint frequencies over two leaves of a run, or the first leaves of two
    runs, are those of independent draws.
    """
    residual, law = _residuals(case, runs)
    edges = np.unique(np.searchsorted(np.cumsum(law), [0.25, 0.5, 0.75]))
    places = np.arange(len(law))
    bin_of = 2 * np.searchsorted(edges, places) + places % 2
    law = np.bincount(bin_of, law)
    few = runs.rank < 3
    table = np.full((len(runs), 3), -1)
    table[runs.owner[few], runs.rank[few]] = bin_of[residual[few]]
    frequencies = Frequencies(f"T5 {case}")
    for shape in np.unique(runs.shallow):
        for rank in range(3):
            seen = table[(runs.shallow == shape) & (table[:, rank] >= 0), rank]
            frequencies.add(f"shape {shape}, leaf {rank}", np.bincount(seen, minlength=len(law)), len(seen), law)
    half = len(runs) // 2
    pairs = {f"leaves {i} and {j}": (table[:, i], table[:, j]) for i, j in ((0, 1), (1, 2), (0, 2))}
    pairs["runs next to each other"] = table[: 2 * half : 2, 0], table[1 : 2 * half : 2, 0]
    pairs["runs far apart"] = table[:half, 0], table[half : 2 * half, 0]
    for name, (one, other) in pairs.items():
        both = (one >= 0) & (other >= 0)
        joint = np.bincount((one * len(law) + other)[both], minlength=len(law) ** 2)
        frequencies.add(name, joint, int(both.sum()), np.outer(law, law).ravel())
    frequencies.judge()


def _residuals(case: Case, runs: Runs) -> tuple[Ints, Floats]:
    """Noisy minus true count, clipped to a reach and counted from its lower end, (leaves,); and its exact law."""
    cost = case.parameters.cost(case.d)
    reach = math.ceil(12 / min(cost.a, cost.b))
    clipped = np.clip(runs.noisy - runs.true, -reach - 1, reach + 1)
    return np.rint(clipped).astype(np.int64) + reach + 1, two_rate_law(cost.a, cost.b, reach)
