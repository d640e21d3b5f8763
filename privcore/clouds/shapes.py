"""Smooth shapes: each function draws n independent points, shape (n, d) in the unit cube."""

from __future__ import annotations

import numpy as np
from numpy.random import Generator

from privcore.arrays import Floats

CLUSTER_RADIUS = 1e-3
"""The radius of the tiny cluster at the centre."""
LONER = 0.93
"""Every coordinate of the one point that is far from the crowd."""

_GOLDEN = (np.sqrt(5.0) - 1.0) / 2.0
_SPIRAL_TURNS = 3.0
_SPIRAL_TABLE = 4096


def uniform(rng: Generator, n: int, d: int) -> Floats:
    """Everywhere with the same density."""
    return rng.random((n, d))


def blobs(rng: Generator, n: int, d: int) -> Floats:
    """Six round Gaussian crowds of different sizes; what falls outside the cube is reflected into it."""
    centres = 0.15 + 0.7 * _low_discrepancy(6, d)
    spread = np.array([0.05, 0.03, 0.07, 0.04, 0.022, 0.06])
    chosen = rng.choice(6, size=n, p=[0.24, 0.18, 0.2, 0.16, 0.1, 0.12])
    return reflect(centres[chosen] + spread[chosen, None] * rng.standard_normal((n, d)))


def ring(rng: Generator, n: int, d: int) -> Floats:
    """A circle of radius 0.4 in the plane, and a circle in a tilted plane that uses every axis for d > 2."""
    phase = np.pi * np.arange(d) / 2.0 if d == 2 else 2.0 * np.pi * np.arange(d) / d
    angle = 2.0 * np.pi * rng.random((n, 1))
    return 0.5 + 0.4 * np.cos(angle - phase)


def line(rng: Generator, n: int, d: int) -> Floats:
    """A segment that is parallel to no axis and has a different slope along each."""
    steepness = 0.8 - 0.4 * np.mod(_GOLDEN * np.arange(d), 1.0)
    direction = steepness * np.where(np.arange(d) % 3 == 2, -1.0, 1.0)
    return np.asarray(0.5 + (rng.random((n, 1)) - 0.5) * direction)


def spiral(rng: Generator, n: int, d: int) -> Floats:
    """Three turns of an Archimedean spiral, uniform in its length; it climbs a cone for d = 3."""
    angle = np.linspace(0.5, 2.0 * np.pi * _SPIRAL_TURNS, _SPIRAL_TABLE)
    radius = 0.45 * angle / angle[-1]
    path = np.stack([0.5 + radius * np.cos(angle), 0.5 + radius * np.sin(angle), 0.95 - 2.0 * radius], axis=1)
    path = path[:, :d]
    steps = np.linalg.norm(np.diff(path, axis=0), axis=1)
    length = np.concatenate([[0.0], np.cumsum(steps)])
    place = length[-1] * rng.random(n)
    return np.stack([np.interp(place, length, path[:, axis]) for axis in range(d)], axis=1)


def cluster(rng: Generator, n: int, d: int) -> Floats:
    """Uniform in a ball of radius 0.001 around the centre of the cube, where every first cut meets."""
    return 0.5 + CLUSTER_RADIUS * rng.random((n, 1)) ** (1.0 / d) * _directions(rng, n, d)


def loner(rng: Generator, n: int, d: int) -> Floats:
    """A crowd, and in the last row one point far out."""
    points = reflect(0.34 + 0.07 * rng.standard_normal((n, d)))
    points[n - 1 :] = LONER
    return points


def curve(rng: Generator, n: int, d: int) -> Floats:
    """A smooth closed curve (a Lissajous figure) that moves along every axis."""
    frequency = np.array([3.0, 2.0, 5.0, 4.0, 1.0])[np.arange(d) % 5]
    phase = np.pi / 2.0 + 2.0 * np.pi * _GOLDEN * np.arange(d)
    phase[1:2] = 0.0  # the plane figure 3 : 2 is open for this phase, and traced twice for others
    angle = 2.0 * np.pi * rng.random((n, 1))
    return np.asarray(0.5 + 0.45 * np.sin(frequency * angle + phase))


def sheet(rng: Generator, n: int, d: int) -> Floats:
    """A bent square: its two parameters move every axis, in directions spread over the half circle, plus a wave."""
    direction = np.pi * np.arange(d) / d
    flat = rng.random((n, 2)) - 0.5
    along = flat[:, :1] * np.cos(direction) + flat[:, 1:] * np.sin(direction)
    across = flat[:, :1] * np.sin(direction) - flat[:, 1:] * np.cos(direction)
    return 0.5 + 0.6 * along + 0.04 * np.sin(2.0 * np.pi * across + np.arange(d))


def sphere(rng: Generator, n: int, d: int) -> Floats:
    """The surface of a ball of radius 0.45."""
    return 0.5 + 0.45 * _directions(rng, n, d)


def swiss_roll(rng: Generator, n: int, d: int) -> Floats:
    """A sheet rolled up in space, 1.5 turns, uniform in its area up to the slow growth of the radius."""
    first, last = 1.5 * np.pi, 4.5 * np.pi
    angle = np.sqrt(first**2 + (last**2 - first**2) * rng.random(n))
    radius = 0.48 * angle / last
    height = 0.1 + 0.8 * rng.random(n)
    return np.stack([0.5 + radius * np.cos(angle), height, 0.5 + radius * np.sin(angle)], axis=1)[:, :d]


def reflect(points: Floats) -> Floats:
    """Fold the real line into [0, 1] at its ends, so that nothing piles up on the border.

    >>> reflect(np.array([-0.25, 0.5, 1.25])).tolist()
    [0.25, 0.5, 0.75]
    """
    return 1.0 - np.abs(1.0 - np.mod(points, 2.0))


def _directions(rng: Generator, n: int, d: int) -> Floats:
    normal = rng.standard_normal((n, d))
    return np.asarray(normal / np.maximum(np.linalg.norm(normal, axis=1, keepdims=True), np.finfo(np.float64).tiny))


def _low_discrepancy(count: int, d: int) -> Floats:
    """The first points of the R_d sequence: spread out, and different along every axis."""
    root = 2.0
    for _ in range(40):
        root = (1.0 + root) ** (1.0 / (d + 1))
    return np.mod(0.5 + np.arange(1, count + 1)[:, None] * root ** -np.arange(1.0, d + 1.0), 1.0)
