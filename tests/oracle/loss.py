"""The privacy loss by brute force: the likelihood of a whole output, cell by cell and leaf by leaf, to 40 digits.

Nothing here knows that only one record's path matters.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from decimal import Decimal, localcontext
from fractions import Fraction

from privcore.accounting import Cost
from tests.oracle.cost import Shape
from tests.oracle.tree import grow

DIGITS = 40
Law = dict[Decimal, Decimal]


def decimal(value: float | Fraction) -> Decimal:
    exact = Fraction(value)
    return Decimal(exact.numerator) / Decimal(exact.denominator)


def split_probability(count: int, depth: int, cost: Cost) -> Decimal:
    """P(max(c - k delta, theta - delta) + Lap(lambda) > theta)."""
    lam, delta, theta = (Fraction(v) for v in (cost.lam, cost.delta, cost.theta))
    margin = max(count - depth * delta, theta - delta) - theta
    if margin >= 0:
        return 1 - (-decimal(margin) / decimal(lam)).exp() / 2
    return (decimal(margin) / decimal(lam)).exp() / 2


def noise_probability(z: int, cost: Cost) -> Decimal:
    """P(G(a) - G(b) = z), summed over the pairs of geometric values in closed form."""
    up, down = (-decimal(cost.a)).exp(), (-decimal(cost.b)).exp()
    power = up ** max(z, 0) * down ** max(-z, 0)
    return (1 - up) * (1 - down) / (1 - up * down) * power


def log_likelihood(
    unit: list[list[float]],
    d: int,
    splits: Sequence[Sequence[bool]],
    noisy: Sequence[int],
    cost: Cost,
    cap: int,
    shift: tuple[float, ...] | None,
) -> Decimal:
    """ln P(this tree and these noisy counts | points); `splits` are the active cells' flags, depth by depth."""
    asked: list[tuple[int, int, bool]] = []

    def decide(counts: list[int], depth: int) -> list[bool]:
        asked.extend((count, depth, split) for count, split in zip(counts, splits[depth], strict=True))
        return list(splits[depth])

    with localcontext() as context:
        context.prec = DIGITS
        cells = grow(unit, d, decide, cap, shift)
        leaves = [cell.count for cell in cells if cell.active and not cell.split]
        total = Decimal(0)
        for count, depth, split in asked:
            p = split_probability(count, depth, cost)
            total += p.ln() if split else (1 - p).ln()
        for count, out in zip(leaves, noisy, strict=True):
            total += noise_probability(out - count, cost).ln()
        return total


def loss_law(
    shapes: list[Shape],
    data: list[float],
    neighbour: list[float],
    cost: Cost,
    cap: int,
    reach: int,
) -> Law:
    """The law of the loss under `data` (points in [0, 1)): all trees, all noisy counts within `reach` of the true ones.

    Loss values are rounded to 12 digits to be collected. Only leaves whose counts differ have noise that matters; the
    noise of the others cancels.
    """
    law: Law = {}
    with localcontext() as context:
        context.prec = DIGITS
        for shape in shapes:
            here, there = (_tree_likelihood(shape, points, cost, cap, 0, 0.0) for points in (data, neighbour))
            pairs = [(c, e) for c, e in _leaf_counts(shape, data, neighbour, 0, 0.0) if c != e]
            partial: Law = {here.ln() - there.ln(): here}
            for c, e in pairs:
                noise = {
                    z: (
                        noise_probability(z, cost).ln() - noise_probability(z + c - e, cost).ln(),
                        noise_probability(z, cost),
                    )
                    for z in range(-reach, reach + 1)
                }
                combined: Law = {}
                for loss, p in partial.items():
                    for more, q in noise.values():
                        key = round(loss + more, 12)
                        combined[key] = combined.get(key, Decimal(0)) + p * q
                partial = combined
            for loss, p in partial.items():
                key = round(loss, 12)
                law[key] = law.get(key, Decimal(0)) + p
    return law


def _tree_likelihood(shape: Shape, points: list[float], cost: Cost, cap: int, depth: int, low: float) -> Decimal:
    if depth == cap:
        return Decimal(1)
    width = 2.0**-depth
    p = split_probability(sum(low <= x < low + width for x in points), depth, cost)
    if shape is None:
        return 1 - p
    lower = _tree_likelihood(shape[0], points, cost, cap, depth + 1, low)
    return p * lower * _tree_likelihood(shape[1], points, cost, cap, depth + 1, low + width / 2)


def _leaf_counts(
    shape: Shape, data: list[float], neighbour: list[float], depth: int, low: float
) -> list[tuple[int, int]]:
    width = 2.0**-depth
    if shape is None:
        here, there = (sum(low <= x < low + width for x in points) for points in (data, neighbour))
        return [(here, there)]
    lower = _leaf_counts(shape[0], data, neighbour, depth + 1, low)
    return lower + _leaf_counts(shape[1], data, neighbour, depth + 1, low + width / 2)


def total_variation(law: Law, losses: Sequence[float], probabilities: Sequence[float], digits: int = 9) -> float:
    """The total-variation distance of two laws on losses, atoms within rounding of each other taken as one."""
    mass: dict[float, float] = {}
    for loss, p in law.items():
        key = round(float(loss), digits) + 0.0
        mass[key] = mass.get(key, 0.0) + float(p)
    for value, q in zip(losses, probabilities, strict=True):
        key = round(float(value), digits) + 0.0
        mass[key] = mass.get(key, 0.0) - float(q)
    return math.fsum(abs(v) for v in mass.values()) / 2
