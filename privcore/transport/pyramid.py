"""Coarser and coarser copies of one side of a problem."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from privcore.arrays import Floats, Ints
from privcore.transport.basis import distances
from privcore.transport.kdtree import halved


@dataclass(frozen=True)
class Layer:
    """Parts of a kd order: `places` (k, d) are their centres of mass, `units` (k,) their masses.

    `starts` (k + 1,) are their ranges in the order; `moved` bounds the cost of moving the whole side here, in
    units times distance, so the distance between two coarse sides is off by at most the sum of the two.
    """

    places: Floats
    units: Ints
    starts: Ints
    moved: float


def pyramid(places: Floats, units: Ints, coarsest: int) -> list[Layer]:
    """Layers of `coarsest`, 2 `coarsest`, ... parts up to the points themselves, which are in kd order."""
    starts = [np.array([0, len(units)])]
    while len(starts[-1]) <= len(units):
        starts.append(np.unique(halved(starts[-1])))
    layers = [Layer(places, units, starts[-1], 0.0)]
    for coarser in starts[-2::-1]:
        # a layer that is hardly coarser than the points would be work for nothing
        if coarsest < len(coarser) <= len(units) / np.sqrt(2.0):
            layers.append(_merged(layers[-1], coarser))
    return layers[::-1]


def _merged(layer: Layer, starts: Ints) -> Layer:
    first = np.searchsorted(layer.starts, starts)[:-1]
    sizes = np.diff(first, append=len(layer.units))
    units = np.add.reduceat(layer.units, first)
    share = layer.units / np.repeat(units, sizes)
    places = np.add.reduceat(layer.places * share[:, None], first, axis=0)
    moved = distances(layer.places, np.repeat(places, sizes, axis=0)) @ layer.units
    return Layer(places, units, starts, layer.moved + float(moved))
