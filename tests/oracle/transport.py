"""Independent references for W1: the plain linear program, POT on the full cost matrix, and a
check of a result by its own plan and potentials."""

from __future__ import annotations

import numpy as np
import ot
import pytest
from scipy.optimize import linprog
from scipy.spatial.distance import cdist

from privcore.arrays import Floats
from privcore.transport import W1


def w1_by_linear_program(points: Floats, weights: Floats, atoms: Floats, masses: Floats) -> float:
    """min <pi, C> with both marginals as equations, every pair a variable; tiny cases only."""
    cost = cdist(points, atoms)
    n, m = cost.shape
    rows = np.kron(np.eye(n), np.ones(m))
    columns = np.kron(np.ones(n), np.eye(m))[1:]  # the first follows from the others, up to rounding
    result = linprog(
        cost.ravel(),
        A_eq=np.concatenate([rows, columns]),
        b_eq=np.concatenate([weights / weights.sum(), masses[1:] / masses.sum()]),
        # presolve calls masses of 1e-12 beside masses of 1 infeasible
        options={"presolve": False, "primal_feasibility_tolerance": 1e-10, "dual_feasibility_tolerance": 1e-10},
    )
    assert result.success, result.message
    return float(result.fun)


def w1_by_pot(points: Floats, weights: Floats, atoms: Floats, masses: Floats) -> float:
    """POT's network simplex with its iteration limit raised; its warnings are errors in the tests.

    POT stops at a reduced cost that is small in absolute terms, so it gets costs up to 1.
    """
    cost = cdist(points, atoms)
    unit = float(cost.max()) or 1.0
    return unit * float(ot.emd2(weights / weights.sum(), masses / masses.sum(), cost / unit, numItermax=10**9))


def check_proofs(result: W1, points: Floats, weights: Floats, atoms: Floats, masses: Floats) -> None:
    """The plan has the marginals and the cost, the potentials are feasible and prove the lower bound."""
    rows = np.concatenate([points, atoms])
    extent = float(np.ptp(rows, axis=0).max()) + 1e-300
    assert result.plan is not None
    assert result.potentials is not None
    plan, (f, g) = result.plan, result.potentials
    assert (plan.mass > 0).all()
    assert np.bincount(plan.source, plan.mass, len(points)) == pytest.approx(weights, abs=1e-13)
    assert np.bincount(plan.target, plan.mass, len(atoms)) == pytest.approx(masses, abs=1e-13)
    cost = np.linalg.norm(points[plan.source] - atoms[plan.target], axis=1) @ plan.mass
    assert cost == pytest.approx(result.upper, rel=1e-9, abs=1e-13 * extent)
    assert (f[:, None] + g <= np.linalg.norm(points[:, None] - atoms, axis=2) + 1e-12 * extent).all()
    assert weights @ f + masses @ g == pytest.approx(result.lower, rel=1e-9, abs=1e-12 * extent)
