"""T8, T9: two neighbouring data sets, judged from outside: epsilon is all that is known of the mechanism."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from privcore.arrays import Bools
from privcore.domain import Box
from privcore.release import Release
from tests.audit.cases import Pair
from tests.audit.engine import Runs
from tests.audit.interference import release_of
from tests.audit.statistics import ALPHA, expect, log_ratio_bound

Views = dict[str, Any]
"""Named summaries of what is public: one value a run."""


def t8(pair: Pair, first: Runs, second: Runs) -> None:
    """Events fixed in advance and their opposites: no log ratio is certainly beyond epsilon, either way."""
    seen = [np.array([event.sum() for event in _events(runs)]) for runs in (first, second)]
    one, other = (np.concatenate([k, len(runs) - k]) for k, runs in zip(seen, (first, second), strict=True))
    alpha, sizes = ALPHA / (2 * len(one)), (len(first), len(second))
    both_ways = log_ratio_bound(one, other, sizes, alpha), log_ratio_bound(other, one, sizes[::-1], alpha)
    largest = float(np.max(both_ways))
    expect(largest <= pair.epsilon, f"T8 {pair}: a log ratio is at least {largest:.3f}, epsilon is {pair.epsilon}")


def _events(runs: Runs) -> list[Bools]:
    leaves, sums, leaf = runs.leaves(), runs.sums(), runs.leaf(0)
    events = [leaves == 1, leaves >= 3, leaves >= 5, runs.leaf(1) > 0]
    for least in (-4, -2, 0, 1, 2, 4, 6, 9):
        events += [leaf >= least, sums >= least, (leaves == 1) & (leaf >= least), (leaves > 1) & (sums >= least)]
    return events


def t9(pair: Pair, first: Runs, second: Runs) -> None:
    """The event that tells the data sets apart best on one half of the runs is tested on the other half."""
    _black_box(f"T9 {pair}", _views(first), _views(second), pair.epsilon)


def _views(runs: Runs) -> Views:
    leaf, next_leaf = (np.clip(runs.leaf(rank), -12, 12) for rank in range(2))
    return {
        "tree": runs.deep,
        "sum": np.clip(runs.sums(), -20, 20),
        "tree, leaf": runs.shallow * 100 + leaf,
        "tree, leaves": (runs.shallow * 100 + leaf // 3) * 100 + next_leaf // 3,
    }


def t9_releases(seed: int, count: int = 200) -> None:
    """The same on what real releases of neighbours show beside the noisy counts: an atom, the total, the shift."""
    rows = np.array([[0.3, 0.3], [0.3, 0.3], [0.35, 0.2]])
    dials: dict[str, Any]
    for dials in ({"max_depth": 1}, {"max_depth": 0, "shift": "random"}):
        views = []
        for data, start in ((rows, seed), (rows[:-1], seed + count)):
            shown = [_shown(release_of(data, Box.unit(2), dials, start + roll)) for roll in range(count)]
            views.append({name: np.array([each[name] for each in shown]) for name in shown[0]})
        _black_box(f"T9 releases {dials}", *views, epsilon=1.0)


def _shown(made: Release) -> dict[str, str]:
    shift = None if made.tree.shift is None else made.tree.shift.round(3).tolist()
    return {
        "first atom": str(made.measure.points[0].round(3)),
        "total": f"{made.total:.6g}",
        "public total": str(made.public_total),
        "shift": str(shift),
    }


def _black_box(what: str, first: Views, second: Views, epsilon: float) -> None:
    """Values ordered by their likelihood ratio: of all unions of the first few, the best one in training is tested."""
    best, event, seen, sizes = -math.inf, "", (0, 0), (1, 1)
    for name in first:
        values, place = np.unique(np.concatenate([first[name], second[name]]), return_inverse=True)
        train, test = [], []
        for part in np.split(place, [len(first[name])]):
            for into, half in zip((train, test), np.array_split(part, 2), strict=True):
                into.append(np.bincount(half, minlength=len(values)))
        for way in (1, -1):
            (one, other), (one_held, other_held) = train[::way], test[::way]
            order = np.argsort((other + 0.5) / (one + 0.5), kind="stable")
            trained = (int(one.sum()), int(other.sum()))
            bounds = log_ratio_bound(np.cumsum(one[order]), np.cumsum(other[order]), trained, 0.01)
            if bounds.max() > best:
                chosen = order[: int(bounds.argmax()) + 1]
                best, event = float(bounds.max()), name
                seen = int(one_held[chosen].sum()), int(other_held[chosen].sum())
                sizes = int(one_held.sum()), int(other_held.sum())
    found = float(log_ratio_bound(*seen, sizes, ALPHA))
    expect(found <= epsilon, f"{what}: an event of `{event}` has log ratio {found:.3f} or more, epsilon is {epsilon}")
