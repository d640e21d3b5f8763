"""Many independent runs of the real mechanism in one call.

`privcore.mechanism.run` is called as it is. Only the root cell that it starts from is there once for every copy, so
that a forest grows: each copy has its own decisions and its own leaf noise, from fresh words, and whatever is patched
in `privcore` is patched here too. The copies of one call share the public shift, the choice of
each person's rows and the word source: faults that need
a run of its own (a word used twice, a run repeated) are looked for with `singles`. `test_engine` proves that each copy
is the run that its own words give alone.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from typing import Any
from unittest import mock

import numpy as np

from privcore import mechanism
from privcore.arrays import Floats, Ints
from privcore.cells import WORD, CellCounts, Cells
from privcore.domain import Box
from privcore.mechanism import Run
from privcore.noise import WordSource
from privcore.parameters import Parameters
from privcore.tree import Tree
from tests.oracle.law import number_of_shapes

SHALLOW, DEEP = 2, 4
"""Trees are told apart by their first levels: 5 or 677 shapes."""
LARGEST = 60
"""Splits a run, in the mean over many: no case of the audit comes near it."""


class OvergrownError(Exception):
    """The trees grow far beyond what any case of the audit can give; nothing else is known of them."""


@dataclass(frozen=True, eq=False)
class Runs:
    """Independent runs on one data set, told as arrays over the runs and over all their leaves.

    `shallow`, `deep` (runs,) number the shape of a tree's first 2 or 4 levels, in the order of
    `tests.oracle.cost.shapes`. `owner` (leaves,) is the run of a leaf and `rank` its place among that run's leaves,
    breadth first; `true` and `noisy` (leaves,) are its counts. `parts` are (how many runs, their shift), in order.
    """

    shallow: Ints
    deep: Ints
    owner: Ints
    rank: Ints
    true: Ints
    noisy: Any
    parts: list[tuple[int, tuple[float, ...] | None]]

    def __len__(self) -> int:
        return len(self.deep)

    def leaf(self, rank: int, fill: int = 0) -> Ints:
        """The noisy count of each run's leaf of this rank, (runs,); `fill` where a run has fewer leaves."""
        found = np.full(len(self), fill, dtype=np.int64)
        here = self.rank == rank
        found[self.owner[here]] = self.noisy[here]
        return found

    def sums(self) -> Floats:
        """The sum of each run's noisy counts, (runs,)."""
        return np.bincount(self.owner, self.noisy, len(self))

    def leaves(self) -> Ints:
        """The number of each run's leaves, (runs,)."""
        return np.bincount(self.owner, minlength=len(self))


@contextmanager
def roots(copies: int) -> Iterator[None]:
    """While this lasts, every run grows this many trees at once, up to a size that only a fault can pass."""
    root, halve, split = CellCounts.root, CellCounts.halve, 0

    def many(counts: CellCounts) -> Cells:
        nonlocal split
        split = 0
        return root(counts).where(np.zeros(copies, dtype=np.int64))

    def bounded(counts: CellCounts, cells: Cells) -> Cells:
        nonlocal split
        split += len(cells)
        if split > LARGEST * (copies + 50):
            raise OvergrownError(f"{split} splits in {copies} runs, at depth {cells.depth}, and they still grow")
        if copies > 1 and len(cells) and cells.depth == WORD:
            raise OvergrownError("deeper than a key word the copies would be keyed anew as one")
        return halve(counts, cells)

    with mock.patch.object(CellCounts, "root", many), mock.patch.object(CellCounts, "halve", bounded):
        yield


def batch(points: Any, box: Box, parameters: Parameters, source: WordSource, copies: int, persons: Any = None) -> Run:
    """`copies` runs of the mechanism at once: its tree is a forest."""
    with roots(copies):
        return mechanism.run(points, box, parameters, source, persons)


def batches(
    points: Any,
    box: Box,
    parameters: Parameters,
    source: WordSource,
    copies: int,
    calls: int = 1,
    persons: Any = None,
) -> Runs:
    """`copies` runs in a few calls; each call has its own public shift, and its own choice of each person's rows."""
    return _told([batch(points, box, parameters, source, copies // calls, persons) for _ in range(calls)])


def singles(points: Any, box: Box, parameters: Parameters, source: WordSource, count: int) -> Runs:
    """`count` runs one at a time, from one stream of words."""
    with costs_kept(), roots(1):
        return _told([mechanism.run(points, box, parameters, source) for _ in range(count)])


def costs_kept() -> Any:
    """While this lasts, a cost that was computed once is not computed again."""
    return mock.patch.object(Parameters, "cost", cache(Parameters.cost))


def owners(tree: Tree) -> Ints:
    """The tree of the forest that each node belongs to, (nodes,)."""
    owner = np.arange(len(tree))
    for depth in range(1, int(tree.depth[-1]) + 1):
        here = _level(tree, depth)
        owner[here] = owner[tree.parent[here]]
    return owner


def shapes_of(tree: Tree, depth: int) -> Ints:
    """The number of the shape of each tree's first `depth` levels, (roots,)."""
    code = np.zeros(len(tree), dtype=np.int64)
    for level in range(min(depth - 1, int(tree.depth[-1])), -1, -1):
        here = _level(tree, level)
        left = tree.left[here]
        split = left >= 0
        below = number_of_shapes(depth - level - 1)
        code[here] = np.where(split, 1 + code[left] * below + code[(left + 1) % len(tree)], 0)
    return code[: tree.roots]


def _level(tree: Tree, depth: int) -> slice:
    return slice(*np.searchsorted(tree.depth, [depth, depth + 1]))


def _told(outcomes: list[Run]) -> Runs:
    parts: list[tuple[int, tuple[float, ...] | None]] = []
    rows, before = [], 0
    for outcome in outcomes:
        tree = outcome.growth.tree
        owner = owners(tree)[tree.leaves]
        order = np.argsort(owner, kind="stable")
        starts = np.cumsum(np.bincount(owner, minlength=tree.roots))
        owner = owner[order]
        rank = np.arange(len(owner)) - np.append(0, starts)[owner]
        counts = outcome.true_counts[order], np.asarray(outcome.noisy_counts)[order]
        rows.append((shapes_of(tree, SHALLOW), shapes_of(tree, DEEP), owner + before, rank, *counts))
        before += tree.roots
        shift = None if tree.shift is None else tuple(tree.shift.tolist())
        if parts and parts[-1][1] == shift:
            parts[-1] = (parts[-1][0] + tree.roots, shift)
        else:
            parts.append((tree.roots, shift))
    return Runs(*map(np.concatenate, zip(*rows, strict=True)), parts)
