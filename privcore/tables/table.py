"""What was read: the table, its columns, and what the owner may say about the file."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
import pandas as pd

from privcore.arrays import Floats, Ints
from privcore.checks import checked_choice
from privcore.errors import InvalidParametersError, InvalidPointsError
from privcore.tables.numerals import Cells, Mark
from privcore.tables.problems import Problem

Kind = Literal["number", "mixed", "text", "date", "empty", "unclear"]


@dataclass(frozen=True)
class Column:
    """What was decided about one column.

    `kind` is "number"; "mixed", numbers with a few cells that aren't; "text"; "date"; "empty"; or "unclear",
    numbers that can be read in two ways. `decimal` is the column's own decimal mark where it has one.
    """

    name: str
    kind: Kind
    decimal: Mark | None = None


@dataclass(frozen=True)
class Table:
    """A table as it was read, and how.

    `frame` holds every column that was read, under its original name (made unique where it wasn't): numbers as
    int64, uint64 or float64, all else as the text that stands in the file. `header` says whether the names come
    from the file; `comments` counts comment lines, `ragged` the rows left out because of their number of fields;
    `lines` (n,) is the line (in a workbook or a Parquet file: the row) where each row begins.
    """

    frame: pd.DataFrame
    problems: tuple[Problem, ...] = ()
    columns: tuple[Column, ...] = ()
    name: str | None = None
    format: Literal["csv", "excel", "parquet"] | None = None
    delimiter: str | None = None
    encoding: str | None = None
    decimal: Mark = "."
    header: bool = True
    comments: int = 0
    ragged: int = 0
    sheet: str | None = None
    lines: Ints = field(default_factory=lambda: np.empty(0, dtype=np.int64), repr=False)

    @property
    def ok(self) -> bool:
        """Whether no problem is an error.

        >>> from privcore.tables import read_table
        >>> read_table(b"x,y\\n1,2\\n").ok, read_table(b"").ok
        (True, False)
        """
        return not any(problem.level == "error" for problem in self.problems)

    @property
    def numeric(self) -> pd.DataFrame:
        """The columns that can be coordinates, as float64; NaN where a cell is empty.

        >>> from privcore.tables import read_table
        >>> list(read_table(b"city,x,y\\nWindhoek,1,2.5\\n").numeric)
        ['x', 'y']
        """
        names = [column.name for column in self.columns if column.kind == "number"]
        return self.frame[names].astype(np.float64)

    def points(self, columns: Sequence[str], others: Literal["refuse", "missing"] = "refuse") -> Floats:
        """The chosen columns as points, shape (n, d): NaN where a cell is empty.

        With `others="missing"` a cell that isn't a number counts as empty and a row of the wrong length as a row
        of NaN, at the end: then what becomes of a row depends on that row alone.
        Raises `InvalidPointsError` for a column that is missing or holds no numbers; the message has no cell.

        >>> from privcore.tables import read_table
        >>> read_table(b"x;y\\n1,5;2\\n;3,5\\n").points(["x", "y"])
        array([[1.5, 2. ],
               [nan, 3.5]])
        """
        if not columns:
            raise InvalidPointsError("No column is named. Name one or more columns of the table.")
        usable = {"number", "empty", "mixed"} if others == "missing" else {"number", "empty"}
        chosen = [self._column(name) for name in columns]
        for column in chosen:
            if column.kind not in usable:
                raise InvalidPointsError(
                    f"Column {column.name!r} can't be read as numbers. Choose another, or correct it."
                )
        points = np.column_stack([self._values(column) for column in chosen])
        if others == "missing" and self.ragged:
            points = np.vstack([points, np.full((self.ragged, len(columns)), np.nan)])
        return points

    def labels(self, column: str) -> np.ndarray[Any, np.dtype[np.object_]]:
        """A column that was read as text (`text` of `read_table`), (n,), as it stands in the file; "" where empty.

        A row of the wrong length has no label; it stands at the end, as in `points(others="missing")`.
        Raises `InvalidPointsError` for a column that is missing or was not read as text.

        >>> from privcore.tables import read_table
        >>> read_table(b"id,x\\n01,1.5\\n1,2\\n", text=["id"]).labels("id")
        array(['01', '1'], dtype=object)
        """
        if self._column(column).kind != "text":
            raise InvalidPointsError(f"Column {column!r} was not read as text. Name it in `text` of read_table.")
        return np.append(self.frame[column].to_numpy(dtype=object), np.full(self.ragged, "", dtype=object))

    def _column(self, name: str) -> Column:
        for column in self.columns:
            if column.name == name:
                return column
        names = ", ".join(column.name for column in self.columns)
        what = f"Its columns are {names}." if names else "It has none, and its problems say why."
        raise InvalidPointsError(f"The table has no column {name!r}. {what}")

    def _values(self, column: Column) -> Floats:
        series = self.frame[column.name]
        if column.kind == "number":
            return series.to_numpy(dtype=np.float64)
        if column.kind == "empty":
            return np.full(len(series), np.nan)
        return Cells.of(series.astype(str)).numbers(column.decimal or self.decimal)


_DELIMITER = re.compile(r"[^\w\"'\r\n]")
"""One mark that can't be part of a word: no letter, digit, quotation mark or line break."""


@dataclass(frozen=True)
class Options:
    """What the owner says about the file; None where the file has to say it. Raises `InvalidParametersError`."""

    delimiter: str | None
    decimal: Mark | None
    encoding: str | None
    header: bool | None
    sheet: str | None
    text: Collection[str] = frozenset()

    def __post_init__(self) -> None:
        checked_choice("decimal", self.decimal, (None, ".", ","))
        for name in ("delimiter", "encoding", "sheet"):
            if not isinstance(getattr(self, name), str | None):
                raise InvalidParametersError(f"{name} is {getattr(self, name)!r}, but must be text, or None.")
        if self.delimiter is not None and not _DELIMITER.fullmatch(self.delimiter):
            raise InvalidParametersError(f"delimiter is {self.delimiter!r}, but must be one mark, such as ',' or ';'.")
        if not isinstance(self.header, bool | None):
            raise InvalidParametersError(f"header is {self.header!r}, but must be True, False or None.")
        names = (self.text,) if isinstance(self.text, str) else self.text
        if not isinstance(names, Collection) or not all(isinstance(name, str) for name in names):
            raise InvalidParametersError(f"text is {self.text!r}, but must be the names of columns.")
        object.__setattr__(self, "text", frozenset(names))
