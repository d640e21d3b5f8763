"""The cyclic binary partition, naively: exact fractions, a loop over cells, and a comparison for every point."""

from __future__ import annotations

import heapq
import math
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

DIGITS = 52

Decide = Callable[[list[int], int], list[bool]]
"""Which active cells of one depth are split, given their counts in breadth-first order and the depth."""


@dataclass
class Cell:
    depth: int
    lower: tuple[Fraction, ...]
    upper: tuple[Fraction, ...]
    active: bool
    points: list[tuple[Fraction, ...]]
    split: bool = False

    @property
    def count(self) -> int:
        return len(self.points)


def place(unit: list[float], shift: tuple[float, ...] | None) -> tuple[Fraction, ...]:
    """A unit-cube point in the partition's frame; the window's upper face belongs to the cells below it."""
    offsets = shift or (0.0,) * len(unit)
    placed = []
    for u, offset in zip(unit, offsets, strict=True):
        grid = Fraction(1 if shift is None else 2, 2**DIGITS)
        highest = (math.ceil(Fraction(offset + 1.0) / grid) - 1) * grid
        placed.append(min(Fraction(u + offset), highest))
    return tuple(placed)


def grow(unit: list[list[float]], d: int, decide: Decide, cap: int, shift: tuple[float, ...] | None) -> list[Cell]:
    """All nodes breadth first: active cells above the cap are split when `decide` says so."""
    side = Fraction(1 if shift is None else 2)
    points = [place(row, shift) for row in unit]
    level = [Cell(0, (Fraction(0),) * d, (side,) * d, True, points)]
    nodes: list[Cell] = []
    while level:
        asked = [cell for cell in level if cell.active and cell.depth < cap]
        if asked:
            for cell, split in zip(asked, decide([cell.count for cell in asked], asked[0].depth), strict=True):
                cell.split = split
        nodes += level
        level = [half for cell in level if cell.split for half in _halves(cell, d, shift)]
    return nodes


def _halves(cell: Cell, d: int, shift: tuple[float, ...] | None) -> list[Cell]:
    axis = cell.depth % d
    middle = (cell.lower[axis] + cell.upper[axis]) / 2
    below = [p for p in cell.points if p[axis] < middle]
    above = [p for p in cell.points if not p[axis] < middle]
    upper = (*cell.upper[:axis], middle, *cell.upper[axis + 1 :])
    lower = (*cell.lower[:axis], middle, *cell.lower[axis + 1 :])
    return [
        Cell(cell.depth + 1, cell.lower, upper, _overlaps(cell.lower, upper, shift), below),
        Cell(cell.depth + 1, lower, cell.upper, _overlaps(lower, cell.upper, shift), above),
    ]


def _overlaps(lower: tuple[Fraction, ...], upper: tuple[Fraction, ...], shift: tuple[float, ...] | None) -> bool:
    if shift is None:
        return True
    return all(
        a < Fraction(offset + 1.0) and b > Fraction(offset) for a, b, offset in zip(lower, upper, shift, strict=True)
    )


def heaviest_first(hard: list[Cell], leaves: int) -> list[tuple[int, tuple[Fraction, ...]]]:
    """(depth, lower corner) of the cells that a heap splits, heaviest first, in the given hard tree.

    Ties go to the shallower cell, then to the one that comes first breadth first.
    """
    place_of = {(cell.depth, cell.lower): i for i, cell in enumerate(hard)}
    heap = [(-hard[0].count, 0, 0)] if hard[0].split else []
    chosen = []
    while heap and len(chosen) < leaves - 1:
        _, _, i = heapq.heappop(heap)
        cell = hard[i]
        chosen.append((cell.depth, cell.lower))
        left = place_of[(cell.depth + 1, cell.lower)]
        for child in (left, left + 1):
            if hard[child].split:
                heapq.heappush(heap, (-hard[child].count, hard[child].depth, child))
    return chosen
