"""The intrinsic dimension of a data set or a measure, at the scales that a release of its size can see."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final, Literal

import numpy as np
from scipy.spatial import cKDTree

from privcore.arrays import Bools, Floats, frozen
from privcore.checks import as_floats, is_real
from privcore.dimension.cells import OccupiedCells, occupied_cells
from privcore.dimension.covering import STEPS_PER_OCTAVE, CoveringNumbers, covering_numbers, different_rows
from privcore.domain import Box, checked_box
from privcore.errors import InvalidMeasureError, InvalidParametersError

Verdict = Literal["tells", "one place", "few scales", "wide band"]

FEWEST_BALLS: Final = 6
"""Fewer balls than that say where the set lies, not how it fills space."""
POINTS_PER_BALL: Final = 20
"""With fewer points than that in a ball, the balls count points instead of covering the set they come from."""
FEWEST_STEPS: Final = 11
"""Fewer radii than a factor 2^(11/4) spans show how the set is bent and bounded, not its dimension."""
WIDEST_BAND: Final = 1.0
MARGIN: Final = 0.3
"""What a slope over one octave may be wrong by for no reason of the set."""
LEAST_MARGIN: Final = 0.07
NEIGHBOURS: Final = 16
SHIFTS: Final = 8


@dataclass(frozen=True)
class Dimension:
    """How a set fills space between the cube's size and the cut-off r*, where N(S, r*) is about eps n.

    `s` is the slope of ln N against ln 1/r over the finer half of `window` = (fine, coarse), the radii that tell
    something; `band` = (low, high) is where the dimension of the set behind the points may be; `constant` is the least
    A for which the measured bounds prove N(S, r) <= A r^-s for all r* <= r <= 1. All are NaN where there is no window.
    `cut_off` = (lower, upper) contains r*. It belongs to `target` = min(eps n, half the different points), at least 2:
    beyond that, N counts points. `slope` (k,) is the local slope at each radius of `covering`, over one octave around.
    `verdict` says whether there are points enough.
    """

    covering: CoveringNumbers
    cells: OccupiedCells
    shifted_cells: OccupiedCells
    slope: Floats
    effective_size: float
    target: float
    cut_off: tuple[float, float]
    window: tuple[float, float]
    s: float
    constant: float
    band: tuple[float, float]
    verdict: Verdict

    def __repr__(self) -> str:
        """Without the arrays."""
        low, high = self.band
        return f"Dimension(s={self.s:.4g}, band=({low:.4g}, {high:.4g}), verdict={self.verdict!r})"

    @property
    def tells(self) -> bool:
        """Whether there are enough points to tell the dimension."""
        return self.verdict in ("tells", "one place")

    def curve(self, radius: Any) -> Floats:
        """The bound A r^-s, shape of `radius`; proved for r* <= r <= 1."""
        return np.asarray(self.constant * np.asarray(radius, dtype=np.float64) ** -self.s)


def dimension(
    points: Any, box: Box, effective_size: float, *, weights: Any = None, finest: float = 0.0, seed: int = 0
) -> Dimension:
    """Estimate the intrinsic dimension of points (n, d), or of the atoms of a measure with positive `weights` (n,).

    `effective_size` is eps n, the effective private sample size; `finest` is the finest radius to look at, in the unit
    cube, as all radii are; `seed` draws the shifts of `shifted_cells`. The result shows the data, so it may not be
    released, unless it is computed on a released measure: on its atoms, because a sample fills its cells.

    The band is the spread of the slope over the window and its halves, widened by what the border of the set (r/L for a
    set of extent L) and the distance between points ((N/n)^(1/s)/2) take from a slope; a part of the set that is much
    thinner than the rest looks like one of lower dimension. It is no confidence interval: over the generated clouds, on
    which it was tuned, it held the known dimension in 288 of the 297 cases that it can tell
    (`python -m tests.bench.dimension bands`); the city was the worst, 0.31 below. Raises `InvalidParametersError`,
    `InvalidMeasureError`, `InvalidPointsError`. Source: the paper, sections 1, 2.4 and 6.

    >>> grid = np.stack(np.meshgrid(np.arange(100), np.arange(100)), axis=-1).reshape(-1, 2)
    >>> found = dimension(grid, Box([0, 0], [99, 99]), 10_000)
    >>> found.verdict, found.band[0] < 2.0 <= found.band[1]
    ('tells', True)
    """
    if not (is_real(effective_size) and effective_size > 0.0):
        raise InvalidParametersError(f"effective_size is {effective_size!r}. Give eps n, which is more than 0.")
    unit = different_rows(_support(points, box, weights))
    if len(unit) == 0:
        raise InvalidMeasureError("There is no point with positive mass, so there is no dimension to measure.")
    target = max(2.0, min(effective_size, len(unit) / 2.0))  # one ball says nothing of a slope
    covering = covering_numbers(unit, enough=target, finest=finest)
    seen = _window(covering, target)
    s, band = _slopes(covering, seen, _extent(unit))
    if seen.sum() > FEWEST_STEPS:  # with fewer nobody can tell, and in ten axes neighbours are slow to find
        band = _raised(band, _band_of_the_denser_half(unit, target, finest))
    band = (float(min(band[0], box.d)), float(min(band[1], box.d)))  # no set in d dimensions has more than d
    cut_off = _cut_off(covering, target)
    radii = covering.radius[seen]
    return Dimension(
        covering=covering,
        cells=occupied_cells(unit),
        shifted_cells=occupied_cells(unit, shifts=SHIFTS, seed=seed),
        slope=frozen(_local_slope(covering)),
        effective_size=float(effective_size),
        target=target,
        cut_off=cut_off,
        window=(float(radii[-1]), float(radii[0])) if len(radii) else (np.nan, np.nan),
        s=s,
        constant=_constant(covering, s, cut_off[0]),
        band=band,
        verdict=_verdict(covering, radii, band),
    )


def _band_of_the_denser_half(unit: Floats, target: float, finest: float) -> tuple[float, float]:
    """The band of those points that have the nearest neighbours.

    Where a crowd thins out, balls run out of points one place after another, which flattens the slope of the whole.
    """
    distance = np.asarray(cKDTree(unit).query(unit, k=[min(NEIGHBOURS, len(unit))])[0])[:, 0]
    dense = unit[distance <= np.median(distance)]
    covering = covering_numbers(dense, enough=target / 2.0, finest=finest)
    return _slopes(covering, _window(covering, target / 2.0), _extent(dense))[1]


def _raised(band: tuple[float, float], dense: tuple[float, float]) -> tuple[float, float]:
    """Raise the upper end by twice what the denser half is above the whole: its own denser half would be above it."""
    return band[0], band[1] + float(np.fmax(0.0, 2.0 * (dense[1] - band[1])))


def _support(points: Any, box: Box, weights: Any) -> Floats:
    rows = checked_box(box).rows(points)
    kept = box.valid(rows)
    if weights is not None:
        refusal = InvalidMeasureError("The weights must be one number >= 0 for each point.")
        mass = as_floats(weights, refusal)
        if mass.shape != (len(rows),) or not (mass >= 0.0).all():
            raise refusal
        kept = kept & (mass > 0.0)
    return box.to_unit(rows[kept])


def _extent(unit: Floats) -> float:
    return float(np.ptp(unit, axis=0).max())


def _window(covering: CoveringNumbers, target: float) -> Bools:
    most = min(target, covering.distinct / POINTS_PER_BALL)
    return np.asarray((covering.upper >= FEWEST_BALLS) & (covering.upper <= most))


def _slopes(covering: CoveringNumbers, seen: Bools, extent: float) -> tuple[float, tuple[float, float]]:
    """The slope over the finer half of the window, and the band around it."""
    if covering.upper[-1] == 1:
        return 0.0, (0.0, 0.0)
    if seen.sum() < 3:
        return np.nan, (np.nan, np.nan)
    octaves = np.log2(1.0 / covering.radius[seen])
    sizes = np.log2(covering.upper[seen])
    half = len(octaves) // 2
    middle = octaves[half]
    whole = _line(octaves, sizes)
    coarse = _line(octaves[: half + 1], sizes[: half + 1])
    fine = _line(octaves[half:], sizes[half:])
    s = fine if len(octaves) - half > FEWEST_STEPS // 2 else whole
    trend = abs(fine - coarse)
    margin = max(LEAST_MARGIN, MARGIN / float(octaves[-1] - octaves[0]))
    highest = max(whole, coarse, fine, fine + trend)
    lowest = max(0.0, min(whole, coarse, fine, fine - trend) - margin)
    # A cube of side L holds about (1 + L/r)^s balls; points at a distance delta part balls by r + delta instead of r.
    border = 2.0**-middle / extent
    grain = 0.5 * (2.0 ** sizes[half] / covering.distinct) ** (1.0 / max(highest, 0.5))
    return s, (lowest, highest * (1.0 + border) * (1.0 + grain) + margin)


def _line(x: Floats, y: Floats) -> float:
    """The slope of the least-squares line."""
    centred = x - x.mean()
    return float((centred * y).sum() / (centred * centred).sum())


def _local_slope(covering: CoveringNumbers) -> Floats:
    half = STEPS_PER_OCTAVE // 2
    sizes = np.log2(covering.upper)
    place = np.arange(len(sizes))
    finer, coarser = np.minimum(place + half, len(sizes) - 1), np.maximum(place - half, 0)
    return np.asarray((sizes[finer] - sizes[coarser]) * STEPS_PER_OCTAVE / np.maximum(finer - coarser, 1))


def _cut_off(covering: CoveringNumbers, target: float) -> tuple[float, float]:
    """The radii between which N falls from `target` or more to `target` or less."""
    below = covering.radius[covering.upper <= target]
    above = covering.radius[covering.lower >= target]
    lower = above.max() if len(above) else covering.radius[-1]
    return float(lower), float(below.min())


def _constant(covering: CoveringNumbers, s: float, cut_off: float) -> float:
    """The least A with N(r) <= A r^-s for cut_off <= r <= 1: between two radii N is at most that of the smaller."""
    start, end = covering.radius[:-1], covering.radius[1:]
    used = (end < 1.0) & (start > cut_off)
    coarsest = np.minimum(start[used], 1.0)
    at_one = covering.upper[covering.radius >= 1.0][-1:]
    return float(np.max(np.concatenate([covering.upper[1:][used] * coarsest**s, at_one])))


def _verdict(covering: CoveringNumbers, radii: Floats, band: tuple[float, float]) -> Verdict:
    if covering.upper[-1] == 1:
        return "one place"
    if len(radii) <= FEWEST_STEPS:
        return "few scales"
    return "tells" if band[1] - band[0] <= WIDEST_BAND else "wide band"
