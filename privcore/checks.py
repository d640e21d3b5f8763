"""What is asked of an argument in more than one place; each error says what the argument is and what to give."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from privcore.arrays import Floats
from privcore.errors import InvalidParametersError, PrivcoreError

SEEDS = 2**128
"""A seed is below this: that is what a seeded word source takes."""


def is_real(value: Any) -> bool:
    """Whether a value is one real number, of any numeric type; text and truth values are not.

    >>> is_real(2), is_real(np.float32(0.5)), is_real("2"), is_real(True), is_real([2.0])
    (True, True, False, False, False)
    """
    return isinstance(value, int | float | np.integer | np.floating) and not isinstance(value, bool)


def is_whole(value: Any) -> bool:
    """Whether a value is one whole number, be it of a type that holds others too.

    >>> is_whole(2), is_whole(2.0), is_whole(2.5), is_whole("2"), is_whole(True), is_whole(float("inf"))
    (True, True, False, False, False, False)
    """
    return is_real(value) and (isinstance(value, int | np.integer) or float(value).is_integer())


def checked_whole(name: str, value: Any, least: int) -> int:
    """A whole number as an int; raises `InvalidParametersError` that begins with `name` unless it is at least `least`.

    >>> checked_whole("d", 2.0, least=1)
    2
    """
    if not is_whole(value) or value < least:
        raise InvalidParametersError(f"{name} is {value!r}, but must be a whole number from {least}.")
    return int(value)


def checked_seed(seed: Any) -> int:
    """The seed as an int; raises `InvalidParametersError` unless it is a whole number from 0 to 2^128 - 1.

    >>> checked_seed(np.int64(7))
    7
    """
    if not is_whole(seed) or not 0 <= seed < SEEDS:
        raise InvalidParametersError(f"The seed is {seed!r}, but must be a whole number from 0 to 2^128 - 1.")
    return int(seed)


def checked_choice(name: str, value: Any, options: Sequence[str | None]) -> None:
    """Raises `InvalidParametersError` that begins with `name` unless the value is one of the options.

    >>> checked_choice("mode", "tight", ("tight", "paper"))
    """
    if not (value is None or isinstance(value, str)) or value not in options:
        raise InvalidParametersError(f"{name} is {value!r}, but must be one of {', '.join(map(repr, options))}.")


def as_floats(values: Any, refusal: PrivcoreError) -> Floats:
    """The values as a float64 array of any shape, a masked one as NaN; raises `refusal` unless they are real numbers.

    >>> as_floats([1, 2], PrivcoreError("These are no numbers.")).tolist()
    [1.0, 2.0]
    """
    try:
        if isinstance(values, np.ma.MaskedArray):
            values = np.ma.filled(values.astype(np.float64), np.nan)
        array = np.asarray(values)
        if array.dtype.kind not in "biufOUS":  # numpy would make numbers of complex ones and of dates
            raise TypeError
        return array.astype(np.float64, copy=False)
    except (TypeError, ValueError, OverflowError):
        raise refusal from None
