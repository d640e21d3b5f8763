"""The exact law of the private tree: the probability of every shape, by recursion over exact cells."""

from __future__ import annotations

import numpy as np

from privcore.arrays import Floats, Ints
from tests.oracle.cost import split_probability
from tests.oracle.tree import Cell, grow, place


class Partition:
    """All cells down to a depth, each with its records: exact fractions, no key and no sorting.

    `shift` is the public shift; a cell outside its window is publicly empty and never split.
    """

    def __init__(self, unit: Floats, depth: int, shift: tuple[float, ...] | None = None) -> None:
        self.depth, self.shift = depth, shift
        self.cells: list[Cell] = grow(unit.tolist(), unit.shape[1], lambda c, _: [True] * len(c), depth, shift)
        split = [i for i, cell in enumerate(self.cells) if cell.split]
        self.left = {i: 1 + 2 * k for k, i in enumerate(split)}  # breadth first, the lower half before the upper

    def law(self, theta: float, delta: float, lam: float, cap: int | None = None, node: int = 0) -> Floats:
        """The probability of every shape of the first `depth` levels, in the order of `tests.oracle.cost.shapes`.

        `cap` is the tree's own depth cap.
        """
        if node not in self.left or self.cells[node].depth == cap:
            probabilities = np.zeros(number_of_shapes(self.depth - self.cells[node].depth))
            probabilities[0] = 1.0
            return probabilities
        cell = self.cells[node]
        margin = max(cell.count - cell.depth * delta - theta, -delta)
        lower, upper = (self.law(theta, delta, lam, cap, self.left[node] + half) for half in (0, 1))
        both = np.outer(lower, upper).ravel()
        # By symmetry of the noise, P(not split) is P(split) at the opposite margin.
        return np.append(split_probability(-margin, lam), split_probability(margin, lam) * both)

    def leaf_of(self, row: list[float], node: int = 0) -> Ints:
        """The node that is the leaf of one record in every shape, in the order of `law`."""
        if node not in self.left:
            return np.full(number_of_shapes(self.depth - self.cells[node].depth), node)
        where = place(row, self.shift)
        halves = [self.cells[self.left[node] + half] for half in (0, 1)]
        axis = self.cells[node].depth % len(row)
        upper = int(where[axis] >= halves[1].lower[axis])
        inside = self.leaf_of(row, self.left[node] + upper)
        other = len(inside)
        both = np.tile(inside, other) if upper else np.repeat(inside, other)
        return np.append(node, both)


def number_of_shapes(depth: int) -> int:
    """1, 2, 5, 26, 677, ...: a leaf, or two shapes of less depth."""
    return 1 if depth == 0 else 1 + number_of_shapes(depth - 1) ** 2


def two_rate_law(up: float, down: float, reach: int) -> Floats:
    """P(G(up) - G(down) = z) for |z| <= reach, with both tails at the ends, shape (2 reach + 3,).

    e^(-up z) above 0 and e^(down z) below, times one constant.
    """
    z = np.arange(-reach - 1, reach + 2)
    scale = np.expm1(-up) * np.expm1(-down) / -np.expm1(-up - down)
    law = np.asarray(scale * np.exp(np.where(z >= 0, -up * z, down * z)))
    law[0] /= -np.expm1(-down)
    law[-1] /= -np.expm1(-up)
    return law
