"""Coarser and coarser copies of one side of a problem."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from privcore.arrays import Floats, Ints
from privcore.kdtree import halved
from privcore.transport.basis import distances


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

    @classmethod
    def finest(cls, places: Floats, units: Ints) -> Layer:
        """Every place for itself."""
        return cls(places, units, np.arange(len(units) + 1), 0.0)


def pyramid(places: Floats, units: Ints, coarsest: int) -> list[Layer]:
    """Layers from `coarsest` parts or more to the points themselves, which are in kd order, each about four times
    as large as the one before."""
    starts = [np.array([0, len(units)])]
    while len(starts[-1]) <= len(units):
        starts.append(_halved(starts[-1]))
    layers = [Layer.finest(places, units)]
    for coarser in starts[-2::-1]:
        if coarsest < len(coarser) <= 0.4 * len(layers[-1].units):
            layers.append(_merged(layers[-1], coarser))
    return layers[::-1]


def halvings(starts: Ints, layer: Layer) -> Iterator[Layer]:
    """The layers from the parts at `starts` to `layer`, each part halved at a time; none if these are its parts."""
    while len(starts) < len(layer.starts):
        starts = _halved(starts)
        yield _merged(layer, starts) if len(starts) < len(layer.starts) else layer


def _halved(starts: Ints) -> Ints:
    """Every part halved, without the empty ones; numpy's unique would not use that they are sorted."""
    finer = halved(starts)
    return finer[np.diff(finer, prepend=-1) > 0]


def _merged(layer: Layer, starts: Ints) -> Layer:
    first = np.searchsorted(layer.starts, starts)[:-1]
    sizes = np.diff(first, append=len(layer.units))
    units = np.add.reduceat(layer.units, first)
    share = layer.units / np.repeat(units, sizes)
    places = np.add.reduceat(layer.places * share[:, None], first, axis=0)
    moved = distances(layer.places, np.repeat(places, sizes, axis=0)) @ layer.units
    return Layer(places, units, starts, layer.moved + float(moved))
