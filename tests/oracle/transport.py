"""Independent references for W1: the plain linear program, and POT on the full cost matrix."""

from __future__ import annotations

import numpy as np
import ot
from scipy.optimize import linprog
from scipy.spatial.distance import cdist

from privcore.arrays import Floats


def w1_by_linear_program(points: Floats, weights: Floats, atoms: Floats, masses: Floats) -> float:
    """min <pi, C> with both marginals as equations, every pair a variable; tiny cases only."""
    cost = cdist(points, atoms)
    n, m = cost.shape
    rows = np.kron(np.eye(n), np.ones(m))
    columns = np.kron(np.ones(n), np.eye(m))
    result = linprog(
        cost.ravel(),
        A_eq=np.concatenate([rows, columns]),
        b_eq=np.concatenate([weights / weights.sum(), masses / masses.sum()]),
        options={"primal_feasibility_tolerance": 1e-10, "dual_feasibility_tolerance": 1e-10},
    )
    assert result.success, result.message
    return float(result.fun)


def w1_by_pot(points: Floats, weights: Floats, atoms: Floats, masses: Floats) -> float:
    """POT's network simplex with its iteration limit raised; its warnings are errors in the tests."""
    return float(ot.emd2(weights / weights.sum(), masses / masses.sum(), cdist(points, atoms), numItermax=10**9))
