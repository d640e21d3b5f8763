"""Problems of a file as values: what is wrong, where, and what its owner can do about it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

Level = Literal["error", "warning", "note"]

SHOWN = 5
"""How many line numbers a problem lists before it only counts the rest."""

SAVE_AS = "Save the table as CSV (UTF-8), Excel (.xlsx) or Parquet."


@dataclass(frozen=True)
class Problem:
    """One thing that the owner of a file should know; it may quote the file, so it is private.

    An "error" means that the file or a column can't be used as it is; a "warning" that something was left out
    or decided that could be wrong; a "note" that something was decided that is hardly ever wrong.

    >>> print(Problem("warning", "Two rows are longer than the header", "lines 4 and 9", "Correct the rows."))
    warning: Two rows are longer than the header (lines 4 and 9). Correct the rows.
    """

    level: Level
    what: str
    where: str = ""
    todo: str = ""

    def __str__(self) -> str:
        place = f" ({self.where})" if self.where else ""
        return f"{self.level}: {self.what}{place}. {self.todo}".rstrip()


class Refusal(Exception):  # noqa: N818  (it carries a problem that read_table returns; nobody else sees it raised)
    """Reading can't go on: the problem says why."""

    def __init__(self, what: str, where: str = "", todo: str = "") -> None:
        super().__init__(what)
        self.problem = Problem("error", what, where, todo)


def lines_text(numbers: Sequence[int] | np.ndarray[tuple[int], np.dtype[np.int64]], unit: str = "line") -> str:
    """Line numbers in words, the first few of them.

    >>> lines_text([7]), lines_text([1, 2, 3]), lines_text(range(1, 9))
    ('line 7', 'lines 1, 2 and 3', 'lines 1, 2, 3, 4, 5 and 3 more')
    """
    shown = [str(int(number)) for number in numbers[:SHOWN]]
    rest = len(numbers) - len(shown)
    if rest:
        shown.append(f"{rest} more")
    if len(shown) == 1:
        return f"{unit} {shown[0]}"
    return f"{unit}s {', '.join(shown[:-1])} and {shown[-1]}"


def quoted(text: str, limit: int = 40) -> str:
    """A cell as it is shown in a message: quoted, on one line, shortened.

    >>> quoted("Berlin")
    "'Berlin'"
    """
    return repr(text if len(text) <= limit else text[:limit] + "…")
