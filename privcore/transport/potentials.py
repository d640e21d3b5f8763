"""The Lipschitz function of a set of prices: phi(x) = min_j (|x - y_j| - g_j)."""

from __future__ import annotations

import numpy as np
from scipy.spatial.distance import cdist

from privcore.arrays import Floats

CHUNK = 2_000_000
"""Distances held at once."""

ALL_PAIRS = 20_000_000
"""Up to this many pairs all distances are computed; beyond, a kd-tree is searched."""


def lipschitz(places: Floats, targets: Floats, prices: Floats) -> Floats:
    """phi at `places` (s, d) for `targets` (m, d) with `prices` (m,); shape (s,).

    >>> lipschitz(np.array([[0.0], [2.0]]), np.array([[1.0], [3.0]]), np.array([0.0, 0.5])).tolist()
    [1.0, 0.5]
    """
    if len(targets) == 0:
        return np.zeros(len(places))
    if places.shape[1] == 1:
        return _on_a_line(places[:, 0], targets[:, 0], prices)
    if len(places) * len(targets) > ALL_PAIRS:
        return _by_search(places, targets, prices)
    rows = max(1, CHUNK // len(targets))
    parts = [(cdist(places[k : k + rows], targets) - prices).min(axis=1) for k in range(0, len(places), rows)]
    return np.concatenate(parts)


def _on_a_line(places: Floats, targets: Floats, prices: Floats) -> Floats:
    """From the left x - max(y + g), from the right -x - max(g - y): two running maxima."""
    order = np.argsort(targets)
    sites, values = targets[order], prices[order]
    left = np.maximum.accumulate(np.concatenate([[-np.inf], values + sites]))
    right = np.maximum.accumulate(np.concatenate([[-np.inf], (values - sites)[::-1]]))[::-1]
    at = np.searchsorted(sites, places)
    return np.minimum(places - left[at], -places - right[at])


def _by_search(places: Floats, targets: Floats, prices: Floats) -> Floats:
    from privcore.kdtree import kd_order, levels, search, search_tree

    order = kd_order(targets, levels(len(targets)))
    value = np.full((len(places), 1), np.inf)
    return search(places, search_tree(targets[order]), prices[order], value)[1][:, 0]
