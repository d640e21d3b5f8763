"""A made-up city: the map is fixed, who lives where changes with the seed."""

from __future__ import annotations

import numpy as np
from numpy.random import Generator

from privcore.arrays import Floats
from privcore.clouds.shapes import reflect

_CENTRE = np.array([0.46, 0.555])
_OLD_TOWN = 0.027
_RIVER_HALF_WIDTH = 0.014

# Shares of the people: old town, districts, along the roads, along the river, estates, villages, countryside.
_SHARES = (0.20, 0.36, 0.11, 0.095, 0.14, 0.06, 0.035)

# Districts: centre x and y, half axes, turn (radians), weight.
_DISTRICTS = np.array(
    [
        [0.395, 0.615, 0.055, 0.034, 0.5, 1.3],
        [0.530, 0.630, 0.060, 0.036, -0.4, 1.3],
        [0.590, 0.560, 0.042, 0.030, 0.5, 0.8],
        [0.450, 0.430, 0.060, 0.034, 0.2, 1.3],
        [0.345, 0.545, 0.036, 0.030, 0.2, 0.8],
        [0.460, 0.710, 0.045, 0.030, 0.9, 0.7],
        [0.680, 0.640, 0.040, 0.026, 0.7, 0.5],
        [0.570, 0.455, 0.052, 0.034, 0.5, 1.0],
        [0.320, 0.690, 0.036, 0.026, -0.6, 0.5],
        [0.335, 0.385, 0.040, 0.028, 0.6, 0.6],
        [0.505, 0.330, 0.036, 0.024, -0.5, 0.4],
    ]
)
# Roads from the centre outwards: where they end.
_ROADS = np.array([[0.10, 0.86], [0.44, 0.97], [0.90, 0.87], [0.96, 0.40], [0.70, 0.06], [0.20, 0.12], [0.04, 0.52]])
# Villages: centre x and y, spread, weight. Most lie on a road.
_VILLAGES = np.array(
    [
        [0.135, 0.830, 0.013, 1.2],
        [0.445, 0.930, 0.010, 0.8],
        [0.850, 0.830, 0.015, 1.4],
        [0.910, 0.425, 0.012, 1.1],
        [0.675, 0.115, 0.012, 1.0],
        [0.225, 0.160, 0.014, 1.2],
        [0.075, 0.525, 0.009, 0.6],
        [0.880, 0.130, 0.009, 0.6],
        [0.060, 0.300, 0.008, 0.5],
    ]
)


def city(rng: Generator, n: int, d: int) -> Floats:
    """Homes in a city: a dense old town, districts, ribbons along the roads, estates, villages and thin country.

    d = 2 is the map, with a river that nobody lives in; d = 1 is the map seen from the south (its first
    coordinate); d = 3 adds the storey, high in the centre and low in the country.
    """
    part = rng.choice(len(_SHARES), size=n, p=_SHARES)
    homes = np.empty((n, 2))
    draw = (_old_town, _districts, _ribbons, _riverside, _estates, _villages, _countryside)
    for number, quarter in enumerate(draw):
        chosen = part == number
        homes[chosen] = quarter(rng, int(chosen.sum()))
    homes = _beside_the_river(reflect(homes))
    if d < 3:
        return homes[:, :d]
    return np.column_stack([homes, _storey(rng, homes)])


def river(x: Floats) -> Floats:
    """The y of the river's middle at x: a long S from the south-west to the north-east."""
    return np.asarray(0.505 + 0.42 * (x - 0.46) + 0.055 * np.sin(8.5 * (x - 0.40)))


def river_half_width(x: Floats) -> Floats:
    """Half the river's width at x, measured along y, so that the river is equally wide where it runs slantwise."""
    slope = 0.42 + 0.055 * 8.5 * np.cos(8.5 * (x - 0.40))
    return np.asarray(_RIVER_HALF_WIDTH * (1.25 - 0.5 * x) * np.sqrt(1.0 + slope**2))


def _old_town(rng: Generator, n: int) -> Floats:
    # Clark's law: the density falls exponentially with the distance from the centre.
    radius = rng.gamma(2.0, _OLD_TOWN, n)
    return _CENTRE + _polar(radius, 2.0 * np.pi * rng.random(n)) * [1.15, 0.9]


def _districts(rng: Generator, n: int) -> Floats:
    chosen = _DISTRICTS[_weighted(rng, n, _DISTRICTS[:, 5])]
    # A smooth hill with a flat top: uniform in the ellipse, softened at its border.
    flat = _polar(np.sqrt(rng.random(n)), 2.0 * np.pi * rng.random(n)) + 0.3 * rng.standard_normal((n, 2))
    return chosen[:, :2] + _turn(flat * chosen[:, 2:4], chosen[:, 4])


def _ribbons(rng: Generator, n: int) -> Floats:
    ends = _ROADS[rng.integers(len(_ROADS), size=n)] - _CENTRE
    far = rng.beta(1.2, 1.9, n)[:, None]
    bend = 0.05 * np.sin(np.pi * far) * np.sign(ends[:, :1] * ends[:, 1:]) * _turn(ends, np.full(n, np.pi / 2.0))
    return np.asarray(_CENTRE + far * ends + bend + (0.006 + 0.008 * far) * rng.standard_normal((n, 2)))


def _riverside(rng: Generator, n: int) -> Floats:
    x = reflect(0.46 + 0.30 * rng.standard_normal(n))
    inland = rng.choice([-1.0, 1.0], n) * rng.exponential(0.008, n)
    return np.column_stack([x, river(x) + inland])


def _estates(rng: Generator, n: int) -> Floats:
    # The map's own numbers, the same for every seed: small estates on two loose rings around the city.
    count = 34
    turn = 2.0 * np.pi * np.mod(np.arange(count) * (np.sqrt(5.0) - 1.0) / 2.0, 1.0)
    ring = np.where(np.arange(count) % 3 == 0, 0.33, 0.245) + 0.035 * np.sin(5.0 * np.arange(count))
    middles = _CENTRE + _polar(ring, turn) * [1.1, 0.95]
    spread = 0.010 + 0.009 * np.mod(np.arange(count) * np.sqrt(2.0), 1.0)
    chosen = _weighted(rng, n, spread)
    return np.asarray(middles[chosen] + spread[chosen, None] * rng.standard_normal((n, 2)))


def _villages(rng: Generator, n: int) -> Floats:
    chosen = _VILLAGES[_weighted(rng, n, _VILLAGES[:, 3])]
    return chosen[:, :2] + chosen[:, 2:3] * rng.standard_normal((n, 2))


def _countryside(rng: Generator, n: int) -> Floats:
    return rng.random((n, 2))


def _beside_the_river(homes: Floats) -> Floats:
    """Move every home away from the river's middle, by less the farther it lies, so that the water is empty."""
    x, y = homes[:, 0], homes[:, 1]
    middle, half = river(x), river_half_width(x)
    north = y >= middle
    room = np.where(north, 1.0 - middle, middle)
    away = half + np.abs(y - middle) * (1.0 - half / room)
    return np.column_stack([x, np.clip(np.where(north, middle + away, middle - away), 0.0, 1.0)])


def _storey(rng: Generator, homes: Floats) -> Floats:
    far = np.linalg.norm(homes - _CENTRE, axis=1)
    return reflect(rng.exponential(0.08 + 0.22 * np.exp(-far / 0.12)))


def _weighted(rng: Generator, n: int, weights: Floats) -> np.ndarray[tuple[int, ...], np.dtype[np.int64]]:
    return rng.choice(len(weights), size=n, p=weights / weights.sum())


def _polar(radius: Floats, angle: Floats) -> Floats:
    return np.column_stack([radius * np.cos(angle), radius * np.sin(angle)])


def _turn(points: Floats, angle: Floats) -> Floats:
    x, y = points[:, 0], points[:, 1]
    return np.column_stack([np.cos(angle) * x - np.sin(angle) * y, np.sin(angle) * x + np.cos(angle) * y])
