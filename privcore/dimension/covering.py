"""Covering numbers of a finite set by Euclidean balls: how many are needed, from below and from above."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numba import njit

from privcore.arrays import Floats, Ints, frozen
from privcore.domain import unit_points
from privcore.kdtree import kd_order, levels, search_tree

STEPS_PER_OCTAVE = 4
"""Radii are a factor 2^(1/4) apart."""
_OCTAVES = 60
"""Radii finer than 2^-60 of the cube are below what float64 can tell apart."""


@dataclass(frozen=True)
class CoveringNumbers:
    """`lower <= N(S, r) <= upper` for each `radius`, arrays of shape (k,), the coarsest radius first.

    N(S, r) is the least number of Euclidean balls of radius r, with centres anywhere, that cover the set S. `distinct`
    is the number of different points of S.
    """

    radius: Floats
    lower: Ints
    upper: Ints
    distinct: int


class Nets:
    """Points (m, d), ready for a greedy r-net at any radius r.

    A net is a subset whose points are more than r apart and within r of every point. The points are visited in the
    order of a kd-tree; a subtree that is covered is never entered again. Memory: O(m d).

    >>> Nets(np.array([[0.0], [0.1], [0.5]])).net(0.2).tolist()
    [0, 2]
    """

    def __init__(self, points: Floats) -> None:
        self._order: Ints = kd_order(np.asarray(points, dtype=np.float64), levels(len(points)))
        self._tree = search_tree(np.asarray(points, dtype=np.float64)[self._order])

    def net(self, radius: float) -> Ints:
        """The rows of the points of a net, shape (N,), in no special order."""
        tree = self._tree
        places = _greedy_net(tree.points, tree.low, tree.high, 1 << tree.depth, radius)
        return np.asarray(self._order[places])


def covering_numbers(points: Any, *, enough: float = np.inf, finest: float = 0.0) -> CoveringNumbers:
    """Bound the covering numbers of points (m, d) over radii from the cube's diameter down.

    A greedy net of radius r covers S, so N(S, r) <= |net(r)|; its points are more than r apart and a ball of radius r/2
    holds one of them at most, so N(S, r/2) >= |net(r)|. Radii go down until the lower bound reaches `enough`, every
    different point is alone, or the radius falls below `finest`; the points lie in the unit cube. Raises
    `InvalidPointsError`. Source: the paper, sections 2.4 and 6.

    >>> corners = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]])
    >>> found = covering_numbers(corners)
    >>> found.radius[8].item(), found.lower[8].item(), found.upper[8].item()
    (0.5, 2, 4)
    """
    different = different_rows(unit_points(points))
    nets = Nets(different)
    coarsest = 2.0 ** np.ceil(np.log2(np.sqrt(different.shape[1])))
    ladder = coarsest * 2.0 ** (-np.arange(_OCTAVES * STEPS_PER_OCTAVE) / STEPS_PER_OCTAVE)
    sizes: list[int] = []
    for step, radius in enumerate(ladder):
        if step and radius < finest:
            break
        sizes.append(len(different) if sizes and sizes[-1] == len(different) else len(nets.net(radius)))
        if _lower(sizes)[-1] >= min(enough, len(different)):
            break
    # A net of a smaller radius may happen to be smaller: the bounds stay bounds when they are made monotone.
    upper = np.minimum.accumulate(np.array(sizes)[::-1])[::-1]
    lower = np.maximum.accumulate(_lower(sizes))
    return CoveringNumbers(frozen(ladder[: len(sizes)]), frozen(lower), frozen(upper), len(different))


def different_rows(points: Floats) -> Floats:
    """The points (n, d) without copies, sorted.

    >>> different_rows(np.array([[1.0], [0.0], [1.0]])).tolist()
    [[0.0], [1.0]]
    """
    ordered = points[np.lexsort(points.T[::-1])]  # numpy's unique takes five times as long for rows
    fresh = np.ones(len(ordered), dtype=np.bool_)
    fresh[1:] = (ordered[1:] != ordered[:-1]).any(axis=1)
    return np.asarray(ordered[fresh])


def _lower(sizes: list[int]) -> Ints:
    """|net(2 r)| for each radius r; one ball is always needed."""
    return np.array([1] * STEPS_PER_OCTAVE + sizes)[: len(sizes)]


# Kernels have no types, and mypy is told so: numba's decorator has none, and a kernel is compiled for what it is given.
@njit(cache=True, nogil=True)
def _greedy_net(points, low, high, first, radius):  # type: ignore[no-untyped-def]
    """The places in kd order of a greedy net: each point that no former ball of `radius` covers starts a ball.

    Nodes from `first` on are the leaves of the tree.
    """
    n, d = points.shape
    square = radius * radius
    covered = np.zeros(n, np.bool_)
    begin = np.zeros(2 * first, np.int64)
    end = np.zeros(2 * first, np.int64)
    end[1] = n
    for node in range(1, first):
        middle = (begin[node] + end[node]) // 2
        begin[2 * node], end[2 * node] = begin[node], middle
        begin[2 * node + 1], end[2 * node + 1] = middle, end[node]
    open_points = end - begin  # not yet covered, for each node
    stack = np.empty(128, np.int64)
    centres = np.empty(n, np.int64)
    found = 0
    for i in range(n):
        if covered[i]:
            continue
        centres[found] = i
        found += 1
        stack[0] = 1
        top = 0
        while top >= 0:
            node = stack[top]
            top -= 1
            if open_points[node] == 0:
                continue
            near = 0.0
            far = 0.0
            for a in range(d):
                x = points[i, a]
                below, above = low[node, a] - x, x - high[node, a]
                gap = max(below, above, 0.0)
                near += gap * gap
                reach = max(-below, -above)
                far += reach * reach
            if near > square:
                continue
            fresh = 0
            if far <= square:
                for j in range(begin[node], end[node]):
                    covered[j] = True
                fresh = open_points[node]
            elif node >= first:
                for j in range(begin[node], end[node]):
                    if covered[j]:
                        continue
                    distance = 0.0
                    for a in range(d):
                        step = points[i, a] - points[j, a]
                        distance += step * step
                    if distance <= square:
                        covered[j] = True
                        fresh += 1
            else:
                stack[top + 1], stack[top + 2] = 2 * node, 2 * node + 1
                top += 2
                continue
            if far <= square:
                # Nothing below is entered again, so only the ancestors need the news.
                open_points[node] = 0
                v = node // 2
            else:
                v = node
            while v >= 1 and fresh > 0:
                open_points[v] -= fresh
                v //= 2
    return centres[:found]
