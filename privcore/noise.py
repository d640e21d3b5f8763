"""Exact random draws: sources of 64-bit words, and the samplers on top of them.

One code path over two sources. No sampler rounds a probability: a word is compared with the first 64 binary
digits of the probability, and a tie (chance 2^-64) is settled by further digits and further words. The number
of words drawn does not depend on the values drawn, ties apart.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from decimal import Decimal, localcontext
from fractions import Fraction
from functools import lru_cache
from typing import Protocol

import numpy as np

from privcore.arrays import Bools, Floats, Ints, Words

WORD = 64
_BAND = 2.0**-46
"""Relative error of the float64 value of e^-q where it matters: q is off by q 2^-52 at most, and beyond q = 12
the two units of the last digit that are added to the band are wider."""


class WordSource(Protocol):
    """Anything that gives uniform 64-bit words."""

    def words(self, count: int) -> Words:
        """`count` independent uniform words, shape (count,), uint64."""
        ...


class SystemWords:
    """Words from the operating system's entropy: what a release uses. There is nothing to seed.

    >>> SystemWords().words(3).shape
    (3,)
    """

    def words(self, count: int) -> Words:
        """`count` independent uniform words."""
        return np.frombuffer(os.urandom(8 * count), dtype=np.uint64)


class SeededWords:
    """Repeatable words for simulations (counter-based Philox): not private, since the seed tells everything.

    >>> bool(SeededWords(7).words(1)[0] == SeededWords(7).words(1)[0])
    True
    """

    def __init__(self, seed: int) -> None:
        self._generator = np.random.Philox(seed)

    def words(self, count: int) -> Words:
        """The next `count` words."""
        return np.asarray(self._generator.random_raw(count), dtype=np.uint64).reshape(count)


def uniforms(count: int, source: WordSource) -> Floats:
    """`count` uniform multiples of 2^-52 in [0, 1): the public shift.

    >>> bool((uniforms(4, SeededWords(1)) < 1).all())
    True
    """
    return (source.words(count) >> np.uint64(12)).astype(np.float64) * 2.0**-52


def geometric(rate: float, count: int, source: WordSource) -> Ints:
    """`count` geometric draws, P(G = k) = (1 - e^-r) e^-rk for k = 0, 1, ..., exact for the float `rate` > 0.

    The binary digits of G are independent: digit i is 1 with probability 1 / (1 + e^(r 2^i)) (Dwork et al.,
    EUROCRYPT 2006). Digits whose probability is below 2^-64 are drawn as one event, G >= 2^I.

    >>> int(geometric(50.0, 3, SeededWords(0)).sum())
    0
    """
    thresholds = _digit_thresholds(rate)
    words = source.words(count * (len(thresholds) + 1)).reshape(len(thresholds) + 1, count)
    result = np.zeros(count, dtype=np.int64)
    for digit, threshold in enumerate(thresholds):
        one = _below(words[digit], threshold, _digit_probability(rate, digit), source)
        result += one.astype(np.int64) << digit
    return _add_overflow(result, words[-1], rate, len(thresholds), source)


def two_rate(up: float, down: float, count: int, source: WordSource) -> Ints:
    """`count` draws of Z = G(up) - G(down): the leaf noise, in records.

    One record more in a leaf changes P(Z + c = o) by a factor between e^-down and e^up; with equal rates this
    is the two-sided geometric mechanism.

    >>> two_rate(1.0, 1.0, 4, SeededWords(3)).dtype
    dtype('int64')
    """
    return geometric(up, count, source) - geometric(down, count, source)


def split_decisions(margin: Ints, scale: int, source: WordSource) -> tuple[Bools, Floats]:
    """Whether each margin plus Laplace noise is positive, decided exactly; and the noise, for display only.

    The noise is s (-lambda ln u) with a fair sign s and a uniform u. `margin` (m,) and `scale` (lambda) are whole
    multiples of one unit, so q = |margin| / scale is rational. For margin >= 0 the sum is positive unless s = -1
    and u < e^-q; for margin < 0 it is positive if s = +1 and u < e^-q. Two words a decision.
    Returns (split (m,), noise (m,) in units of lambda).

    >>> split, noise = split_decisions(np.array([10**9, -(10**9)]), 1, SeededWords(5))
    >>> split
    array([ True, False])
    """
    words = source.words(2 * len(margin)).reshape(2, len(margin))
    positive = words[0] >> np.uint64(WORD - 1) == 1
    beyond = _below_exponential(words[1], np.abs(margin), scale, source)
    split = np.where(margin >= 0, positive | ~beyond, positive & beyond)
    size = -np.log((words[1].astype(np.float64) + 0.5) * 2.0**-WORD)
    return split, np.where(positive, size, -size)


def _below_exponential(words: Words, numerator: Ints, denominator: int, source: WordSource) -> Bools:
    """Whether u < e^-(numerator/denominator), u being a uniform whose first digits are the word."""
    target, drawn = _float_target(numerator, denominator), words.astype(np.float64)
    result = drawn < target
    # Both sides carry a rounding error; inside the band (chance about 2^-44) exact digits decide.
    doubtful = (np.abs(drawn - target) <= target * _BAND + drawn * _BAND + 2.0) & (numerator > 0)
    for i in np.flatnonzero(doubtful):
        ratio = Fraction(int(numerator[i]), denominator)
        result[i] = _settle(int(words[i]), _exponential(ratio), source)
    result[numerator == 0] = True
    return result


def _float_target(numerator: Ints, denominator: int) -> Floats:
    """2^64 e^-(numerator/denominator) in float64: right within the band."""
    return np.asarray(np.exp(-np.minimum(numerator / float(denominator), 64.0)) * 2.0**WORD)


def _below(words: Words, threshold: int, probability: Callable[[int], int], source: WordSource) -> Bools:
    """Whether u < p, given floor(p 2^64); words equal to it are settled by further digits."""
    result = words < np.uint64(threshold)
    for i in np.flatnonzero(words == np.uint64(threshold)):
        result[i] = _settle(int(words[i]), probability, source)
    return result


def _settle(word: int, digits: Callable[[int], int], source: WordSource) -> bool:
    """Compare a uniform that starts with `word` with p, `digits(b)` being floor(p 2^b); draws words while they tie."""
    bits = WORD
    while word == (floor := digits(bits)):
        word = (word << WORD) | int(source.words(1)[0])
        bits += WORD
    return word < floor


def _add_overflow(result: Ints, words: Words, rate: float, digits: int, source: WordSource) -> Ints:
    """Add 2^I times the number of successes beyond the drawn digits: geometric again, by lack of memory."""
    for i in np.flatnonzero(words == 0):
        word, success = 0, _exponential(Fraction(rate) * 2**digits)
        while _settle(word, success, source):
            result[i] += 1 << digits
            word = int(source.words(1)[0])
    return result


@lru_cache(maxsize=256)
def _digit_thresholds(rate: float) -> tuple[int, ...]:
    """floor(2^64 / (1 + e^(rate 2^i))) for every digit that is 1 with probability 2^-64 or more."""
    thresholds: list[int] = []
    while rate * 2.0 ** len(thresholds) < 45.0:
        thresholds.append(_digit_probability(rate, len(thresholds))(WORD))
    return tuple(thresholds)


def _digit_probability(rate: float, digit: int) -> Callable[[int], int]:
    def digits(bits: int) -> int:
        return _floor(bits, Fraction(rate) * 2**digit, lambda e: Decimal(1) / (Decimal(1) + e), sign=1)

    return digits


def _exponential(q: Fraction) -> Callable[[int], int]:
    def digits(bits: int) -> int:
        return _floor(bits, q, lambda e: e, sign=-1)

    return digits


def _floor(bits: int, x: Fraction, of_exponential: Callable[[Decimal], Decimal], sign: int) -> int:
    """floor(2^bits f(e^(sign x))), certified: digits are added until the error can't reach a whole number."""
    if sign < 0 and x > bits:  # e^-x < 2^-bits already
        return 0
    precision = 30 + bits // 3
    while True:
        with localcontext() as context:
            context.prec = precision
            exponent = Decimal(x.numerator) / Decimal(x.denominator) * sign
            value = of_exponential(exponent.exp()) * (Decimal(2) ** bits)
            slack = value * (abs(exponent) + 16) * Decimal(10) ** (2 - precision)
            low, high = (value - slack), (value + slack)
            floor_low, floor_high = (
                int(low.to_integral_value("ROUND_FLOOR")),
                int(high.to_integral_value("ROUND_FLOOR")),
            )
        if floor_low == floor_high:
            return max(floor_low, 0)
        precision *= 2
