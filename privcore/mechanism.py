"""The mechanism, step by step: the one code path that releases and simulations share.

points -> keys -> private tree -> leaf counts -> leaf noise. The word source is the only thing that differs. Where
the unit of protection is a person, a choice of each person's rows comes first.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from privcore.accounting import Cost
from privcore.arrays import Floats, Ints
from privcore.cells import CellCounts
from privcore.domain import Box, checked_box
from privcore.noise import WordSource, two_rate, uniforms
from privcore.parameters import Parameters, checked_parameters
from privcore.persons import checked_numbers, kept_rows
from privcore.tree import Growth, privtree


@dataclass(frozen=True, eq=False)
class Run:
    """Everything one run of the mechanism saw: private, but for the tree, the noisy counts and the public total.

    `rows` are those that count: all that were given, or the chosen ones of each person.
    """

    cost: Cost
    growth: Growth
    noisy_counts: Ints
    total: float | None
    rows: Floats

    @property
    def true_counts(self) -> Ints:
        """The records in each leaf, shape (leaves,)."""
        return self.growth.count[self.growth.tree.leaves]


def run(points: Any, box: Box, parameters: Parameters, source: WordSource, persons: Any = None) -> Run:
    """Draw the shift, grow the tree, add noise to the leaf counts: integers, before their public mean is subtracted.

    `persons`: a label a row, exactly when the parameters have `max_rows`; then at most that many rows of each count.
    Raises `InvalidPointsError`, `InvalidBoxError` or `InvalidParametersError`, before any word is drawn. Source: the
    paper, sections 3, 5 and 6.

    >>> from privcore.noise import SeededWords
    >>> run([[0.5]], Box.unit(1), Parameters(1.0), SeededWords(0)).true_counts.sum()
    np.int64(1)
    """
    cost = checked_parameters(parameters).cost(checked_box(box).d)
    rows = box.rows(points)
    numbers = checked_numbers(persons, parameters.max_rows, len(rows))
    shift = draw_shift(parameters, box.d, source)
    if numbers is not None:
        rows = rows[kept_rows(np.where(box.valid(rows), numbers, -1), parameters.max_rows or 1, source)]
    counts = CellCounts(rows, box, shift, parameters.invalid)
    growth = privtree(counts, cost.theta, cost.delta, cost.lam, source, parameters.max_depth)
    noise = two_rate(cost.a, cost.b, len(growth.tree.leaves), source)
    public_rows = parameters.neighbours == "replace-one"
    total = float(max(len(rows), 1)) if public_rows else parameters.total
    return Run(cost, growth, growth.count[growth.tree.leaves] + noise, total, rows)


def draw_shift(parameters: Parameters, d: int, source: WordSource) -> tuple[float, ...] | None:
    """The public shift of a run, drawn before the data is looked at; None without one.

    >>> draw_shift(Parameters(1.0), 2, None) is None
    True
    """
    if parameters.shift == "none":
        return None
    if parameters.shift == "random":
        return tuple(float(u) for u in uniforms(d, source))
    return tuple(float(u) for u in np.asarray(parameters.shift))
