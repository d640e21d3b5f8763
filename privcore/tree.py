"""The tree, and the five rules that say which of its cells are split."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from privcore.arrays import Bools, Floats, Ints, Words, frozen
from privcore.cells import CellCounts, Cells, halves, overlaps, unit_coordinates
from privcore.domain import AXIS_DIGITS, Frame
from privcore.errors import InvalidParametersError, InvalidReleaseError, TooLargeError
from privcore.noise import WordSource, split_decisions

UNIT = 2**20
"""lambda, delta and theta are whole multiples of 2^-20 records, so that every split decision is exact."""
MAX_UNIFORM_DEPTH = 24


@dataclass(frozen=True, eq=False)
class Tree:
    """A binary partition: arrays over its nodes, breadth first; immutable and free of any count.

    `depth`, `parent` (-1 at a root), `left` (the lower child; the upper one is `left + 1`; -1 at a leaf): (nodes,)
    int64. `lower`, `upper`: (nodes, d) corners in the partition's frame, the unit cube, or [0, 2]^d with the public
    `shift` (d,). `active` (nodes,): False where a cell is publicly empty. A forest of `roots` trees over the same
    window is stored the same way, its levels side by side: independent runs, grown at once.
    Source: the paper, section 2.3.

    >>> tree = Tree.from_splits([True, False, False], d=1)
    >>> tree.leaves, tree.representatives.ravel()
    (array([1, 2]), array([0.25, 0.75]))
    """

    depth: Ints
    parent: Ints
    left: Ints
    lower: Floats
    upper: Floats
    active: Bools
    shift: Floats | None

    @classmethod
    def from_splits(
        cls, splits: list[bool] | Bools, d: int, shift: tuple[float, ...] | None = None, roots: int = 1
    ) -> Tree:
        """Build the tree from one flag a node, breadth first: a split node has two children, a leaf none.

        Raises `InvalidReleaseError` if the flags are not a tree or split a cell that is publicly empty.
        """
        flags, frame = np.asarray(splits, dtype=np.bool_), Frame(d, shift)
        level = np.zeros((roots, d), dtype=np.uint64)
        indices, depths, actives = [], [], []
        depth = begin = 0
        while len(level):
            here = flags[begin : begin + len(level)]
            active = overlaps(level, depth, frame)
            if len(here) < len(level) or (here & ~active).any() or (here.any() and depth >= AXIS_DIGITS * d):
                raise InvalidReleaseError(
                    "The split flags are not a tree. Use the text that `to_json` wrote, unchanged."
                )
            indices.append(level)
            depths.append(np.full(len(level), depth))
            actives.append(active)
            begin += len(level)
            level, depth = halves(level[here], depth), depth + 1
        if begin != len(flags):
            raise InvalidReleaseError(
                "There are more split flags than nodes. Use the text that `to_json` wrote, unchanged."
            )
        return cls._assemble(flags, np.concatenate(indices), np.concatenate(depths), np.concatenate(actives), frame)

    @classmethod
    def _assemble(cls, flags: Bools, index: Words, depth: Ints, active: Bools, frame: Frame) -> Tree:
        split = np.flatnonzero(flags)
        left = np.full(len(flags), -1, dtype=np.int64)
        roots = len(flags) - 2 * len(split)  # every other node is the child of one
        left[split] = roots + 2 * np.arange(len(split))
        parent = np.full(len(flags), -1, dtype=np.int64)
        parent[roots:] = np.repeat(split, 2)
        lower, upper = unit_coordinates(index, depth, frame.side)
        shift = None if frame.shift is None else frozen(frame.offset)
        corners = frozen(lower), frozen(upper)
        return cls(frozen(depth), frozen(parent), frozen(left), *corners, frozen(active), shift)

    def __len__(self) -> int:
        return len(self.depth)

    def __repr__(self) -> str:
        """Without the arrays."""
        return f"Tree({len(self)} nodes, {len(self.leaves)} leaves, depth {self.depth.max()}, d={self.d})"

    @property
    def d(self) -> int:
        """The number of axes."""
        return int(self.lower.shape[1])

    @property
    def roots(self) -> int:
        """The number of trees: 1, unless it is a forest."""
        return int(np.searchsorted(self.depth, 0, side="right"))

    @property
    def splits(self) -> Bools:
        """One flag a node, breadth first: is it split? With d and the shift, this is the whole tree."""
        return self.left >= 0

    @property
    def frame(self) -> Frame:
        """Where the partition lives, with the public shift as plain numbers."""
        return Frame(self.d, None if self.shift is None else tuple(self.shift.tolist()))

    @cached_property
    def leaves(self) -> Ints:
        """The node numbers of the active leaves: the order of every leaf array."""
        return np.asarray(frozen(np.flatnonzero((self.left < 0) & self.active)))

    @cached_property
    def leaf_depth(self) -> Ints:
        """The depth of each leaf, shape (leaves,)."""
        return np.asarray(frozen(self.depth[self.leaves]))

    @cached_property
    def leaf_lower(self) -> Floats:
        """The lower corner of each leaf in the unit cube, (leaves, d): translated back and clipped."""
        return np.asarray(frozen(self._in_cube(self.lower[self.leaves])))

    @cached_property
    def leaf_upper(self) -> Floats:
        """The upper corner of each leaf in the unit cube, (leaves, d): translated back and clipped."""
        return np.asarray(frozen(self._in_cube(self.upper[self.leaves])))

    @cached_property
    def representatives(self) -> Floats:
        """The centre of each leaf, (leaves, d), in the unit cube: a function of the cell alone."""
        return np.asarray(frozen((self.leaf_lower + self.leaf_upper) / 2))

    @cached_property
    def leaf_diameters(self) -> Floats:
        """The exact Euclidean diameter of each leaf, (leaves,), in the unit cube."""
        return np.asarray(frozen(np.linalg.norm(self.leaf_upper - self.leaf_lower, axis=1)))

    @cached_property
    def leaf_volumes(self) -> Floats:
        """The volume of each leaf, (leaves,), in the unit cube."""
        return np.asarray(frozen(np.prod(self.leaf_upper - self.leaf_lower, axis=1)))

    def leaf_of(self, unit: Floats) -> Ints:
        """The place in `leaves` of the leaf that holds each unit-cube point (n, d), by the rule that keys records.

        In a forest: the leaf of its first tree.

        >>> Tree.from_splits([True, False, False], d=1).leaf_of(np.array([[0.2], [0.5], [1.0]]))
        array([0, 1, 1])
        """
        numbers = self.frame.numbers(np.asarray(unit, dtype=np.float64))
        node = np.zeros(len(numbers), dtype=np.int64)
        moving = np.arange(len(numbers))
        for depth in range(int(self.depth[-1]) + 1):
            moving = moving[self.left[node[moving]] >= 0]
            if not len(moving):
                break
            place = np.uint64(AXIS_DIGITS - 1 - depth // self.d)
            digit = (numbers[moving, depth % self.d] >> place) & np.uint64(1)
            node[moving] = self.left[node[moving]] + digit.astype(np.int64)
        place_of_node = np.full(len(self), -1, dtype=np.int64)
        place_of_node[self.leaves] = np.arange(len(self.leaves))
        return place_of_node[node]

    def _in_cube(self, corners: Floats) -> Floats:
        return corners if self.shift is None else np.clip(corners - self.shift, 0.0, 1.0)


@dataclass(frozen=True, eq=False)
class Growth:
    """A tree with what was seen while it grew: the true count of every node, and the noise of every decision.

    `count` (nodes,) int64; `noise` (nodes,) float64 in records, NaN where there was no random decision. Private.
    """

    tree: Tree
    count: Ints
    noise: Floats


Rule = Callable[[Cells], tuple[Bools, Floats | None]]
"""Says for the active cells of one depth which are split, and with which noise."""


def default_depth(d: int) -> int:
    """The public depth cap when none is given: 32 halvings of every axis.

    >>> default_depth(2)
    64
    """
    return 32 * d


def depth_cap(d: int, max_depth: int | None) -> int:
    """The depth below which no cell is split: `max_depth`, or the default.

    >>> depth_cap(2, 5), depth_cap(2, None)
    (5, 64)
    """
    return default_depth(d) if max_depth is None else max_depth


def grow(counts: CellCounts, rule: Rule, max_depth: int | None = None) -> Growth:
    """Grow a tree level by level: active cells above the depth cap are split when the rule says so.

    As many trees as `counts.root()` has cells.
    """
    cap = depth_cap(counts.d, max_depth)
    level = roots = counts.root()
    splits, count, noise = [], [], []
    while len(level):
        flags = np.zeros(len(level), dtype=np.bool_)
        seen = np.full(len(level), np.nan)
        asked = level.active.copy() if level.depth < cap else np.zeros(len(level), dtype=np.bool_)
        if asked.any():
            flags[asked], drawn = rule(level.where(asked))
            if drawn is not None:
                seen[asked] = drawn
        splits.append(flags)
        count.append(level.count)
        noise.append(seen)
        level = counts.halve(level.where(flags))
    tree = Tree.from_splits(np.concatenate(splits), counts.d, counts.frame.shift, len(roots))
    return Growth(tree, np.concatenate(count), np.concatenate(noise))


def uniform(counts: CellCounts, depth: int) -> Growth:
    """The uniform tree: every active cell of depth k < K is split. Data-independent (the partition of PSMM).

    Raises `TooLargeError` above K = 24.

    >>> from privcore.domain import Box
    >>> len(uniform(CellCounts([[0.5]], Box.unit(1)), 3).tree.leaves)
    8
    """
    if depth > MAX_UNIFORM_DEPTH:
        raise TooLargeError(f"A uniform tree of depth {depth} has 2^{depth} leaves. Use depth <= {MAX_UNIFORM_DEPTH}.")
    return grow(counts, lambda cells: (np.ones(len(cells), dtype=np.bool_), None), depth)


def hard(counts: CellCounts, theta: float, max_depth: int | None = None) -> Growth:
    """The hard-threshold tree: split Q when c(Q) > theta. Not private (the paper, Algorithm 3).

    >>> from privcore.domain import Box
    >>> hard(CellCounts([0.1, 0.2, 0.9], Box.unit(1)), theta=1).tree.leaf_depth
    array([1, 2, 3, 3])
    """
    return grow(counts, lambda cells: (cells.count > theta, None), max_depth)


def soft(counts: CellCounts, theta: float, delta: float, max_depth: int | None = None) -> Growth:
    """The soft-threshold tree: split Q of depth k when c(Q) > theta + k delta. Not private (the paper, Algorithm 4).

    >>> from privcore.domain import Box
    >>> len(soft(CellCounts([0.1, 0.2, 0.9], Box.unit(1)), theta=0, delta=1).tree.leaves)
    3
    """
    return grow(counts, lambda cells: (cells.count > theta + cells.depth * delta, None), max_depth)


def capped(counts: CellCounts, theta: float, leaves: int, max_depth: int | None = None) -> Growth:
    """The hard tree, grown heaviest cell first until it has `leaves` leaves. Not private (the paper, appendix A).

    A child is never heavier than its parent, so the first M - 1 splits are the M - 1 heaviest cells of the hard
    tree; ties go to the shallower cell, then to the one that comes first in Morton order.

    >>> from privcore.domain import Box
    >>> len(capped(CellCounts([0.1, 0.2, 0.9], Box.unit(1)), theta=0, leaves=3).tree.leaves)
    3
    """
    if leaves < 1:
        raise InvalidParametersError(f"`leaves` must be at least 1, but is {leaves}.")
    room = leaves - 1
    heaviest = np.empty(0, dtype=np.int64)

    def candidates(cells: Cells) -> tuple[Bools, Floats | None]:
        """Cells that can still be among the first M - 1, given the heavier or equal ones of lesser depth."""
        nonlocal heaviest
        above = len(heaviest) - np.searchsorted(heaviest, cells.count, side="left")
        rank = np.empty(len(cells), dtype=np.int64)
        rank[np.argsort(-cells.count, kind="stable")] = np.arange(len(cells))
        keep = (cells.count > theta) & (above + rank < room)
        heaviest = np.sort(np.concatenate([heaviest, cells.count[keep]]))[-room:] if room else heaviest
        return keep, None

    full = grow(counts, candidates, max_depth)
    internal = np.flatnonzero(full.tree.splits)
    order = np.lexsort((internal, full.tree.depth[internal], -full.count[internal]))
    chosen = np.zeros(len(full.tree), dtype=np.bool_)
    chosen[internal[order[:room]]] = True
    return _pruned(full, chosen)


def privtree(
    counts: CellCounts,
    theta: float,
    delta: float,
    lam: float,
    source: WordSource,
    max_depth: int | None = None,
) -> Growth:
    """The private tree: split Q of depth k when max(c(Q) - k delta, theta - delta) + Lap(lambda) > theta.

    Fresh noise for every visited cell; only the splits may be released, never the noisy scores. theta, delta and
    lambda are in records and whole multiples of 2^-20, so that each decision is exact. Raises
    `InvalidParametersError` otherwise. Source: the paper, Algorithm 5; Zhang, Xiao, Xie (SIGMOD 2016).

    >>> from privcore.domain import Box
    >>> from privcore.noise import SeededWords
    >>> counts = CellCounts(np.full(1000, 0.3), Box.unit(1))
    >>> growth = privtree(counts, 0.0, 4.0, 6.0, SeededWords(0), max_depth=3)
    >>> int(growth.tree.leaf_depth.max())
    3
    """
    theta_units, delta_units, lam_units = (_whole_units(v) for v in (theta, delta, lam))
    if delta_units <= 0 or lam_units <= 0:
        raise InvalidParametersError(f"lambda and delta must be positive, but are {lam} and {delta}.")

    def decide(cells: Cells) -> tuple[Bools, Floats | None]:
        margin = cells.count * UNIT - cells.depth * delta_units - theta_units
        split, noise = split_decisions(np.maximum(margin, -delta_units), lam_units, source)
        return split, noise * lam

    return grow(counts, decide, max_depth)


def _whole_units(value: float) -> int:
    units = value * UNIT
    if units != np.floor(units) or abs(units) > 2.0**53:
        raise InvalidParametersError(
            f"{value} is not a whole multiple of 2^-20. Round it; lambda and delta up, so that nothing costs more."
        )
    return int(units)


def _pruned(full: Growth, chosen: Bools) -> Growth:
    """The part of a tree whose split nodes are the chosen ones: the nodes that the root still reaches."""
    tree = full.tree
    kept = (tree.parent < 0) | chosen[tree.parent]
    return Growth(
        Tree.from_splits(chosen[kept], tree.d, tree.frame.shift, tree.roots), full.count[kept], full.noise[kept]
    )
