"""What is audited: small data sets and parameters that between them turn every dial, and neighbouring pairs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from privcore.arrays import Floats
from privcore.domain import Box
from privcore.parameters import Parameters


@dataclass(frozen=True, eq=False)
class Case:
    """A data set in `box`, what it is in the unit cube by hand, and parameters.

    `calls`: shifts that are drawn. `persons`: a label a row, where a person may have several.
    """

    name: str
    d: int
    points: Any
    parameters: Parameters
    unit: Floats
    box: Box
    calls: int = 1
    persons: tuple[str, ...] | None = None

    def __str__(self) -> str:
        return self.name


def case(
    name: str, unit: list[list[float]], epsilon: float, calls: int = 1, d: int | None = None, **dials: Any
) -> Case:
    """Records that are given in the unit cube."""
    d = d or len(unit[0])
    rows = np.array(unit, dtype=np.float64).reshape(-1, d)
    return Case(name, d, rows, Parameters(epsilon, **dials), rows, Box.unit(d), calls)


LINE = [[0.02], [0.03], [0.03], [0.1], [0.2], [0.26], [0.3], [0.5], [0.51], [0.99]]
HEAP = [[0.3]] * 14
PLANE = [[0.1, 0.1], [0.12, 0.2], [0.3, 0.4], [0.2, 0.9], [0.6, 0.1], [0.7, 0.7], [0.71, 0.7], [1.0, 1.0]]
SPACE = [[0.1, 0.2, 0.3], [0.1, 0.2, 0.3], [0.15, 0.1, 0.1], [0.4, 0.4, 0.4], [0.6, 0.9, 0.2], [0.5, 0.5, 0.5]]
REPLACE: dict[str, Any] = {"neighbours": "replace-one"}

CASES = [
    case("d1 tight", LINE, 2.0),
    case("d1 paper", LINE, 1.0, mode="paper"),
    case("d1 theta < 0, delta", HEAP, 1.0, theta=-7.5, delta=9.0),
    case("d1 theta > 0, gamma", HEAP, 1.5, theta=3.25, gamma=0.4, tree_share=0.6),
    case("d1 no data", [], 1.0, d=1, theta=1.0),
    case("d1 one record, strong", [[0.7]], 8.0),
    case("d1 cap 0", LINE, 1.0, max_depth=0),
    case("d1 replace, delta < 1", LINE, 6.0, theta=0.5, delta=0.5, tree_share=0.6, max_depth=12, **REPLACE),
    case("d2 tight, random shift", PLANE, 2.0, calls=8, shift="random"),
    case("d2 shift, theta > 0, cap 3", PLANE, 3.0, theta=1.5, shift=(0.5, 0.25), max_depth=3),
    case("d2 shift on the border, theta < 0", PLANE, 2.0, theta=-3.0, shift=(0.0, 1.0)),
    case("d2 replace, theta < 0", PLANE, 4.0, theta=-4.0, gamma=1.2, **REPLACE),
    case("d2 replace, paper, random shift", PLANE, 2.0, calls=8, mode="paper", shift="random", **REPLACE),
    case("d2 public total", [[0.5, 0.5]] * 20, 0.5, total=20.0, theta=4.0),
    case("d3 share", SPACE, 2.0, tree_share=0.4),
    case("d3 paper, shift, cap 4", SPACE, 2.0, mode="paper", shift=(0.3, 0.9, 0.0), max_depth=4),
    case("d3 replace, delta, theta > 0", SPACE, 5.0, theta=1.0, delta=1.25, tree_share=0.75, **REPLACE),
]


def _odd_rows(name: str, unit: list[list[float]], **dials: Any) -> Case:
    """Rows outside the box are clamped; rows that are not finite are dropped, or sit in the lower corner."""
    rows = [
        [0.0, 10.0],
        [-9.0, 12.0],
        [0.5, np.nan],
        [1.0, 99.0],
        [np.inf, 11.0],
        [1.5, 15.0],
        [1.6, 15.5],
        [-np.inf, 0],
    ]
    box = Box([-1.0, 10.0], [3.0, 20.0])
    return Case(name, 2, np.array(rows), Parameters(3.0, **dials), np.array(unit), box)


def _persons(name: str) -> Case:
    """At most two rows of each person count; they are equal, so that it does not matter which. One row is nobody's."""
    rows = np.repeat([[0.3], [0.8], [0.1], [0.3]], [5, 4, 1, 1], axis=0)
    unit = np.repeat([[0.3], [0.8], [0.1]], [2, 2, 1], axis=0)
    labels = (*"aaaaabbbbc", "")
    return Case(name, 1, rows, Parameters(2.0, max_rows=2), unit, Box.unit(1), persons=labels)


CLEAN = [[0.25, 0.0], [0.0, 0.2], [0.5, 1.0], [0.625, 0.5], [0.65, 0.55]]
CASES += [
    _odd_rows("d2 odd rows dropped", CLEAN, theta=-1.0),
    _odd_rows("d2 odd rows kept", [*CLEAN, *[[0.0, 0.0]] * 3], **REPLACE),
    _persons("d1 several rows a person"),
]

SINGLES = [case("d2 one record, alone", [[0.3, 0.6]], 0.7, shift=(0.5, 0.25), theta=-1.0, max_depth=2)]


@dataclass(frozen=True, eq=False)
class Pair:
    """Two neighbouring data sets under one choice of parameters: `second` lacks a record, or has another one.

    With `persons`, a label a row of both: it lacks a person.
    """

    name: str
    first: Floats
    second: Floats
    parameters: Parameters
    persons: tuple[Sequence[str] | None, Sequence[str] | None] = (None, None)
    box: Box = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "box", Box.unit(self.first.shape[1]))

    def __str__(self) -> str:
        return self.name

    @property
    def epsilon(self) -> float:
        """What the unit of protection, a row or a person, may lose."""
        return self.parameters.epsilon * (self.parameters.max_rows or 1)


def _pair(
    name: str, unit: list[list[float]], epsilon: float, to: list[list[float]] | None = None, **dials: Any
) -> Pair:
    """The last record is taken away, or moved."""
    first = np.array(unit, dtype=np.float64)
    second = np.array([*unit[:-1], *(to or [])], dtype=np.float64).reshape(-1, first.shape[1])
    return Pair(name, first, second, Parameters(epsilon, **dials))


PAIRS = [
    _pair("d1 tight", [[0.3]] * 4, 1.0),
    _pair("d1 one record", [[0.7]], 1.0, theta=-2.0),
    _pair("d1 most for the tree", [[0.3]], 2.0, tree_share=0.9),
    _pair("d1 paper", [[0.3]] * 6, 1.0, mode="paper"),
    _pair("d1 replace", [[0.3]] * 3, 1.0, to=[[0.9]], theta=1.0, **REPLACE),
    _pair("d2 shift", [[0.4, 0.4]] * 3, 1.5, shift=(0.5, 0.25), theta=1.0),
    Pair(
        "d1 a person with eight rows",
        np.full((8, 1), 0.3),
        np.empty((0, 1)),
        Parameters(0.5, max_rows=2),
        ("a" * 8, ""),
    ),
    _pair("d3 replace, paper", [[0.2, 0.2, 0.2]] * 2, 2.0, to=[[0.9, 0.9, 0.9]], mode="paper", **REPLACE),
]
