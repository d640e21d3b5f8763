"""The one way in: validate, reduce, choose a method, translate back."""

from __future__ import annotations

import math
import time
from typing import Any

import numpy as np
import pandas as pd

from privcore.arrays import Floats
from privcore.checks import is_real
from privcore.domain import axis_names, checked_box, columns_of
from privcore.errors import InvalidMeasureError, InvalidParametersError, InvalidPointsError
from privcore.transport.certificate import Solution
from privcore.transport.dense import solve_dense
from privcore.transport.line import solve_line
from privcore.transport.plans import expand
from privcore.transport.potentials import lipschitz
from privcore.transport.problem import Problem, coordinates, masses, problem, side
from privcore.transport.result import W1, Plan
from privcore.transport.watch import Progress, Watch

DENSE_PAIRS = 100_000
"""Up to this many pairs the dense method is used."""


def wasserstein(
    points: Any,
    measure: Any,
    *,
    weights: Any | None = None,
    measure_weights: Any | None = None,
    box: Any | None = None,
    tolerance: float = 1e-9,
    deadline: float | None = None,
    progress: Progress | None = None,
    plan: bool = False,
) -> W1:
    """The 1-Wasserstein distance between weighted points and a discrete measure, as a proved interval.

    W1 = min sum_ij pi_ij |x_i - y_j| over the plans pi with marginals w and q, Euclidean distance.
    `points` is (n, d) with `weights` (n,), 1/n if None; `measure` has `.points` (m, d) and `.masses` (m,), or is
    an (m, d) array with `measure_weights` (m,), 1/m if None. A table is read by the names of the measure's columns,
    where these were given, as a release's are. Masses are >= 0 and sum to 1 within 1e-9; a mass is
    known up to the rounding of float64, so a measure has distance exactly 0 to itself.
    Units: those of the points, or of the unit cube if a `box` is given (both sides go through `box.to_unit`).

    `tolerance` is relative to the upper bound: the result is `exact` when upper - lower <= tolerance x upper. The
    bounds allow for all rounding, which alone leaves them some 1e-14 of the diameter of both sides apart. So at the
    default tolerance a distance below about 5e-5 of the diameter may not be called exact: it is then known to about
    1e-14 of the diameter, and a larger tolerance says so.
    `deadline` is in seconds; `progress(lower, upper)` is called as
    the interval narrows and cancels by returning False. A run that is not stopped is deterministic.
    `plan=True` also returns the transport plan and the potentials.
    Raises `InvalidPointsError`, `InvalidMeasureError`, `InvalidParametersError`. Source: the paper, section 2.

    >>> round(wasserstein([[0.0, 0.0], [1.0, 0.0]], [[0.0, 0.5]]).value, 9)
    0.809016994
    """
    start = time.perf_counter()
    _check(tolerance, deadline, progress)
    reduced = _reduce(points, weights, measure, measure_weights, box)
    until = None if deadline is None else start + deadline
    solution = _solve(reduced, tolerance, until, progress, plan)
    return _result(reduced, solution, tolerance, start, plan)


def _check(tolerance: float, deadline: float | None, progress: Progress | None) -> None:
    if not (is_real(tolerance) and math.isfinite(tolerance) and tolerance >= 0.0):
        raise InvalidParametersError(f"The tolerance is {tolerance!r}. Give a finite number >= 0.")
    if deadline is not None and not (is_real(deadline) and deadline >= 0.0):
        raise InvalidParametersError(f"The deadline is {deadline!r}. Give seconds >= 0, or None for no deadline.")
    if progress is not None and not callable(progress):
        raise InvalidParametersError(f"The progress is {progress!r}. Give a function of the two bounds, or None.")


def _reduce(points: Any, weights: Any | None, measure: Any, measure_weights: Any | None, box: Any | None) -> Problem:
    if box is not None:
        checked_box(box)
    if hasattr(measure, "measure"):
        raise InvalidMeasureError(f"That is a {type(measure).__name__}. Give its measure, `.measure`.")
    atoms, mass = measure, measure_weights
    if hasattr(measure, "masses"):
        if measure_weights is not None:
            raise InvalidMeasureError("The measure has its own masses. Leave `measure_weights` out.")
        atoms, mass = measure.points, measure.masses
        points = _in_order(points, getattr(measure, "names", None), box)
    left = coordinates(points, "points", box, weights is not None)
    right = coordinates(atoms, "atoms", box, mass is not None)
    if left.shape[1] != right.shape[1]:
        raise InvalidPointsError(
            f"The points have {left.shape[1]} coordinates and the atoms {right.shape[1]}. Give both the same number."
        )
    return problem(side(left, masses(weights, len(left), "points")), side(right, masses(mass, len(right), "atoms")))


def _in_order(points: Any, names: tuple[str, ...] | None, box: Any | None) -> Any:
    """The columns of a table that the measure was given names for, unless the box chooses them."""
    if not isinstance(points, pd.DataFrame) or (box is not None and box.names is not None):
        return points
    return points if names is None or names == axis_names(len(names)) else columns_of(points, names)


def _solve(reduced: Problem, tolerance: float, until: float | None, progress: Progress | None, plan: bool) -> Solution:
    balanced = reduced.balanced
    n, m = len(balanced.supply), len(balanced.demand)
    if n == 0:
        nothing = np.zeros(0, dtype=np.int64)
        return Solution(0.0, 0.0, "equal", (nothing, nothing, nothing), np.zeros(0))
    if balanced.sources.shape[1] == 1:
        return solve_line(balanced, plan)
    if n * m <= DENSE_PAIRS:
        return solve_dense(balanced)
    # numba is heavy, so it is loaded where it is needed
    from privcore.transport.certified import solve_certified

    watch = Watch(until, progress, reduced.scale, reduced.slack * reduced.scale)
    return solve_certified(balanced, tolerance, watch, plan)


def _result(reduced: Problem, solution: Solution, tolerance: float, start: float, plan: bool) -> W1:
    lower, upper = solution.lower, solution.upper
    if solution.method != "equal":
        lower, upper = max(0.0, lower - reduced.slack), upper + reduced.slack
    proofs = _proofs(reduced, solution) if plan else (None, None)
    seconds = time.perf_counter() - start
    exact = bool(upper - lower <= tolerance * upper)
    return W1(float(lower * reduced.scale), float(upper * reduced.scale), exact, solution.method, seconds, *proofs)


def _proofs(reduced: Problem, solution: Solution) -> tuple[Plan, tuple[Floats, Floats]]:
    assert solution.flow is not None
    assert solution.prices is not None
    balanced = reduced.balanced
    if solution.mirrored:
        heights = -lipschitz(reduced.sites, balanced.sources, solution.prices) * reduced.scale
    else:
        heights = lipschitz(reduced.sites, balanced.targets, solution.prices) * reduced.scale
    return expand(reduced, solution.flow), (heights[reduced.left_site], -heights[reduced.right_site])
