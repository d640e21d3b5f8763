"""How a text file is written: encoding, lines, delimiter, and which lines are records of the table.

pandas guesses letters as delimiters and moves fields of ragged rows; so the dialect is decided here, from the
four delimiters in use and equal field counts, and pandas reads only what was found to be a table.
"""

from __future__ import annotations

import codecs
import csv
import io
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from privcore.arrays import Bools, Ints
from privcore.tables.numerals import form_of
from privcore.tables.problems import Problem, Refusal, lines_text

DELIMITERS = (",", ";", "\t", "|")
NAMES = {",": "comma", ";": "semicolon", "\t": "tab", "|": "pipe", None: "none (one column)"}
SAMPLE_BYTES = 1 << 18
SAMPLE_LINES = 300
_MARKS = (  # longer ones first: the mark of UTF-32 begins with that of UTF-16
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_BINARY = "This is not a text file, nor an Excel or Parquet file"
_SAVE = "Save the table as CSV (UTF-8) and read that."


def decode(data: bytes, encoding: str | None = None) -> tuple[bytes, str, list[Problem]]:
    r"""Return the text as UTF-8 with lines that end in \n, the encoding it had, and what to say about it.

    A byte order mark decides; else UTF-8 if the bytes are valid UTF-8; else Windows-1252, said so.
    Raises `Refusal` for bytes that are no text.

    >>> decode("a;b\r\n1;2".encode("utf-16"))[:2]
    (b'a;b\n1;2', 'utf-16')
    """
    problems: list[Problem] = []
    if encoding is None:
        encoding = _encoding(data)
        if encoding == "cp1252":
            what = "The text is not UTF-8 and was read as Windows-1252"
            problems.append(Problem("warning", what, "", "Check letters with accents, or save the file as UTF-8."))
    try:
        if encoding != "utf-8" or not data.isascii():
            text = data.decode(encoding)
            data = data if encoding == "utf-8" else text.encode("utf-8")
    except (UnicodeError, LookupError):
        raise Refusal(f"The text can't be read as {encoding}", "", _SAVE) from None
    if b"\r" in data:
        data = data.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
    data = data.removesuffix(b"\x1a")
    _refuse_binary(data)
    return data, encoding.removesuffix("-sig"), problems


def _encoding(data: bytes) -> str:
    for mark, name in _MARKS:
        if data.startswith(mark):
            return name
    head = data[:4096]
    nulls = head.count(0)
    if nulls:
        for start, name in ((1, "utf-16-le"), (0, "utf-16-be")):
            if len(head) > 3 and head[start::2].count(0) == nulls > 0.8 * (len(head) // 2):
                return name
        raise Refusal(_BINARY, "", _SAVE)
    if data.isascii():
        return "utf-8"
    try:
        data.decode("utf-8")
    except UnicodeDecodeError:
        return "cp1252"
    return "utf-8"


def _refuse_binary(data: bytes) -> None:
    if b"\x00" in data:
        raise Refusal(_BINARY, "", _SAVE)
    head = data[:65536]
    control = sum(head.count(code) for code in range(32) if code not in (9, 10, 12, 27))
    if control > 0.01 * len(head):
        raise Refusal(_BINARY, "", _SAVE)


@dataclass(frozen=True)
class Records:
    """Where the records of a text are: arrays over the records, blank lines left out.

    `start`, `end` (r,) are byte offsets, the final newline of a record included; `line` (r,) counts from 1;
    `fields` (r,) is the number of fields; `comment` (r,) says which begin with #.
    """

    start: Ints
    end: Ints
    line: Ints
    fields: Ints
    comment: Bools
    blank: int

    def take(self, keep: Bools | Ints) -> Records:
        """The chosen records."""
        return Records(self.start[keep], self.end[keep], self.line[keep], self.fields[keep], self.comment[keep], 0)

    def __len__(self) -> int:
        return len(self.start)


def records(data: bytes, delimiter: str) -> Records:
    """Find the records of a UTF-8 text; a quoted field may hold delimiters and newlines.

    Raises `Refusal` when a quotation mark is never closed.

    >>> found = records(b'x,y\\n1,2\\n\\n3\\n', ",")
    >>> found.line.tolist(), found.fields.tolist(), found.blank
    ([1, 2, 4], [2, 2, 1], 1)
    """
    array = np.frombuffer(data, np.uint8)
    ends = np.flatnonzero(array == ord("\n")) + 1
    if not data.endswith(b"\n") and data:
        ends = np.append(ends, len(data))
    ends = ends.astype(np.int64)
    starts = np.concatenate(([0], ends[:-1])).astype(np.int64) if len(ends) else ends
    if b'"' in data:
        last, fields = _quoted_fields(data, delimiter)
        first = np.concatenate(([0], last[:-1])).astype(np.int64) if len(last) else last
        starts, ends, line = starts[first], ends[last - 1], first + 1
    else:
        marks = np.flatnonzero(array == ord(delimiter))
        fields = 1 + np.searchsorted(marks, ends) - np.searchsorted(marks, starts)
        line = np.arange(1, len(starts) + 1)
    opening = array[starts] if len(starts) else array[:0]
    blank = np.zeros(len(starts), dtype=np.bool_)
    white = b" \n" if delimiter == "\t" else b" \t\n"
    for index in np.flatnonzero(np.isin(opening, list(white))):
        blank[index] = not data[starts[index] : ends[index]].strip(white)
    every = Records(starts, ends, line, fields.astype(np.int64), opening == ord("#"), 0)
    kept = every.take(~blank)
    return Records(kept.start, kept.end, kept.line, kept.fields, kept.comment, int(blank.sum()))


def _quoted_fields(data: bytes, delimiter: str) -> tuple[Ints, Ints]:
    """The last line (from 1) and the number of fields of every record, by the csv module's rules."""
    lines, fields = [0], []
    reader = csv.reader(
        io.TextIOWrapper(io.BytesIO(data), encoding="utf-8", newline="\n"),
        delimiter=delimiter,
        skipinitialspace=True,
        strict=True,
    )
    try:
        for row in reader:
            lines.append(reader.line_num)
            fields.append(len(row))
    except csv.Error:
        place = f"in the record that begins in line {lines[-1] + 1}"
        todo = 'Close it, or write a quotation mark inside a quoted field twice ("").'
        raise Refusal("A quotation mark is not closed, or is followed by more text", place, todo) from None
    return np.asarray(lines[1:], dtype=np.int64), np.asarray(fields, dtype=np.int64)


def fields_of(data: bytes, found: Records, index: int, delimiter: str) -> list[str]:
    """The fields of one record, without the blanks around them."""
    text = data[found.start[index] : found.end[index]].decode("utf-8")
    row = next(csv.reader(io.StringIO(text, newline="\n"), delimiter=delimiter, skipinitialspace=True), [])
    return [field.strip() for field in row]


def body(data: bytes, found: Records) -> bytes:
    """The bytes of the chosen records alone, in order."""
    if not len(found):
        return b""
    gap = np.flatnonzero(found.start[1:] != found.end[:-1]) + 1
    first, last = np.concatenate(([0], gap)), np.concatenate((gap, [len(found)])) - 1
    parts = [data[found.start[a] : found.end[b]] for a, b in zip(first, last, strict=True)]
    return parts[0] if len(parts) == 1 else b"".join(parts)


def leading_comments(data: bytes) -> int:
    """The number of bytes of the comment and blank lines that a text begins with."""
    offset = 0
    while offset < len(data):
        end = data.find(b"\n", offset) + 1 or len(data)
        line = data[offset:end].strip()
        if line and not line.startswith(b"#"):
            break
        offset = end
    return offset


def sniff(data: bytes, decimal: str | None = None) -> str | None:
    r"""The delimiter of a UTF-8 text: equal field counts first, then cells that are numbers; None for one column.

    Raises `Refusal` when two delimiters fit equally well.

    >>> sniff(b"1,5;2,5\n3,5;4,5"), sniff(b"email\nhome"), sniff(b"x\ty\n1\t2")
    (';', None, '\t')
    """
    lines = list(_sample(data))
    scores = {}
    for delimiter in DELIMITERS:
        if delimiter == "," == decimal and not any('"' in line for line in lines):
            continue
        score = _score(lines, delimiter)
        if score is not None:
            scores[delimiter] = score
    if not scores:
        return None
    best = max(scores.values())
    winners = [delimiter for delimiter, score in scores.items() if score == best]
    if len(winners) > 1:
        names = " and ".join(NAMES[delimiter] for delimiter in winners)
        raise Refusal(f"The delimiter is not clear: {names} fit equally well", "", "Say which one it is (delimiter).")
    return winners[0]


def _sample(data: bytes) -> Iterator[str]:
    head = data[:SAMPLE_BYTES]
    if len(data) > SAMPLE_BYTES:
        head = head[: head.rfind(b"\n") + 1]
    for line in head.decode("utf-8", errors="ignore").split("\n")[:SAMPLE_LINES]:
        if line.strip() and not line.startswith("#"):
            yield line + "\n"


def _score(lines: Sequence[str], delimiter: str) -> tuple[float, float] | None:
    """(share of equal rows x share of cells that are numbers, share of equal rows), or None where it can't be."""
    try:
        rows = [row for row in csv.reader(lines, delimiter=delimiter, skipinitialspace=True) if row]
    except csv.Error:
        return None
    if not rows:
        return None
    counts = Counter(map(len, rows))
    width, equal = max(counts.items(), key=lambda item: (item[1], item[0]))
    share = equal / len(rows)
    header_fits = len(rows[0]) == width
    if width < 2 or share < 0.5 or not (header_fits or share > 0.65):
        return None
    cells = [cell for row in rows[1:] or rows if len(row) == width for cell in row]
    numbers = sum(form_of(cell) not in ("text", "missing") for cell in cells) / max(1, len(cells))
    return round(share * numbers, 12), round(share, 12)


def ragged_problem(ragged: Records, width: int) -> Problem:
    """What is said about records with another number of fields than the rest."""
    what = f"{len(ragged)} rows" if len(ragged) > 1 else "One row"
    what += f" left out: not {width} fields as in the header" if width > 1 else " left out: more than one field"
    return Problem("warning", what, lines_text(ragged.line), "Correct these rows: a field is missing or too much.")
