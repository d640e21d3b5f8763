"""The paper's Algorithm 2 as plain linear programs: slow, and independent of privcore's derivation."""

from __future__ import annotations

import numpy as np
from scipy.optimize import linprog
from scipy.sparse import bmat, coo_array, eye_array
from scipy.spatial.distance import cdist

from privcore.arrays import Floats

# HiGHS accepts violations of 1e-7 by default, as much as the small masses themselves.
TOLERANCES = {"presolve": False, "primal_feasibility_tolerance": 1e-10, "dual_feasibility_tolerance": 1e-10}


def discrepancy(points: Floats, difference: Floats) -> float:
    """max { difference . f : |f_i| <= sqrt(d), |f_i - f_j| <= |points_i - points_j| }, as its own LP over f."""
    size, d = points.shape
    first, second = np.nonzero(~np.eye(size, dtype=bool))
    rows = np.arange(first.size)
    slopes = coo_array((np.ones(first.size), (rows, first)), (first.size, size)) - coo_array(
        (np.ones(first.size), (rows, second)), (first.size, size)
    )
    result = linprog(
        -difference,
        A_ub=slopes.tocsr() if first.size else None,
        b_ub=cdist(points, points)[first, second] if first.size else None,
        bounds=(-np.sqrt(d), np.sqrt(d)),
        method="highs",
        options=TOLERANCES,
    )
    assert result.status == 0, result.message
    return float(-result.fun)


def optimum(points: Floats, masses: Floats) -> float:
    """Return the least discrepancy(points, p - masses) over probability vectors p.

    The inner maximum is replaced by its dual, shipping x_ij >= 0 at the distance and creating or destroying
    c_i, e_i >= 0 at sqrt(d), between ANY pair of leaves: p_i - masses_i = in_i - out_i + c_i - e_i.
    """
    size, d = points.shape
    source, target = np.divmod(np.arange(size * size), size)
    arcs = np.arange(size * size)
    moved = coo_array((np.ones(size * size), (target, arcs)), (size, size * size)) - coo_array(
        (np.ones(size * size), (source, arcs)), (size, size * size)
    )
    identity = eye_array(size)
    balance = bmat([[identity, -moved, -identity, identity]])
    total = bmat([[np.ones((1, size)), coo_array((1, size * size + 2 * size))]])
    costs = np.concatenate([np.zeros(size), cdist(points, points).ravel(), np.full(2 * size, np.sqrt(d))])
    result = linprog(
        costs,
        A_eq=bmat([[balance], [total]]).tocsr(),
        b_eq=np.append(masses, 1.0),
        bounds=(0, None),
        method="highs",
        options=TOLERANCES,
    )
    assert result.status == 0, result.message
    return float(result.fun)
