"""Self-similar sets whose dimension is not a whole number, drawn digit block by digit block from a table."""

from __future__ import annotations

import numpy as np
from numpy.random import Generator

from privcore.arrays import Floats

_CANTOR_DIGITS = 16
_CANTOR_BLOCKS = 2
"""32 ternary digits: 3^-32 is below what float64 can tell apart in [0.5, 1]."""
_SIERPINSKI_DIGITS = 8
_SIERPINSKI_BLOCKS = 6
"""48 halvings."""

_TRIANGLE = np.array([[0.04, 0.1], [0.96, 0.1], [0.5, 0.1 + 0.46 * np.sqrt(3.0)]])
_TETRAHEDRON = np.array([[0.0, 0.0, 0.0], [1.0, 1.0, 0.0], [1.0, 0.0, 1.0], [0.0, 1.0, 1.0]])


def cantor(rng: Generator, n: int, d: int) -> Floats:
    """Cantor's dust: every coordinate has only the ternary digits 0 and 2, dimension d ln 2 / ln 3."""
    table = _block_sums(np.array([[0.0], [2.0]]), 3.0, _CANTOR_DIGITS)[:, 0]
    points = np.zeros((n, d))
    for block in range(_CANTOR_BLOCKS):
        points += table[rng.integers(len(table), size=(n, d))] * 3.0 ** (-block * _CANTOR_DIGITS)
    return points


def sierpinski(rng: Generator, n: int, d: int) -> Floats:
    """Sierpinski's triangle or tetrahedron: halve the way to one of d + 1 corners again and again.

    Its dimension is ln(d + 1) / ln 2.
    """
    corners = _TRIANGLE if d == 2 else _TETRAHEDRON
    table = _block_sums(corners, 2.0, _SIERPINSKI_DIGITS)
    points = np.zeros((n, d))
    for block in range(_SIERPINSKI_BLOCKS):
        points += table[rng.integers(len(table), size=n)] * 2.0 ** (-block * _SIERPINSKI_DIGITS)
    return points


def _block_sums(choices: Floats, base: float, digits: int) -> Floats:
    """All sums of choices[c_i] base^-i over i = 1, ..., digits, shape (len(choices)^digits, d)."""
    sums = np.zeros((1, choices.shape[1]))
    for place in range(1, digits + 1):
        sums = (sums[:, None] + choices * base**-place).reshape(-1, choices.shape[1])
    return sums
