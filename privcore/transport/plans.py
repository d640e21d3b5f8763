"""Plans in whole numbers: the monotone coupling, and from the places of a problem back to the user's rows."""

from __future__ import annotations

import numpy as np

from privcore.arrays import Ints
from privcore.transport.problem import TOTAL, Problem
from privcore.transport.result import Plan

Flow = tuple[Ints, Ints, Ints]
"""Where from, where to, how many units."""


def couple(left: Ints, right: Ints) -> Flow:
    """Fill the right from the left in the given order (the north-west corner rule); both must have the same sum.

    >>> [part.tolist() for part in couple(np.array([3, 1]), np.array([2, 2]))]
    [[0, 0, 1], [0, 1, 1], [2, 1, 1]]
    """
    ends_left, ends_right = np.cumsum(left), np.cumsum(right)
    ends = np.union1d(ends_left, ends_right)
    units = np.diff(ends, prepend=0)
    ends, units = ends[units > 0], units[units > 0]
    return np.searchsorted(ends_left, ends), np.searchsorted(ends_right, ends), units


def expand(problem: Problem, flow: Flow) -> Plan:
    """The plan between the rows as given, from a flow between the problem's balanced sources and targets."""
    out, into = np.flatnonzero(problem.net > 0), np.flatnonzero(problem.net < 0)
    gain = np.zeros(len(problem.sites), dtype=np.int64)
    np.add.at(gain, problem.left_site, problem.left.units)
    stay = np.minimum(gain, gain - problem.net)
    stays = np.flatnonzero(stay)
    source = np.concatenate([stays, out[flow[0]]])
    target = np.concatenate([stays, into[flow[1]]])
    units = np.concatenate([stay[stays], flow[2]])
    row, piece, units = _spread(problem.left_site, problem.left.units, source, units)
    column, part, units = _spread(problem.right_site, problem.right.units, target[piece], units)
    return Plan(row[part], column, units / TOTAL)


def _spread(site: Ints, units: Ints, place: Ints, flow: Ints) -> Flow:
    """Share the flow at each place among the rows there: (row, flow, units)."""
    rows, flows = np.argsort(site, kind="stable"), np.argsort(place, kind="stable")
    row, piece, units = couple(units[rows], flow[flows])
    return rows[row], flows[piece], units
