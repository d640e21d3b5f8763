"""What privacy costs: the tree, the leaf counts, the total; and lambda for a given cost.

Everything here is public: it depends on the parameters and on d, never on data. Costs are rounded up.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from privcore.checks import is_real
from privcore.errors import InvalidParametersError
from privcore.tree import UNIT

MAX_TERMS = 1 << 20
LEAST_SCALE = 2.0**-60
"""lambda and delta lie between this and its inverse: far beyond any use, and safe from overflow."""
RATE_UNIT = 2**40
"""Leaf rates are whole multiples of 2^-40, rounded down: at most 1e-12 of epsilon is lost."""
MOST_UNITS = UNIT * 2**30
"""lambda is looked for up to 2^30 records."""
GUESSES = 4
ROUNDING = 1e-12
"""Rounding moves a cost by less than this part of it: ten times what `tree_cost` adds for it."""
FINEST = 2**38
"""A step of this part of lambda is needed to see a cost in proportion to 1/lambda move by more than rounding does."""
_LN2 = math.nextafter(math.log(2.0), 1.0)


def tree_cost(lam: float, delta: float) -> float:
    """The exact privacy cost of the private tree, rounded up; lambda and delta in records.

    E = 1/lambda + k ln 2 + sum over i >= 0 of ln[(2 - e^(-(f + i delta)/lambda)) / (2 - e^(-i delta/lambda))] with
    k = ceil(1/delta) - 1 and f = 1 - k delta: the supremum, over data sets and one added record, of the log
    likelihood ratio of the split decisions. Raises `InvalidParametersError` unless both are positive and finite.
    Source: beyond the paper, whose bound is `tree_cost_published`; the worst path is the densest one, with margins
    in arithmetic progression.

    >>> round(tree_cost(6, 6 * math.log(2)), 6), round(tree_cost(6, 6), 6)
    (0.401051, 0.360731)
    """
    _check_scales(lam, delta)
    lam, delta = float(lam), float(delta)
    exact_delta = Fraction(delta)
    k = math.ceil(1 / exact_delta) - 1
    f = float(1 - k * exact_delta)
    terms = min(MAX_TERMS, math.ceil(50 * lam / delta) + 2)
    start = np.arange(terms, dtype=np.float64) * delta / lam
    # ln(2 - e^-(s + f/lam)) - ln(2 - e^-s) without cancellation: the numerator grows by e^-s (1 - e^(-f/lam)).
    decay = np.exp(-start)
    total = math.fsum(np.log1p(decay * -math.expm1(-f / lam) / (2.0 - decay)))
    cost = 1.0 / lam + k * _LN2 + total + _tail(lam, delta, f, terms)
    return cost * (1.0 + 1e-13)  # above every rounding error of a term (a few units of the last digit each)


def tree_cost_published(lam: float, delta: float) -> float:
    """PrivTree's published bound (2 e^g - 1) / (e^g - 1) / lambda, g = delta / lambda; at g = ln 2 it is 3 / lambda.

    Raises `InvalidParametersError`. Source: Zhang, Xiao, Xie (SIGMOD 2016), corollary 1; the paper, section 5.2.

    >>> round(tree_cost_published(6, 6 * math.log(2)), 9)
    0.5
    """
    _check_scales(lam, delta)
    g = delta / lam
    return (2.0 + math.exp(-g) / -math.expm1(-g)) / lam * (1.0 + 1e-15)


def solve_lambda(target: float, records: Callable[[float], float]) -> float:
    """The smallest lambda, a multiple of 2^-20, whose cost `records(lambda)` is at most `target`.

    The cost falls as lambda grows. Where it is so flat that rounding decides, it is the lambda at which the bisection
    of (0, 2^30] ends: its steps are taken as they are, but what a bracket tells is not computed. Raises
    `InvalidParametersError` when no lambda up to 2^30 reaches the target.

    >>> lam = solve_lambda(0.5, lambda lam: tree_cost(lam, lam))
    >>> 0.499 < tree_cost(lam, lam) <= 0.5
    True
    """
    surely_more, surely_less = _bracket(target, records)
    if surely_less == MOST_UNITS and records(MOST_UNITS / UNIT) > target:
        raise InvalidParametersError(f"No lambda makes the tree cost {target}. Give the tree a larger share.")
    low, high = 0, MOST_UNITS
    while high - low > 1:
        middle = (low + high) // 2
        more = middle <= surely_more or (middle < surely_less and records(middle / UNIT) > target)
        low, high = (middle, high) if more else (low, middle)
    return high / UNIT


def _bracket(target: float, records: Callable[[float], float]) -> tuple[int, int]:
    """Two lambdas, in units, that cost more and less than `target` whatever rounding does; or 0, or the most."""
    low = high = _near(target, records)
    first = step = 1 + high // FINEST
    while high < MOST_UNITS and (cost := records(high / UNIT)) > target * (1 - ROUNDING):
        low = high if cost > target * (1 + ROUNDING) else low
        high, step = min(high + step, MOST_UNITS), 8 * step
    step = first
    while low > 0 and (cost := records(low / UNIT)) <= target * (1 + ROUNDING):
        high = low if cost <= target * (1 - ROUNDING) else high
        low, step = max(low - step, 0), 8 * step
    return low, high


def _near(target: float, records: Callable[[float], float]) -> int:
    """Where to look for lambda first: the cost is nearly one over lambda, with delta in proportion."""
    units = UNIT
    for _ in range(GUESSES):
        units = min(max(round(units * (records(units / UNIT) / target)), 1), MOST_UNITS)
    return units


@dataclass(frozen=True)
class Cost:
    """Where epsilon goes, exactly: every number a release spends, none of them from data.

    `lam`, `delta`, `theta` in records (multiples of 2^-20); the leaf noise is G(a) - G(b) - noise_mean with rates `a`,
    `b` a record. What is truly spent: `tree` on the tree, at most, and `total` on everything. Removing a record costs
    at most tree + a and adding one at most 1/lambda + b, so `total` is the larger of the two; replacing one costs tree
    + 2 a. `leaves` is what the leaf counts cost alone: the larger of a and b, or 2 a. So tree + leaves may be more than
    the total. `published_tree` and `published_total` are what PrivTree's published bound counts instead. `delta` is the
    paper's depth penalty, not the delta of (epsilon, delta)-privacy.

    >>> cost = Cost(1.0, 6.0, 6.0, 0.0, 0.5, 0.5, 0.4, 0.5, 0.9, 0.5, 1.0)
    >>> round(cost.noise_sd, 3)
    2.799
    """

    epsilon: float
    lam: float
    delta: float
    theta: float
    a: float
    b: float
    tree: float
    leaves: float
    total: float
    published_tree: float
    published_total: float

    @property
    def gamma(self) -> float:
        """delta / lambda: how fast the depth penalty grows against the noise."""
        return self.delta / self.lam

    @property
    def tree_added(self) -> float:
        """What the tree costs when a record is added rather than removed: 1 / lambda."""
        return 1.0 / self.lam

    @property
    def noise_mean(self) -> float:
        """The public mean of G(a) - G(b), 1/(e^a - 1) - 1/(e^b - 1): subtracted from every noisy count."""
        return 0.0 if self.a == self.b else _mean(self.a) - _mean(self.b)

    @property
    def noise_sd(self) -> float:
        """The standard deviation of a leaf's noise, in records."""
        return math.sqrt(sum(math.exp(-rate) / math.expm1(-rate) ** 2 for rate in (self.a, self.b)))


def _mean(rate: float) -> float:
    """The mean of G(rate), 1 / (e^r - 1), without overflow."""
    return math.exp(-rate) / -math.expm1(-rate)


def round_up(value: float | Fraction, unit: int = UNIT) -> float:
    """The smallest multiple of 1/unit that is at least `value`.

    >>> round_up(1 / 3, 4)
    0.5
    """
    return math.ceil(Fraction(value) * unit) / unit


def round_down(value: float | Fraction, unit: int = RATE_UNIT) -> float:
    """The largest multiple of 1/unit that is at most `value`.

    >>> round_down(1 / 3, 4)
    0.25
    """
    return math.floor(Fraction(value) * unit) / unit


def sum_up(*costs: float) -> float:
    """The exact sum of some costs, rounded up to a float.

    >>> sum_up(0.1, 0.2) >= 0.1 + 0.2
    True
    """
    exact = sum((Fraction(cost) for cost in costs), Fraction(0))
    nearest = float(exact)
    return nearest if Fraction(nearest) >= exact else math.nextafter(nearest, math.inf)


def _tail(lam: float, delta: float, f: float, terms: int) -> float:
    """An upper bound of the terms left out: the smaller of a geometric and a telescoping one."""
    last = terms * delta / lam
    geometric = f / lam * math.exp(-last) / -math.expm1(-delta / lam)
    # h(y) = ln(2 - e^-y) is concave, so a step of f costs at most f/delta times the step of delta before it.
    telescoping = f / delta * (_LN2 - math.log(2.0 - math.exp(-(last - delta / lam))) + 1e-15)
    return min(geometric, telescoping)


def _check_scales(lam: float, delta: float) -> None:
    for name, value in (("lambda", lam), ("delta", delta)):
        if not (is_real(value) and LEAST_SCALE <= value <= 1 / LEAST_SCALE):
            raise InvalidParametersError(
                f"{name} must be a positive number of records between 2^-60 and 2^60, but is {value!r}."
            )
