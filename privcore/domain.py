"""Declared bounds: the public box, its unit cube, and the window that a public shift opens in [0, 2]^d."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import pandas as pd

from privcore.arrays import Bools, Floats, Words
from privcore.checks import as_floats, is_whole
from privcore.errors import InvalidBoxError, InvalidParametersError, InvalidPointsError

AXIS_DIGITS = 52
"""Binary digits of a coordinate that float64 can tell apart everywhere in [0, 1)."""

Invalid = Literal["drop", "corner"]


@dataclass(frozen=True)
class Box:
    """The public bounds `[low, high]` of the data, declared by the user and never taken from the data.

    `low` and `high` have one finite number an axis, `low < high`; `names` are the columns a table must have.
    Raises `InvalidBoxError`. Source: the paper, section 2 (its domain is the unit cube).

    >>> box = Box([0, 0], [10, 5], names=["x", "y"])
    >>> box.to_unit([[5.0, 5.0], [99.0, -1.0], [float("nan"), 1.0]])
    array([[0.5, 1. ],
           [1. , 0. ]])
    """

    low: tuple[float, ...]
    high: tuple[float, ...]
    names: tuple[str, ...] | None = None

    def __init__(self, low: Sequence[float], high: Sequence[float], names: Sequence[str] | None = None) -> None:
        object.__setattr__(self, "low", _numbers(low, "low"))
        object.__setattr__(self, "high", _numbers(high, "high"))
        object.__setattr__(self, "names", None if names is None else _names(names))
        _check_bounds(self)

    @classmethod
    def unit(cls, d: int) -> Box:
        """The unit cube [0, 1]^d.

        >>> Box.unit(2).high
        (1.0, 1.0)
        """
        if not is_whole(d) or d < 1:
            raise InvalidBoxError(f"A box has a whole number of axes from 1, but d is {d!r}.")
        return cls([0.0] * int(d), [1.0] * int(d))

    @property
    def d(self) -> int:
        """The number of axes."""
        return len(self.low)

    @property
    def width(self) -> Floats:
        """The side lengths, shape (d,), in the user's units."""
        return np.subtract(self.high, self.low)

    @property
    def columns(self) -> tuple[str, ...]:
        """The declared names, or x1, ..., xd."""
        return self.names or axis_names(self.d)

    def rows(self, points: Any) -> Floats:
        """The points as a float64 array of shape (n, d), not yet clamped; frames are read by column name.

        Raises `InvalidPointsError` for a wrong shape, a missing column or values that are not numbers.

        >>> Box([0], [1]).rows([0.25, 0.75]).shape
        (2, 1)
        """
        if isinstance(points, pd.DataFrame) and self.names is not None:
            points = columns_of(points, self.names)
        array = _numeric(points)
        if array.ndim == 1 and (self.d == 1 or array.size == 0):
            array = array.reshape(-1, self.d)
        if array.ndim != 2 or array.shape[1] != self.d:
            raise InvalidPointsError(
                f"The points have shape {_public_shape(array)}, but the box has {self.d} axes. "
                f"Give an (n, {self.d}) array."
            )
        return array

    def valid(self, rows: Floats) -> Bools:
        """Which rows are finite: the others are dropped or moved to the lower corner, by one fixed rule a row.

        >>> Box.unit(1).valid(np.array([[0.0], [np.inf]]))
        array([ True, False])
        """
        return np.asarray(np.isfinite(rows).all(axis=1))

    def to_unit(self, points: Any, invalid: Invalid = "drop") -> Floats:
        """Map points to the unit cube: u = (clamp(x, low, high) - low) / (high - low), shape (n', d).

        A row with a NaN or an infinity is dropped, or counted at the lower corner when `invalid="corner"`
        (the relation "replace one", where the number of rows is public).

        >>> Box([0], [4]).to_unit([1.0, np.nan, 7.0], invalid="corner").ravel()
        array([0.25, 0.  , 1.  ])
        """
        rows = self.rows(points)
        good = self.valid(rows)
        if not good.all():
            rows = np.where(good[:, None], rows, self.low) if invalid == "corner" else rows[good]
        return (np.clip(rows, self.low, self.high) - self.low) / self.width

    def from_unit(self, unit: Any) -> Floats:
        """Map unit-cube coordinates back: x = low + u (high - low), kept inside the box, shape (n, d).

        Raises `InvalidPointsError`.

        >>> Box([-1], [3]).from_unit([[0.5]])
        array([[1.]])
        """
        array = as_floats(unit, InvalidPointsError("The coordinates are not all numbers. Give an (n, d) array."))
        if array.shape[-1:] != (self.d,):
            raise InvalidPointsError(f"The coordinates have shape {array.shape}. Give an (n, {self.d}) array.")
        return np.clip(np.asarray(self.low) + array * self.width, self.low, self.high)


def columns_of(frame: pd.DataFrame, names: Sequence[str]) -> pd.DataFrame:
    """The named columns of a table, in that order; raises `InvalidPointsError` if one is missing or there twice.

    >>> columns_of(pd.DataFrame({"y": [2], "x": [1], "z": [3]}), ["x", "y"]).columns.tolist()
    ['x', 'y']
    """
    labels = [str(label) for label in frame.columns]
    for name in names:
        if name not in labels:
            raise InvalidPointsError(f"The table has no column {name!r}. Its columns must include {', '.join(names)}.")
        if labels.count(name) > 1:
            raise InvalidPointsError(f"The table has column {name!r} twice. Make the names unique.")
    return frame.iloc[:, [labels.index(name) for name in names]]


def axis_names(d: int) -> tuple[str, ...]:
    """What the axes are called that nobody named: x1, ..., xd.

    >>> axis_names(2)
    ('x1', 'x2')
    """
    return tuple(f"x{axis + 1}" for axis in range(d))


def checked_box(box: Any) -> Box:
    """The box; raises `InvalidBoxError` for anything else, since bounds alone could be meant in many ways.

    >>> checked_box(([0, 0], [1, 1]))
    Traceback (most recent call last):
    privcore.errors.InvalidBoxError: The box is of type tuple. Give a Box, such as Box(low=[0, 0], high=[10, 5]).
    """
    if not isinstance(box, Box):
        raise InvalidBoxError(
            f"The box is of type {type(box).__name__}. Give a Box, such as Box(low=[0, 0], high=[10, 5])."
        )
    return box


@dataclass(frozen=True)
class Frame:
    """Where the partition lives: the unit cube, or the window [0, 1]^d + shift inside [0, 2]^d.

    A coordinate becomes a whole number of `AXIS_DIGITS` binary digits, floor(2^52 (u + shift) / side).
    The same floating-point rule gives the window's first and last number, so that a record can never fall
    into a cell that is publicly empty. Source: the paper, section 6.

    >>> frame = Frame(2, (0.5, 0.0))
    >>> frame.side, [int(v) for v in frame.last >> np.uint64(51)]
    (2.0, [1, 0])
    """

    d: int
    shift: tuple[float, ...] | None = None

    def __post_init__(self) -> None:
        if self.shift is None:
            return
        if len(self.shift) != self.d or not all(0.0 <= u <= 1.0 for u in self.shift):
            raise InvalidParametersError(
                f"The shift must be {self.d} numbers between 0 and 1, one an axis, but is {self.shift}."
            )

    @property
    def side(self) -> float:
        """The side of the root cell."""
        return 1.0 if self.shift is None else 2.0

    @property
    def offset(self) -> Floats:
        """The translation into the frame, shape (d,)."""
        return np.zeros(self.d) if self.shift is None else np.asarray(self.shift, dtype=np.float64)

    @property
    def first(self) -> Words:
        """The smallest coordinate number a record can have, shape (d,)."""
        return np.floor(self.offset / self.side * 2.0**AXIS_DIGITS).astype(np.uint64)

    @property
    def last(self) -> Words:
        """The largest coordinate number a record can have: the window's upper face belongs to the cell below it."""
        top = np.ceil((self.offset + 1.0) / self.side * 2.0**AXIS_DIGITS)
        return (top - 1.0).astype(np.uint64)

    def numbers(self, unit: Floats) -> Words:
        """The coordinate numbers of unit-cube points, shape (n, d), uint64."""
        scaled = np.floor((unit + self.offset) / self.side * 2.0**AXIS_DIGITS)
        return np.clip(scaled.astype(np.uint64), self.first, self.last)


def _numbers(values: Sequence[float], what: str) -> tuple[float, ...]:
    refusal = InvalidBoxError(f"`{what}` must be numbers, one an axis, but is {values!r}.")
    array = np.atleast_1d(as_floats(values, refusal))
    if array.ndim != 1:
        raise refusal
    return tuple(array.tolist())


def _names(names: Sequence[str]) -> tuple[str, ...]:
    if isinstance(names, str):
        return (names,)
    try:
        return tuple(str(name) for name in names)
    except TypeError:
        raise InvalidBoxError(f"`names` must be the names of columns, one an axis, but is {names!r}.") from None


def _check_bounds(box: Box) -> None:
    if not box.low or len(box.low) != len(box.high):
        raise InvalidBoxError(
            f"`low` has {len(box.low)} numbers and `high` has {len(box.high)}. Give one of each for every axis."
        )
    if box.names is not None and (len(box.names) != box.d or len(set(box.names)) != box.d):
        raise InvalidBoxError(f"`names` must be {box.d} different names, one an axis, but is {box.names}.")
    for name, low, high in zip(box.columns, box.low, box.high, strict=True):
        if not (np.isfinite(low) and np.isfinite(high) and low < high):
            raise InvalidBoxError(f"The bounds of {name} are {low} and {high}. They must be finite, with low < high.")
        if not (1e-290 < high - low < np.inf):
            raise InvalidBoxError(f"The bounds of {name} are {low} and {high}: a width float64 can't divide by.")


def unit_points(points: Any) -> Floats:
    """Points that lie in the unit cube already, as float64 of shape (n, d), n >= 1; (n,) is taken for d = 1.

    Raises `InvalidPointsError`.

    >>> unit_points([0.25, 0.75]).shape
    (2, 1)
    """
    array = _numeric(points).astype(np.float64, copy=False)
    array = array[:, None] if array.ndim == 1 else array
    if array.ndim != 2 or not array.shape[1]:
        raise InvalidPointsError(f"The points have shape {_public_shape(array)}. Give an (n, d) array with d >= 1.")
    if not len(array):
        raise InvalidPointsError("There is no point. Give at least one.")
    if not (array.min() >= 0.0 and array.max() <= 1.0):
        raise InvalidPointsError("The points must lie in the unit cube. Map them with Box.to_unit first.")
    return array


def _numeric(points: Any) -> np.ndarray[Any, np.dtype[Any]]:
    """The points as floats, each value by itself; NaN where a value is masked or missing.

    numpy chooses one type for all values of a list. A date would be counted in the finest unit among them, and a
    number beside text first be written as text: one row would change the others. Numbers have no such freedom.
    """
    try:
        array = np.asarray(points)
        if array.dtype.kind in "US" and not isinstance(points, np.ndarray):
            array = np.asarray(points, dtype=np.object_)
        if array.dtype.kind not in "biufOUS":
            raise TypeError
        if array.dtype.kind == "O":
            array = np.where(pd.isna(array), np.nan, array)
        numbers = array if array.dtype == np.float32 else array.astype(np.float64, copy=False)
    except (TypeError, ValueError, OverflowError):
        raise InvalidPointsError("The points are not all numbers. Give an (n, d) array of numbers.") from None
    return np.where(np.ma.getmaskarray(points), np.nan, numbers) if isinstance(points, np.ma.MaskedArray) else numbers


def _public_shape(array: np.ndarray[Any, Any]) -> str:
    """The shape without the number of rows, which may be private."""
    if array.ndim < 2:
        return "(n,)" if array.ndim else "()"
    return f"({', '.join(['n', *map(str, array.shape[1:])])})"
