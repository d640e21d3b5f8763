"""From text to numbers: how numbers are written, and what a column's own cells say about their decimal mark.

"1,5" can only be one and a half, "1,234.5" can only have a decimal point, but "1,234" can be two numbers a
factor of a thousand apart. So a cell is classified first, and a column is read only when its cells leave one
reading. Nothing is decided here by how likely it is.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from typing import Literal

import numpy as np
import pandas as pd

from privcore.arrays import Bools, Floats, Ints

Mark = Literal[".", ","]

MISSING = frozenset(
    (
        *("", "NA", "N/A", "n/a", "na", "NaN", "nan", "NAN", "NULL", "Null", "null", "None", "none", "-", "--", "?"),
        *("<NA>", "#N/A", "#NA", "#DIV/0!", "#VALUE!", "#REF!", "#NUM!", "#NAME?", "#NULL!"),
    )
)
"""What stands for "no number here" in a column of numbers. In a column of text they are kept: NA is Namibia."""

_SIGN = "[+\\-\u2212]?"
_SPACES = " \u00a0\u202f\u2009'\u2019"
_PLAIN = re.compile(rf"{_SIGN}(?:[0-9]+(?:([.,])[0-9]+)?|([.,])[0-9]+|[0-9]+(\.))(?:[eE][+-]?[0-9]+)?")
_INFINITE = re.compile(rf"{_SIGN}inf(?:inity)?", re.IGNORECASE)
_ONE_GROUP = re.compile(rf"{_SIGN}[1-9][0-9]{{0,2}}[.,][0-9]{{3}}")
_POINT_GROUPED = re.compile(rf"{_SIGN}[1-9][0-9]{{0,2}}(?:,[0-9]{{3}})+(?:\.[0-9]*)?")
_COMMA_GROUPED = re.compile(rf"{_SIGN}[1-9][0-9]{{0,2}}(?:\.[0-9]{{3}})+(?:,[0-9]+)?")
_SPACE_GROUPED = re.compile(rf"{_SIGN}[1-9][0-9]{{0,2}}([{_SPACES}])[0-9]{{3}}(?:\1[0-9]{{3}})*(?:([.,])[0-9]+)?")
_DATES = re.compile(
    r"(?:\d{4}[-/.]\d{1,2}[-/.]\d{1,2}|\d{1,2}[-/.]\d{1,2}[-/.](?:\d{4}|\d{2}))(?:[T ]\d{1,2}:\d{2}.*)?"
    r"|\d{1,2}[- ][A-Za-z]{3,9}\.?[- ,]+\d{2,4}|\d{1,2}:\d{2}(?::\d{2}(?:\.\d+)?)?"
)

Form = Literal["missing", "whole", ".", ",", ".?", ",?", "text"]
_FORMS: tuple[Form, ...] = ("missing", "whole", ".", ",", ".?", ",?", "text")
_CODE = {form: code for code, form in enumerate(_FORMS)}


def form_of(cell: str) -> Form:
    """How a cell is written: "whole" has no decimal mark, "." and "," have one for certain, "?" may be a group.

    >>> [form_of(cell) for cell in ("7", "1.5", "1,5", "1,234", "1,234.5", "1.234.567", "0,123", "NA", "Berlin")]
    ['whole', '.', ',', ',?', '.', ',', ',', 'missing', 'text']
    """
    text = cell.strip()
    plain = _PLAIN.fullmatch(text)
    if plain:
        mark = plain[plain.lastindex] if plain.lastindex else ""
        return _marked(mark, sure=len(text) > 8 or not _ONE_GROUP.fullmatch(text)) if mark else "whole"
    if text in MISSING:
        return "missing"
    if _POINT_GROUPED.fullmatch(text):
        return "."
    if _COMMA_GROUPED.fullmatch(text):
        return ","
    spaced = _SPACE_GROUPED.fullmatch(text)
    if spaced:
        return _marked(spaced[2], sure=True) if spaced[2] else "whole"
    return "whole" if _INFINITE.fullmatch(text) else "text"


def is_number(cell: str) -> bool:
    """Whether a cell is a number under some decimal mark.

    >>> is_number("1.234,5"), is_number("NA")
    (True, False)
    """
    return form_of(cell) not in ("text", "missing")


def _marked(mark: str, sure: bool) -> Form:
    if mark == ".":
        return "." if sure else ".?"
    return "," if sure else ",?"


def number_of(cell: str, decimal: Mark) -> float:
    """The number that a cell means under a decimal mark, or NaN when it isn't one.

    >>> number_of("1,234.5", "."), number_of("1.234,5", ","), number_of("1.5", ","), number_of("1,234", ".")
    (1234.5, 1234.5, nan, 1234.0)
    """
    return _number(cell, decimal) if form_of(cell) in _readable(decimal) else math.nan


def _readable(decimal: Mark) -> tuple[Form, ...]:
    """The forms that are numbers when `decimal` is the decimal mark."""
    return ("whole", ".", ".?", ",?") if decimal == "." else ("whole", ",", ",?", ".?")


def _number(cell: str, decimal: Mark) -> float:
    digits = cell.strip().replace("\u2212", "-")
    if decimal == "," or not digits.isascii() or any(mark in digits for mark in " ',"):
        for group in _SPACES + ("," if decimal == "." else "."):
            digits = digits.replace(group, "")
        digits = digits.replace(decimal, ".")
    return float(digits)


def is_date(cell: str) -> bool:
    """Whether a cell looks like a date or a time, of which the order of day and month is never guessed.

    >>> is_date("2024-05-01"), is_date("1/2/24"), is_date("12.5")
    (True, True, False)
    """
    return _DATES.fullmatch(cell.strip()) is not None


@dataclass(frozen=True)
class Cells:
    """The cells of one column, each different text classified once.

    `texts` (u,) are the different cells, `codes` (u,) their forms and `row` (n,) the index of each row's text.
    """

    texts: tuple[str, ...]
    codes: Ints
    row: Ints

    @classmethod
    def of(cls, column: pd.Series[str]) -> Cells:
        """Classify a column of text, shape (n,)."""
        row, texts = pd.factorize(column)
        known = tuple(texts.tolist())
        codes = np.fromiter((_CODE[form_of(text)] for text in known), dtype=np.int64, count=len(known))
        return cls(known, codes, row.astype(np.int64))

    def forms(self) -> frozenset[Form]:
        """The forms that occur."""
        return frozenset(_FORMS[code] for code in np.unique(self.codes))

    def where(self, *forms: Form) -> Bools:
        """Which rows have one of these forms, shape (n,)."""
        return np.asarray(np.isin(self.codes, [_CODE[form] for form in forms])[self.row], dtype=np.bool_)

    def numbers(self, decimal: Mark) -> Floats:
        """The rows as numbers, NaN where a cell is missing or isn't one, shape (n,)."""
        good = np.isin(self.codes, [_CODE[form] for form in _readable(decimal)])
        values = np.full(len(self.texts), np.nan)
        for index in np.flatnonzero(good):
            values[index] = _number(self.texts[index], decimal)
        return values[self.row] if len(values) else np.empty(0)

    def unreadable(self, decimal: Mark) -> Bools:
        """Which rows hold something that is no number under this decimal mark, shape (n,)."""
        return ~self.where("missing", *_readable(decimal))

    def first(self, *forms: Form) -> str:
        """The first cell, in the order of the file, that has one of these forms."""
        first = int(np.flatnonzero(self.where(*forms))[0])
        return str(self.texts[self.row[first]])

    def dated(self) -> bool:
        """Whether every cell that isn't empty looks like a date or a time."""
        filled = [text for text, code in zip(self.texts, self.codes, strict=True) if code != _CODE["missing"]]
        return bool(filled) and all(map(is_date, filled))
