"""From what the user gives to a balanced transport problem in whole numbers.

Masses become integers that sum to `TOTAL`, equal places are merged, and mass that both sides have at the same
place is cancelled. Cancelling is free for W1: by the triangle inequality the distance depends on the difference
of the two measures only.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from privcore.arrays import Floats, Ints
from privcore.checks import as_floats
from privcore.errors import InvalidMeasureError, InvalidPointsError

TOTAL = 2**60
"""The whole mass of a side, in units: small enough that sums and differences never overflow int64."""

SUM_TOLERANCE = 1e-9
"""How far the masses of a side may sum from 1."""


@dataclass(frozen=True)
class Side:
    """One side as given: `points` (n, d), `units` (n,) int64 >= 0 with the sum TOTAL, and the sum of
    |mass - units / TOTAL| over the rows."""

    points: Floats
    units: Ints
    rounding: float


@dataclass(frozen=True)
class Balanced:
    """Ship `supply` (n,) at `sources` (n, d) to `demand` (m,) at `targets` (m, d); positive int64 of equal sums."""

    sources: Floats
    supply: Ints
    targets: Floats
    demand: Ints

    @property
    def fraction(self) -> float:
        """The share of a whole side's mass that is left to ship."""
        return int(self.supply.sum()) / TOTAL

    def swapped(self) -> Balanced:
        """The same problem with its sides exchanged."""
        return Balanced(self.targets, self.demand, self.sources, self.supply)


@dataclass(frozen=True)
class Problem:
    """Both sides on their common places.

    `sites` (s, d) are the different places, divided by `scale` (a power of 2) so that their extent is about 1;
    `left_site` (n,) and `right_site` (m,) map the rows of the sides to them; `net` (s,) is supply minus demand.
    `diameter` bounds the distance of two sites; `rounding` bounds |mass - units / TOTAL| summed over both sides.
    """

    sites: Floats
    scale: float
    left: Side
    right: Side
    left_site: Ints
    right_site: Ints
    net: Ints
    diameter: float
    rounding: float

    @property
    def slack(self) -> float:
        """How far rounding the masses to units can move the distance."""
        return 0.5 * self.diameter * self.rounding

    @property
    def balanced(self) -> Balanced:
        """What is left to ship after cancelling."""
        out, into = self.net > 0, self.net < 0
        return Balanced(self.sites[out], self.net[out], self.sites[into], -self.net[into])


def coordinates(values: Any, what: str, box: Any | None, weighted: bool) -> Floats:
    """The rows as finite float64 of shape (n, d), mapped to the unit cube if a box is given."""
    rows = _rows(values, what) if box is None else np.asarray(box.to_unit(values), dtype=np.float64)
    if box is not None and weighted and len(rows) != len(values):
        raise InvalidPointsError(
            f"{len(values) - len(rows)} of the {what} hold NaN or an infinity, and their mass would be lost. "
            "Remove these rows and their weights first."
        )
    if len(rows) == 0:
        raise InvalidPointsError(f"There are no valid {what}. W1 needs at least one on each side.")
    return rows + 0.0


def masses(values: Any | None, count: int, what: str) -> Floats:
    """The masses of a side, shape (count,): uniform if None; they must be >= 0 and sum to 1."""
    if values is None:
        return np.full(count, 1.0 / count)
    refusal = InvalidMeasureError(f"The masses of the {what} are not all numbers. Give one number a row.")
    array = as_floats(values, refusal)
    if array.shape != (count,):
        raise InvalidMeasureError(
            f"The masses of the {what} have shape {array.shape}, but there are {count} rows. Give shape ({count},)."
        )
    if not np.isfinite(array).all() or (array < 0).any():
        row = int(np.flatnonzero(~(np.isfinite(array) & (array >= 0)))[0])
        raise InvalidMeasureError(f"The mass of row {row} of the {what} is {array[row]}. Masses must be >= 0.")
    total = math.fsum(array)
    if abs(total - 1.0) > SUM_TOLERANCE:
        raise InvalidMeasureError(f"The masses of the {what} sum to {total!r}, not 1. Divide them by their sum.")
    return array


def side(points: Floats, mass: Floats) -> Side:
    """Round masses to units; what is left is spread evenly over the rows of positive mass."""
    total = math.fsum(mass)
    scaled = mass * (TOTAL / total)
    units = np.rint(scaled).astype(np.int64)
    positive = np.flatnonzero(units)
    every, some = divmod(TOTAL - int(units.sum()), len(positive))
    units[positive] += every
    units[positive[np.argsort(-units[positive], kind="stable")[:some]]] += 1
    rounding = float(np.abs(scaled - units).sum()) / TOTAL + (0.0 if total == 1.0 else 2.0**-51)
    return Side(points, units, rounding)


def problem(left: Side, right: Side) -> Problem:
    """Merge equal places and cancel the mass that both sides have there."""
    rows = np.concatenate([left.points, right.points])
    low, high = rows.min(axis=0), rows.max(axis=0)
    with np.errstate(over="ignore"):
        extent = float((high - low).max())
    if not np.isfinite(extent):
        raise InvalidPointsError("The coordinates span more than float64 can hold. Rescale both sides first.")
    scale = math.ldexp(1.0, min(max(math.frexp(extent)[1], -1021), 1023)) if extent > 0 else 1.0
    site, first = _sites(rows)
    sites = rows[first] / scale
    n = len(left.points)
    gain = _per_site(site[:n], left.units, len(sites))
    loss = _per_site(site[n:], right.units, len(sites))
    net = gain - loss
    if (np.abs(net) <= _noise(gain)).all():
        net[:] = 0
    diameter = float(np.linalg.norm((high - low) / scale))
    return Problem(sites, scale, left, right, site[:n], site[n:], net, diameter, left.rounding + right.rounding)


def _rows(values: Any, what: str) -> Floats:
    refusal = InvalidPointsError(f"The {what} are not all numbers. Give an (n, d) array of numbers.")
    array = as_floats(values, refusal)
    if array.ndim == 1:
        array = array[:, None]
    if array.ndim != 2 or array.shape[1] == 0:
        raise InvalidPointsError(f"The {what} have shape {array.shape}. Give an (n, d) array with d >= 1.")
    if not np.isfinite(array).all():
        row = int(np.flatnonzero(~np.isfinite(array).all(axis=1))[0])
        raise InvalidPointsError(f"Row {row} of the {what} holds NaN or an infinity. Remove it, or give a box.")
    return array


def _sites(rows: Floats) -> tuple[Ints, Ints]:
    """For each row the number of its place, and for each place one row."""
    order = np.lexsort(rows.T[::-1])
    new = np.ones(len(rows), dtype=bool)
    new[1:] = (rows[order[1:]] != rows[order[:-1]]).any(axis=1)
    site = np.empty(len(rows), dtype=np.int64)
    site[order] = np.cumsum(new) - 1
    return site, order[new]


def _per_site(site: Ints, units: Ints, count: int) -> Ints:
    total = np.zeros(count, dtype=np.int64)
    np.add.at(total, site, units)
    return total


def _noise(units: Ints) -> Floats:
    """Differences that the rounding of float64 masses explains: c / n is not c times 1 / n."""
    return np.asarray(4.0 + units * 2.0**-50, dtype=np.float64)
