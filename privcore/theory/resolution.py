"""Bounds on the resolution error: the mass of each leaf moved to one point of it, for any binary partition.

Masses p of the leaves sum to 1, depths are those in the partition, lengths are those of the unit cube.
alpha = 2^(-1/d). A cell at depth k has a diameter of at most 2 sqrt(d) alpha^k.
"""

from __future__ import annotations

import numpy as np

from privcore.arrays import Floats, Ints
from privcore.checks import is_real
from privcore.errors import InvalidParametersError


def cell_diameters(masses: Floats, diameters: Floats) -> float:
    """W1 <= sum p diam(Q), for any representative inside each leaf; half of it if every one is the centre.

    masses, diameters: (leaves,). Source: the paper, section 2.3.

    >>> cell_diameters(np.array([0.5, 0.5]), np.array([0.5, 0.5]))
    0.5
    """
    return float(masses @ diameters)


def resolution_functional(masses: Floats, depths: Ints, d: int) -> float:
    """R_T = sum p 2^(-depth/d), the mean scale of a leaf.

    masses, depths: (leaves,). Source: the paper, section 2.3.

    >>> resolution_functional(np.array([0.5, 0.5]), np.array([2, 2]), d=2)
    0.5
    """
    return float(masses @ np.exp2(-depths / d))


def resolution(masses: Floats, depths: Ints, d: int) -> float:
    """W1 <= 2 sqrt(d) R_T. In a shifted partition of [0, 2]^d it holds for centres, and twice it for any point.

    masses, depths: (leaves,). Source: the paper, section 2.3 (and 6).

    >>> resolution(np.array([0.5, 0.5]), np.array([1, 1]), d=1)
    1.0
    """
    return float(2.0 * np.sqrt(d) * resolution_functional(masses, depths, d))


def resolution_by_volume(masses: Floats, depths: Ints, d: int) -> float:
    """W1 <= 2 sqrt(d) (sum p 2^-depth)^(1/d): by Hölder's inequality R_T is at most the mean volume's d-th root.

    masses, depths: (leaves,). Source: the paper, section 2.3.

    >>> resolution_by_volume(np.array([0.5, 0.5]), np.array([1, 1]), d=1)
    1.0
    """
    return float(2.0 * np.sqrt(d) * (masses @ np.exp2(-depths.astype(np.float64))) ** (1.0 / d))


def kraft(depths: Ints) -> float:
    """Kraft's identity: sum of 2^-depth = 1 over all leaves; at most 1 over the active leaves of a shifted partition.

    Source: the paper, section 2.3.

    >>> kraft(np.array([1, 2, 2]))
    1.0
    """
    return float(np.exp2(-np.asarray(depths, dtype=np.float64)).sum())


def light_profile(light: Floats, d: int) -> float:
    """W1 <= 2 sqrt(d) [(1 - alpha) sum_(k < K) alpha^k F(k) + alpha^K], from the masses of light cells.

    light: (K,), F(k) or anything above it; F(k) is the mass of the cells at depth k that are too light to be
    split. The last term is the tail, where F <= 1. Source: the paper, section 4.2 (and 5.1).

    >>> light_profile(np.array([0.0, 1.0, 1.0]), d=1)
    1.0
    """
    alpha = 2.0 ** (-1.0 / d)
    scales = alpha ** np.arange(len(light))
    return float(2.0 * np.sqrt(d) * ((1.0 - alpha) * (scales @ light) + alpha ** len(light)))


def light_from_occupied(occupied: Ints, theta: float, delta: float = 0.0) -> Floats:
    """Return the upper bound min(1, (theta + k delta) N_k) of F(k), (K,).

    occupied: (K,), N_k, the number of cells at depth k that hold mass. theta, delta: masses.
    Source: the paper, section 4.2 (and 5.1).

    >>> light_from_occupied(np.array([1, 2, 4]), theta=0.25)
    array([0.25, 0.5 , 1.  ])
    """
    thresholds = theta + delta * np.arange(len(occupied))
    return np.asarray(np.minimum(1.0, np.maximum(thresholds, 0.0) * occupied))


def positive(**values: float) -> None:
    """Raise InvalidParametersError for the first value that is not a positive finite number."""
    for name, value in values.items():
        if not (is_real(value) and 0.0 < value < np.inf):
            raise InvalidParametersError(f"{name} is {value!r}, but must be a positive finite number.")


def not_negative(**values: float) -> None:
    """Raise InvalidParametersError for the first value that is not a finite number from 0."""
    for name, value in values.items():
        if not (is_real(value) and 0.0 <= value < np.inf):
            raise InvalidParametersError(f"{name} is {value!r}, but must be a finite number from 0.")
