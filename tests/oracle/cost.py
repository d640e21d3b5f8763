"""The cost of the private tree by brute force: all small trees, and all paths of counts."""

from __future__ import annotations

import math
from decimal import Decimal, localcontext
from fractions import Fraction

Shape = tuple["Shape", "Shape"] | None
"""A tree: None is a leaf, a pair is a split cell with its two halves."""


def split_probability(margin: float, lam: float) -> float:
    """P(margin + Lap(lam) > 0)."""
    return 1 - math.exp(-margin / lam) / 2 if margin >= 0 else math.exp(margin / lam) / 2


def shapes(depth: int) -> list[Shape]:
    """All binary trees of at most this depth: 1, 2, 5, 26, 677."""
    if depth == 0:
        return [None]
    smaller = shapes(depth - 1)
    return [None, *((left, right) for left in smaller for right in smaller)]


def log_probability(
    shape: Shape,
    points: list[float],
    theta: float,
    delta: float,
    lam: float,
    cap: int,
    cell: tuple[int, float] = (0, 0.0),
) -> float:
    """ln P(the private tree of these points in [0, 1) has this shape), the depth being capped."""
    depth, low = cell
    if depth == cap:
        return 0.0
    width = 2.0**-depth
    count = sum(low <= x < low + width for x in points)
    split = split_probability(max(count - depth * delta - theta, -delta), lam)
    if shape is None:
        return math.log1p(-split)
    children = ((depth + 1, low), (depth + 1, low + width / 2))
    parts = [
        log_probability(half, points, theta, delta, lam, cap, child)
        for half, child in zip(shape, children, strict=True)
    ]
    return math.log(split) + sum(parts)


def worst_path(lam: float, delta: float, theta: float, n: int) -> float:
    """The largest log ratio when a record is removed, over all non-increasing integer count paths from n or fewer.

    best[c] is the dearest continuation of a path whose cell at this depth holds c >= 1 records, the record that is
    removed among them. It ends at a leaf, or runs on; the ratio of not splitting is at most 0 by monotonicity.
    """
    depths = math.ceil((n - theta) / delta) + 3
    best = [0.0] * (n + 1)
    for depth in range(max(depths, 1), -1, -1):
        longest, here = 0.0, [0.0] * (n + 1)
        for count in range(1, n + 1):
            longest = max(longest, best[count])
            margin = count - depth * delta - theta
            with_it, without = max(margin, -delta), max(margin - 1, -delta)
            # By symmetry of the noise, P(not split) is P(split) at the opposite margin.
            split, stop = (
                math.log(split_probability(sign * with_it, lam)) - math.log(split_probability(sign * without, lam))
                for sign in (1, -1)
            )
            here[count] = max(stop, split + longest)
        best = here
    return max(best)


def exact_cost(lam: float, delta: float) -> Decimal:
    """E(lambda, delta) to about 50 digits."""
    with localcontext() as context:
        context.prec = 60
        step, size = Fraction(delta), Fraction(lam)
        k = math.ceil(1 / step) - 1
        scale = Decimal(size.numerator) / Decimal(size.denominator)
        move = Decimal(step.numerator) / Decimal(step.denominator)
        first = 1 - k * move
        total = 1 / scale + k * Decimal(2).ln()
        i = 0
        while True:
            low = i * move / scale
            term = ((2 - (-(low + first / scale)).exp()) / (2 - (-low).exp())).ln()
            total += term
            i += 1
            if term < Decimal(10) ** -55:
                return total
