"""What a solver returns, and the rounding that its bounds must allow for."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np

from privcore.arrays import Floats
from privcore.transport.plans import Flow

EPS = float(np.finfo(np.float64).eps)


@dataclass(frozen=True)
class Solution:
    """Bounds on the cost of a balanced problem (units / TOTAL times distance), rounding included.

    On request `flow` is a feasible plan and `prices` (m,) are dual numbers g of the targets:
    phi(x) = min_j (|x - y_j| - g_j) is a Lipschitz function that proves `lower`.
    When `mirrored`, the prices (n,) are those of the sources, and -phi proves it.
    """

    lower: float
    upper: float
    method: str
    flow: Flow | None = None
    prices: Floats | None = None
    mirrored: bool = False

    def with_plan(self, flow: Flow, prices: Floats) -> Solution:
        """The same bounds with their proofs."""
        return replace(self, flow=flow, prices=prices)

    def of_swapped(self) -> Solution:
        """The solution of the problem whose sides are exchanged."""
        if self.flow is None:
            return self
        source, target, units = self.flow
        return replace(self, flow=(target, source, units), mirrored=not self.mirrored)


def rounding_slack(d: int, terms: int) -> float:
    """A bound on the relative rounding of a pairwise sum of `terms` products of a mass and a distance in R^d."""
    return EPS * (d + 16.0 + 2.0 * math.log2(terms + 1.0))
