"""Reading a table strictly: what is doubtful is a problem, never a guess."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import IO, TypeAlias

import pandas as pd

from privcore.tables.excel import read_excel
from privcore.tables.numerals import Mark
from privcore.tables.parquet import read_parquet
from privcore.tables.problems import SAVE_AS, Level, Problem, Refusal
from privcore.tables.table import Options, Table
from privcore.tables.text import read_text

Source: TypeAlias = str | os.PathLike[str] | bytes | IO[bytes]


def read_table(
    file: Source,
    name: str | None = None,
    *,
    delimiter: str | None = None,
    decimal: Mark | None = None,
    encoding: str | None = None,
    header: bool | None = None,
    sheet: str | None = None,
    text: Sequence[str] = (),
) -> Table:
    """Read a table from a path, from bytes or from a binary file; a bad file gives problems, never an exception.

    The format is decided by the content, not by the name. What the options leave open is decided from the file
    when only one reading is possible, and reported as a problem otherwise. Dates stay text, and so do the columns
    named in `text`, exactly as they stand in the file: what tells persons apart must not become a number. Raises
    `InvalidParametersError` for an option, and `TypeError` for a `file`, that is none.

    >>> table = read_table("place;x;y\\nNA;1,5;1.200\\nDE;;7\\n".encode())
    >>> table.delimiter, table.decimal, table.numeric.to_numpy().tolist(), table.frame["place"].tolist()
    (';', ',', [[1.5, 1200.0], [nan, 7.0]], ['NA', 'DE'])
    """
    options = Options(delimiter, decimal, encoding, header, sheet, text)
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
    if not hasattr(file, "read"):
        raise TypeError(f"The file is of type {type(file).__name__}. Give a path, bytes or a binary file.")
    data = file.read()
    if not isinstance(data, bytes):
        raise Refusal("The file is open as text", "", "Open it as binary.")
    inner = getattr(file, "name", None)
    return data, name or (Path(inner).name if isinstance(inner, str) else None)


def _reader_of(data: bytes) -> Callable[[bytes, Options], Table]:
    if not data.strip():
        raise Refusal("The file is empty", "", "Choose a file with a header and rows.")
    if data.startswith(b"PAR1"):
        return read_parquet
    if data.startswith(b"PK\x03\x04"):
        return read_excel
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
            raise Refusal(f"This is {kind}, not a table that can be read", "", SAVE_AS)
    return read_text
