"""Excel workbooks: the numbers that are stored as numbers, and text as strictly as in a text file."""

from __future__ import annotations

import contextlib
import datetime
import io
import math
import zipfile
from typing import Any

import numpy as np
import pandas as pd

from privcore.arrays import Bools, Ints
from privcore.tables.columns import Draft, kind_notes, mixed, number_problems, settle
from privcore.tables.header import all_numbers, headerless, numbers_in_header, unique_names
from privcore.tables.numerals import Cells
from privcore.tables.problems import SAVE_AS, Problem, Refusal, quoted
from privcore.tables.table import Column, Options, Table

MAX_UNZIPPED = 512 * 2**20
"""Bytes a workbook may unpack to: more is taken for an accident or an attack."""
MAX_CELLS = 20_000_000
"""Cells of a sheet that are read."""


def read_excel(data: bytes, options: Options) -> Table:
    """Read one sheet of a workbook (.xlsx); raises `Refusal` where that can't be done."""
    _check_zip(data)
    try:
        import openpyxl
    except ImportError:
        todo = "Install it (pip install openpyxl), or save the table as CSV."
        raise Refusal("Reading Excel files needs the package openpyxl", "", todo) from None
    try:
        with contextlib.closing(openpyxl.load_workbook(io.BytesIO(data), read_only=True, data_only=True)) as book:
            names = [sheet.title for sheet in book.worksheets]
            chosen = _chosen_sheet(names, options.sheet)
            rows, numbers = _sheet_rows(book[chosen])
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


def _chosen_sheet(names: list[str], sheet: str | None) -> str:
    if names and (sheet is None or sheet in names):
        return sheet or names[0]
    listed = ", ".join(map(quoted, names)) or "none"
    raise Refusal("The workbook has no such sheet", "", f"Its sheets are {listed}.")


def _check_zip(data: bytes) -> None:
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            entries = archive.infolist()
    # zipfile says NotImplementedError of a zip that a newer version or a split archive made.
    except (zipfile.BadZipFile, ValueError, NotImplementedError, OSError, EOFError):
        raise Refusal("The file is a damaged zip or Excel file", "", "Save it again, or save it as CSV.") from None
    if not any(entry.filename.lower() == "xl/workbook.xml" for entry in entries):
        raise Refusal("This is a zip archive or an Office file, but not an Excel workbook (.xlsx)", "", SAVE_AS)
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
    rows: list[tuple[Any, ...]], numbers: Ints, options: Options
) -> tuple[pd.DataFrame, tuple[Column, ...], bool, list[Problem]]:
    first = [_cell_text(cell) for cell in rows[0]]
    header = options.header if options.header is not None else not all_numbers(first)
    problems = numbers_in_header(first) if header else headerless(first, "", len(first))
    names, named = unique_names(
        [name.strip() for name in first] if header else [f"x{i + 1}" for i in range(len(first))]
    )
    problems += named
    data, lines = (rows[1:], numbers[1:]) if header else (rows, numbers)
    if not data:
        problems.append(Problem("error", "The table has a header but no rows", "", "Choose a sheet with rows."))
    series, columns = {}, []
    for position, name in enumerate(names):
        values, column, found = _sheet_column(name, [row[position] for row in data], lines, options)
        series[name] = values
        columns.append(column)
        problems += found
    return (
        pd.DataFrame(series, index=pd.RangeIndex(len(data))),
        tuple(columns),
        header,
        problems + kind_notes(columns, len(data)),
    )


def _sheet_column(
    name: str, cells: list[Any], lines: Ints, options: Options
) -> tuple[pd.Series[Any], Column, list[Problem]]:
    """A column of a sheet: numbers that Excel stores as numbers, else text, read as strictly as in a text file."""
    texts, decimal = pd.Series([_cell_text(cell) for cell in cells], dtype=str), options.decimal
    if name in options.text:
        return texts, Column(name, "text"), []
    stored = np.fromiter((_is_stored_number(cell) for cell in cells), dtype=np.bool_, count=len(cells))
    known = Cells.of(texts)
    numbers_only = bool(stored.any()) and bool((stored | known.where("missing")).all())
    if numbers_only:
        values = _stored_numbers(cells, stored)
        column = Column(name, "number", ".")
        return values, column, number_problems(values, column, lines, "row")
    draft = Draft(0, name, lines, texts, ".", lambda: texts, known)
    if stored.any() and draft.candidate:
        return texts, Column(name, "mixed", "."), [mixed(draft, ~stored & ~known.where("missing"))]
    own = draft.evidence
    values, column, found = settle(
        draft, decimal or (next(iter(own)) if len(own) == 1 else None), None, decimal is not None
    )
    if column.kind == "number":
        found.append(Problem("note", f"Column {quoted(name)} holds numbers stored as text in the sheet"))
        found += number_problems(values, column, lines, "row")
    return values, column, found


def _stored_numbers(cells: list[Any], stored: Bools) -> pd.Series[Any]:
    if stored.all() and all(isinstance(cell, int) and -(2**63) <= cell < 2**63 for cell in cells):
        return pd.Series(cells, dtype=np.int64)
    return pd.Series([_float(cell) if kept else np.nan for cell, kept in zip(cells, stored, strict=True)], dtype=float)


def _float(cell: float) -> float:
    try:
        return float(cell)
    except OverflowError:
        return math.inf if cell > 0 else -math.inf


def _is_stored_number(cell: Any) -> bool:
    return isinstance(cell, (int, float)) and not isinstance(cell, bool)


def _cell_text(cell: Any) -> str:
    if cell is None:
        return ""
    if isinstance(cell, datetime.datetime):
        return cell.isoformat(" ")
    return cell.isoformat() if isinstance(cell, (datetime.date, datetime.time)) else str(cell)
