"""Columns of text to numbers, where their cells leave one reading only."""

from __future__ import annotations

import io
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from privcore.arrays import Bools, Floats, Ints
from privcore.tables.numerals import MISSING, Cells, Form, Mark, is_number, number_of
from privcore.tables.problems import SAVE_AS, Problem, Refusal, lines_text, quoted
from privcore.tables.table import Column, Kind, Options

EXACT_WHOLE = 2**53
"""Up to here float64 holds every whole number exactly."""
SAMPLE_ROWS = 1000
"""Rows whose text is looked at before all of it is."""

# From pandas 3.1 the parser rounds correctly by itself, and the argument that asked for it is deprecated.
_CORRECT_ROUNDING: dict[str, Any] = (
    {} if tuple(map(int, pd.__version__.split(".")[:2])) >= (3, 1) else {"float_precision": "round_trip"}
)


@dataclass(frozen=True)
class Reading:
    """The records of a table and how pandas is asked to read them."""

    body: bytes
    character: str
    width: int
    lines: Ints

    def numbers(self, decimal: Mark, columns: list[int] | None = None) -> pd.DataFrame:
        """Let pandas infer: columns whose cells are all plain numbers or missing come back as numbers."""
        return self._read(columns, decimal=decimal, na_values=sorted(MISSING), low_memory=False)

    def texts(self, columns: list[int] | None = None, rows: int | None = None) -> pd.DataFrame:
        """The cells as they stand in the file, all rows or the first few."""
        return self._read(columns, dtype=str, na_filter=False, nrows=rows)

    def _read(self, columns: list[int] | None, **how: Any) -> pd.DataFrame:
        width = range(self.width)
        if not self.body or columns == []:
            return pd.DataFrame({position: pd.Series(dtype=str) for position in columns or width})
        if "dtype" not in how:
            how |= _CORRECT_ROUNDING
        try:
            frame: pd.DataFrame = pd.read_csv(
                io.BytesIO(self.body),
                sep=self.character,
                header=None,
                names=list(width),
                usecols=columns,
                index_col=False,
                engine="c",
                encoding="utf-8",
                keep_default_na=False,
                skip_blank_lines=False,
                skipinitialspace=True,
                **how,
            )
        except (ValueError, OverflowError, pd.errors.EmptyDataError) as error:
            raise Refusal(f"The rows can't be read: {str(error)[:100]}", "", SAVE_AS) from None
        if how.get("nrows") is None and len(frame) != len(self.lines):
            raise Refusal("The quotation marks of the file are not consistent", "", SAVE_AS)
        return frame


def read_columns(
    reading: Reading, names: list[str], delimiter: str | None, options: Options
) -> tuple[pd.DataFrame, tuple[Column, ...], Mark, list[Problem]]:
    """Read every column as numbers where its cells allow one reading only and nobody wants its text, else as text."""
    decimal = options.decimal
    drafts = _drafts(reading, names, decimal)
    numbers = [draft for draft in drafts if draft.name not in options.text]
    marks = set() if decimal else {mark for draft in numbers for mark in draft.evidence}
    known: Mark | None = decimal or (next(iter(marks)) if len(marks) == 1 else None)
    problems: list[Problem] = []
    series, columns = {}, []
    for draft in drafts:
        values, column, found = (
            (draft.text(), Column(draft.name, "text"), [])
            if draft.name in options.text
            else settle(draft, known, delimiter, fixed=decimal is not None)
        )
        series[column.name] = values
        columns.append(column)
        problems += [problem for problem in found if problem.level != "note"]
        problems += number_problems(values, column, reading.lines) if column.kind == "number" else []
        problems += [problem for problem in found if problem.level == "note"]
    if decimal is None and {column.decimal for column in columns} >= {".", ","}:
        what = "Some columns have a decimal point and others a decimal comma; each was read by its own"
        problems.append(Problem("warning", what, "", "Check the columns."))
    problems += kind_notes(columns, len(reading.lines))
    frame = pd.DataFrame(series, index=pd.RangeIndex(len(reading.lines)))
    return frame, tuple(columns), known or ".", problems


@dataclass
class Draft:
    """A column on its way: what pandas made of it, its text where that was needed, its forms."""

    position: int
    name: str
    lines: Ints
    read: pd.Series[Any]
    mark: Mark
    text: Callable[[], pd.Series[str]]
    sample: Cells
    _cells: Cells | None = None

    @property
    def cells(self) -> Cells:
        """All cells, classified: read only when the quick way doesn't settle the column."""
        if self._cells is None:
            self._cells = Cells.of(self.text())
        return self._cells

    @property
    def plain(self) -> bool:
        """Whether pandas read every cell as a number written plainly."""
        return self.read.dtype.kind in "iuf" and not (self.read.dtype.kind == "f" and bool(self.read.isna().all()))

    @property
    def forms(self) -> frozenset[Form]:
        """The forms that tell something: the sample's if they settle the decimal mark, else those of all cells."""
        if self.plain and (self.read.dtype.kind in "iu" or self.sample.forms() & {".", ","}):
            return self.sample.forms()
        return self.cells.forms()

    @property
    def candidate(self) -> bool:
        """Whether the column is meant to hold numbers: at least half of its filled cells do."""
        if self.plain:
            return True
        others = int(self.cells.where("text").sum())
        return 0 < len(self.cells.row) - int(self.cells.where("missing").sum()) >= 2 * others

    @property
    def evidence(self) -> set[Mark]:
        """The decimal marks that the column's cells prove."""
        if not self.candidate:
            return set()
        return {mark for mark in _MARKS if mark in self.forms}

    @property
    def doubtful(self) -> bool:
        """Whether some cell can be read in two ways."""
        return bool(self.forms & {".?", ",?"})


_MARKS: tuple[Mark, Mark] = (".", ",")


def _drafts(reading: Reading, names: list[str], decimal: Mark | None) -> list[Draft]:
    sample = reading.texts(rows=SAMPLE_ROWS)
    forms = [Cells.of(sample[position]) for position in range(reading.width)]
    first: Mark = decimal or "."
    quick = reading.numbers(first)
    read = {position: quick[position] for position in range(reading.width)}
    mark: dict[int, Mark] = dict.fromkeys(read, first)
    commas = [position for position in read if decimal is None and _comma_sample(read[position], forms[position])]
    if commas:
        again = reading.numbers(",", commas)
        for position in commas:
            if again[position].dtype.kind == "f":
                read[position], mark[position] = again[position], ","
    texts = [position for position in read if _needs_text(read[position], forms[position], decimal)]
    text = reading.texts(texts)

    def text_of(position: int) -> Callable[[], pd.Series[str]]:
        if position in texts:
            return lambda: text[position]
        return lambda: reading.texts([position])[position]

    return [
        Draft(
            position, names[position], reading.lines, read[position], mark[position], text_of(position), forms[position]
        )
        for position in range(min(reading.width, len(names)))
    ]


def _needs_text(read: pd.Series[Any], sample: Cells, decimal: Mark | None) -> bool:
    """Whether the text of a column is needed: it isn't all numbers, or nothing yet proves its decimal mark."""
    if read.dtype.kind in "iu":
        return False
    unproved = decimal is None and not sample.forms() & {".", ","}
    return read.dtype.kind != "f" or bool(read.isna().all()) or unproved


def _comma_sample(read: pd.Series[Any], sample: Cells) -> bool:
    forms = sample.forms()
    return read.dtype.kind not in "iuf" and "," in forms and not forms & {".", "text"}


def settle(
    draft: Draft, known: Mark | None, delimiter: str | None, fixed: bool
) -> tuple[pd.Series[Any], Column, list[Problem]]:
    """The values of one column and what kind it is."""
    if draft.plain and fixed:
        return draft.read, Column(draft.name, "number", draft.mark), []
    if not draft.candidate:
        return draft.text(), Column(draft.name, _text_kind(draft.cells)), []
    own = draft.evidence
    if len(own) == 2 and not fixed:
        return draft.text(), Column(draft.name, "unclear"), [_both_marks(draft)]
    decimal = known if fixed else next(iter(own), None) or (known if draft.doubtful else None)
    if decimal is None and draft.doubtful:
        if delimiter == ";" or not draft.plain:
            return draft.text(), Column(draft.name, "unclear"), [_unclear(draft)]
        return draft.read, Column(draft.name, "number", "."), [_three_digits(draft)]
    if draft.plain and (draft.mark == decimal or not draft.doubtful):
        return draft.read, Column(draft.name, "number", decimal), []
    return _careful(draft, decimal)


def _careful(draft: Draft, decimal: Mark | None) -> tuple[pd.Series[Any], Column, list[Problem]]:
    """Read a column cell by cell: groups of thousands, spaces inside numbers, cells that are no numbers."""
    bad = draft.cells.unreadable(decimal or ".")
    if bad.any():
        return draft.text(), Column(draft.name, "mixed", decimal), [mixed(draft, bad)]
    values = draft.cells.numbers(decimal or ".")
    problems = []
    grouped = [text for text in draft.cells.texts if _is_grouped(text, decimal)]
    if grouped:
        what = f"Column {quoted(draft.name)}: digits are in groups of thousands; {quoted(grouped[0])} was read as "
        what += repr(number_of(grouped[0], decimal or "."))
        if draft.evidence:
            problems.append(Problem("note", what))
        else:
            problems.append(Problem("warning", what, "", "If the mark is the decimal one, say so (decimal)."))
    return pd.Series(values), Column(draft.name, "number", decimal), problems


def _is_grouped(text: str, decimal: Mark | None) -> bool:
    other = "," if (decimal or ".") == "." else "."
    return is_number(text) and any(group in text.strip() for group in " \u00a0\u202f\u2009'\u2019" + other)


def _text_kind(cells: Cells) -> Kind:
    if all(not text.strip() for text in cells.texts):
        return "empty"
    return "date" if cells.dated() else "text"


def _both_marks(draft: Draft) -> Problem:
    what = f"Column {quoted(draft.name)} has decimal points and decimal commas: {quoted(draft.cells.first('.'))} and "
    what += quoted(draft.cells.first(","))
    where = lines_text(draft.lines[[_row(draft, "."), _row(draft, ",")]])
    return Problem("error", what, where, "Write all its numbers in one way, or say which mark is the decimal one.")


def _unclear(draft: Draft) -> Problem:
    cell = draft.cells.first(".?", ",?")
    what = f"Column {quoted(draft.name)}: {quoted(cell)} can be read as {cell.strip().replace(',', '.')} or as "
    what += cell.strip().replace(",", "").replace(".", "")
    where = lines_text(draft.lines[[_row(draft, ".?", ",?")]])
    return Problem("error", what, where, "Say which mark is the decimal one (decimal).")


def _three_digits(draft: Draft) -> Problem:
    cell = draft.cells.first(".?")
    what = f"Column {quoted(draft.name)}: every number with a point has three digits after it, as {quoted(cell)}; "
    what += "read as decimals"
    where = lines_text(draft.lines[[_row(draft, ".?")]])
    return Problem("warning", what, where, "If the point groups thousands, say that the decimal mark is a comma.")


def mixed(draft: Draft, bad: Bools) -> Problem:
    """What is said about a column of numbers with `bad` cells that are none."""
    rows = np.flatnonzero(bad)
    cell = draft.cells.texts[draft.cells.row[rows[0]]]
    count = f"{len(rows)} cells are" if len(rows) > 1 else "one cell is"
    what = f"Column {quoted(draft.name)} holds numbers, but {count} not a number, as {quoted(cell)}; left as text"
    return Problem("warning", what, lines_text(draft.lines[rows]), "Correct these cells or empty them.")


def _row(draft: Draft, *forms: Form) -> int:
    return int(np.flatnonzero(draft.cells.where(*forms))[0])


def number_problems(values: pd.Series[Any], column: Column, lines: Ints, unit: str = "line") -> list[Problem]:
    """Missing cells, infinities and whole numbers that float64 rounds."""
    problems = []
    if values.dtype.kind in "iu" or not len(values):
        large = bool(len(values)) and (int(values.max()) > EXACT_WHOLE or int(values.min()) < -EXACT_WHOLE)
        return [_rounded(column)] if large else []
    numbers = values.to_numpy(dtype=np.float64)
    infinite = np.flatnonzero(np.isinf(numbers))
    if len(infinite):
        what = f"Column {quoted(column.name)}: {_cells(len(infinite))} infinite or too large for a number"
        problems.append(Problem("warning", what, lines_text(lines[infinite], unit), "These rows can't become points."))
    missing = np.flatnonzero(np.isnan(numbers))
    if len(missing):
        what = f"Column {quoted(column.name)}: {_cells(len(missing))} empty or marked as missing"
        problems.append(Problem("warning", what, lines_text(lines[missing], unit), "These rows can't become points."))
    if bool((np.abs(numbers[np.isfinite(numbers)]) > EXACT_WHOLE).any()) and _all_whole(numbers):
        problems.append(_rounded(column))
    return problems


def _all_whole(numbers: Floats) -> bool:
    finite = numbers[np.isfinite(numbers)]
    return bool((finite == np.floor(finite)).all())


def _rounded(column: Column) -> Problem:
    what = f"Column {quoted(column.name)} has whole numbers above 2^53, which are rounded when used as coordinates"
    return Problem("warning", what, "", "Use it only if the last digits don't matter.")


def _cells(count: int) -> str:
    return "one cell is" if count == 1 else f"{count} cells are"


def kind_notes(columns: Sequence[Column], rows: int) -> list[Problem]:
    """Which columns can't be coordinates, so that none is dropped silently."""
    said: tuple[tuple[Kind, str, str], ...] = (
        ("text", "text", ""),
        ("date", "dates or times, left as text", "Turn them into numbers (years, days) if you want to use them."),
        ("empty", "empty", ""),
    )
    problems = []
    for kind, words, todo in said:
        names = [quoted(column.name) for column in columns if column.kind == kind]
        if names:
            subject = f"Column {names[0]} is" if len(names) == 1 else f"Columns {', '.join(names)} are"
            problems.append(Problem("note", f"{subject} {words}: not a coordinate", "", todo))
    if rows and columns and not any(column.kind in ("number", "mixed", "unclear") for column in columns):
        problems.append(Problem("error", "No column holds numbers", "", "Choose a file with columns of numbers."))
    return problems
