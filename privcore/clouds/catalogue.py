"""The list of clouds: what each is called, in which dimensions it exists, and its own dimension."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from math import log
from typing import Final, Literal

import numpy as np
from numpy.random import Generator

from privcore.arrays import Floats
from privcore.checks import checked_seed, checked_whole, is_whole
from privcore.clouds import fractals, real, shapes
from privcore.clouds.city import city
from privcore.domain import Box
from privcore.errors import InvalidParametersError, TooLargeError

MOST_AXES: Final = 10
MOST_POINTS: Final = 100_000_000


@dataclass(frozen=True)
class Cloud:
    """A cloud that can be drawn: `name` is fit for a link, `title` and `description` for people.

    `dimensions` are the least and the greatest d; `kind` is "generated" or "real"; `sizes` the least and the greatest
    n; `intrinsic(d)` is the dimension of the set the points are drawn from, None where nobody knows it.
    """

    name: str
    title: str
    description: str
    dimensions: tuple[int, int]
    intrinsic: Callable[[int], float | None]
    kind: Literal["generated", "real"]
    sizes: tuple[int, int]
    draw: Callable[[Generator, int, int], Floats] = field(repr=False)
    box: Callable[[int], Box] = field(repr=False)


def make(name: str, n: int, d: int = 2, seed: int | Generator = 0) -> Floats:
    """Draw a cloud: float64, shape (n, d), in the units of `box_of(name, d)` and inside it.

    The same arguments give the same points on the same numpy; another seed gives an independent sample of the same
    cloud. A real table returns different rows, in random order, and all of them when n is more than it has.
    Raises `InvalidParametersError` and `TooLargeError`.

    >>> make("uniform", n=3, d=2, seed=1).shape
    (3, 2)
    >>> make("iris", n=1000, d=2).shape
    (150, 2)
    """
    cloud = _find(name, d)
    n = checked_whole("n", n, least=0)
    if n > MOST_POINTS:
        raise TooLargeError(f"n = {n} is too many points to draw at once. Give n <= {MOST_POINTS}.")
    random = seed if isinstance(seed, Generator) else np.random.default_rng(checked_seed(seed))
    return cloud.draw(random, n, d)


def box_of(name: str, d: int = 2) -> Box:
    """The public box of a cloud: the unit cube, or documented ranges for a real table.

    Raises `InvalidParametersError`.

    >>> box_of("iris", 2).columns
    ('petal length (cm)', 'petal width (cm)')
    """
    return _find(name, d).box(d)


def _find(name: str, d: int) -> Cloud:
    if not isinstance(name, str) or name not in CLOUDS:
        raise InvalidParametersError(f"There is no cloud {name!r}. The clouds are {', '.join(CLOUDS)}.")
    low, high = CLOUDS[name].dimensions
    if not (is_whole(d) and low <= d <= high):
        choice = f"{low} to {high}" if low < high else f"{low}"
        raise InvalidParametersError(f"The cloud {name!r} has {choice} dimensions, but d = {d!r}.")
    return CLOUDS[name]


def _always(value: float) -> Callable[[int], float]:
    return lambda d: value


def _generated(
    name: str,
    title: str,
    description: str,
    dimensions: tuple[int, int],
    intrinsic: Callable[[int], float],
    draw: Callable[[Generator, int, int], Floats],
) -> Cloud:
    return Cloud(name, title, description, dimensions, intrinsic, "generated", (0, MOST_POINTS), draw, Box.unit)


def _real(name: str, title: str, description: str, table: real.RealTable) -> Cloud:
    dimensions = (1, len(table.columns))
    return Cloud(name, title, description, dimensions, lambda d: None, "real", (0, table.rows), table.draw, table.box)


_CLOUDS = (
    _generated(
        "city",
        "City",
        "Homes in a made-up city: old town, districts, a river, suburbs, villages and thin countryside.",
        (1, 3),
        float,
        city,
    ),
    _generated("uniform", "Uniform", "Everywhere alike.", (1, MOST_AXES), float, shapes.uniform),
    _generated("blobs", "Blobs", "Six round crowds of different sizes.", (1, MOST_AXES), float, shapes.blobs),
    _generated("ring", "Ring", "A circle: one-dimensional.", (2, MOST_AXES), _always(1.0), shapes.ring),
    _generated("line", "Line", "A slanted segment: one-dimensional.", (1, MOST_AXES), _always(1.0), shapes.line),
    _generated("spiral", "Spiral", "Three turns, one-dimensional.", (2, 3), _always(1.0), shapes.spiral),
    _generated(
        "cluster",
        "Tiny cluster",
        "Everybody within 0.001 of the centre, where the cells of every first cut meet: dimension 0 to any "
        "release that cannot see that close.",
        (1, MOST_AXES),
        _always(0.0),
        shapes.cluster,
    ),
    _generated("loner", "Loner", "A crowd, and one point far out (the last row).", (1, MOST_AXES), float, shapes.loner),
    _generated(
        "curve",
        "Curve",
        "A smooth closed curve through all dimensions: one-dimensional.",
        (2, MOST_AXES),
        _always(1.0),
        shapes.curve,
    ),
    _generated(
        "sheet",
        "Sheet",
        "A bent square through all dimensions: two-dimensional.",
        (2, MOST_AXES),
        _always(2.0),
        shapes.sheet,
    ),
    _generated(
        "sphere",
        "Sphere",
        "The surface of a ball: one dimension less than the space.",
        (3, MOST_AXES),
        lambda d: d - 1.0,
        shapes.sphere,
    ),
    _generated("swiss-roll", "Swiss roll", "A rolled sheet in space.", (3, 3), _always(2.0), shapes.swiss_roll),
    _generated(
        "cantor",
        "Cantor dust",
        "Middle thirds taken out again and again: dimension 0.63 for each axis.",
        (1, MOST_AXES),
        lambda d: d * log(2.0) / log(3.0),
        fractals.cantor,
    ),
    _generated(
        "sierpinski",
        "Sierpinski",
        "The triangle (dimension 1.58) or tetrahedron (dimension 2) full of holes.",
        (2, 3),
        lambda d: log(d + 1.0) / log(2.0),
        fractals.sierpinski,
    ),
    _real("iris", "Iris flowers", "150 flowers of three species, measured in 1936.", real.IRIS),
    _real("wine", "Wine", "178 wines from three growers, analysed chemically.", real.WINE),
    _real(
        "digits",
        "Digits",
        "1,797 scanned handwritten digits: how much ink is in each block of the picture.",
        real.DIGITS,
    ),
)

CLOUDS: Final[dict[str, Cloud]] = {cloud.name: cloud for cloud in _CLOUDS}
"""Every cloud by its name, the default first."""
