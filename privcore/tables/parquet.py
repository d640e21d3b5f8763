"""Parquet files: the numeric columns, and those that are asked for as text."""

from __future__ import annotations

import io
from typing import Any

import numpy as np
import pandas as pd

from privcore.tables.columns import kind_notes, number_problems
from privcore.tables.header import unique_names
from privcore.tables.problems import Problem, Refusal, quoted
from privcore.tables.table import Column, Options, Table

MAX_NUMBERS = 2**30
"""Numbers of a file that are read (8 GiB as float64)."""


def read_parquet(data: bytes, options: Options) -> Table:
    """Read the numeric columns of a Parquet file; raises `Refusal` where that can't be done."""
    try:
        import pyarrow as pa
        import pyarrow.parquet as pq
    except ImportError:
        todo = "Install it (pip install pyarrow), or save the table as CSV."
        raise Refusal("Reading Parquet files needs the package pyarrow", "", todo) from None
    try:
        file = pq.ParquetFile(io.BytesIO(data))
        schema = file.schema_arrow
        names, problems = unique_names(schema.names)
        text = [index for index, name in enumerate(names) if name in options.text]
        chosen = [index for index, kind in enumerate(schema.types) if _is_numeric(pa, kind) or index in text]
        if file.metadata.num_rows * max(1, len(chosen)) > MAX_NUMBERS:
            raise Refusal(f"The Parquet file has more than {MAX_NUMBERS:,} numbers", "", "Read fewer rows or columns.")
        doubled = len(set(schema.names)) < len(schema.names)
        wanted = None if doubled else [schema.names[index] for index in chosen]
        table, rows = file.read(columns=wanted), file.metadata.num_rows
        if rows < 0 or (chosen and table.num_rows != rows):
            raise Refusal("The Parquet file is damaged", "its number of rows", "Write it again, or save it as CSV.")
        series = {
            names[index]: _parquet_column(pa, table.column(index if doubled else at), index in text)
            for at, index in enumerate(chosen)
        }
    except Refusal:
        raise
    except (pa.ArrowException, OSError, ValueError, TypeError, KeyError, OverflowError) as error:
        raise Refusal(
            "The Parquet file is damaged", type(error).__name__, "Write it again, or save it as CSV."
        ) from None
    columns = [
        Column(name, "text")
        if name in options.text
        else Column(name, "empty" if values.isna().all() and len(values) else "number", ".")
        for name, values in series.items()
    ]
    lines = np.arange(1, rows + 1)
    for column in columns:
        if column.kind == "number":
            problems += number_problems(series[column.name], column, lines, "row")
    rest = [quoted(name) for index, name in enumerate(names) if index not in set(chosen)]
    if rest:
        problems.append(Problem("note", f"Not numbers, so not read: {', '.join(rest)}"))
    if not rows:
        problems.append(Problem("error", "The table has no rows", "", "Choose a file with rows."))
    problems += kind_notes(columns, rows) or ([] if columns else [_no_numbers()])
    frame = pd.DataFrame(series, index=pd.RangeIndex(rows))
    return Table(frame, tuple(problems), tuple(columns), format="parquet", lines=lines)


def _no_numbers() -> Problem:
    return Problem("error", "No column holds numbers", "", "Choose a file with columns of numbers.")


def _is_numeric(pa: Any, kind: Any) -> bool:
    return bool(pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_decimal(kind))


def _parquet_column(pa: Any, column: Any, text: bool) -> pd.Series[Any]:
    if text:
        cells = column.to_pylist()
        return pd.Series(["" if cell is None or cell != cell else str(cell) for cell in cells], dtype=str)
    if pa.types.is_integer(column.type) and column.null_count == 0:
        kind = np.uint64 if pa.types.is_uint64(column.type) else np.int64
        return pd.Series(column.to_numpy().astype(kind))
    return pd.Series(column.cast(pa.float64(), safe=False).to_numpy(zero_copy_only=False).astype(np.float64))
