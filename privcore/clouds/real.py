"""Small real tables that scikit-learn ships, with bounds from what can be measured, never from the rows.

None of them is about people: flowers, wines, and scanned digits. Sources: R. A. Fisher (1936), Iris; M. Forina and
others (1988), UCI Wine; E. Alpaydin and C. Kaynak (1998), UCI Optical Recognition of Handwritten Digits.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
from numpy.random import Generator

from privcore.arrays import Floats
from privcore.domain import Box


@dataclass(frozen=True)
class RealTable:
    """A table of `rows` rows; `columns` are those offered, the most telling first, each with its bounds.

    A column is (its number in what `load` returns, name, low, high).
    """

    load: Callable[[], Floats]
    rows: int
    columns: tuple[tuple[int, str, float, float], ...]

    def draw(self, rng: Generator, n: int, d: int) -> Floats:
        """The first d columns of n different rows in random order; all rows if n is larger."""
        chosen = rng.permutation(self.rows)[:n]
        return self.load()[chosen][:, [column[0] for column in self.columns[:d]]]

    def box(self, d: int) -> Box:
        """The bounds of the first d columns."""
        names, low, high = zip(*((name, low, high) for _, name, low, high in self.columns[:d]), strict=True)
        return Box(low, high, names)


@cache
def _shipped(loader: str) -> Floats:
    from sklearn import datasets  # it takes a second to import, and only these tables need it

    load: Callable[[], Any] = getattr(datasets, loader)
    return np.asarray(load()["data"], dtype=np.float64)


def _iris() -> Floats:
    return _shipped("load_iris")


def _wine() -> Floats:
    return _shipped("load_wine")


def _digits() -> Floats:
    """The ink of the 16 blocks of 2 x 2 pixels of each 8 x 8 picture, shape (1797, 16)."""
    pictures = _shipped("load_digits").reshape(-1, 4, 2, 4, 2)
    return np.asarray(pictures.sum(axis=(2, 4)).reshape(-1, 16))


# Lengths in cm: no iris has a longer flower leaf than the upper bounds.
IRIS = RealTable(
    _iris,
    150,
    (
        (2, "petal length (cm)", 0.0, 8.0),
        (3, "petal width (cm)", 0.0, 4.0),
        (0, "sepal length (cm)", 0.0, 10.0),
        (1, "sepal width (cm)", 0.0, 6.0),
    ),
)

# Ranges of the methods for table wine: alcohol in % by volume, colour and optical density as read off the meter.
WINE = RealTable(
    _wine,
    178,
    (
        (6, "flavanoids", 0.0, 6.0),
        (9, "color intensity", 0.0, 15.0),
        (0, "alcohol", 8.0, 16.0),
        (10, "hue", 0.0, 2.0),
        (12, "proline", 0.0, 2000.0),
        (11, "od280/od315", 0.0, 5.0),
        (5, "total phenols", 0.0, 5.0),
        (1, "malic acid", 0.0, 8.0),
        (3, "alcalinity of ash", 0.0, 40.0),
        (4, "magnesium", 0.0, 200.0),
    ),
)

# A pixel counts the inked dots of a 4 x 4 square, 0 to 16, so that a block of 2 x 2 pixels has 0 to 64.
_BLOCKS = ((2, 1), (1, 2), (1, 1), (2, 2), (0, 2), (3, 2), (3, 1), (0, 1), (1, 3), (2, 0))
DIGITS = RealTable(
    _digits,
    1797,
    tuple((4 * row + column, f"ink in block {row + 1}, {column + 1}", 0.0, 64.0) for row, column in _BLOCKS),
)
