"""Rates: how the error falls with epsilon n. Their constants are not explicit, so none of them is a bound."""

from __future__ import annotations

import numpy as np

from privcore.theory.resolution import positive

FITTED = {1: 0.236, 2: 0.214, 3: 0.672, 4: 0.737, 5: 0.795, 10: 1.042}
"""W1 / rate on uniform data, d -> geometric mean over n = 1,000 to 64,000 (printed by `tests.bench.rates`)."""


def worst_case(epsilon_n: float, d: int) -> float:
    """(epsilon n)^(-1/2), (epsilon n)^(-1/2) ln(epsilon n), (ln(epsilon n)/(epsilon n))^(1/d) for d = 1, 2, >= 3.

    A rate, for the paper's parameters and the Lipschitz projection. nan for epsilon n <= 1, where the logarithm
    is not positive. Source: the paper, section 1.1.

    >>> worst_case(10_000, d=1)
    0.01
    """
    positive(epsilon_n=epsilon_n)
    if d == 1:
        return float(epsilon_n**-0.5)
    if epsilon_n <= 1.0:
        return float("nan")
    if d == 2:
        return float(epsilon_n**-0.5 * np.log(epsilon_n))
    return float((np.log(epsilon_n) / epsilon_n) ** (1.0 / d))


def intrinsic(epsilon_n: float, s: float) -> float:
    """(ln(epsilon n)/(epsilon n))^(1/s) for data of intrinsic dimension s > 2; nan where it is not stated.

    A rate, for the paper's parameters and the Lipschitz projection. Source: the paper, section 5.3.

    >>> intrinsic(10_000, s=2.0)
    nan
    """
    positive(epsilon_n=epsilon_n, s=s)
    if s <= 2.0 or epsilon_n <= 1.0:
        return float("nan")
    return float((np.log(epsilon_n) / epsilon_n) ** (1.0 / s))


def fitted_worst_case(epsilon_n: float, d: int) -> float:
    """The worst-case rate times the constant fitted to uniform data; nan for a dimension that was not measured.

    A description of some measured runs, not a bound: other data can be above it.

    >>> fitted_worst_case(10_000, d=1)
    0.00236
    """
    return FITTED.get(d, float("nan")) * worst_case(epsilon_n, d)
