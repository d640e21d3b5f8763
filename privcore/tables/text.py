"""CSV and its relatives: from bytes to records, names and columns."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from privcore.tables import dialect
from privcore.tables.columns import Reading, read_columns
from privcore.tables.header import all_numbers, headerless, numbers_in_header, unique_names
from privcore.tables.numerals import form_of, is_number
from privcore.tables.problems import SAVE_AS, Problem, Refusal, lines_text
from privcore.tables.table import Options, Table


def read_text(data: bytes, options: Options) -> Table:
    """Read a text file; raises `Refusal` where it is no table."""
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
    reading = Reading(dialect.body(rest, layout.rows), character, layout.width, layout.rows.line)
    frame, columns, decimal, found_problems = read_columns(reading, layout.names, delimiter, options)
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
    raise Refusal("This is not a text file, nor an Excel or Parquet file", "", SAVE_AS)


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
        header = commented is None and not all_numbers(first)
        names = commented
    if header:
        names, found = first, found.take(np.arange(1, len(found)))
        problems += numbers_in_header(first)
    width = _width(data, found, character, names)
    if names is None:
        names = [f"x{position + 1}" for position in range(width)]
        problems += headerless(first, character, width)
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
    names, named = unique_names(names)
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
    header = f"The header has {len(names)} {'name' if len(names) == 1 else 'names'}"
    most = "most" if np.mean(counted == usual) > 0.5 else "many"
    what = f"{header}, but {most} rows have {usual} {'field' if usual == 1 else 'fields'}"
    todo = "Give every column a name and delete lines above the header"
    if character == "," and len(names) < usual:
        todo += "; if the comma is a decimal mark, say so (decimal)"
    raise Refusal(what, lines_text(found.line[found.fields == usual][:1]), todo + ".")


def _commented_header(preamble: bytes, character: str, first: list[str]) -> tuple[list[str] | None, list[Problem]]:
    """The names in the last comment line above rows of numbers, as numpy.savetxt writes them."""
    lines = [line for line in preamble.decode("utf-8").split("\n") if line.strip()]
    if not lines or len(first) < 2 or not all_numbers(first):
        return None, []
    names = [name.strip().strip('"') for name in lines[-1].lstrip("# ").split(character)]
    if len(names) != len(first) or any(map(is_number, names)):
        return None, []
    return names, [Problem("note", "The column names were taken from the comment line above the first row")]


def _single_column_hints(data: bytes, rows: dialect.Records) -> list[Problem]:
    """Blanks between numbers: a table whose delimiter is not one of ours."""
    if not len(rows):
        return []
    parts = data[rows.start[0] : rows.end[0]].decode("utf-8").split()
    if len(parts) < 2 or not all(map(is_number, parts)) or form_of(" ".join(parts)) != "text":
        return []
    what = "The columns are separated by blanks, so the table was read as one column of text"
    return [Problem("error", what, lines_text(rows.line[:1]), "Save it with commas, semicolons or tabs.")]
