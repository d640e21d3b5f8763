"""Occupied cells of the cyclic binary partition at each depth, with and without the random shift."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from privcore.arrays import Floats, Ints, frozen
from privcore.cells import CellCounts
from privcore.checks import checked_seed, checked_whole
from privcore.domain import Box, unit_points

DEPTH_PER_AXIS = 32


@dataclass(frozen=True)
class OccupiedCells:
    """How many cells of each depth hold a point: `depth`, `count`, `side`, arrays of shape (k,).

    `side` = (side of the root) 2^(-depth/d) is the geometric mean of a cell's sides in the unit cube. With random
    shifts `count` is the mean over them, and `least` and `most` are the extremes; without, all three are equal.
    """

    depth: Ints
    side: Floats
    count: Floats
    least: Floats
    most: Floats
    shifts: int

    def constant(self, s: float, depth: int) -> float:
        """The least A with count <= A side^-s at all depths up to `depth`: the paper's growth condition, section 2.4.

        >>> occupied_cells(np.array([[0.1], [0.9]])).constant(1.0, 1)
        1.0
        """
        shown = self.depth <= depth
        return float((self.count[shown] * self.side[shown] ** s).max())


def occupied_cells(points: Any, *, shifts: int = 0, seed: int = 0, max_depth: int | None = None) -> OccupiedCells:
    """Count the occupied cells N_k^+ of points (n, d) in the unit cube, depth by depth until every point is alone.

    With `shifts` > 0 the counts are those of the partition of [0, 2]^d, over that many random shifts drawn from `seed`
    (not private: for figures). Raises `InvalidPointsError`, `InvalidParametersError`. Source: the paper, 2.4 and 6.

    >>> occupied_cells(np.array([[0.1, 0.1], [0.9, 0.9]])).count.tolist()
    [1.0, 2.0]
    """
    points = unit_points(points)
    d, shifts = points.shape[1], checked_whole("shifts", shifts, least=0)
    deepest = DEPTH_PER_AXIS * d if max_depth is None else checked_whole("max_depth", max_depth, least=0)
    random = np.random.default_rng(checked_seed(seed))
    moves = [tuple(u) for u in random.random((shifts, d)).tolist()] if shifts else [None]
    counted = [_count(points, move, deepest) for move in moves]
    length = max(map(len, counted))
    table = np.array([row + row[-1:] * (length - len(row)) for row in counted], dtype=np.float64)
    depth = np.arange(length)
    side = (1.0 if shifts == 0 else 2.0) * 2.0 ** (-depth / d)
    return OccupiedCells(
        depth=frozen(depth, np.int64),
        side=frozen(side),
        count=frozen(table.mean(axis=0)),
        least=frozen(table.min(axis=0)),
        most=frozen(table.max(axis=0)),
        shifts=shifts,
    )


def _count(points: Floats, shift: tuple[float, ...] | None, deepest: int) -> list[int]:
    counts = CellCounts(points, Box.unit(points.shape[1]), shift)
    shared = counts.root()  # only cells of several points are halved: a cell of one point has one occupied half
    occupied = [1]
    while len(occupied) <= deepest:
        shared = shared.where(shared.count > 1)
        if len(shared) == 0:
            break
        alone = occupied[-1] - len(shared)
        shared = counts.halve(shared)
        shared = shared.where(shared.count > 0)
        occupied.append(alone + len(shared))
    return occupied
