"""T6: every sampler has its exact law, settles ties exactly, and uses fresh words."""

from __future__ import annotations

import math
from collections.abc import Callable
from decimal import Decimal, localcontext
from fractions import Fraction

import numpy as np

from privcore import mechanism, noise
from privcore.noise import SeededWords, WordSource
from privcore.tree import UNIT, default_depth
from tests.audit.cases import CASES
from tests.audit.statistics import Frequencies, expect
from tests.core.test_noise import Counting, Scripted
from tests.oracle.law import two_rate_law

DRAWS = 200_000


def t6(seed: int) -> None:
    """The laws by frequency; words at and next to a threshold by hand; how many words a run draws."""
    _laws(SeededWords(seed))
    _ties_of_decisions()
    _ties_of_draws()
    _words_of_a_run(seed)
    _words_of_the_system()


def _laws(source: WordSource) -> None:
    frequencies = Frequencies("T6")
    for up, down in ((0.5, 0.5), (0.6, 0.833), (0.05, 0.9), (3.0, 1.0)):
        reach = math.ceil(6 / min(up, down))
        drawn = np.clip(noise.two_rate(up, down, DRAWS, source), -reach - 1, reach + 1) + reach + 1
        law = two_rate_law(up, down, reach)
        frequencies.add(f"two-rate {up}, {down}", np.bincount(drawn, minlength=len(law)), DRAWS, law)
    for margin in (-3 * UNIT, -UNIT // 7, 0, 1, UNIT // 3, 2 * UNIT):
        split, _ = noise.split_decisions(np.full(DRAWS, margin), UNIT, source)
        q = margin / UNIT
        frequencies.add(f"margin {q}", split.sum(), DRAWS, 1 - math.exp(-q) / 2 if q >= 0 else math.exp(q) / 2)
    sixteenths = np.bincount((noise.uniforms(DRAWS, source) * 16).astype(np.int64), minlength=16)
    frequencies.add("uniform", sixteenths, DRAWS, np.full(16, 1 / 16))
    frequencies.judge()


def _ties_of_decisions() -> None:
    """u < e^-q with the word of u next to the first 64 digits of e^-q, or equal to them: the next 64 decide."""
    for numerator, denominator in ((1, 3), (5, 2), (40, 1), (UNIT - 1, UNIT)):
        word, more = divmod(_digits(Fraction(-numerator, denominator), lambda e: e), 2**64)
        for script, below in (
            ([word - 1], True),
            ([word + 1], False),
            ([word, more - 1], True),
            ([word, more + 1], False),
        ):
            split, _ = noise.split_decisions(np.array([-numerator]), denominator, Scripted([2**63, *script]))
            expect(bool(split[0]) is below, f"T6: u < e^-{numerator}/{denominator} is decided wrongly at {script}")


def _ties_of_draws() -> None:
    """The first digit of a geometric draw, and the event that all its digits are passed."""
    for rate in (0.25, 1.0, 7.0):
        counting = Counting(0)
        noise.geometric(rate, 1, counting)
        others = [2**64 - 1] * (counting.drawn - 1)  # the other digits are 0
        word, more = divmod(_digits(Fraction(rate), lambda e: 1 / (1 + e)), 2**64)
        for last, one in ((more - 1, 1), (more + 1, 0)):
            drawn = noise.geometric(rate, 1, Scripted([word, *others, last]))[0]
            expect(drawn == one, f"T6: a tie in the first digit of a geometric draw of rate {rate} gives {drawn}")
    more = _digits(Fraction(-50), lambda e: e)  # below 2^-64: only a word of 0 may be a success
    for script, expected in (([1], 0), ([0, more + 1], 0), ([0, more - 1, 5], 1)):
        drawn = noise.geometric(50.0, 1, Scripted(script))[0]
        expect(drawn == expected, f"T6: the rare event of a geometric draw gives {drawn}, not {expected}")


def _digits(exponent: Fraction, of: Callable[[Decimal], Decimal]) -> int:
    """The first 128 binary digits of a function of e^exponent with values in (0, 1)."""
    with localcontext() as context:
        context.prec = 80
        return int(of((Decimal(exponent.numerator) / Decimal(exponent.denominator)).exp()) * 2**128)


def _words_of_a_run(seed: int) -> None:
    """d words for a random shift, 2 a decision, and those of each leaf: none is used twice."""
    for case in CASES[::3]:
        if case.persons is not None:
            continue
        source, leaf = Counting(seed), Counting(seed)
        outcome = mechanism.run(case.points, case.box, case.parameters, source)
        noise.two_rate(outcome.cost.a, outcome.cost.b, 1, leaf)
        tree, cap = outcome.growth.tree, case.parameters.max_depth
        decisions = int((tree.active & (tree.depth < (default_depth(case.d) if cap is None else cap))).sum())
        shift = case.d if case.parameters.shift == "random" else 0
        expected = shift + 2 * decisions + leaf.drawn * len(tree.leaves)
        expect(source.drawn == expected, f"T6 {case}: {source.drawn} words are drawn, not {expected}")


def _words_of_the_system() -> None:
    words = noise.SystemWords().words(4096)
    ones = sum(int(word).bit_count() for word in words)
    expect(len(np.unique(words)) == 4096, "T6: words of the system repeat")  # by chance: 5e-13
    expect(abs(ones - 4096 * 32) < 8 * math.sqrt(4096 * 64) / 2, f"T6: {ones} ones in 4096 words of the system")
