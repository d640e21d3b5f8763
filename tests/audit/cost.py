"""T1, T2: what the parameters state and spend, against exact oracles. Nothing is random here."""

from __future__ import annotations

from decimal import Decimal, localcontext

import numpy as np

from privcore.arrays import Floats
from privcore.parameters import Parameters
from tests.audit.cases import Case
from tests.audit.engine import DEEP
from tests.audit.statistics import expect
from tests.oracle.cost import exact_cost, worst_path
from tests.oracle.law import Partition

LONGEST = 150
"""The largest count on a path of T1."""


def t1(case: Case) -> None:
    """The stated cost is at least that of every path of counts; with the leaves' rates it is at most epsilon.

    The closed form, to 50 digits, is what a dynamic programme over all non-increasing paths of counts up to 150 comes
    close to and never passes.
    """
    epsilon, cost = case.parameters.epsilon, case.parameters.cost(case.d)
    with localcontext() as context:
        context.prec = 60
        removed, added = exact_cost(cost.lam, cost.delta), 1 / Decimal(cost.lam)
        a, b = Decimal(cost.a), Decimal(cost.b)
        if case.parameters.neighbours == "add-remove":
            tree, total = removed, max(removed + a, added + b)
        else:
            tree, total = removed + added, removed + added + a + b
        expect(Decimal(cost.tree) >= tree, f"T1 {case}: the tree costs {tree:.15f}, stated is {cost.tree!r}")
        expect(total <= Decimal(epsilon), f"T1 {case}: {total:.15f} is spent of {epsilon}")
        expect(Decimal(cost.total) >= total, f"T1 {case}: {total:.15f} is spent, stated is {cost.total!r}")
    expect(cost.total <= epsilon, f"T1 {case}: the stated total {cost.total!r} passes epsilon = {epsilon}")
    offsets = (cost.theta, (LONGEST - 1) % cost.delta)  # the second ends a path of equal counts at its dearest margin
    paths = [worst_path(cost.lam, cost.delta, theta, LONGEST) for theta in offsets]
    closed = float(removed)
    expect(max(paths) <= closed * (1 + 1e-12), f"T1 {case}: a path costs {max(paths)}, the closed form is {closed}")
    expect(paths[1] >= closed * (1 - 1e-4), f"T1 {case}: the closed form is {closed}, but no path passes {paths[1]}")


def t2(case: Case) -> None:
    """No tree tells neighbours apart by more than the tree's cost, nor a tree with its leaves by more than epsilon.

    All 677 shapes of the first four levels, for small data sets with every neighbour that has one record more in a
    cell of depth 4, or that record elsewhere: the largest log ratio of exact probabilities.
    """
    parameters, cost = case.parameters, case.parameters.cost(case.d)
    epsilon, shift = parameters.epsilon, some_shift(parameters, case.d)
    places = _places(case.d)
    for rows in (case.unit[:0], case.unit[:3], case.unit, np.repeat(places[:1], 6, axis=0)):
        base = _log_law(rows, shift, case)
        possible = np.isfinite(base)
        base = base[possible]
        more = np.stack([_log_law(np.vstack([rows, x]), shift, case)[possible] for x in places])
        if parameters.neighbours == "add-remove":
            _at_most(case, "removing a record: the tree", more - base, cost.tree)
            _at_most(case, "adding a record: the tree", base - more, cost.tree_added)
            _at_most(case, "removing a record", more - base + cost.a, epsilon)
            _at_most(case, "adding a record", base - more + cost.b, epsilon)
            continue
        partition = Partition(rows, DEEP, shift)
        leaf = np.stack([partition.leaf_of(x.tolist())[possible] for x in places])
        for i in range(len(places)):
            moved = more[i] - more
            _at_most(case, "replacing a record: the tree", moved, cost.tree)
            _at_most(case, "replacing a record", moved + (cost.a + cost.b) * (leaf[i] != leaf), epsilon)


def some_shift(parameters: Parameters, d: int) -> tuple[float, ...] | None:
    """The shift that is set, or one that might be drawn."""
    if isinstance(parameters.shift, tuple):
        return parameters.shift
    return (0.375, 0.8125, 0.0625)[:d] if parameters.shift == "random" else None


def _at_most(case: Case, what: str, losses: Floats, bound: float) -> None:
    expect(losses.max() <= bound + 1e-11, f"T2 {case}: {what} costs {losses.max()}, stated is {bound}")


def _log_law(rows: Floats, shift: tuple[float, ...] | None, case: Case) -> Floats:
    cost = case.parameters.cost(case.d)
    law = Partition(rows, DEEP, shift).law(cost.theta, cost.delta, cost.lam, case.parameters.max_depth)
    return np.log(law, out=np.full(len(law), -np.inf), where=law > 0)


def _places(d: int) -> Floats:
    """The centres of a grid that has a point in every cell of depth 4 of the unit cube, (places, d)."""
    halved = [DEEP // d + (axis < DEEP % d) for axis in range(d)]
    axes = [(np.arange(2**k) + 0.5) / 2**k for k in halved]
    return np.stack([grid.ravel() for grid in np.meshgrid(*axes, indexing="ij")], axis=1)
