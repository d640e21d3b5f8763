"""Tests at level 1e-6 that hold exactly: binomial counts, Bonferroni's bound, Clopper and Pearson's interval."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.stats import beta, binom

from privcore.arrays import Floats

ALPHA = 1e-6
"""The chance that a right mechanism fails one test on one case."""


class CaughtError(AssertionError):
    """The mechanism does not do what it promises."""


def expect(fact: Any, what: str) -> None:
    """Raise `CaughtError` unless it is so."""
    if not fact:
        raise CaughtError(what)


class Frequencies:
    """Counts whose exact probabilities are known, judged together: no approximation, any dependence between them."""

    def __init__(self, what: str) -> None:
        self.what = what
        self.names: list[str] = []
        self.seen: list[Any] = []
        self.runs: list[Any] = []
        self.probabilities: list[Any] = []

    def add(self, name: str, seen: Any, runs: int, probabilities: Any) -> None:
        """`seen` (k,) of `runs` independent draws, where each had its probability (k,)."""
        seen = np.atleast_1d(seen)
        self.names += [f"{name}[{i}]" for i in range(len(seen))]
        self.seen.append(seen)
        self.runs.append(np.full(len(seen), runs))
        self.probabilities.append(np.clip(np.atleast_1d(probabilities), 0.0, 1.0))

    def judge(self) -> None:
        """Raise `CaughtError` if the most surprising count has a p-value below alpha over the number of counts."""
        seen, runs, p = (np.concatenate(part) for part in (self.seen, self.runs, self.probabilities))
        tail = np.minimum(binom.cdf(seen, runs, p), binom.sf(seen - 1, runs, p))
        worst = int(np.argmin(tail))
        expect(
            2 * tail[worst] * len(tail) >= ALPHA,
            f"{self.what}: {self.names[worst]} was seen {seen[worst]} times in {runs[worst]}, "
            f"expected {runs[worst] * p[worst]:.1f}, p = {2 * tail[worst] * len(tail):.1e} < {ALPHA:g}",
        )


def log_ratio_bound(first: Any, second: Any, runs: tuple[int, int], alpha: float = ALPHA) -> Floats:
    """A lower confidence bound for ln(P(event) / P'(event)), from how often it was seen in `runs` each."""
    lower = np.where(first > 0, beta.ppf(alpha / 2, first, runs[0] - first + 1), 0.0)
    upper = np.where(second < runs[1], beta.isf(alpha / 2, second + 1, runs[1] - second), 1.0)
    with np.errstate(divide="ignore"):
        return np.asarray(np.log(lower) - np.log(upper))
