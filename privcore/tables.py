"""Reading a table strictly: CSV and its relatives, Excel, Parquet; what is doubtful is a problem, never a guess.

Everything here speaks to the owner of the file: problems quote lines and cells, so they are private.
"""

from __future__ import annotations

import io
import os
import zipfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import IO, Any, Literal, TypeAlias

import numpy as np
import pandas as pd

from privcore import dialect
from privcore.arrays import Bools, Floats, Ints
from privcore.errors import InvalidPointsError
from privcore.numerals import MISSING, Cells, Form, Mark, form_of
from privcore.problems import Level, Problem, Refusal, lines_text, quoted

__all__ = ["Column", "Problem", "Source", "Table", "read_table"]

Source: TypeAlias = str | os.PathLike[str] | bytes | IO[bytes]
Kind = Literal["number", "mixed", "text", "date", "empty", "unclear"]

MAX_UNZIPPED = 512 * 2**20
"""Bytes an Excel file may unpack to: more is taken for an accident or an attack."""
MAX_CELLS = 20_000_000
"""Cells of an Excel sheet that are read."""
MAX_NUMBERS = 2**30
"""Numbers of a Parquet file that are read (8 GiB as float64)."""
EXACT_WHOLE = 2**53
"""The largest range of whole numbers that float64 holds exactly."""
SAMPLE_ROWS = 1000

# From pandas 3.1 the parser rounds correctly by itself, and the argument that asked for it is deprecated.
_CORRECT_ROUNDING: dict[str, Any] = (
    {} if tuple(map(int, pd.__version__.split(".")[:2])) >= (3, 1) else {"float_precision": "round_trip"}
)
_SAVE_CSV = "Save the table as CSV (UTF-8), Excel (.xlsx) or Parquet."


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

        >>> read_table(b"x,y\\n1,2\\n").ok, read_table(b"").ok
        (True, False)
        """
        return not any(problem.level == "error" for problem in self.problems)

    @property
    def numeric(self) -> pd.DataFrame:
        """The columns that can be coordinates, as float64; NaN where a cell is empty.

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

        >>> read_table(b"x;y\\n1,5;2\\n;3,5\\n").points(["x", "y"])
        array([[1.5, 2. ],
               [nan, 3.5]])
        """
        if not columns:
            raise InvalidPointsError("No column is named. Name one or more columns of the table.")
        usable = {"number", "empty", "mixed"} if others == "missing" else {"number", "empty"}
        known = {column.name: column for column in self.columns}
        for name in columns:
            if name not in known:
                raise InvalidPointsError(f"The table has no column {name!r}. Its columns are {', '.join(known)}.")
            if known[name].kind not in usable:
                raise InvalidPointsError(f"Column {name!r} can't be read as numbers. Choose another, or correct it.")
        chosen = [self._values(known[name]) for name in columns]
        points = np.column_stack(chosen)
        if others == "missing" and self.ragged:
            points = np.vstack([points, np.full((self.ragged, len(columns)), np.nan)])
        return points

    def _values(self, column: Column) -> Floats:
        series = self.frame[column.name]
        if column.kind == "number":
            return series.to_numpy(dtype=np.float64)
        if column.kind == "empty":
            return np.full(len(series), np.nan)
        return Cells.of(series.astype(str)).numbers(column.decimal or self.decimal)


@dataclass(frozen=True)
class _Options:
    delimiter: str | None
    decimal: Mark | None
    encoding: str | None
    header: bool | None
    sheet: str | None


def read_table(
    file: Source,
    name: str | None = None,
    *,
    delimiter: str | None = None,
    decimal: Mark | None = None,
    encoding: str | None = None,
    header: bool | None = None,
    sheet: str | None = None,
) -> Table:
    """Read a table from a path, from bytes or from a binary file; bad input gives problems, never an exception.

    The format is decided by the content, not by the name. What the options leave open is decided from the file
    when only one reading is possible, and reported as a problem otherwise. Dates stay text.

    >>> table = read_table("place;x;y\\nNA;1,5;1.200\\nDE;;7\\n".encode())
    >>> table.delimiter, table.decimal, table.numeric.to_numpy().tolist(), table.frame["place"].tolist()
    (';', ',', [[1.5, 1200.0], [nan, 7.0]], ['NA', 'DE'])
    """
    options = _Options(delimiter, decimal, encoding, header, sheet)
    try:
        data, name = _bytes_of(file, name)
        table = _reader_of(data)(data, options)
    except Refusal as refusal:
        return Table(pd.DataFrame(), (refusal.problem,), name=name)
    except MemoryError:
        todo = "Read fewer rows, or save the columns you need as Parquet."
        return Table(
            pd.DataFrame(), (Problem("error", "The table needs more memory than there is", "", todo),), name=name
        )
    return replace(table, name=name, problems=_by_level(table.problems))


def _by_level(problems: Sequence[Problem]) -> tuple[Problem, ...]:
    rank: dict[Level, int] = {"error": 0, "warning": 1, "note": 2}
    return tuple(sorted(problems, key=lambda problem: rank[problem.level]))


def _bytes_of(file: Source, name: str | None) -> tuple[bytes, str | None]:
    if isinstance(file, (bytes, bytearray, memoryview)):
        return bytes(file), name
    if isinstance(file, (str, os.PathLike)):
        path = Path(file)
        try:
            return path.read_bytes(), name or path.name
        except (OSError, ValueError) as error:
            reason = getattr(error, "strerror", None) or "not a valid path"
            raise Refusal(f"The file can't be opened: {reason}", str(path), "Check the path.") from None
    data = file.read()
    if not isinstance(data, bytes):
        raise Refusal("The file is open as text", "", "Open it as binary.")
    inner = getattr(file, "name", None)
    return data, name or (Path(inner).name if isinstance(inner, str) else None)


def _reader_of(data: bytes) -> Callable[[bytes, _Options], Table]:
    if not data.strip():
        raise Refusal("The file is empty", "", "Choose a file with a header and rows.")
    if data.startswith(b"PAR1"):
        return _read_parquet
    if data.startswith(b"PK\x03\x04"):
        return _read_excel
    others = {
        b"\xd0\xcf\x11\xe0": "an old Excel file (.xls) or another Office file",
        b"\x1f\x8b": "a gzip archive",
        b"BZh": "a bzip2 archive",
        b"\xfd7zXZ": "an xz archive",
        b"7z\xbc\xaf": "a 7-Zip archive",
        b"\x28\xb5\x2f\xfd": "a Zstandard archive",
        b"%PDF": "a PDF",
        b"ARROW1": "an Arrow (Feather) file",
        b"SQLite format 3": "an SQLite data base",
    }
    for magic, kind in others.items():
        if data.startswith(magic):
            raise Refusal(f"This is {kind}, not a table that can be read", "", _SAVE_CSV)
    return _read_text


# --------------------------------------------------------------------------------------------- text


def _read_text(data: bytes, options: _Options) -> Table:
    data, encoding, problems = dialect.decode(data, options.encoding)
    data, delimiter = _without_separator_line(data, options.delimiter)
    preamble = dialect.leading_comments(data)
    rest = data[preamble:] if preamble else data
    if not rest.strip():
        raise Refusal("The file holds no table, only comments or blank lines", "", "Choose a file with rows.")
    delimiter = delimiter or dialect.sniff(rest, options.decimal)
    character = delimiter or _unused(rest)
    found = dialect.records(rest, character)
    found = replace(found, line=found.line + data[:preamble].count(b"\n"))
    layout = _layout(rest, found, character, options.header, data[:preamble])
    problems += layout.problems
    comments = layout.comments + sum(bool(line.strip()) for line in data[:preamble].split(b"\n"))
    if comments:
        what = "One comment line" if comments == 1 else f"{comments} comment lines"
        problems.append(Problem("note", f"{what} skipped: lines that begin with #"))
    if delimiter is None:
        problems += _single_column_hints(rest, layout.rows)
    reading = _Reading(dialect.body(rest, layout.rows), character, layout.width, layout.rows.line)
    frame, columns, decimal, found_problems = _columns(reading, layout.names, options.decimal, delimiter)
    return Table(
        frame,
        tuple(problems + found_problems),
        columns,
        format="csv",
        delimiter=delimiter,
        encoding=encoding,
        decimal=decimal,
        header=layout.header,
        comments=comments,
        ragged=layout.ragged,
        lines=layout.rows.line,
    )


def _without_separator_line(data: bytes, delimiter: str | None) -> tuple[bytes, str | None]:
    """Excel's own first line "sep=;" names the delimiter; it becomes a blank line, so that line numbers stay."""
    first = data.split(b"\n", 1)[0].strip().strip(b'"').lower()
    if len(first) == 5 and first.startswith(b"sep=") and first[4:].decode("latin-1") in dialect.DELIMITERS:
        return data[data.find(b"\n") :] if b"\n" in data else b"", delimiter or first[4:].decode("latin-1")
    return data, delimiter


def _unused(data: bytes) -> str:
    """A character that doesn't occur, as the delimiter of a table with one column."""
    for code in (31, 30, 29, 28, 1, 2, 3):
        if bytes([code]) not in data:
            return chr(code)
    raise Refusal("This is not a text file, nor an Excel or Parquet file", "", _SAVE_CSV)


@dataclass(frozen=True)
class _Layout:
    names: list[str]
    header: bool
    rows: dialect.Records
    width: int
    comments: int
    ragged: int
    problems: list[Problem]


def _layout(data: bytes, found: dialect.Records, character: str, header: bool | None, preamble: bytes) -> _Layout:
    """Decide names, the number of fields and which records are rows."""
    first = dialect.fields_of(data, found, 0, character)
    problems: list[Problem] = []
    names: list[str] | None = None
    commented = None
    if header is None:
        commented, problems = _commented_header(preamble, character, first)
        header = commented is None and not _all_numbers(first)
        names = commented
    if header:
        names, found = first, found.take(np.arange(1, len(found)))
        if any(_is_number(name) for name in first):
            what = f"The first row was taken as the header, although {quoted(_first_number(first))} in it is a number"
            problems.append(Problem("warning", what, "", "If it is a row of data, say that there is no header."))
    width = _width(data, found, character, names)
    if names is None:
        names = [f"x{position + 1}" for position in range(width)]
        problems += _headerless(first, character, width)
    trailing = len(names) == width - 1
    comment = found.comment & (found.fields != width) if width > 1 else found.comment
    table = found.take(~comment)
    ragged = table.take(table.fields != width)
    rows = table.take(table.fields == width)
    if len(ragged):
        problems.append(dialect.ragged_problem(ragged, width))
    if not len(rows):
        problems.append(Problem("error", "The table has a header but no rows", "", "Choose a file with rows."))
    if trailing:
        what = "Every row ends with a delimiter; the empty field after it is not a column"
        problems.append(Problem("note", what))
    names, named = _unique_names(names)
    return _Layout(names, header or bool(commented), rows, width, int(comment.sum()), len(ragged), problems + named)


def _width(data: bytes, found: dialect.Records, character: str, names: list[str] | None) -> int:
    """The number of fields of a row; raises `Refusal` where header and rows don't fit."""
    counted = found.fields[~found.comment] if (~found.comment).any() else found.fields
    if not len(counted):
        return len(names or [""])
    usual = int(np.bincount(counted).argmax())
    if names is None or len(names) == usual or np.mean(counted == len(names)) >= 0.5:
        return usual if names is None else len(names)
    if len(names) == usual - 1:
        rows = found.take((found.fields == usual) & ~found.comment)
        last = [dialect.fields_of(data, rows, index, character)[-1] for index in range(min(len(rows), 100))]
        delimiters = np.frombuffer(data, np.uint8)[rows.end - 2 + (rows.end == len(data)) * (not data.endswith(b"\n"))]
        if not any(last) and (delimiters == ord(character)).all():
            return usual
    what = f"The header has {len(names)} {'name' if len(names) == 1 else 'names'}, but most rows have {usual} fields"
    todo = "Give every column a name and delete lines above the header"
    if character == "," and len(names) < usual:
        todo += "; if the comma is a decimal mark, say so (decimal)"
    raise Refusal(what, lines_text(found.line[found.fields == usual][:1]), todo + ".")


def _commented_header(preamble: bytes, character: str, first: list[str]) -> tuple[list[str] | None, list[Problem]]:
    """The names in the last comment line above rows of numbers, as numpy.savetxt writes them."""
    lines = [line for line in preamble.decode("utf-8").split("\n") if line.strip()]
    if not lines or len(first) < 2 or not _all_numbers(first):
        return None, []
    names = [name.strip().strip('"') for name in lines[-1].lstrip("# ").split(character)]
    if len(names) != len(first) or any(map(_is_number, names)):
        return None, []
    return names, [Problem("note", "The column names were taken from the comment line above the first row")]


def _headerless(first: list[str], character: str, width: int) -> list[Problem]:
    called = "column is called x1" if width == 1 else f"columns are called x1 to x{width}"
    what = f"There is no header: the first row holds numbers; the {called}"
    problems = [Problem("warning", what, "", "If the first row holds names, say that it is the header.")]
    if character == "," and width == 2 and all(form_of(cell) == "whole" for cell in first):
        what = "The comma was taken as the delimiter of two columns"
        problems.append(Problem("warning", what, "", "If it is the decimal mark of one column, say so (decimal)."))
    return problems


def _is_number(cell: str) -> bool:
    return form_of(cell) not in ("text", "missing")


def _all_numbers(cells: list[str]) -> bool:
    return any(map(_is_number, cells)) and all(form_of(cell) != "text" for cell in cells)


def _first_number(cells: list[str]) -> str:
    return next(cell for cell in cells if _is_number(cell))


def _unique_names(names: Sequence[str]) -> tuple[list[str], list[Problem]]:
    """Names that are neither empty nor used twice; each change is a problem."""
    taken = {name for name in names if name}
    unique: list[str] = []
    problems = []
    seen: set[str] = set()
    for position, name in enumerate(names, start=1):
        chosen = name or f"column {position}"
        number = 2
        while chosen in seen or (chosen != name and chosen in taken):
            chosen = f"{name or f'column {position}'} ({number})"
            number += 1
        if chosen != name:
            fault = f"Column {position} has no name" if not name else f"Column {position} has the name of another one"
            problems.append(
                Problem("warning", f"{fault}; it is called {quoted(chosen)}", "header", "Give it a name of its own.")
            )
        seen.add(chosen)
        unique.append(chosen)
    return unique, problems


def _single_column_hints(data: bytes, rows: dialect.Records) -> list[Problem]:
    """Blanks between numbers: a table whose delimiter is not one of ours."""
    if not len(rows):
        return []
    parts = data[rows.start[0] : rows.end[0]].decode("utf-8").split()
    if len(parts) < 2 or not all(map(_is_number, parts)) or form_of(" ".join(parts)) != "text":
        return []
    what = "The columns are separated by blanks, so the table was read as one column of text"
    return [Problem("error", what, lines_text(rows.line[:1]), "Save it with commas, semicolons or tabs.")]


# ------------------------------------------------------------------------------------- text: columns


@dataclass(frozen=True)
class _Reading:
    """The records of a table and how pandas is asked to read them."""

    body: bytes
    character: str
    width: int
    lines: Ints

    def numbers(self, decimal: Mark, columns: list[int] | None = None) -> pd.DataFrame:
        """Let pandas infer: columns whose cells are all plain numbers or missing come back as numbers."""
        return self._read(columns, decimal=decimal, na_values=sorted(MISSING), low_memory=False)

    def texts(self, columns: list[int] | None = None, rows: int | None = None) -> pd.DataFrame:
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
            raise Refusal(f"The rows can't be read: {str(error)[:100]}", "", _SAVE_CSV) from None
        if how.get("nrows") is None and len(frame) != len(self.lines):
            raise Refusal("The quotation marks of the file are not consistent", "", _SAVE_CSV)
        return frame


def _columns(
    reading: _Reading, names: list[str], decimal: Mark | None, delimiter: str | None
) -> tuple[pd.DataFrame, tuple[Column, ...], Mark, list[Problem]]:
    """Read every column as numbers where its cells allow one reading only, else as text."""
    drafts = _drafts(reading, names, decimal)
    marks = {mark for draft in drafts for mark in draft.evidence}
    known: Mark | None = decimal or (next(iter(marks)) if len(marks) == 1 else None)
    problems: list[Problem] = []
    series, columns = {}, []
    for draft in drafts:
        values, column, found = _settle(draft, known, delimiter, fixed=decimal is not None)
        series[column.name] = values
        columns.append(column)
        problems += [problem for problem in found if problem.level != "note"]
        problems += _number_problems(values, column, reading.lines) if column.kind == "number" else []
        problems += [problem for problem in found if problem.level == "note"]
    if decimal is None and {column.decimal for column in columns} >= {".", ","}:
        what = "Some columns have a decimal point and others a decimal comma; each was read by its own"
        problems.append(Problem("warning", what, "", "Check the columns."))
    problems += _kind_notes(columns, len(reading.lines))
    frame = pd.DataFrame(series, index=pd.RangeIndex(len(reading.lines)))
    return frame, tuple(columns), known or ".", problems


@dataclass
class _Draft:
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


def _drafts(reading: _Reading, names: list[str], decimal: Mark | None) -> list[_Draft]:
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
    texts = [
        position for position in read if read[position].dtype.kind not in "iuf" or bool(read[position].isna().all())
    ]
    text = reading.texts(texts)

    def text_of(position: int) -> Callable[[], pd.Series[str]]:
        if position in texts:
            return lambda: text[position]
        return lambda: reading.texts([position])[position]

    return [
        _Draft(
            position, names[position], reading.lines, read[position], mark[position], text_of(position), forms[position]
        )
        for position in range(min(reading.width, len(names)))
    ]


def _comma_sample(read: pd.Series[Any], sample: Cells) -> bool:
    forms = sample.forms()
    return read.dtype.kind not in "iuf" and "," in forms and not forms & {".", "text"}


def _settle(
    draft: _Draft, known: Mark | None, delimiter: str | None, fixed: bool
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
        if draft.forms & {",?"} or delimiter == ";" or not draft.plain:
            return draft.text(), Column(draft.name, "unclear"), [_unclear(draft)]
        return draft.read, Column(draft.name, "number", "."), [_three_digits(draft)]
    if draft.plain and (draft.mark == decimal or not draft.doubtful):
        return draft.read, Column(draft.name, "number", decimal), []
    return _careful(draft, decimal)


def _careful(draft: _Draft, decimal: Mark | None) -> tuple[pd.Series[Any], Column, list[Problem]]:
    """Read a column cell by cell: groups of thousands, spaces inside numbers, cells that are no numbers."""
    values = draft.cells.numbers(decimal or ".")
    bad = np.isnan(values) & ~draft.cells.where("missing")
    if bad.any():
        return draft.text(), Column(draft.name, "mixed", decimal), [_mixed(draft, bad)]
    problems = []
    grouped = [text for text in draft.cells.texts if _is_grouped(text, decimal)]
    if grouped:
        what = f"Column {quoted(draft.name)}: digits are in groups of thousands; {quoted(grouped[0])} was read as "
        what += repr(
            float(draft.cells.numbers(decimal or ".")[draft.cells.row == draft.cells.texts.index(grouped[0])][0])
        )
        problems.append(Problem("note", what))
    return pd.Series(values), Column(draft.name, "number", decimal), problems


def _is_grouped(text: str, decimal: Mark | None) -> bool:
    other = "," if (decimal or ".") == "." else "."
    return _is_number(text) and any(group in text.strip() for group in " \u00a0\u202f\u2009'\u2019" + other)


def _text_kind(cells: Cells) -> Kind:
    if all(not text.strip() for text in cells.texts):
        return "empty"
    return "date" if cells.dated() else "text"


def _both_marks(draft: _Draft) -> Problem:
    what = f"Column {quoted(draft.name)} has decimal points and decimal commas: {quoted(draft.cells.first('.'))} and "
    what += quoted(draft.cells.first(","))
    where = lines_text(draft.lines[[_row(draft, "."), _row(draft, ",")]])
    return Problem("error", what, where, "Write all its numbers in one way, or say which mark is the decimal one.")


def _unclear(draft: _Draft) -> Problem:
    cell = draft.cells.first(".?", ",?")
    what = f"Column {quoted(draft.name)}: {quoted(cell)} can be read as {cell.strip().replace(',', '.')} or as "
    what += cell.strip().replace(",", "").replace(".", "")
    where = lines_text(draft.lines[[_row(draft, ".?", ",?")]])
    return Problem("error", what, where, "Say which mark is the decimal one (decimal).")


def _three_digits(draft: _Draft) -> Problem:
    cell = draft.cells.first(".?")
    what = f"Column {quoted(draft.name)}: every number with a point has three digits after it, as {quoted(cell)}; "
    what += "read as decimals"
    where = lines_text(draft.lines[[_row(draft, ".?")]])
    return Problem("warning", what, where, "If the point groups thousands, say that the decimal mark is a comma.")


def _mixed(draft: _Draft, bad: Bools) -> Problem:
    rows = np.flatnonzero(bad)
    cell = draft.cells.texts[draft.cells.row[rows[0]]]
    count = f"{len(rows)} cells are" if len(rows) > 1 else "one cell is"
    what = f"Column {quoted(draft.name)} holds numbers, but {count} not a number, as {quoted(cell)}; left as text"
    return Problem("warning", what, lines_text(draft.lines[rows]), "Correct these cells or empty them.")


def _row(draft: _Draft, *forms: Form) -> int:
    return int(np.flatnonzero(draft.cells.where(*forms))[0])


# ------------------------------------------------------------------------------ columns of any format


def _number_problems(values: pd.Series[Any], column: Column, lines: Ints, unit: str = "line") -> list[Problem]:
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


def _kind_notes(columns: Sequence[Column], rows: int) -> list[Problem]:
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


# -------------------------------------------------------------------------------------------- Excel


def _read_excel(data: bytes, options: _Options) -> Table:
    _check_zip(data)
    try:
        import openpyxl
    except ImportError:
        todo = "Install it with pip install 'privcore[excel]', or save the table as CSV."
        raise Refusal("Reading Excel files needs the package openpyxl", "", todo) from None
    try:
        book = openpyxl.load_workbook(io.BytesIO(data), read_only=True, data_only=True)
        names = [sheet.title for sheet in book.worksheets]
        if not names or (options.sheet is not None and options.sheet not in names):
            raise Refusal(
                "The workbook has no such sheet", "", f"Its sheets are {', '.join(map(quoted, names)) or 'none'}."
            )
        chosen = options.sheet or names[0]
        rows, numbers = _sheet_rows(book[chosen])
        book.close()
    except Refusal:
        raise
    except Exception as error:  # openpyxl lets whatever a broken file provokes pass through
        raise Refusal("The Excel file is damaged", type(error).__name__, "Save it again, or save it as CSV.") from None
    problems = []
    if len(names) > 1:
        what = f"The workbook has {len(names)} sheets; sheet {quoted(chosen)} was read"
        problems.append(Problem("warning" if options.sheet is None else "note", what, "", "Say which sheet (sheet)."))
    if not rows:
        raise Refusal(f"Sheet {quoted(chosen)} is empty", "", "Choose a sheet with a header and rows.")
    frame, columns, header, found = _sheet_table(rows, numbers, options)
    return Table(
        frame, tuple(problems + found), columns, format="excel", header=header, sheet=chosen, lines=numbers[header:]
    )


def _check_zip(data: bytes) -> None:
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            entries = archive.infolist()
    except (zipfile.BadZipFile, ValueError, NotImplementedError, OSError, EOFError):
        raise Refusal("The file is a damaged zip or Excel file", "", "Save it again, or save it as CSV.") from None
    if not any(entry.filename.lower() == "xl/workbook.xml" for entry in entries):
        raise Refusal("This is a zip archive or an Office file, but not an Excel workbook (.xlsx)", "", _SAVE_CSV)
    size = sum(entry.file_size for entry in entries)
    if size > MAX_UNZIPPED:
        what = f"The Excel file would unpack to {size / 2**20:,.0f} MB; at most {MAX_UNZIPPED // 2**20} MB are read"
        raise Refusal(what, "", "Save the table as CSV or Parquet.")


def _sheet_rows(sheet: Any) -> tuple[list[tuple[Any, ...]], Ints]:
    """The rows of a sheet that aren't blank, with their numbers; the size a sheet claims is not believed."""
    sheet.reset_dimensions()
    rows, numbers, cells = [], [], 0
    for number, row in enumerate(sheet.iter_rows(values_only=True), start=1):
        cells += len(row)
        if cells > MAX_CELLS:
            what = f"The sheet has more than {MAX_CELLS:,} cells"
            raise Refusal(what, "", "Save the table as CSV or Parquet.")
        if any(cell is not None for cell in row):
            rows.append(tuple(row))
            numbers.append(number)
    used = max((position + 1 for row in rows for position, cell in enumerate(row) if cell is not None), default=0)
    return [row[:used] + (None,) * (used - len(row)) for row in rows], np.asarray(numbers, dtype=np.int64)


def _sheet_table(
    rows: list[tuple[Any, ...]], numbers: Ints, options: _Options
) -> tuple[pd.DataFrame, tuple[Column, ...], bool, list[Problem]]:
    first = [_cell_text(cell) for cell in rows[0]]
    header = options.header if options.header is not None else not _all_numbers(first)
    problems = [] if header else _headerless(first, "", len(first))
    if header and any(isinstance(cell, (int, float)) for cell in rows[0]):
        what = f"The first row was taken as the header, although {quoted(_first_number(first))} in it is a number"
        problems.append(Problem("warning", what, "", "If it is a row of data, say that there is no header."))
    names, named = _unique_names(
        [name.strip() for name in first] if header else [f"x{i + 1}" for i in range(len(first))]
    )
    problems += named
    data, lines = (rows[1:], numbers[1:]) if header else (rows, numbers)
    if not data:
        problems.append(Problem("error", "The table has a header but no rows", "", "Choose a sheet with rows."))
    series, columns = {}, []
    for position, name in enumerate(names):
        values, column, found = _sheet_column(name, [row[position] for row in data], lines, options.decimal)
        series[name] = values
        columns.append(column)
        problems += found
    return (
        pd.DataFrame(series, index=pd.RangeIndex(len(data))),
        tuple(columns),
        header,
        problems + _kind_notes(columns, len(data)),
    )


def _sheet_column(
    name: str, cells: list[Any], lines: Ints, decimal: Mark | None
) -> tuple[pd.Series[Any], Column, list[Problem]]:
    """A column of a sheet: numbers that Excel stores as numbers, else text, read as strictly as in a text file."""
    texts = pd.Series([_cell_text(cell) for cell in cells], dtype=str)
    stored = np.fromiter((_is_stored_number(cell) for cell in cells), dtype=np.bool_, count=len(cells))
    known = Cells.of(texts)
    numbers_only = bool(stored.any()) and bool((stored | known.where("missing")).all())
    if numbers_only:
        whole = all(isinstance(cell, int) for cell in cells)
        values = (
            pd.Series(cells, dtype=np.int64)
            if whole and _fits(cells)
            else pd.Series(
                [float(cell) if kept else np.nan for cell, kept in zip(cells, stored, strict=True)], dtype=np.float64
            )
        )
        column = Column(name, "number", ".")
        return values, column, _number_problems(values, column, lines, "row")
    draft = _Draft(0, name, lines, texts, ".", lambda: texts, known)
    if stored.any() and draft.candidate:
        return texts, Column(name, "mixed", "."), [_mixed(draft, ~stored & ~known.where("missing"))]
    own = draft.evidence
    values, column, found = _settle(
        draft, decimal or (next(iter(own)) if len(own) == 1 else None), None, decimal is not None
    )
    if column.kind == "number":
        found.append(Problem("note", f"Column {quoted(name)} holds numbers stored as text in the sheet"))
        found += _number_problems(values, column, lines, "row")
    return values, column, found


def _is_stored_number(cell: Any) -> bool:
    return isinstance(cell, (int, float)) and not isinstance(cell, bool)


def _fits(cells: list[Any]) -> bool:
    return all(-(2**63) <= cell < 2**63 for cell in cells) and not any(isinstance(cell, bool) for cell in cells)


def _cell_text(cell: Any) -> str:
    if cell is None:
        return ""
    isoformat = getattr(cell, "isoformat", None)
    return (
        str(isoformat(" ") if hasattr(cell, "hour") and hasattr(cell, "year") else isoformat())
        if isoformat
        else str(cell)
    )


# ------------------------------------------------------------------------------------------ Parquet


def _read_parquet(data: bytes, options: _Options) -> Table:
    try:
        import pyarrow as pa
        import pyarrow.parquet as pq
    except ImportError:
        todo = "Install it with pip install 'privcore[parquet]', or save the table as CSV."
        raise Refusal("Reading Parquet files needs the package pyarrow", "", todo) from None
    try:
        file = pq.ParquetFile(io.BytesIO(data))
        schema = file.schema_arrow
        numeric = [index for index, kind in enumerate(schema.types) if _is_numeric(pa, kind)]
        if file.metadata.num_rows * max(1, len(numeric)) > MAX_NUMBERS:
            raise Refusal(f"The Parquet file has more than {MAX_NUMBERS:,} numbers", "", "Read fewer rows or columns.")
        names, problems = _unique_names(schema.names)
        doubled = len(set(schema.names)) < len(schema.names)
        wanted = None if doubled else [schema.names[index] for index in numeric]
        table = file.read(columns=wanted)
        series = {names[index]: _parquet_column(pa, table, at, index, doubled) for at, index in enumerate(numeric)}
    except Refusal:
        raise
    except (pa.ArrowException, OSError, ValueError, TypeError, KeyError, OverflowError) as error:
        raise Refusal(
            "The Parquet file is damaged", type(error).__name__, "Write it again, or save it as CSV."
        ) from None
    columns = [
        Column(name, "empty" if values.isna().all() and len(values) else "number", ".")
        for name, values in series.items()
    ]
    lines = np.arange(1, file.metadata.num_rows + 1)
    for column in columns:
        if column.kind == "number":
            problems += _number_problems(series[column.name], column, lines, "row")
    rest = [quoted(name) for index, name in enumerate(names) if index not in set(numeric)]
    if rest:
        problems.append(Problem("note", f"Not numbers, so not read: {', '.join(rest)}"))
    if not file.metadata.num_rows:
        problems.append(Problem("error", "The table has no rows", "", "Choose a file with rows."))
    problems += _kind_notes(columns, file.metadata.num_rows) or ([] if columns else [_no_numbers()])
    frame = pd.DataFrame(series, index=pd.RangeIndex(file.metadata.num_rows))
    return Table(frame, tuple(problems), tuple(columns), format="parquet", lines=lines)


def _no_numbers() -> Problem:
    return Problem("error", "No column holds numbers", "", "Choose a file with columns of numbers.")


def _is_numeric(pa: Any, kind: Any) -> bool:
    return bool(pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_decimal(kind))


def _parquet_column(pa: Any, table: Any, at: int, index: int, doubled: bool) -> pd.Series[Any]:
    column = table.column(index if doubled else at)
    if pa.types.is_integer(column.type) and column.null_count == 0:
        kind = np.uint64 if pa.types.is_uint64(column.type) else np.int64
        return pd.Series(column.to_numpy().astype(kind))
    return pd.Series(column.cast(pa.float64(), safe=False).to_numpy(zero_copy_only=False).astype(np.float64))
