"""W1 of small problems: the network simplex of POT on the full cost matrix."""

from __future__ import annotations

import warnings

import numpy as np
from scipy.spatial.distance import cdist

from privcore.arrays import Floats, Ints
from privcore.transport.certificate import Solution, rounding_slack
from privcore.transport.plans import Flow, fitted
from privcore.transport.problem import TOTAL, Balanced

PIVOTS = 10**9
"""POT stops at 100,000 iterations with only a warning, and is then wrong by several per cent."""


def solve_dense(problem: Balanced) -> Solution:
    """Exact W1 by POT, checked: the plan is repaired to whole units and gives `upper`, the duals give `lower`."""
    import ot

    cost = cdist(problem.sources, problem.targets)
    whole = float(problem.supply.sum())
    supply, demand = problem.supply / whole, problem.demand / whole
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        coupling, log = ot.lp.emd(supply, demand, cost, numItermax=PIVOTS, log=True)
    flow = _whole_units(coupling * whole, problem.supply, problem.demand)
    prices = np.asarray(log["v"], dtype=np.float64)
    upper = float(np.sum(flow[2] / TOTAL * cost[flow[0], flow[1]]))
    nearest = (cost - prices).min(axis=1)
    lower = float(np.sum(problem.supply / TOTAL * nearest) + np.sum(problem.demand / TOTAL * prices))
    slack = rounding_slack(problem.sources.shape[1], cost.size)
    lower -= slack * problem.fraction * float(cost.max() + 2.0 * np.abs(prices).max())
    return Solution(max(0.0, min(lower, upper)), upper * (1.0 + slack), "dense", flow, prices)


def _whole_units(coupling: Floats, supply: Ints, demand: Ints) -> Flow:
    """The nearest plan in whole units."""
    units = np.floor(coupling).astype(np.int64)
    source, target = np.nonzero(units)
    return fitted((source, target, units[source, target]), supply, demand)
