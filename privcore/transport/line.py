"""W1 on a line: the closed form."""

from __future__ import annotations

import numpy as np

from privcore.arrays import Floats
from privcore.transport.certificate import Solution, rounding_slack
from privcore.transport.plans import couple
from privcore.transport.problem import TOTAL, Balanced


def solve_line(problem: Balanced, plan: bool) -> Solution:
    """W1 = integral |F(t) - G(t)| dt, by sorting; the plan couples the sorted sides monotonically."""
    places = np.concatenate([problem.sources[:, 0], problem.targets[:, 0]])
    order = np.argsort(places, kind="stable")
    ahead = np.cumsum(np.concatenate([problem.supply, -problem.demand])[order])[:-1]
    gaps = np.diff(places[order])
    value = float(np.sum(np.abs(ahead) / TOTAL * gaps))
    slack = rounding_slack(1, len(places)) * value
    solution = Solution(max(0.0, value - slack), value + slack, "line")
    if not plan:
        return solution
    left, right = np.argsort(problem.sources[:, 0]), np.argsort(problem.targets[:, 0])
    source, target, units = couple(problem.supply[left], problem.demand[right])
    height = np.concatenate([[0.0], -np.cumsum(np.sign(ahead) * gaps)])
    return solution.with_plan((left[source], right[target], units), _at_targets(height, order, len(left)))


def _at_targets(height: Floats, order: np.ndarray[tuple[int], np.dtype[np.int64]], n: int) -> Floats:
    """The Lipschitz function that falls where mass moves right, negated at the targets."""
    values = np.empty(len(height))
    values[order] = height
    return -values[n:]
