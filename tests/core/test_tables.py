"""Reading tables: the same numbers in every dialect, and a problem instead of a guess."""

from __future__ import annotations

import csv
import datetime
import io
import struct
import sys
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import openpyxl
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from privcore.errors import InvalidParametersError, InvalidPointsError
from privcore.tables import Table, excel, read_table
from privcore.tables import parquet as parquet_reader


def kinds(table: Table) -> dict[str, str]:
    return {column.name: column.kind for column in table.columns}


def said(table: Table, level: str | None = None) -> str:
    return "\n".join(str(problem) for problem in table.problems if level in (None, problem.level))


# ------------------------------------------------------------------------------------------ dialects


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-32"])
@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"])
def test_every_delimiter_encoding_and_newline(delimiter: str, encoding: str, newline: str) -> None:
    text = newline.join([f"x{delimiter}y", f"1{delimiter}2.5", f"-3{delimiter}4e2", ""])
    table = read_table(text.encode(encoding))
    assert table.ok
    assert not table.problems
    assert table.delimiter == delimiter
    assert table.encoding == encoding.removesuffix("-sig")
    assert table.points(["x", "y"]).tolist() == [[1, 2.5], [-3, 400]]


def test_cp1252_is_read_and_said() -> None:
    table = read_table("größe;x\nklein;1\n".encode("cp1252"))
    assert table.encoding == "cp1252"
    assert table.frame["größe"].tolist() == ["klein"]
    assert "Windows-1252" in said(table, "warning")


NUMBER = st.one_of(
    st.floats(allow_nan=False, allow_infinity=False),
    st.integers(-(2**63), 2**63 - 1),
    st.floats(-1000, 1000).map(lambda value: round(value, 3)),
)


@settings(max_examples=150)
@given(
    rows=st.lists(st.tuples(NUMBER, NUMBER, NUMBER), min_size=1, max_size=30),
    delimiter=st.sampled_from([",", ";", "\t", "|"]),
    decimal=st.sampled_from([".", ","]),
    quote_all=st.booleans(),
    newline=st.sampled_from(["\n", "\r\n"]),
    encoding=st.sampled_from(["utf-8", "utf-8-sig", "utf-16"]),
)
def test_round_trip_gives_the_same_numbers(
    rows: list[tuple[float, ...]], delimiter: str, decimal: str, quote_all: bool, newline: str, encoding: str
) -> None:
    frame = pd.DataFrame({name: [float(row[at]) for row in rows] for at, name in enumerate("abc")})
    text = frame.to_csv(
        index=False, sep=delimiter, decimal=decimal, quoting=1 if quote_all else 0, lineterminator=newline
    )
    table = read_table(text.encode(encoding), decimal=decimal, delimiter=delimiter)  # type: ignore[arg-type]
    assert table.ok, said(table)
    np.testing.assert_array_equal(table.points(["a", "b", "c"]), frame.to_numpy())


@settings(max_examples=150)
@given(
    rows=st.lists(st.tuples(NUMBER, NUMBER), min_size=1, max_size=20),
    delimiter=st.sampled_from([",", ";", "\t", "|"]),
    decimal=st.sampled_from([".", ","]),
)
def test_a_dialect_found_by_itself_gives_the_same_numbers_or_an_error(
    rows: list[tuple[float, ...]], delimiter: str, decimal: str
) -> None:
    frame = pd.DataFrame({name: [float(row[at]) for row in rows] for at, name in enumerate("ab")})
    table = read_table(frame.to_csv(index=False, sep=delimiter, decimal=decimal).encode())
    if table.ok:
        np.testing.assert_array_equal(table.points(["a", "b"]), frame.to_numpy())
    else:
        assert "can be read as" in said(table)


CELL = st.one_of(
    st.text(alphabet='ab1,;\t|\n"# .NA\u2212é', max_size=6), st.sampled_from(["NA", "1,5", "1.234", "2024-01-02"])
)


@settings(max_examples=200)
@given(
    rows=st.lists(st.tuples(CELL, CELL), min_size=1, max_size=12),
    delimiter=st.sampled_from([",", ";", "\t", "|"]),
    quoting=st.sampled_from([csv.QUOTE_ALL, csv.QUOTE_MINIMAL]),
)
def test_text_columns_are_kept_to_the_letter(rows: list[tuple[str, str]], delimiter: str, quoting: Any) -> None:
    if quoting == csv.QUOTE_MINIMAL:  # a line that begins with # may be a comment
        rows = [row for row in rows if not row[0].lstrip().startswith("#")] or [("a", "b")]
    buffer = io.StringIO()
    writer = csv.writer(buffer, delimiter=delimiter, quoting=quoting, lineterminator="\n")
    writer.writerows([("first", "second"), *rows])
    table = read_table(buffer.getvalue().encode(), delimiter=delimiter, header=True)
    assert len(table.frame) == len(rows), said(table)
    for position, column in enumerate(table.columns):
        if column.kind in ("text", "date", "mixed", "unclear"):
            kept = table.frame[column.name].tolist()
            assert [cell.lstrip(" ") for cell in kept] == [row[position].lstrip(" ") for row in rows]


@settings(max_examples=200)
@given(
    st.one_of(
        st.binary(max_size=200), st.text(alphabet='xy,;\t|\n\r"#. 1250-NAe\u2212\ufeff', max_size=80).map(str.encode)
    )
)
def test_nothing_raises(data: bytes) -> None:
    table = read_table(data)
    assert table.problems or not table.frame.empty
    assert len(table.columns) == table.frame.shape[1]
    assert len(table.lines) == len(table.frame)
    assert table.numeric.dtypes.eq(np.float64).all()


@settings(max_examples=60)
@given(st.sampled_from([b"PK\x03\x04", b"PAR1", b"\xff\xfe", b"\xfe\xff", b"\xef\xbb\xbf"]), st.binary(max_size=100))
def test_nothing_raises_on_broken_formats(magic: bytes, rest: bytes) -> None:
    assert read_table(magic + rest).problems


# ------------------------------------------------------------------------------------------- numbers


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("x;y\n1,5;2,5\n", [[1.5, 2.5]]),
        ("x;y\n1.234,5;1\n2.000;2\n", [[1234.5, 1], [2000, 2]]),
        ('x,y\n"1,234",1.5\n"2,345,678",2.5\n', [[1234, 1.5], [2345678, 2.5]]),
        ("x;y\n1 234,5;2\n", [[1234.5, 2]]),
        ("x;y\n1\u00a0234,5;2\n", [[1234.5, 2]]),
        ("x;y\n1'234.5;2\n", [[1234.5, 2]]),
        ("x;y\n0,123;2\n", [[0.123, 2]]),
        ("x,y\n\u22121.5,+2\n", [[-1.5, 2]]),
        ("x,y\n5.,.5\n", [[5, 0.5]]),
        ('x,y\n"1,5","2,25"\n', [[1.5, 2.25]]),
        ("x,y\n 1 , 2 \n", [[1, 2]]),
    ],
)
def test_numbers_that_can_be_read_in_one_way(text: str, values: list[list[float]]) -> None:
    table = read_table(text.encode())
    assert table.ok, said(table)
    assert table.points(["x", "y"]).tolist() == values


@pytest.mark.parametrize(
    "text",
    ["x;y\n1,234;5\n", "x;y\n1.234;5\n", 'x,y\n"1,234",5\n', "x\ty\n1,234\t5\n", "x;y\n1,5;5\n1.5;6\n"],
)
def test_numbers_that_can_be_read_in_two_ways_are_an_error(text: str) -> None:
    table = read_table(text.encode())
    assert not table.ok
    assert kinds(table) == {"x": "unclear", "y": "number"}
    assert "line 2" in said(table, "error") or "lines 3 and 2" in said(table, "error")
    with pytest.raises(InvalidPointsError, match="can't be read as numbers"):
        table.points(["x"], others="missing")


def test_the_owner_can_say_which_mark_is_the_decimal_one() -> None:
    data = b"x;y\n1,234;1.500\n"
    assert read_table(data, decimal=",").points(["x", "y"]).tolist() == [[1.234, 1500]]
    assert read_table(data, decimal=".").points(["x", "y"]).tolist() == [[1234, 1.5]]


def test_a_cell_that_breaks_the_declared_mark_is_no_number() -> None:
    table = read_table(b"x;y\n1.5;1,5\n1,5;2\n2.5;3\n", decimal=".")
    np.testing.assert_array_equal(table.points(["x"], others="missing").ravel(), [1.5, np.nan, 2.5])
    assert kinds(table) == {"x": "mixed", "y": "mixed"}


@pytest.mark.parametrize(
    "cell", ["1.#IND", "0x10", "1_000", "1d5", "12 km", "50%", "$5", "(5)", "1,00,000", "5,", "\u0665"]
)
def test_what_is_no_number_is_not_read_as_one(cell: str) -> None:
    table = read_table(f"x;y\n1;1\n2;2\n{cell};3\n".encode())
    assert kinds(table)["x"] == "mixed"
    assert cell in said(table)


def test_three_decimals_everywhere_are_read_with_a_warning() -> None:
    table = read_table(b"x,y\n1.234,2\n2.345,3\n")
    assert table.points(["x"]).ravel().tolist() == [1.234, 2.345]
    assert "three digits" in said(table, "warning")
    assert not read_table(b"x,y\n1.234,2\n0.5,3\n").problems


def test_evidence_after_the_sample_counts() -> None:
    rows = "1.234;7\n" * 1500
    assert not read_table(f"x;y\n{rows}".encode()).ok
    table = read_table(f"x;y\n{rows}0.5;7\n".encode())
    assert table.ok
    assert table.points(["x"])[0] == 1.234


def test_infinities_and_numbers_too_large_are_reported() -> None:
    table = read_table(b"x,y\n1e400,1\n-inf,2\n3,4\n")
    assert np.isinf(table.points(["x"]).ravel()).tolist() == [True, True, False]
    assert "lines 2 and 3" in said(table, "warning")


def test_missing_cells_are_nan_in_numbers_and_text_in_text() -> None:
    table = read_table(b"country,x\nNA,1\nDE,NA\nFR,\nIT,NaN\n")
    assert table.frame["country"].tolist() == ["NA", "DE", "FR", "IT"]
    assert np.isnan(table.points(["x"]).ravel()).tolist() == [False, True, True, True]
    assert "lines 3, 4 and 5" in said(table, "warning")
    assert read_table(b"country,x\nNA,1\nNA,2\n").frame["country"].tolist() == ["NA", "NA"]


@pytest.mark.parametrize("number", ["9007199254740993", "123456789012345678901234567890", "-9007199254740993"])
def test_whole_numbers_that_float64_rounds_are_said(number: str) -> None:
    assert "2^53" in said(read_table(f"x,y\n{number},1\n3,2\n".encode()), "warning")


def test_mixed_columns_stay_text_and_are_said() -> None:
    table = read_table(b"x,y\n1,a\n2,3\n3,4\nfoo,5\n")
    assert kinds(table) == {"x": "mixed", "y": "mixed"}
    assert table.frame["x"].tolist() == ["1", "2", "3", "foo"]
    assert "'foo'" in said(table, "warning")
    assert "line 5" in said(table, "warning")
    assert table.numeric.shape == (4, 0)
    with pytest.raises(InvalidPointsError):
        table.points(["x"])
    points = table.points(["x", "y"], others="missing")
    np.testing.assert_array_equal(points, [[1, np.nan], [2, 3], [3, 4], [np.nan, 5]])


@pytest.mark.parametrize("date", ["2024-01-02", "01/02/2024", "1.2.24", "2024-01-02T10:00:00Z", "3 May 2024", "12:30"])
def test_dates_stay_text(date: str) -> None:
    table = read_table(f"t,x\n{date},1\n{date},2\n".encode())
    assert kinds(table)["t"] == "date"
    assert table.frame["t"].tolist() == [date, date]
    assert "dates" in said(table, "note")


def test_booleans_stay_text() -> None:
    assert read_table(b"x,b\n1,TRUE\n2,False\n").frame["b"].tolist() == ["TRUE", "False"]


# ---------------------------------------------------------------------------------------------- rows


def test_ragged_rows_are_left_out_and_reported_with_their_lines() -> None:
    table = read_table(b"x,y\n1,2\n3\n\n4,5,6\n7,8\n")
    assert table.points(["x", "y"]).tolist() == [[1, 2], [7, 8]]
    assert "lines 3 and 5" in said(table, "warning")
    assert table.ragged == 2
    assert table.lines.tolist() == [2, 6]


def test_a_row_of_the_wrong_length_is_a_row_of_nan_where_each_row_stands_for_itself() -> None:
    points = read_table(b"x,y\n1,2\n3\n7,8\n").points(["x", "y"], others="missing")
    np.testing.assert_array_equal(points, [[1, 2], [7, 8], [np.nan, np.nan]])


CELLS = [
    "7",
    "0.5",
    "0,5",
    "1.234",
    "1,234",
    "1 000",
    "-.5",
    "1e400",
    "9007199254740993",
    "1" * 25,
    "inf",
    "NA",
    "",
    "x",
]


@given(st.lists(st.sampled_from(CELLS), max_size=8), st.sampled_from([".", ","]))
def test_with_everything_said_a_cell_is_read_by_itself(cells: list[str], decimal: Any) -> None:
    def read(column: list[str]) -> Any:
        """The cells above as many plain numbers, so that the column counts as one of numbers."""
        text = "x|y\n" + "".join(f"{cell}|1\n" for cell in [*column, *["7"] * len(column), "7"])
        table = read_table(text.encode(), delimiter="|", decimal=decimal, encoding="utf-8", header=True)
        return table.points(["x"], others="missing").ravel()[: len(column)]

    np.testing.assert_array_equal(read(cells), [read([cell])[0] for cell in cells])


def test_unsaid_the_decimal_mark_of_one_cell_is_that_of_the_column() -> None:
    """Why PRIVACY.md counts it as public."""
    assert read_table(b"x;y\n1.234;1\n0.5;1\n").points(["x"]).ravel().tolist() == [1.234, 0.5]
    assert read_table(b"x;y\n1.234;1\n0,5;1\n").points(["x"]).ravel().tolist() == [1234.0, 0.5]


@pytest.mark.parametrize("text", ["x,y\na,1,2\nb,3,4\n", "My title\nx,y,z\n1,2,3\n4,5,6\n", "x\n1,5\n2,5\n3,5\n"])
def test_a_header_that_does_not_fit_is_an_error_not_a_shift(text: str) -> None:
    table = read_table(text.encode())
    assert table.frame.empty
    assert "The header has" in said(table, "error")


def test_the_decimal_comma_of_one_column_can_be_said() -> None:
    table = read_table(b"x\n1,5\n2,5\n3,5\n", decimal=",")
    assert table.points(["x"]).ravel().tolist() == [1.5, 2.5, 3.5]


def test_a_delimiter_at_the_end_of_every_row_is_no_column() -> None:
    table = read_table(b"x,y\n1,2,\n3,4,")
    assert list(table.frame) == ["x", "y"]
    assert "ends with a delimiter" in said(table, "note")
    assert not read_table(b"x,y\n1,2,\n3,4,5\n6,7,").ok
    assert not read_table(b"x,y\n" + b"1,2,\n" * 150 + b"3,4,5\n").ok


def test_a_delimiter_after_some_rows_does_not_change_the_delimiter() -> None:
    table = read_table(b"1,5;2,5\n" * 5 + b"1,5;2,5;\n")
    assert table.delimiter == ";"
    assert table.ragged == 1


def test_blanks_before_a_quoted_field_are_not_part_of_it() -> None:
    assert read_table(b'x, name\n1, "a, b"\n').frame["name"].tolist() == ["a, b"]


def test_quoted_fields_hold_newlines_and_delimiters() -> None:
    table = read_table(b'x,name\n1,"a\nb, c"\n2,"say ""hi"""\n3\n')
    assert table.frame["name"].tolist() == ["a\nb, c", 'say "hi"']
    assert table.lines.tolist() == [2, 4]
    assert "line 5" in said(table, "warning")


@pytest.mark.parametrize("text", ['x,y\n1,2\n3,"abc\n5,6\n', 'x,y\n1,2\n3,"a"b\n'])
def test_an_open_quotation_mark_is_an_error_with_its_line(text: str) -> None:
    assert "begins in line 3" in said(read_table(text.encode()), "error")


def test_a_quotation_mark_inside_a_field_is_text() -> None:
    assert read_table(b'size,x\n5" pipe,2\n').frame["size"].tolist() == ['5" pipe']


def test_comment_lines_are_skipped_and_counted() -> None:
    table = read_table(b'# made "by hand\n\nx,y\n1,2\n# half, way, there\n3,4\n')
    assert table.points(["x", "y"]).tolist() == [[1, 2], [3, 4]]
    assert table.comments == 2
    assert table.lines.tolist() == [4, 6]


def test_names_in_a_comment_are_taken_when_rows_of_numbers_follow() -> None:
    table = read_table(b"# x,y\n1,2\n3,4\n")
    assert list(table.frame) == ["x", "y"]
    assert table.header
    assert len(table.frame) == 2


def test_a_cell_that_begins_with_a_hash_is_data() -> None:
    assert read_table(b"tag,x\n#a,1\n#b,2\n").frame["tag"].tolist() == ["#a", "#b"]


# -------------------------------------------------------------------------------------------- header


def test_no_header_is_said_and_the_first_row_kept() -> None:
    table = read_table(b"1,2\n3,4\n")
    assert not table.header
    assert list(table.frame) == ["x1", "x2"]
    assert len(table.frame) == 2
    assert "no header" in said(table, "warning")
    assert len(read_table(b"1,2\n3,4\n", header=True).frame) == 1


def test_numbers_in_the_header_are_said() -> None:
    table = read_table(b"city,2020,2021\nBerlin,1.5,2.5\n")
    assert list(table.frame) == ["city", "2020", "2021"]
    assert "'2020'" in said(table, "warning")
    assert len(read_table(b"city,2020,2021\nBerlin,1.5,2.5\n", header=False).frame) == 2


def test_names_are_made_unique_and_no_column_is_lost() -> None:
    table = read_table(b"x,x,,x (2),\n1,2,3,4,5\n")
    assert list(table.frame) == ["x", "x (3)", "column 3", "x (2)", "column 5"]
    assert table.frame.to_numpy().tolist() == [[1, 2, 3, 4, 5]]
    assert said(table, "warning").count("it is called") == 3


@given(st.lists(st.sampled_from(["1", "01", "1.0", "1,5", "1.234", "", "Ada", "NA", "1e3"]), min_size=1, max_size=12))
def test_a_column_that_is_asked_for_as_text_is_kept_to_the_letter(cells: list[str]) -> None:
    """And it has no say in how the others are read: what decimal mark is theirs."""
    text = "id;x\n" + "".join(f"{cell};2,5\n" for cell in cells)
    table = read_table(text.encode(), text=["id"])
    assert table.labels("id").tolist() == cells
    assert table.points(["x"]).ravel().tolist() == [2.5] * len(cells)
    assert kinds(table) == {"id": "text", "x": "number"}


def test_labels_go_with_the_points() -> None:
    table = read_table(b"id,x,y\n07,1,2\n7,3\n8,5,a\n9,7,8,9\n10,1,1\n11,1,1\n12,1,1\n", text=["id"])
    labels, points = table.labels("id"), table.points(["x", "y"], others="missing")
    assert len(labels) == len(points)
    assert labels.tolist() == ["07", "8", "10", "11", "12", "", ""]
    assert np.isnan(points[-2:]).all()
    for name, pattern in (("who", "no column 'who'"), ("x", "not read as text")):
        with pytest.raises(InvalidPointsError, match=pattern):
            table.labels(name)


def test_one_column() -> None:
    table = read_table(b"x\n1.5\n\n2\n")
    assert table.delimiter is None
    assert table.points(["x"]).ravel().tolist() == [1.5, 2]
    assert list(read_table(b"email\nhome\n").frame) == ["email"]


def test_blanks_between_columns_are_an_error_that_says_so() -> None:
    assert "separated by blanks" in said(read_table(b"1.0 2.0\n3.0 4.0\n"), "error")


@pytest.mark.parametrize("data", [b"", b"\n \n", b"\xef\xbb\xbf", b"# only\n# comments\n"])
def test_a_file_without_a_table(data: bytes) -> None:
    table = read_table(data)
    assert not table.ok
    assert table.frame.empty


def test_header_only_is_an_error_but_a_table_without_rows() -> None:
    table = read_table(b"x,y\n")
    assert "no rows" in said(table, "error")
    assert table.points(["x", "y"]).shape == (0, 2)


def test_excels_separator_line_is_obeyed() -> None:
    table = read_table(b"sep=;\nx;y\n1;2\n")
    assert table.points(["x", "y"]).tolist() == [[1, 2]]
    assert table.lines.tolist() == [3]


def test_two_delimiters_that_fit_are_an_error() -> None:
    assert "not clear" in said(read_table(b"a,b;c,d\ne,f;g,h\n"), "error")
    assert read_table(b"a,b;c,d\ne,f;g,h\n", delimiter=";").frame.shape == (1, 2)


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"\x89PNG\r\n\x1a\n\x00\x00", "not a text file"),
        (bytes(range(256)) * 20, "not a text file"),
        (b"\xd0\xcf\x11\xe0" + b"a" * 100, ".xls"),
        (b"\x1f\x8b\x08", "gzip"),
        (b"%PDF-1.4", "PDF"),
    ],
)
def test_other_files_are_named(data: bytes, words: str) -> None:
    assert words in said(read_table(data), "error")


def test_sources(tmp_path: Path) -> None:
    path = tmp_path / "points.csv"
    path.write_bytes(b"x,y\n1,2\n")
    assert read_table(path).name == "points.csv"
    assert read_table(str(path)).points(["x"]).tolist() == [[1]]
    with path.open("rb") as file:
        assert read_table(file).name == "points.csv"
    assert read_table(io.BytesIO(b"x,y\n1,2\n"), name="upload.csv").name == "upload.csv"
    assert "can't be opened" in said(read_table(tmp_path / "none.csv"), "error")
    assert "can't be opened" in said(read_table(tmp_path), "error")
    assert "can't be opened" in said(read_table("a\x00b"), "error")
    assert "open as text" in said(read_table(io.StringIO("x")), "error")  # type: ignore[arg-type]


def test_points_refuses_unknown_columns() -> None:
    table = read_table(b"x,y\n1,2\n")
    with pytest.raises(InvalidPointsError, match="no column 'z'"):
        table.points(["z"])
    with pytest.raises(InvalidPointsError, match="No column"):
        table.points([])


def test_a_long_quoted_file_reads_like_a_plain_one() -> None:
    values = np.random.default_rng(5).normal(size=(5000, 3))
    frame = pd.DataFrame(values, columns=["a", "b", "c"])
    plain = read_table(frame.to_csv(index=False).encode())
    marked = read_table(frame.to_csv(index=False, quoting=1).encode())
    np.testing.assert_array_equal(plain.points(["a", "b", "c"]), values)
    np.testing.assert_array_equal(marked.points(["a", "b", "c"]), values)
    np.testing.assert_array_equal(plain.lines, marked.lines)


# --------------------------------------------------------------------------------------------- Excel


def workbook(*sheets: list[list[Any]]) -> bytes:
    book = openpyxl.Workbook()
    book.remove(book.active)
    for number, rows in enumerate(sheets, start=1):
        sheet = book.create_sheet(f"S{number}")
        for row in rows:
            sheet.append(row)
    buffer = io.BytesIO()
    book.save(buffer)
    return buffer.getvalue()


def edited(data: bytes, old: bytes, new: bytes) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(data)) as source, zipfile.ZipFile(buffer, "w") as target:
        assert any(old in source.read(entry) for entry in source.infolist())
        for entry in source.infolist():
            target.writestr(entry, source.read(entry).replace(old, new))
    return buffer.getvalue()


def test_excel() -> None:
    day = datetime.datetime(2024, 5, 1)
    table = read_table(workbook([["x", "y", "when", "city"], [1, 2.5, day, "NA"], [3, None, day, "DE"]]))
    assert table.format == "excel"
    assert kinds(table) == {"x": "number", "y": "number", "when": "date", "city": "text"}
    np.testing.assert_array_equal(table.points(["x", "y"]), [[1, 2.5], [3, np.nan]])
    assert table.frame["city"].tolist() == ["NA", "DE"]
    assert "row 3" in said(table, "warning")


def test_excel_columns_as_text() -> None:
    rows: list[list[Any]] = [["id", "x"], ["01", 1], [1, 2], [1.5, 3], [None, 4], [datetime.datetime(2026, 1, 2), 5]]
    table = read_table(workbook(rows), text=["id"])
    assert table.labels("id").tolist() == ["01", "1", "1.5", "", "2026-01-02 00:00:00"]
    assert kinds(table) == {"id": "text", "x": "number"}


def test_excel_says_which_sheet_is_read() -> None:
    data = workbook([["x"], [1]], [["y"], [2]])
    assert "'S1' was read" in said(read_table(data), "warning")
    assert list(read_table(data, sheet="S2").frame) == ["y"]
    assert "no such sheet" in said(read_table(data, sheet="S3"), "error")
    assert "is empty" in said(read_table(workbook([])), "error")


def test_excel_numbers_stored_as_text_are_read_as_strictly_as_text() -> None:
    assert kinds(read_table(workbook([["x"], ["1,234"], ["2,345"]]))) == {"x": "unclear"}
    table = read_table(workbook([["x"], ["1,5"], ["2,5"]]))
    assert table.points(["x"]).ravel().tolist() == [1.5, 2.5]
    assert "stored as text" in said(table, "note")
    assert kinds(read_table(workbook([["x"], [1.5], ["2,5"], [3]]))) == {"x": "mixed"}
    assert kinds(read_table(workbook([["x", "b"], [1, True], [2, False]])))["b"] == "text"


def test_excel_numbers_too_large_are_infinite() -> None:
    table = read_table(edited(workbook([["x", "n"], [777, 3], [-777, 1]]), b"777", b"9" * 400))
    assert table.points(["x", "n"]).tolist() == [[np.inf, 3], [-np.inf, 1]]


def test_the_size_that_a_sheet_claims_is_not_believed() -> None:
    data = edited(workbook([["x", "y"], [1, 2], [3, 4]]), b'<dimension ref="A1:B3"', b'<dimension ref="A1:A2"')
    assert read_table(data).points(["x", "y"]).tolist() == [[1, 2], [3, 4]]


def test_excel_without_header_and_with_gaps() -> None:
    table = read_table(workbook([[], [1, 2], [], [3, 4]]))
    assert not table.header
    assert table.points(["x1", "x2"]).tolist() == [[1, 2], [3, 4]]
    assert table.lines.tolist() == [2, 4]


def test_zip_files_are_checked_before_they_are_opened(monkeypatch: pytest.MonkeyPatch) -> None:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.writestr("a.txt", "x")
    assert "not an Excel workbook" in said(read_table(buffer.getvalue()), "error")
    monkeypatch.setattr(excel, "MAX_UNZIPPED", 100)
    assert "would unpack to" in said(read_table(workbook([["x"], [1]])), "error")


def test_sheets_with_too_many_cells_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(excel, "MAX_CELLS", 3)
    assert "more than 3 cells" in said(read_table(workbook([["x", "y"], [1, 2]])), "error")


def test_a_damaged_workbook() -> None:
    data = bytearray(workbook([["x"], [1]]))
    with zipfile.ZipFile(io.BytesIO(bytes(data))) as archive:
        entry = archive.getinfo("xl/worksheets/sheet1.xml")
    data[entry.header_offset + 60 : entry.header_offset + 90] = b"\x00" * 30
    assert "damaged" in said(read_table(bytes(data)), "error")


@pytest.mark.parametrize(("package", "data"), [("openpyxl", workbook([["x"], [1]])), ("pyarrow", b"PAR1")])
def test_missing_packages_are_named(package: str, data: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, package, None)
    text = said(read_table(data), "error")
    # Not an extra of `privcore`: no index of packages is known to serve this project under that name.
    assert f"(pip install {package})" in text


# ------------------------------------------------------------------------------------------- Parquet


def parquet(columns: dict[str, Any]) -> bytes:
    buffer = io.BytesIO()
    pq.write_table(pa.table(columns), buffer)
    return buffer.getvalue()


def test_parquet_reads_the_numeric_columns_and_names_the_others() -> None:
    data = parquet(
        {
            "x": pa.array([1, None, 3]),
            "y": pa.array([1.5, 2.5, np.nan]),
            "u": pa.array([1, 2, 3], pa.uint8()),
            "half": pa.array([0.5, 1, 2], pa.float32()),
            "city": ["NA", "b", "c"],
        }
    )
    table = read_table(data)
    assert table.format == "parquet"
    np.testing.assert_array_equal(
        table.points(["x", "y", "u", "half"]), [[1, 1.5, 1, 0.5], [np.nan, 2.5, 2, 1], [3, np.nan, 3, 2]]
    )
    assert "'city'" in said(table, "note")
    assert "row 2" in said(table, "warning")


def test_parquet_columns_of_every_kind_as_text() -> None:
    columns = {
        "x": [1.0, 2.0, 3.0],
        "name": ["01", None, "1"],
        "number": pa.array([7, None, 2**60]),
        "decimal": [1.0, float("nan"), 2.5],
        "day": [datetime.date(2026, 1, 2), None, datetime.date(2026, 1, 3)],
        "list": [[1], None, [2]],
    }
    names = list(columns)[1:]
    table = read_table(parquet(columns), text=names)
    found = [table.labels(name).tolist() for name in names]
    assert found[:3] == [["01", "", "1"], ["7", "", str(2**60)], ["1.0", "", "2.5"]]
    assert found[3:] == [["2026-01-02", "", "2026-01-03"], ["[1]", "", "[2]"]]
    assert table.points(["x"]).ravel().tolist() == [1, 2, 3]
    assert "not read" not in said(table)


@settings(max_examples=40)
@given(st.lists(st.tuples(st.floats(), st.integers(-(2**63), 2**63 - 1)), max_size=20))
def test_parquet_round_trip(rows: list[tuple[float, int]]) -> None:
    floats = np.array([row[0] for row in rows], dtype=np.float64)
    whole = np.array([row[1] for row in rows], dtype=np.int64)
    table = read_table(parquet({"f": floats, "i": whole}))
    np.testing.assert_array_equal(table.frame["f"].to_numpy(), floats)
    np.testing.assert_array_equal(table.frame["i"].to_numpy(), whole)


def test_parquet_without_numbers_and_too_large(monkeypatch: pytest.MonkeyPatch) -> None:
    assert "No column holds numbers" in said(read_table(parquet({"city": ["a"]})), "error")
    monkeypatch.setattr(parquet_reader, "MAX_NUMBERS", 2)
    assert "more than 2 numbers" in said(read_table(parquet({"x": [1, 2, 3]})), "error")


@pytest.mark.parametrize("text", [[], ["x"]])
def test_a_parquet_file_whose_footer_miscounts_its_rows_is_never_read_in_part(text: list[str]) -> None:
    """The footer says the number of rows a second time; found by fuzzing."""
    data = parquet({"x": [1.0, 2.0, 3.0, 4.0, 5.0, 6.0]})
    count = data.index(b"\x16\x0c\x19\x1c", data.index(b"schema"))  # 6 as Thrift writes it, zigzag, before the groups
    for byte in set(range(0x80)) - {0x0C}:
        damaged = data[: count + 1] + bytes([byte]) + data[count + 2 :]
        table = read_table(damaged, text=text)
        assert not table.ok
        assert table.frame.empty


def test_a_damaged_parquet_file() -> None:
    data = parquet({"x": [1.0, 2.0]})
    length = struct.unpack("<I", data[-8:-4])[0]
    assert "damaged" in said(read_table(data[: -8 - length // 2] + data[-8:]), "error")
    assert "damaged" in said(read_table(data[:-4]), "error")


@pytest.mark.parametrize(
    "options",
    [{"delimiter": mark} for mark in ("", "ab", "1", "x", '"', "\n", 5)]
    + [{"decimal": mark} for mark in ("", "x", "..", 5)]
    + [{"header": "yes"}, {"sheet": 3}, {"encoding": 8}, {"text": [1]}, {"text": 1}],
)
def test_an_option_that_is_none_is_refused(options: dict[str, Any]) -> None:
    with pytest.raises(InvalidParametersError, match=f"^{next(iter(options))} is"):
        read_table(b"x,y\n1,2\n", **options)


def test_one_name_is_the_name_of_a_column_and_not_its_letters() -> None:
    table = read_table(b"id,i,d\n01,1,2\n1,3,4\n", text="id")
    assert table.labels("id").tolist() == ["01", "1"]
    assert table.points(["i", "d"]).tolist() == [[1, 2], [3, 4]]
