"""A balanced kd-tree over points: an order in which near points are near, and the cheapest target of a place.

The tree is implicit. Node 1 is all points; node v with the range [lo, hi) of the ordered points has the children
2 v with [lo, mid) and 2 v + 1 with [mid, hi), mid = (lo + hi) // 2; all leaves have the same depth.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np
from numba import njit
from numpy.typing import NDArray

from privcore.arrays import Floats, Ints

BUCKET = 8
"""The most points in a leaf of a search tree."""
SHARE = 20_000
"""The most searches of a thread between two looks at the clock."""
FEW = 500
"""Fewer searches than these are not worth a thread."""

Found = tuple[NDArray[np.int32], Floats]
"""For each place its cheapest targets, -1 where there are no more, and their values, ascending."""


@dataclass(frozen=True)
class SearchTree:
    """Boxes `low`, `high` (nodes, d) of the ranges of `points` (m, d), which must be in kd order."""

    points: Floats
    low: Floats
    high: Floats
    depth: int


def levels(count: int, bucket: int = BUCKET) -> int:
    """How often `count` points must be halved until no part holds more than `bucket`."""
    return max(0, int(np.ceil(np.log2(max(1.0, count / bucket)))))


def search_tree(points: Floats) -> SearchTree:
    """The boxes of all nodes for points (m, d) in kd order."""
    depth = levels(len(points))
    low = np.full((2 << depth, points.shape[1]), np.inf)
    high = np.full((2 << depth, points.shape[1]), -np.inf)
    starts = np.array([0, len(points)])
    for _ in range(depth):
        starts = halved(starts)
    full = np.flatnonzero(np.diff(starts))
    first = 1 << depth
    low[first + full] = np.minimum.reduceat(points, starts[full])
    high[first + full] = np.maximum.reduceat(points, starts[full])
    while first > 1:
        low[first // 2 : first] = np.minimum(low[first : 2 * first : 2], low[first + 1 : 2 * first : 2])
        high[first // 2 : first] = np.maximum(high[first : 2 * first : 2], high[first + 1 : 2 * first : 2])
        first //= 2
    return SearchTree(points, low, high, depth)


def halved(starts: Ints) -> Ints:
    """Split every range [starts[k], starts[k + 1]) in two; ranges may be empty.

    >>> halved(np.array([0, 5])).tolist()
    [0, 2, 5]
    """
    finer = np.empty(2 * len(starts) - 1, dtype=np.int64)
    finer[::2] = starts
    finer[1::2] = (starts[:-1] + starts[1:]) // 2
    return finer


def best_prices(tree: SearchTree, prices: Floats) -> Floats:
    """For each node the largest of `prices` (m,) in it, shape (nodes,)."""
    starts = np.array([0, len(prices)])
    for _ in range(tree.depth):
        starts = halved(starts)
    full = np.flatnonzero(np.diff(starts))
    first = 1 << tree.depth
    best = np.full(2 * first, -np.inf)
    best[first + full] = np.maximum.reduceat(prices, starts[full])
    while first > 1:
        best[first // 2 : first] = np.maximum(best[first : 2 * first : 2], best[first + 1 : 2 * first : 2])
        first //= 2
    return best


# Kernels have no types, and mypy is told so: numba's decorator has none, and a kernel is compiled for what it is given.
@njit(cache=True, nogil=True)
def kd_order(points, depth):  # type: ignore[no-untyped-def]
    """A permutation that puts points (n, d) in kd order, halved `depth` times along their widest axis."""
    n, d = points.shape
    order = np.arange(n)
    key = np.empty(n)
    starts = np.zeros(2, np.int64)
    starts[1] = n
    for _ in range(depth):
        finer = np.empty(2 * len(starts) - 1, np.int64)
        for part in range(len(starts) - 1):
            lo, hi = starts[part], starts[part + 1]
            mid = (lo + hi) // 2
            finer[2 * part], finer[2 * part + 1] = lo, mid
            if hi - lo < 2:
                continue
            axis, widest = 0, -1.0
            for a in range(d):
                least = most = points[order[lo], a]
                for k in range(lo + 1, hi):
                    value = points[order[k], a]
                    least, most = min(least, value), max(most, value)
                if most - least > widest:
                    axis, widest = a, most - least
            for k in range(lo, hi):
                key[k] = points[order[k], axis]
            left, right = lo, hi - 1
            while left < right:
                pivot = key[(left + right) // 2]
                i, j = left, right
                while i <= j:
                    while key[i] < pivot:
                        i += 1
                    while key[j] > pivot:
                        j -= 1
                    if i <= j:
                        key[i], key[j] = key[j], key[i]
                        order[i], order[j] = order[j], order[i]
                        i += 1
                        j -= 1
                if mid <= j:
                    right = j
                elif mid >= i:
                    left = i
                else:
                    break
        finer[-1] = n
        starts = finer
    return order


def search(
    places: Floats, tree: SearchTree, prices: Floats, value: Floats, check: Callable[[], None] | None = None
) -> Found:
    """The K points of the tree that are cheapest for each place x by |x - y_j| - g_j, and these values.

    `value` (s, K) is overwritten; on entry its last column bounds the search: only what is below it is found.
    Places are shared among the cores; `check` is called now and then and may raise to stop the work.
    """
    target = np.full(value.shape, -1, dtype=np.int32)
    best = best_prices(tree, prices)

    def part(start: int, stop: int) -> None:
        some = slice(start, stop)
        cheapest(
            places[some], tree.points, tree.low, tree.high, tree.depth, prices, best, target[some], value[some]
        )  # fmt: skip

    cores = os.cpu_count() or 1
    step = min(SHARE, max(FEW, -(-len(places) // cores)))
    if step >= len(places):
        part(0, len(places))
        return target, value
    with ThreadPoolExecutor(cores) as pool:
        try:
            for _ in pool.map(lambda start: part(start, start + step), range(0, len(places), step)):
                if check is not None:
                    check()
        except BaseException:
            pool.shutdown(cancel_futures=True)
            raise
    return target, value


@njit(cache=True, nogil=True)
def cheapest(places, points, low, high, depth, prices, best, target, value):  # type: ignore[no-untyped-def]
    """Fill target (s, K) and value (s, K): the K cheapest points j of each place x, by |x - y_j| - g_j, ascending.

    On entry value[:, K - 1] bounds the search: only what is below it is found; the rest keeps target -1.
    """
    m, d = points.shape
    wanted = target.shape[1]
    stack = np.empty(64, np.int64)
    stack_bound = np.empty(64)
    stack_lo = np.empty(64, np.int64)
    stack_hi = np.empty(64, np.int64)
    first = 1 << depth
    for s in range(len(places)):
        limit = value[s, wanted - 1]
        found = 0
        top = 0
        stack[0], stack_bound[0], stack_lo[0], stack_hi[0] = 1, -np.inf, 0, m
        while top >= 0:
            node, bound, lo, hi = stack[top], stack_bound[top], stack_lo[top], stack_hi[top]
            top -= 1
            if bound >= limit:
                continue
            if node >= first:
                for j in range(lo, hi):
                    square = 0.0
                    for a in range(d):
                        step = places[s, a] - points[j, a]
                        square += step * step
                    reach = limit + prices[j]
                    if reach <= 0.0 or square >= reach * reach:  # most end here, without a root
                        continue
                    cost = np.sqrt(square) - prices[j]
                    if cost < limit:
                        at = min(found, wanted - 1)
                        while at > 0 and value[s, at - 1] > cost:
                            value[s, at], target[s, at] = value[s, at - 1], target[s, at - 1]
                            at -= 1
                        value[s, at], target[s, at] = cost, j
                        if found < wanted:
                            found += 1
                        if found == wanted:
                            limit = value[s, wanted - 1]
                continue
            mid = (lo + hi) // 2
            left = right = 0.0
            for a in range(d):
                x = places[s, a]
                step = max(low[2 * node, a] - x, x - high[2 * node, a], 0.0)
                left += step * step
                step = max(low[2 * node + 1, a] - x, x - high[2 * node + 1, a], 0.0)
                right += step * step
            left = np.sqrt(left) - best[2 * node]
            right = np.sqrt(right) - best[2 * node + 1]
            if left <= right:
                if right < limit:
                    top += 1
                    stack[top], stack_bound[top], stack_lo[top], stack_hi[top] = 2 * node + 1, right, mid, hi
                if left < limit:
                    top += 1
                    stack[top], stack_bound[top], stack_lo[top], stack_hi[top] = 2 * node, left, lo, mid
            else:
                if left < limit:
                    top += 1
                    stack[top], stack_bound[top], stack_lo[top], stack_hi[top] = 2 * node, left, lo, mid
                if right < limit:
                    top += 1
                    stack[top], stack_bound[top], stack_lo[top], stack_hi[top] = 2 * node + 1, right, mid, hi
