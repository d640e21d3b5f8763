"""The least number of balls that cover a few points on a line, by sweeping; and a net checked pair by pair."""

from __future__ import annotations

import numpy as np

from privcore.arrays import Floats, Ints


def least_intervals(points: Floats, radius: float) -> int:
    """The exact covering number of points (m,) on a line by intervals of half-length `radius`, centres anywhere.

    The leftmost point that is not covered must be covered, and the interval that starts there covers most.
    """
    count, end = 0, -np.inf
    for x in np.sort(points):
        if x > end:
            count, end = count + 1, x + 2.0 * radius
    return count


def is_net(points: Floats, centres: Ints, radius: float) -> bool:
    """Whether the centres are more than `radius` apart and within `radius` of every point, by all distances."""
    distance = np.sqrt(((points[:, None] - points[centres][None]) ** 2).sum(axis=-1))
    covered = bool((distance.min(axis=1) <= radius).all())
    between = distance[centres] + np.where(np.eye(len(centres), dtype=bool), np.inf, 0.0)
    return covered and bool((between > radius).all())
