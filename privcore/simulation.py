"""Simulation: a seeded run that may hold the truth. It is not private and can never become a release."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd

from privcore.arrays import Bools, Floats, Ints, frozen
from privcore.checks import checked_seed
from privcore.domain import Box, checked_box
from privcore.error_estimate import ErrorEstimate as ErrorEstimate
from privcore.error_estimate import error_estimate as error_estimate
from privcore.errors import InvalidBoxError, InvalidPointsError
from privcore.measure import DiscreteMeasure, Sampling, leaf_measure
from privcore.mechanism import Run, run
from privcore.noise import SeededWords
from privcore.parameters import Parameters
from privcore.projection import Projection, project
from privcore.release import Published
from privcore.transport import W1, wasserstein
from privcore.tree import Tree


@dataclass(frozen=True, eq=False)
class Visits:
    """What happened at every cell the private tree visited: arrays over its nodes, in records. Private.

    `count` c, `penalty` k delta, `margin` max(c - k delta - theta, -delta), `noise` (NaN where nothing was decided: at
    the depth cap and in publicly empty cells) and `split`. A cell splits when margin + noise > 0.
    """

    count: Ints
    penalty: Floats
    margin: Floats
    noise: Floats
    split: Bools


class Simulation:
    """A seeded run with the truth beside it: NOT PRIVATE, and no base class in common with what a `Release` shows.

    Public, as in a `Release`: `box`, `parameters`, `cost`, `tree`, `noisy_counts`, `total`, `noisy_masses`,
    `projection`, `measure`. Private: `points`, `unit_points` (n, d), `true_counts`, `leaf_noise` (leaves,),
    `visits`, `oracle_measure`, and the error with its parts, each exact or certified, in the unit cube, computed
    when first asked for: `w1` <= `w1_resolution` + `w1_privacy` + `w1_spread`, `w1_privacy` <= `w1_noise` +
    `w1_projection`, and a sample of the release is at most `w1` + `w1_sampling(n, seed)` from the data. With persons
    the data are the rows that count, which are `w1_bounding` from all rows.
    """

    deadline: float | None = None
    """The seconds that each W1 may take; what is not exact by then is an interval."""

    def __init__(self, points: Any, box: Box, parameters: Parameters, seed: int, persons: Any = None) -> None:
        self.seed = checked_seed(seed)
        outcome = run(points, box, parameters, SeededWords(self.seed), persons)
        self._outcome: Run = outcome
        self._published = Published(
            box, parameters, outcome.cost, outcome.growth.tree, outcome.noisy_counts, outcome.total
        )
        self.unit_points: Floats = frozen(box.to_unit(outcome.rows, parameters.invalid))
        self._all_points = self.unit_points if persons is None else frozen(box.to_unit(points))
        self.box, self.parameters, self.cost = box, parameters, outcome.cost

    def __repr__(self) -> str:
        return (
            f"Simulation(NOT PRIVATE, n={self.n}, epsilon={self.parameters.epsilon:g}, {len(self.tree.leaves)} leaves)"
        )

    @property
    def n(self) -> int:
        """The number of records that count."""
        return len(self.unit_points)

    @cached_property
    def points(self) -> Floats:
        """The records that count, (n, d): valid rows, clamped to the box, in the user's units."""
        return np.asarray(frozen(self.box.from_unit(self.unit_points)))

    @property
    def tree(self) -> Tree:
        """The private tree."""
        return self._published.tree

    @property
    def noisy_counts(self) -> Floats:
        """The leaves' noisy counts, (leaves,), their public mean noise subtracted."""
        return self._published.noisy_counts

    @property
    def total(self) -> float:
        """The normaliser."""
        return self._published.total

    @property
    def noisy_masses(self) -> Floats:
        """The leaves' masses before the projection, (leaves,)."""
        return self._published.noisy_masses

    @property
    def projection(self) -> Projection:
        """The projection of the noisy masses onto probability measures."""
        return self._published.projection

    @property
    def projected_measure(self) -> DiscreteMeasure:
        """The released masses at the leaves' centres."""
        return self._published.projected_measure

    @property
    def measure(self) -> DiscreteMeasure:
        """The measure that a release with this noise would publish."""
        return self._published.measure

    def to_frame(self) -> pd.DataFrame:
        """The leaf table that a release with this noise would publish, without the truth."""
        return self._published.to_frame()

    @property
    def true_counts(self) -> Ints:
        """The records in each leaf, shape (leaves,)."""
        return self._outcome.true_counts

    @cached_property
    def leaf_noise(self) -> Floats:
        """The noise of each leaf, (leaves,), in records, its public mean subtracted."""
        return np.asarray(frozen(self.noisy_counts - self.true_counts))

    def records_in(self, box: Box) -> int:
        """The number of records in a box of the user's units, its walls included. Raises `InvalidBoxError`.

        >>> simulate([[0.1], [0.6]], Box.unit(1), Parameters(1.0), seed=0).records_in(Box([0.5], [1.0]))
        1
        """
        if checked_box(box).d != self.box.d:
            raise InvalidBoxError(f"The box has {box.d} axes, but the records have {self.box.d}.")
        inside = (self.points >= np.asarray(box.low)) & (self.points <= np.asarray(box.high))
        return int(inside.all(axis=1).sum())

    @cached_property
    def visits(self) -> Visits:
        """Every visited cell with its count, penalty, margin, noise and decision: arrays over the tree's nodes."""
        growth, cost = self._outcome.growth, self.cost
        penalty = growth.tree.depth.astype(np.float64) * cost.delta
        margin: Floats = np.maximum(growth.count - penalty - cost.theta, -cost.delta)
        return Visits(growth.count, penalty, margin, growth.noise, growth.tree.splits)

    @cached_property
    def oracle_measure(self) -> DiscreteMeasure:
        """The true masses on the private tree's representatives: what no noise on the counts would give."""
        masses = self.true_counts / self.n if self.n else np.full(len(self.tree.leaves), 1 / len(self.tree.leaves))
        return leaf_measure(self.box, self.tree, masses)

    @cached_property
    def w1(self) -> W1:
        """W1 between the data and the released measure, in the unit cube."""
        return wasserstein(self._data, self.measure, box=self.box, deadline=self.deadline)

    @cached_property
    def w1_at_most(self) -> float:
        """A bound on `w1` without any transport: every record goes to its leaf's centre, then the masses are balanced.

        W1 <= sum_Q p_Q r_Q + sqrt(d) TV(p, q) + sum_Q q_Q r_Q [spread], with the true masses p, the projected masses q
        and r_Q the largest distance of a point of the cell from its representative. Unit cube.

        >>> run = simulate(np.full((50, 1), 0.3), Box.unit(1), Parameters(1.0), seed=1)
        >>> run.w1.upper <= run.w1_at_most
        True
        """
        tree, centre = self.tree, self.tree.representatives
        reach = np.linalg.norm(np.maximum(tree.leaf_upper - centre, centre - tree.leaf_lower), axis=1)
        p, q = self.oracle_measure.masses, self.projected_measure.masses
        spread = q @ reach if self.parameters.representative == "spread" else 0.0
        return float(p @ reach + np.sqrt(self.box.d) * 0.5 * np.abs(p - q).sum() + spread)

    @cached_property
    def w1_bounding(self) -> W1:
        """What keeping at most `max_rows` rows of a person moves: W1 between all rows and those that count."""
        return wasserstein(self.box.from_unit(self._all_points), self._data, box=self.box, deadline=self.deadline)

    @cached_property
    def w1_resolution(self) -> W1:
        """The resolution part: W1 between the data and the oracle measure."""
        return wasserstein(self._data, self.oracle_measure, box=self.box, deadline=self.deadline)

    @cached_property
    def w1_privacy(self) -> W1:
        """The privacy part: W1 between the oracle measure and the projected one, on the same atoms."""
        return self._between(self.oracle_measure, self.projected_measure)

    @cached_property
    def clipped_measure(self) -> DiscreteMeasure:
        """The noisy masses clipped at the leaves' centres: negative ones to 0, then rescaled to sum 1."""
        masses = project(self.tree.representatives, self.noisy_masses, "clip", self.tree.leaf_volumes).masses
        return leaf_measure(self.box, self.tree, masses)

    @cached_property
    def w1_noise(self) -> W1:
        """The noise part: W1 between the oracle measure and the clipped one, on the same atoms."""
        return self._between(self.oracle_measure, self.clipped_measure)

    @cached_property
    def w1_projection(self) -> W1:
        """What the chosen projection moves beyond clipping: W1 between the clipped measure and the projected one."""
        return self._between(self.clipped_measure, self.projected_measure)

    @cached_property
    def w1_spread(self) -> W1:
        """What spreading moves: W1 between the projected measure and the released one; 0 for centres."""
        return self._between(self.projected_measure, self.measure)

    def w1_sampling(self, n: int, seed: int, method: Sampling = "low-discrepancy") -> W1:
        """What sampling moves: W1 between `n` points of the released measure, drawn inside its cells, and itself.

        Arguments as in `DiscreteMeasure.sample`, n >= 1. Raises `InvalidParametersError`, `InvalidPointsError`.

        >>> run = simulate([[0.5]], Box.unit(1), Parameters(1.0, max_depth=0), seed=1)
        >>> 0.0 < run.w1_sampling(100, seed=1).value < 0.5
        True
        """
        return wasserstein(self.measure.sample(n, seed, method), self.measure, box=self.box)

    def _between(self, first: DiscreteMeasure, second: DiscreteMeasure) -> W1:
        return wasserstein(first.points, second, weights=first.masses, box=self.box, deadline=self.deadline)

    @property
    def _data(self) -> Floats:
        if not self.n:
            raise InvalidPointsError("W1 needs data, but no row is valid. Give at least one row of finite numbers.")
        return self.points


def simulate(points: Any, box: Box, parameters: Parameters, seed: int, persons: Any = None) -> Simulation:
    """Run the mechanism with seeded noise and keep the truth: for teaching and for the data's owner. NOT PRIVATE.

    The same code path as `release`; arguments as there, and a `seed` that makes the run repeatable. Raises
    `InvalidPointsError`, `InvalidParametersError`.

    >>> run = simulate(np.full((50, 2), 0.3), Box.unit(2), Parameters(epsilon=1.0), seed=1)
    >>> int(run.true_counts.sum()), bool(np.allclose(run.noisy_counts - run.leaf_noise, run.true_counts))
    (50, True)
    """
    return Simulation(points, box, parameters, seed, persons)
