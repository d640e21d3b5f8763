"""Counting records in cells: Morton keys, sorted once, so that the count of any cell is a range of keys."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np

from privcore.arrays import Bools, Floats, Ints, Words, frozen
from privcore.domain import AXIS_DIGITS, Box, Frame, Invalid

WORD = 64
_CHUNK = 1 << 15
"""Rows keyed at a time: small enough for the cache, so that keys cost 8 bytes a row and nothing else."""
_TABLE_BITS = 11


@dataclass(frozen=True)
class Keys:
    """Sorted keys of some records: each key holds `digits` digits of the path, from digit `first` on.

    `rows` are the records' row numbers in the same order; None where the keys are those of all records.
    """

    sorted: Words
    rows: Ints | None
    first: int
    digits: int

    @property
    def end(self) -> int:
        """The depth at which these keys have no further digit."""
        return self.first + self.digits


@dataclass(frozen=True)
class Cells:
    """Some cells of one depth in Morton order: `index` (m, d) numbers them along each axis.

    `start`, `stop` (m,) are their records' range among the sorted keys; `prefix` (m,) is the first possible key;
    `active` (m,) says whether the cell overlaps the public window at all.
    """

    keys: Keys
    depth: int
    index: Words
    prefix: Words
    start: Ints
    stop: Ints
    active: Bools

    def __len__(self) -> int:
        return len(self.prefix)

    @property
    def count(self) -> Ints:
        """The records in each cell, shape (m,)."""
        return self.stop - self.start

    def where(self, mask: Bools) -> Cells:
        """The cells that `mask` (m,) selects."""
        index, prefix, active = self.index[mask], self.prefix[mask], self.active[mask]
        return Cells(self.keys, self.depth, index, prefix, self.start[mask], self.stop[mask], active)


class CellCounts:
    """The records of a data set, ready to be counted in the cells of the cyclic binary partition.

    A cell at depth k is halved across axis k mod d, so a depth-k cell is a k-digit prefix of the Morton key and
    its count is a range of sorted keys. Memory: the input and 8 bytes a row. `points` are in the units of `box`;
    `shift` (d,) is the public shift. `n` is the number of records. Raises `InvalidPointsError`.
    Source: the paper, section 2.3.

    >>> counts = CellCounts([[0.1, 0.1], [0.9, 0.1]], Box.unit(2))
    >>> counts.halve(counts.root()).count
    array([1, 1])
    """

    def __init__(
        self, points: Any, box: Box, shift: tuple[float, ...] | None = None, invalid: Invalid = "drop"
    ) -> None:
        self._box, self._invalid = box, invalid
        self._points = box.rows(points)
        self.frame = Frame(box.d, shift)
        keys = np.empty(len(self._points), dtype=np.uint64)
        self.n = 0
        for _, numbers in self._chunks():
            keys[self.n : self.n + len(numbers)] = interleave(numbers, 0, WORD)
            self.n += len(numbers)
        keys = keys[: self.n]
        keys.sort()
        self._keys = Keys(keys, None, 0, WORD)

    @property
    def d(self) -> int:
        """The number of axes."""
        return self._box.d

    def root(self) -> Cells:
        """The root cell, which holds every record."""
        index = np.zeros((1, self.d), dtype=np.uint64)
        start, stop = np.array([0], dtype=np.int64), np.array([self.n], dtype=np.int64)
        return Cells(self._keys, 0, index, np.zeros(1, dtype=np.uint64), start, stop, np.array([True]))

    def halve(self, cells: Cells) -> Cells:
        """The two halves of each cell, the lower before the upper: 2 m cells, one level deeper."""
        if cells.depth == cells.keys.end:
            cells = self._rekey(cells)
        keys = cells.keys
        digit = np.uint64(1) << np.uint64(keys.end - 1 - cells.depth)
        middle = np.searchsorted(keys.sorted, cells.prefix | digit).astype(np.int64)
        index = halves(cells.index, cells.depth)
        prefix = np.repeat(cells.prefix, 2)
        prefix[1::2] |= digit
        start, stop = np.repeat(cells.start, 2), np.repeat(cells.stop, 2)
        start[1::2] = stop[::2] = np.clip(middle, cells.start, cells.stop)
        active = overlaps(index, cells.depth + 1, self.frame)
        return Cells(keys, cells.depth + 1, index, prefix, start, stop, active)

    def _chunks(self, rows: Ints | None = None) -> Iterator[tuple[Ints, Words]]:
        """Row numbers and coordinate numbers of the valid records, a chunk at a time."""
        total = len(self._points) if rows is None else len(rows)
        for begin in range(0, total, _CHUNK):
            if rows is None:
                chosen = np.arange(begin, min(begin + _CHUNK, total))
                block = self._points[begin : begin + _CHUNK]
            else:
                chosen = rows[begin : begin + _CHUNK]
                block = self._points[chosen]
            if self._invalid == "drop":
                chosen = chosen[self._box.valid(block)]
            yield chosen, self.frame.numbers(self._box.to_unit(block, self._invalid))

    def _rekey(self, cells: Cells) -> Cells:
        """Key the records of these cells anew: the cell's place in the list, then as many next digits as fit."""
        rows, places = self._records_of(cells)
        place_digits = max(len(cells) - 1, 0).bit_length()
        digits = WORD - place_digits
        fresh = [interleave(numbers, cells.depth, digits) for _, numbers in self._chunks(rows)]
        keys = np.concatenate([np.empty(0, dtype=np.uint64), *fresh])
        prefix = np.zeros(len(cells), dtype=np.uint64)
        if place_digits:
            prefix = np.arange(len(cells), dtype=np.uint64) << np.uint64(digits)
            keys |= prefix[places]
        order = np.argsort(keys, kind="stable")
        stop = np.cumsum(cells.count)
        table = Keys(keys[order], rows[order], cells.depth, digits)
        return Cells(table, cells.depth, cells.index, prefix, stop - cells.count, stop, cells.active)

    def _records_of(self, cells: Cells) -> tuple[Ints, Ints]:
        """The row numbers of the records in the cells, and the place of each record's cell in the list."""
        if not len(cells):
            return np.empty(0, dtype=np.int64), np.empty(0, dtype=np.int64)
        if cells.keys.rows is not None:
            places = np.repeat(np.arange(len(cells)), cells.count)
            within = np.arange(len(places)) - np.repeat(np.cumsum(cells.count) - cells.count, cells.count)
            return cells.keys.rows[cells.start[places] + within], places
        found: list[Ints] = [np.empty(0, dtype=np.int64)]
        places_found: list[Ints] = [np.empty(0, dtype=np.int64)]
        for chosen, numbers in self._chunks():
            keys = interleave(numbers, 0, WORD)
            place = np.searchsorted(cells.prefix, keys, side="right") - 1
            inside = (place >= 0) & (cells.prefix[np.maximum(place, 0)] == keys)
            found.append(chosen[inside])
            places_found.append(place[inside])
        return np.concatenate(found), np.concatenate(places_found)


def halves(index: Words, depth: int) -> Words:
    """The indices of the two halves of each cell of `depth`, shape (2 m, d), the lower before the upper.

    >>> halves(np.array([[1, 0]], dtype=np.uint64), 2).tolist()
    [[2, 0], [3, 0]]
    """
    axis = depth % index.shape[1]
    children = np.repeat(index, 2, axis=0)
    children[:, axis] <<= np.uint64(1)
    children[1::2, axis] |= np.uint64(1)
    return children


def axis_digits(depth: int, d: int) -> Ints:
    """How often each axis has been halved at a depth, shape (d,): floor(k / d), plus 1 for the first k mod d axes.

    >>> axis_digits(3, 2)
    array([2, 1])
    """
    return depth // d + (np.arange(d) < depth % d).astype(np.int64)


def overlaps(index: Words, depth: int, frame: Frame) -> Bools:
    """Whether each cell (m, d) of a depth overlaps the public window; the others are publicly empty."""
    if frame.shift is None:
        return np.ones(len(index), dtype=np.bool_)
    coarser = (AXIS_DIGITS - axis_digits(depth, frame.d)).astype(np.uint64)
    return np.asarray(((index >= frame.first >> coarser) & (index <= frame.last >> coarser)).all(axis=1))


def interleave(numbers: Words, first: int, count: int) -> Words:
    """Digits first, ..., first + count - 1 of each record's path, as a whole number, shape (n,).

    `numbers` (n, d) are coordinate numbers of 52 digits; digit i of the path is digit i // d of axis i mod d.

    >>> int(interleave(np.array([[1 << 51, 0]], dtype=np.uint64), 0, 4)[0])
    8
    """
    d = numbers.shape[1]
    keys = np.zeros(len(numbers), dtype=np.uint64)
    for axis in range(d):
        top = -((axis - first) // d)  # the first digit of this axis at or after `first`
        bits = len(range(axis + d * top, first + count, d))
        if bits <= 0 or top >= AXIS_DIGITS:
            continue
        last_place = axis + d * (top + bits - 1)
        value = _digits_of(numbers[:, axis], top, bits)
        keys |= _spread(value, bits, d) << np.uint64(first + count - 1 - last_place)
    return keys


def _digits_of(numbers: Words, top: int, bits: int) -> Words:
    """Digits top, ..., top + bits - 1 of each number; digits that float64 does not have are 0."""
    below = AXIS_DIGITS - top - bits
    value = numbers >> np.uint64(below) if below >= 0 else numbers << np.uint64(-below)
    return value & np.uint64((1 << bits) - 1)


def _spread(value: Words, bits: int, d: int) -> Words:
    """Move bit p of each value to bit p d, through a lookup table."""
    table = _spread_table(min(bits, _TABLE_BITS), d)
    mask = np.uint64((1 << _TABLE_BITS) - 1)
    result = table[(value & mask).astype(np.intp)]
    for low in range(_TABLE_BITS, bits, _TABLE_BITS):
        part = table[((value >> np.uint64(low)) & mask).astype(np.intp)]
        result |= part << np.uint64(low * d)
    return result


@lru_cache(maxsize=64)
def _spread_table(bits: int, d: int) -> Words:
    value = np.arange(1 << bits, dtype=np.uint64)
    table = np.zeros(1 << bits, dtype=np.uint64)
    for p in range(bits):
        table |= ((value >> np.uint64(p)) & np.uint64(1)) << np.uint64(p * d)
    return np.asarray(frozen(table))


def unit_coordinates(index: Words, depth: Ints, side: float) -> tuple[Floats, Floats]:
    """The lower and upper corners, (m, d) each, of cells given by index and depth, in the partition's frame.

    >>> lower, upper = unit_coordinates(np.array([[1, 0]], dtype=np.uint64), np.array([1]), 1.0)
    >>> lower.tolist(), upper.tolist()
    ([[0.5, 0.0]], [[1.0, 1.0]])
    """
    d = index.shape[1]
    digits = depth[:, None] // d + (np.arange(d) < depth[:, None] % d)
    width = side * np.exp2(-digits.astype(np.float64))
    lower = index.astype(np.float64) * width
    return lower, lower + width
