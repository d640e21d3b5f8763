from __future__ import annotations

import itertools
import math
from collections.abc import Iterable
from fractions import Fraction

import numpy as np
import opendp.prelude as dp
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import chi2, chi2_contingency

from privcore import noise
from privcore.arrays import Words
from privcore.noise import SeededWords, SystemWords, geometric, split_decisions, two_rate, uniforms

ALPHA = 1e-6
DRAWS = 1_000_000


class Scripted:
    """Words from a list, then failure: a test knows exactly what is drawn."""

    def __init__(self, words: Iterable[int]) -> None:
        self.left = [int(word) for word in words]

    def words(self, count: int) -> Words:
        taken, self.left = self.left[:count], self.left[count:]
        assert len(taken) == count, "more words drawn than scripted"
        return np.array(taken, dtype=np.uint64)


class Counting:
    """Seeded words, counted."""

    def __init__(self, seed: int) -> None:
        self.source, self.drawn = SeededWords(seed), 0

    def words(self, count: int) -> Words:
        self.drawn += count
        return self.source.words(count)


def fits(observed: Iterable[float], probabilities: Iterable[float], n: int) -> None:
    """Pearson's chi-square at level 1e-6, cells of expectation below 10 pooled."""
    seen, expected = np.array(list(observed), dtype=float), np.array(list(probabilities)) * n
    seen, expected = np.append(seen, n - seen.sum()), np.append(expected, n - expected.sum())
    large = expected >= 10
    rest = expected[~large].sum()
    statistic = float(((seen - expected)[large] ** 2 / expected[large]).sum())
    if rest > 1e-9:
        statistic += (seen[~large].sum() - rest) ** 2 / max(rest, 1.0)
    assert statistic < chi2.isf(ALPHA, max(int(large.sum()), 1))


@pytest.mark.parametrize("rate", [0.001, 0.01, 0.1, 0.5, 1.0, 3.0, 10.0, 20.0, 60.0])
def test_geometric_has_its_law(rate: float) -> None:
    n = DRAWS
    draws = geometric(rate, n, SeededWords(int(rate * 100)))
    assert draws.min() >= 0
    top = max(3, math.ceil(10 / rate))
    k = np.arange(top)
    fits(np.bincount(np.minimum(draws, top), minlength=top + 1)[:top], np.exp(-rate * k) * -np.expm1(-rate), n)


@pytest.mark.parametrize(("up", "down"), [(0.5, 0.5), (0.6, 0.83), (0.05, 0.9), (3.0, 1.0), (0.02, 0.03), (8.0, 9.0)])
def test_two_rate_has_its_law(up: float, down: float) -> None:
    n, top = DRAWS, 300
    draws = two_rate(up, down, n, SeededWords(9))
    z = np.arange(-top, top + 1)
    scale = -math.expm1(-up) * -math.expm1(-down) / -math.expm1(-up - down)
    law = scale * np.exp(np.where(z >= 0, -up * z, down * z))
    seen = np.bincount(np.clip(draws, -top - 1, top + 1) + top + 1, minlength=2 * top + 3)
    fits(seen[1:-1], law, n)


@pytest.mark.parametrize("rate", [0.05, 0.5, 2.0])
def test_the_first_log_ratios(rate: float) -> None:
    """ln P(k) / P(k + 1) is the rate for every k: what one record can tell. Each ratio within 6 standard errors."""
    seen = np.bincount(geometric(rate, DRAWS, SeededWords(31)), minlength=6)[:6]
    ratios, errors = np.log(seen[:-1] / seen[1:]), np.sqrt(1 / seen[:-1] + 1 / seen[1:])
    assert (np.abs(ratios - rate) < 6 * errors).all()
    z = two_rate(rate, 1.5 * rate, DRAWS, SeededWords(32))
    up, down = (np.bincount(side, minlength=5)[:5] for side in (z[z >= 0], -z[z <= 0]))
    for counts, right in ((up, rate), (down, 1.5 * rate)):
        ratios, errors = np.log(counts[:-1] / counts[1:]), np.sqrt(1 / counts[:-1] + 1 / counts[1:])
        assert (np.abs(ratios - right) < 6 * errors).all()


@pytest.mark.parametrize("rate", [0.01, 0.5, 3.0])
def test_the_digits_multiply_to_the_law(rate: float) -> None:
    """P(G = k) / P(G = k + 1) from the digits' own probabilities, to 240 digits, is e^rate: no float involved."""
    bits, count = 240, len(noise._digit_thresholds(rate))
    one = [Fraction(noise._digit_probability(rate, i)(bits), 2**bits) for i in range(count)]
    law = [math.prod((p if k >> i & 1 else 1 - p for i, p in enumerate(one)), start=Fraction(1)) for k in range(9)]
    inverse = Fraction(noise._exponential(Fraction(rate))(bits), 2**bits)
    for low, high in itertools.pairwise(law):
        assert abs(high / low - inverse) < Fraction(1, 2 ** (bits - 60))


@pytest.mark.parametrize("scale", [0.6, 2.0, 20.0])
def test_opendp_draws_from_the_same_law(scale: float) -> None:
    """A peer with another algorithm: two samples, one chi-square. (OpenDP 0.14.1 fails it; its 0.14.2 mended that.)"""
    dp.enable_features("contrib")
    space = dp.vector_domain(dp.atom_domain(T="i32")), dp.l1_distance(T="i32")
    theirs = np.array(dp.m.make_laplace(*space, scale=scale)([0] * 100_000))
    ours = two_rate(1 / scale, 1 / scale, DRAWS, SeededWords(33))
    top = math.ceil(5 * scale)
    table = np.array([np.bincount(np.clip(draws, -top, top) + top, minlength=2 * top + 1) for draws in (theirs, ours)])
    table = table[:, table[0] >= 10]
    assert chi2_contingency(table).pvalue > ALPHA


def test_digits_of_a_geometric_draw_are_independent() -> None:
    n = DRAWS
    draws = geometric(0.2, n, SeededWords(17))
    joint = np.bincount(draws % 8, minlength=8)
    p = [1 / (1 + math.exp(0.2 * 2**i)) for i in range(3)]
    fits(joint[:7], [math.prod(p[i] if v >> i & 1 else 1 - p[i] for i in range(3)) for v in range(7)], n)


def test_uniforms_are_multiples_of_two_to_minus_52() -> None:
    values = uniforms(DRAWS, SeededWords(4))
    assert (values >= 0).all()
    assert (values < 1).all()
    assert (values * 2**52 == np.floor(values * 2**52)).all()
    fits(np.bincount((values * 16).astype(int), minlength=16)[:15], [1 / 16] * 15, DRAWS)
    assert uniforms(1, Scripted([2**64 - 1]))[0] == 1 - 2.0**-52


@pytest.mark.parametrize("lam", [300, 2**20, 2**40 + 1])
@pytest.mark.parametrize("q", [-6.0, -3.0, -1.0, -0.3, 0.0, 0.15, 1.0, 4.0])
def test_split_probability(q: float, lam: int) -> None:
    """P(split) = 1 - e^-q / 2 for a margin of q lambda >= 0, e^-|q| / 2 below, and the noise is Laplace's."""
    n, margin = DRAWS, int(q * lam)
    split, noise_drawn = split_decisions(np.full(n, margin), lam, SeededWords(abs(margin) + lam))
    q = margin / lam
    p = 1 - math.exp(-q) / 2 if margin >= 0 else math.exp(q) / 2
    fits([split.sum()], [p], n)
    np.testing.assert_array_equal(split, margin / lam + noise_drawn > 0)
    edges = np.linspace(-4, 4, 33)
    cdf = np.where(edges < 0, np.exp(np.minimum(edges, 0)) / 2, 1 - np.exp(-np.maximum(edges, 0)) / 2)
    fits(np.histogram(noise_drawn, edges)[0], np.diff(cdf), n)


# Ties and rare paths, with scripted words


def floor_of(p: Fraction | float, bits: int = 64) -> int:
    return math.floor(Fraction(p) * 2**bits)


def test_settle_draws_until_the_tie_ends() -> None:
    third = lambda bits: 2**bits // 3  # noqa: E731
    word, second = 2**64 // 3, 2**128 // 3 % 2**64
    assert noise._settle(word, third, Scripted([second - 1])) is True
    assert noise._settle(word, third, Scripted([second + 1])) is False
    source = Scripted([second, 0])
    assert noise._settle(word, third, source) is True
    assert source.left == []
    assert noise._settle(word - 1, third, Scripted([])) is True
    assert noise._settle(word + 1, third, Scripted([])) is False


@pytest.mark.parametrize("rate", [0.3, 1.0, 7.0])
def test_a_tie_in_a_digit(rate: float) -> None:
    """A word equal to the threshold is settled by the next 64 digits of the probability."""
    thresholds = noise._digit_thresholds(rate)
    digits = noise._digit_probability(rate, 0)
    following = digits(128) % 2**64
    others = [2**64 - 1] * len(thresholds)  # the other digits are 0, and there is no overflow
    assert geometric(rate, 1, Scripted([thresholds[0], *others, following - 1]))[0] == 1
    assert geometric(rate, 1, Scripted([thresholds[0], *others, following + 1]))[0] == 0


def test_overflow_adds_whole_steps() -> None:
    """A zero word is the rare event G >= 2^I, up to a settling word; each success adds 2^I."""
    rate = 50.0
    assert noise._digit_thresholds(rate) == ()
    digits = noise._exponential(Fraction(rate))
    assert digits(64) == 0  # e^-50 < 2^-64: the first word can only tie
    following = digits(128) % 2**64
    assert geometric(rate, 1, Scripted([1]))[0] == 0
    assert geometric(rate, 1, Scripted([0, following + 1]))[0] == 0
    assert geometric(rate, 1, Scripted([0, following - 1, 5]))[0] == 1
    assert geometric(rate, 1, Scripted([0, following - 1, 0, following - 1, 0, following + 1]))[0] == 2


def test_overflow_of_a_slow_rate() -> None:
    rate = 0.5
    count = len(noise._digit_thresholds(rate))
    step = noise._exponential(Fraction(rate) * 2**count)
    assert step(64) == 0
    zeros = [2**64 - 1] * count
    following = step(128) % 2**64
    drawn = geometric(rate, 1, Scripted([*zeros, 0, following - 1, 1]))[0]
    assert drawn == 2**count
    assert rate * 2**count >= 45


def test_the_overflow_event_is_below_one_word() -> None:
    """Only a zero word may be a success: else the event would be drawn too rarely."""
    for rate in (1e-6, 0.01, 0.5, 1.0, 44.0, 45.0, 60.0, 1000.0):
        count = len(noise._digit_thresholds(rate))
        assert noise._exponential(Fraction(rate) * 2**count)(64) == 0


@pytest.mark.parametrize(("numerator", "denominator"), [(1, 3), (5, 2), (1, 2**40), (40, 1), (2**30, 2**30 + 1)])
def test_decisions_near_the_band_are_exact(numerator: int, denominator: int) -> None:
    """Words just around e^-q 2^64, where float64 can't tell: decided as in exact arithmetic."""
    digits = noise._exponential(Fraction(numerator, denominator))
    floor, following = digits(64), digits(128) % 2**64
    for offset in (-3, -2, -1, 1, 2, 3):
        word = floor + offset
        if 0 <= word < 2**64:
            split, _ = split_decisions(np.array([-numerator]), denominator, Scripted([2**63, word]))
            assert bool(split[0]) is (offset < 0)
            split, _ = split_decisions(np.array([numerator]), denominator, Scripted([0, word]))
            assert bool(split[0]) is (offset > 0)
    for extra, below in ((following - 1, True), (following + 1, False)):
        source = Scripted([2**63, floor, extra])
        split, _ = split_decisions(np.array([-numerator]), denominator, source)
        assert bool(split[0]) is below
        assert source.left == []


@settings(max_examples=500)
@given(st.floats(-25.0, 4.2), st.integers(1, 2**53))
def test_the_float_target_is_right_within_the_band(log_q: float, denominator: int) -> None:
    """What the band is for: float64 is off by a tenth of it at most, for any margin and any lambda."""
    numerator = max(1, int(math.exp(log_q) * denominator))
    target = float(noise._float_target(np.array([numerator]), denominator)[0])
    bits = noise.WORD + 30
    exact = Fraction(noise._exponential(Fraction(numerator, denominator))(bits), 2**30)
    assert abs(Fraction(target) - exact) <= (Fraction(target * noise._BAND) + 2) / 10


def test_a_tie_that_lasts() -> None:
    """Words equal to 64, 128, ... digits of the probability: further words are drawn until one differs."""
    rate = 0.7
    thresholds, digits = noise._digit_thresholds(rate), noise._digit_probability(rate, 0)
    equal = [digits(64 * i) % 2**64 for i in (1, 2, 3, 4)]
    others = [2**64 - 1] * len(thresholds)
    for last, drawn in ((equal[3] - 1, 1), (equal[3] + 1, 0)):
        source = Scripted([thresholds[0], *others, equal[1], equal[2], last])
        assert geometric(rate, 1, source)[0] == drawn
        assert source.left == []
    digits = noise._exponential(Fraction(5, 3))
    equal = [digits(64 * i) % 2**64 for i in (1, 2, 3)]
    for sign, margin in ((2**63, -5), (0, 5)):
        for last, below in ((equal[2] - 1, True), (equal[2] + 1, False)):
            split, _ = split_decisions(np.array([margin]), 3, Scripted([sign, *equal[:2], last]))
            assert bool(split[0]) is (below if margin < 0 else not below)


@settings(max_examples=200)
@given(st.integers(1, 2**40), st.integers(1, 2**30), st.integers(-(2**20), 2**20), st.integers(0, 2**64 - 1))
def test_any_word_is_compared_exactly(numerator: int, denominator: int, offset: int, other: int) -> None:
    digits = noise._exponential(Fraction(numerator, denominator))
    floor = digits(64)
    for word in (floor + offset, other):
        if 0 <= word < 2**64 and word != floor:
            split, _ = split_decisions(np.array([-numerator]), denominator, Scripted([2**63, word]))
            assert bool(split[0]) is (word < floor)


def test_a_margin_of_zero_is_a_fair_coin() -> None:
    for sign, word in ((0, 0), (0, 2**64 - 1), (2**63, 0), (2**63, 2**64 - 1)):
        split, _ = split_decisions(np.array([0]), 5, Scripted([sign, word]))
        assert bool(split[0]) is (sign >= 2**63)


def test_a_margin_out_of_reach() -> None:
    """e^-q far below 2^-64: only a zero word ties, and further words decide."""
    split, _ = split_decisions(np.array([-1000]), 1, Scripted([2**63, 1]))
    assert not split[0]
    split, _ = split_decisions(np.array([-1000]), 1, Scripted([2**63, 0, 7]))
    assert not split[0]


@settings(max_examples=100)
@given(st.integers(1, 10**6), st.integers(1, 10**4), st.integers(1, 200))
def test_floors_are_certified(numerator: int, denominator: int, bits: int) -> None:
    """floor(2^b e^-q) against a Taylor series in fractions with its remainder."""
    q = Fraction(numerator, denominator)
    value = noise._exponential(q)(bits)
    if q > 60:
        assert value <= Fraction(2**bits) / Fraction(2) ** math.floor(float(q))
        return
    term = total = Fraction(1)
    i = 0
    while i < 2 * q + 10 or term > Fraction(1, 2 ** (bits + 100)):
        i += 1
        term = term * q / i
        total += term
    low, high = 2**bits / (total + 2 * term), 2**bits / total
    assert math.floor(low) <= value <= math.floor(high)
    assert math.floor(low) == math.floor(high)


# Words


@pytest.mark.parametrize("rate", [0.05, 1.0, 30.0])
def test_the_number_of_words_does_not_depend_on_the_noise(rate: float) -> None:
    drawn = set()
    for seed in range(40):
        source = Counting(seed)
        geometric(rate, 50, source)
        drawn.add(source.drawn)
    assert drawn == {50 * (len(noise._digit_thresholds(rate)) + 1)}


def test_the_number_of_words_does_not_depend_on_the_margins() -> None:
    drawn = set()
    for margins in (np.zeros(20, dtype=np.int64), np.arange(20) * 1000, -np.arange(20) * 10**9):
        source = Counting(1)
        split_decisions(margins, 7, source)
        drawn.add(source.drawn)
    assert drawn == {40}


def test_no_draws_at_all() -> None:
    assert geometric(1.0, 0, SeededWords(0)).shape == (0,)
    assert two_rate(1.0, 2.0, 0, SystemWords()).shape == (0,)
    assert split_decisions(np.empty(0, dtype=np.int64), 1, SystemWords())[0].shape == (0,)


def test_seeded_words_repeat_and_system_words_do_not() -> None:
    np.testing.assert_array_equal(SeededWords(3).words(5), SeededWords(3).words(5))
    assert (SeededWords(3).words(5) != SeededWords(4).words(5)).any()
    source = SeededWords(3)
    np.testing.assert_array_equal(np.concatenate([source.words(2), source.words(3)]), SeededWords(3).words(5))
    words = SystemWords().words(4096)
    assert words.dtype == np.uint64
    assert len(np.unique(words)) == 4096  # a repeat has chance 5e-13
    ones = sum(int(word).bit_count() for word in words)
    assert abs(ones - 4096 * 32) < 8 * math.sqrt(4096 * 64) / 2
