"""Points and masses that numerical code gets wrong, shared by the tests and by tests/bench/fuzz.py."""

from __future__ import annotations

import numpy as np

from privcore.arrays import Floats

POINTS = (
    "uniform", "lattice", "walls", "line", "oblique", "duplicates", "flat", "far", "circle", "pairs", "two scales",
    "offset", "signed zeros",
)  # fmt: skip
MASSES = ("equal", "zeros", "heavy", "tiny", "ratio", "dyadic", "one")


def hostile_points(kind: str, rng: np.random.Generator, count: int, d: int) -> Floats:
    """`count` points in R^d, about 1 in extent; `kind` is one of `POINTS`."""
    uniform = rng.random((count, d))
    if kind == "lattice":
        return rng.integers(0, 4, (count, d)) / 4.0
    if kind == "walls":  # each coordinate on the wall of a dyadic cell, or one float beside it
        wall = rng.integers(0, 9, (count, d)) / 2.0 ** rng.integers(0, 4, (count, d))
        return np.minimum(np.nextafter(wall, wall + rng.integers(-1, 2, (count, d))), 1.0)
    if kind == "line":
        return np.outer(rng.integers(0, 9, count) / 8.0, np.ones(d))
    if kind == "oblique":
        return np.outer(uniform[:, 0], rng.normal(size=d))
    if kind == "duplicates":
        return np.repeat(uniform[: count // 5 + 1], 5, axis=0)[:count]
    if kind == "flat":
        return uniform * np.array([1.0] + [1e-9] * (d - 1))
    if kind == "far":
        points = 0.5 + 1e-3 * rng.normal(size=(count, d))
        points[0] = 0.0
        return points
    if kind == "circle":  # all as far from the centre
        return 0.5 + 0.5 * (uniform - 0.5) / np.linalg.norm(uniform - 0.5, axis=1, keepdims=True)
    if kind == "pairs":  # neighbours a few floats apart
        near = uniform[: (count + 1) // 2]
        return np.concatenate([near, np.nextafter(near, 2.0)])[:count]
    if kind == "two scales":
        return rng.integers(0, 3, (count, d)) / 2.0 + 10.0 ** -rng.integers(2, 14) * uniform
    if kind == "offset":  # far from 0: few digits are left for the distances
        return 1e6 + np.round(uniform, 6)
    if kind == "signed zeros":
        return np.where(rng.random((count, d)) < 0.5, 0.0, -0.0) + (rng.random((count, d)) < 0.2)
    return uniform


def hostile_masses(kind: str, rng: np.random.Generator, count: int) -> Floats:
    """`count` masses >= 0 that sum to 1; `kind` is one of `MASSES`."""
    masses = np.ones(count)
    if kind == "zeros":
        masses = rng.integers(0, 3, count).astype(float)
        masses[0] += 1.0
    elif kind == "heavy":
        masses = rng.pareto(0.5, count) + 1e-12
    elif kind == "tiny":
        masses = np.where(rng.random(count) < 0.5, 1e-16, 1.0)
        masses[0] = 1.0
    elif kind == "ratio":
        masses = 10.0 ** rng.uniform(-12.0, 0.0, count)
    elif kind == "dyadic":  # partial sums of the two sides tie
        masses = 2.0 ** rng.integers(-3, 1, count)
    elif kind == "one":
        masses = np.zeros(count)
        masses[rng.integers(count)] = 1.0
    return masses / masses.sum()
