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
    ends = np.sort(np.concatenate([ends_left, ends_right]), kind="stable")
    units = np.diff(ends, prepend=0)
    ends, units = ends[units > 0], units[units > 0]
    return np.searchsorted(ends_left, ends), np.searchsorted(ends_right, ends), units


def expand(problem: Problem, flow: Flow) -> Plan:
    """The plan between the rows as given, from a flow between the problem's balanced sources and targets."""
    out, into = np.flatnonzero(problem.net > 0), np.flatnonzero(problem.net < 0)
    gain = _sums(problem.left_site, problem.left.units, len(problem.sites))
    stay = np.minimum(gain, gain - problem.net)
    stays = np.flatnonzero(stay)
    source = np.concatenate([stays, out[flow[0]]])
    target = np.concatenate([stays, into[flow[1]]])
    units = np.concatenate([stay[stays], flow[2]])
    row, piece, units = _spread(problem.left_site, problem.left.units, source, units)
    column, part, units = _spread(problem.right_site, problem.right.units, target[piece], units)
    return Plan(row[part], column, units / TOTAL)


def fitted(flow: Flow, supply: Ints, demand: Ints) -> Flow:
    """The flow with exactly these marginals, when rounding has put it a few units off.

    What is above a marginal comes off the largest pieces, what is left on both sides is coupled in order.
    """
    source, target, units = flow[0], flow[1], flow[2].copy()
    for rows, limit in ((source, supply), (target, demand)):
        while (excess := _sums(rows, units, len(limit)) - limit).max() > 0:
            order = np.lexsort((-units, rows))
            largest = order[np.unique(rows[order], return_index=True)[1]]
            units[largest] -= np.clip(excess[rows[largest]], 0, units[largest])
    more = couple(supply - _sums(source, units, len(supply)), demand - _sums(target, units, len(demand)))
    some = units > 0
    return (
        np.concatenate([source[some], more[0]]),
        np.concatenate([target[some], more[1]]),
        np.concatenate([units[some], more[2]]),
    )


def direct(flow: Flow, relays: Flow, m: int) -> Flow:
    """Replace relays between targets by what goes over them: from where it came straight to where it ends.

    The relays must have no cycle; a target is handled when all that comes to it over relays has come.
    """
    source, place, units = flow
    some = relays[2] > 0
    tail, head, amount = relays[0][some], relays[1][some], relays[2][some]
    waiting = np.bincount(head, minlength=m)
    while len(tail):
        ready = waiting[tail] == 0
        order = np.argsort(tail[ready], kind="stable")
        out, into, wanted = tail[ready][order], head[ready][order], amount[ready][order]
        here = np.zeros(m, dtype=bool)
        here[out] = True
        chosen = np.flatnonzero(here[place])
        chosen = chosen[np.argsort(place[chosen], kind="stable")]
        arrived = _sums(place[chosen], units[chosen], m)
        sent = _within(out, wanted, arrived)
        stay = np.unique(out)
        kept = arrived[stay] - _sums(out, sent, m)[stay]
        slots = np.argsort(np.concatenate([out, stay]), kind="stable")
        piece, slot, moved = couple(units[chosen], np.concatenate([sent, kept])[slots])
        ends = np.concatenate([into, stay])[slots]
        rest = ~here[place]
        source = np.concatenate([source[rest], source[chosen][piece]])
        place = np.concatenate([place[rest], ends[slot]])
        units = np.concatenate([units[rest], moved])
        np.subtract.at(waiting, into, 1)
        tail, head, amount = tail[~ready], head[~ready], amount[~ready]
    return source, place, units


def _within(group: Ints, wanted: Ints, limit: Ints) -> Ints:
    """What each of the sorted groups can send one after the other without exceeding its limit."""
    ends = np.cumsum(wanted)
    first = np.unique(group, return_index=True)[1]
    before = np.repeat(ends[first] - wanted[first], np.diff(first, append=len(group)))
    ends = np.minimum(ends - before, limit[group])
    starts = np.concatenate([[0], ends[:-1]])
    starts[first] = 0
    return np.asarray(ends - starts)


def _sums(index: Ints, units: Ints, count: int) -> Ints:
    total = np.zeros(count, dtype=np.int64)
    np.add.at(total, index, units)
    return total


def _spread(site: Ints, units: Ints, place: Ints, flow: Ints) -> Flow:
    """Share the flow at each place among the rows there: (row, flow, units)."""
    rows, flows = np.argsort(site, kind="stable"), np.argsort(place, kind="stable")
    row, piece, units = couple(units[rows], flow[flows])
    return rows[row], flows[piece], units
