"""DiscreteMeasure: atoms and masses with the cells they stand for; sampling, and the mass of a box."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal, NamedTuple

import numpy as np
import pandas as pd

from privcore.arrays import Floats, Ints, frozen
from privcore.checks import as_floats, checked_choice, checked_seed, checked_whole
from privcore.domain import Box, axis_names, checked_box
from privcore.errors import InvalidMeasureError
from privcore.tree import Tree

SPREAD_ATOMS = 12
"""Atoms of a spread leaf."""

Sampling = Literal["low-discrepancy", "random"]


class MassIn(NamedTuple):
    """The mass of a box, and the standard error that the known noise gives it (NaN if the noise is not known)."""

    mass: float
    standard_error: float


@dataclass(frozen=True, eq=False)
class DiscreteMeasure:
    """A probability measure: `points` (m, d) in the user's units with `masses` (m,) that sum to 1.

    `leaf` (m,) maps an atom to its leaf, `cell_lower` and `cell_upper` (leaves, d) are the leaves' cells, `leaf_sd`
    is the standard deviation of a leaf's mass from the noise alone, `names` the columns. Without cells every atom
    is its own, of no size. Raises `InvalidMeasureError`.

    >>> measure = DiscreteMeasure([[0.25], [0.75]], [0.5, 0.5], cell_lower=[[0.0], [0.5]], cell_upper=[[0.5], [1.0]])
    >>> measure.mass_in(Box([0.0], [0.25])).mass
    0.25
    """

    points: Floats
    masses: Floats
    leaf: Ints
    cell_lower: Floats
    cell_upper: Floats
    leaf_sd: float
    names: tuple[str, ...]

    def __init__(
        self,
        points: Any,
        masses: Any,
        leaf: Any = None,
        cell_lower: Any = None,
        cell_upper: Any = None,
        leaf_sd: float = float("nan"),
        names: tuple[str, ...] | None = None,
    ) -> None:
        points, masses = _frozen_floats(points), _frozen_floats(masses)
        _check_atoms(points, masses)
        leaf = np.arange(len(masses)) if leaf is None else _frozen_floats(leaf)
        lower = points if cell_lower is None else _frozen_floats(cell_lower)
        upper = points if cell_upper is None else _frozen_floats(cell_upper)
        _check_cells(points, leaf, lower, upper)
        names = names or axis_names(points.shape[1])
        for name, value in zip(
            ("points", "masses", "leaf", "cell_lower", "cell_upper", "leaf_sd", "names"),
            (points, masses, frozen(leaf, np.int64), lower, upper, float(leaf_sd), names),
            strict=True,
        ):
            object.__setattr__(self, name, value)

    def __repr__(self) -> str:
        """Without the arrays."""
        return f"DiscreteMeasure({len(self.masses)} atoms, {len(self.cell_lower)} cells, d={self.d})"

    @property
    def d(self) -> int:
        """The number of axes."""
        return int(self.points.shape[1])

    @cached_property
    def leaf_masses(self) -> Floats:
        """The mass of every leaf, shape (leaves,): the sum of its atoms."""
        return np.asarray(frozen(np.bincount(self.leaf, self.masses, minlength=len(self.cell_lower))))

    def sample(self, n: int, seed: int, method: Sampling = "low-discrepancy") -> Floats:
        """`n` points of the measure, spread inside its cells, shape (n, d); post-processing, so it costs no privacy.

        "low-discrepancy": cells get floor or ceil of n times their mass (systematic sampling, in the order of the
        leaves) and points of one scrambled Halton sequence each, so that the sample adds as little W1 as it can.
        "random": independent draws. The seed is public and repeatable. Raises `InvalidParametersError`.

        >>> DiscreteMeasure([[0.0], [1.0]], [0.25, 0.75]).sample(4, seed=0).ravel()
        array([0., 1., 1., 1.])
        """
        n, seed = checked_whole("n", n, least=0), checked_seed(seed)
        checked_choice("method", method, ("low-discrepancy", "random"))
        generator = np.random.default_rng(seed)
        if n == 0:
            return np.empty((0, self.d))
        tilted = bool(len(self.masses) > len(self.cell_lower))
        masses = self.masses if tilted else self.leaf_masses
        if method == "random":
            chosen = np.sort(generator.choice(len(masses), size=n, p=masses / masses.sum()))
            positions = generator.random((n, self.d))
        else:
            chosen = _systematic(masses, n, generator)
            positions = _halton(n, self.d, generator)
        lower, upper = self._strata(tilted)
        return lower[chosen] + positions * (upper[chosen] - lower[chosen])

    def overlap(self, box: Box) -> Floats:
        """The share of each cell's volume that is in a box, shape (leaves,); a cell of no size is in it or not.

        w_Q = |Q in box| / |Q|. Raises `InvalidBoxError`, and `InvalidMeasureError` if d differs.

        >>> cells = DiscreteMeasure([[0.25], [0.75]], [0.5, 0.5], None, [[0.0], [0.5]], [[0.5], [1.0]])
        >>> cells.overlap(Box([0.25], [1.0]))
        array([0.5, 1. ])
        """
        if checked_box(box).d != self.d:
            raise InvalidMeasureError(f"The box has {box.d} axes, but the measure has {self.d}.")
        width = self.cell_upper - self.cell_lower
        low, high = np.maximum(self.cell_lower, box.low), np.minimum(self.cell_upper, box.high)
        inside = (self.cell_lower >= box.low) & (self.cell_lower <= box.high)
        share = np.where(width > 0, np.clip(high - low, 0, None) / np.where(width > 0, width, 1.0), inside)
        return np.asarray(share.prod(axis=1), dtype=np.float64)

    def mass_in(self, box: Box) -> MassIn:
        """The mass in a box, a cell's mass counting by the share of its volume inside, with its standard error.

        mass = sum over leaves of w_Q m_Q, standard error = leaf_sd (sum of w_Q^2)^(1/2), with w_Q as `overlap` says;
        the error is that of the leaf noise before the projection. Raises `InvalidBoxError`, `InvalidMeasureError`.
        """
        weight = self.overlap(box)
        error = self.leaf_sd * float(np.sqrt((weight**2).sum()))
        return MassIn(float(weight @ self.leaf_masses), error)

    def to_frame(self) -> pd.DataFrame:
        """One row an atom: its coordinates under the columns' names, and its mass.

        >>> DiscreteMeasure([[0.5]], [1.0]).to_frame().columns.tolist()
        ['x1', 'mass']
        """
        frame = pd.DataFrame(dict(zip(self.names, self.points.T, strict=True)))
        label = "mass"
        while label in self.names:
            label += "_"
        frame[label] = self.masses
        return frame

    def _strata(self, tilted: bool) -> tuple[Floats, Floats]:
        """The boxes sampled from: the leaves' cells, or a small cube about each atom of a spread leaf."""
        if not tilted:
            return self.cell_lower, self.cell_upper
        atoms = np.bincount(self.leaf, minlength=len(self.cell_lower))[self.leaf]
        lower, upper = self.cell_lower[self.leaf], self.cell_upper[self.leaf]
        half = (upper - lower) / 2 * atoms[:, None] ** (-1.0 / self.d)
        return np.maximum(self.points - half, lower), np.minimum(self.points + half, upper)


def leaf_measure(box: Box, tree: Tree, masses: Floats, leaf_sd: float = float("nan")) -> DiscreteMeasure:
    """One atom a leaf: `masses` (leaves,) at the representatives, in the user's units.

    >>> leaf_measure(Box([0], [4]), Tree.from_splits([True, False, False], 1), np.array([0.5, 0.5])).points.ravel()
    array([1., 3.])
    """
    lower, upper = box.from_unit(tree.leaf_lower), box.from_unit(tree.leaf_upper)
    points = box.from_unit(tree.representatives)
    return DiscreteMeasure(points, masses, None, lower, upper, leaf_sd, box.columns)


def spread_measure(box: Box, tree: Tree, masses: Floats, leaf_sd: float = float("nan")) -> DiscreteMeasure:
    """Several atoms a leaf, tilted towards heavy neighbours: post-processing of `masses` (leaves,).

    A leaf with mass m > 0 gets `SPREAD_ATOMS` atoms at Halton points t in (0, 1)^d of its cell, with masses
    proportional to prod_j (1 + s_j (t_j - 1/2)); s_j in [-2, 2] is the relative difference of the densities
    of the cells on its two sides. A leaf without mass keeps one atom, at its centre.
    """
    heavy = masses > 0
    atoms = np.where(heavy, SPREAD_ATOMS, 1)
    leaf = np.repeat(np.arange(len(masses)), atoms)
    place = np.arange(len(leaf)) - np.repeat(np.cumsum(atoms) - atoms, atoms)
    pattern = _halton_pattern(tree.d)
    position = np.where(heavy[leaf][:, None], pattern[place], 0.5)
    weight = np.prod(1.0 + _slopes(tree, masses)[leaf] * (position - 0.5), axis=1)
    share = weight / np.bincount(leaf, weight)[leaf]
    unit = tree.leaf_lower[leaf] + position * (tree.leaf_upper - tree.leaf_lower)[leaf]
    lower, upper = box.from_unit(tree.leaf_lower), box.from_unit(tree.leaf_upper)
    return DiscreteMeasure(box.from_unit(unit), share * masses[leaf], leaf, lower, upper, leaf_sd, box.columns)


def _slopes(tree: Tree, masses: Floats) -> Floats:
    """The tilt of each leaf along each axis, (leaves, d), from the released densities just outside its faces."""
    lower, upper = tree.leaf_lower, tree.leaf_upper
    volume = np.prod(np.maximum(upper - lower, 2.0**-60), axis=1)
    density = masses / volume
    slopes = np.zeros_like(lower)
    for axis in range(tree.d):
        sides = []
        for face, step in ((lower, -1.0), (upper, 1.0)):
            probe = tree.representatives.copy()
            probe[:, axis] = face[:, axis] + step * 1e-9
            outside = (probe[:, axis] < 0) | (probe[:, axis] > 1)
            found = density[tree.leaf_of(np.clip(probe, 0.0, 1.0))]
            sides.append(np.where(outside, density, found))
        below, above = (np.minimum(side, 4 * density) for side in sides)
        total = below + above + 2 * density
        slopes[:, axis] = np.divide(2 * (above - below), total, out=np.zeros_like(total), where=total > 0)
    return np.clip(slopes, -1.9, 1.9)


def _halton_pattern(d: int) -> Floats:
    """`SPREAD_ATOMS` low-discrepancy points of the cube whose mean is its centre, shape (atoms, d)."""
    half = _halton(SPREAD_ATOMS // 2 + 1, d)[1:]
    return np.concatenate([half, 1.0 - half])


def _halton(n: int, d: int, generator: np.random.Generator | None = None) -> Floats:
    """`n` points of the Halton sequence, shape (n, d), scrambled by a generator."""
    from scipy.stats import qmc  # a third of the time that privcore takes to import, and only samples need it

    return np.asarray(qmc.Halton(d, scramble=generator is not None, rng=generator).random(n))


def _systematic(masses: Floats, n: int, generator: np.random.Generator) -> Ints:
    """n draws of which each stratum gets floor or ceil of its share: one random offset, then equal steps."""
    edges = np.cumsum(masses)
    edges = edges / edges[-1]
    ticks = (np.arange(n) + generator.random()) / n
    last = int(np.flatnonzero(masses > 0)[-1])
    return np.minimum(np.searchsorted(edges, ticks, side="right"), last)


def _frozen_floats(values: Any) -> Floats:
    refusal = InvalidMeasureError("Atoms, masses and cells are made of numbers, but not all of these are. Give arrays.")
    return np.asarray(frozen(as_floats(values, refusal)))


def _check_atoms(points: Floats, masses: Floats) -> None:
    if points.ndim != 2 or masses.shape != points.shape[:1] or not len(masses) or not points.shape[1]:
        raise InvalidMeasureError(
            f"The atoms have shape {points.shape} and the masses {masses.shape}. Give (m, d) and (m,), m >= 1."
        )
    if not (np.isfinite(points).all() and np.isfinite(masses).all()):
        raise InvalidMeasureError("The atoms and masses must be finite numbers: remove NaN and infinities.")
    if masses.min() < 0 or abs(float(masses.sum()) - 1.0) > 1e-9:
        raise InvalidMeasureError(
            f"The masses must be at least 0 and sum to 1, but the smallest is {masses.min():.6g} "
            f"and the sum {masses.sum():.12g}. Project them first."
        )


def _check_cells(points: Floats, leaf: Ints | Floats, lower: Floats, upper: Floats) -> None:
    if lower.shape != upper.shape or lower.ndim != 2 or lower.shape[1] != points.shape[1]:
        raise InvalidMeasureError(f"The cells' corners have shapes {lower.shape} and {upper.shape}: give (leaves, d).")
    if leaf.shape != points.shape[:1] or leaf.min() < 0 or leaf.max() >= len(lower) or (leaf % 1 != 0).any():
        raise InvalidMeasureError("`leaf` must give, for each atom, the number of one of the cells.")
