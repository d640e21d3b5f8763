"""All nine tests over all cases: for the mutants and for the table."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from privcore.errors import PrivcoreError
from privcore.noise import SeededWords
from tests.audit.cases import CASES, PAIRS, SINGLES, Case, Pair
from tests.audit.cost import t1, t2
from tests.audit.engine import OvergrownError, Runs, batches, costs_kept, roots, singles
from tests.audit.frequencies import t3, t4, t5
from tests.audit.interference import t7
from tests.audit.neighbours import t8, t9, t9_releases
from tests.audit.samplers import t6
from tests.audit.statistics import CaughtError

TESTS = tuple(f"T{i}" for i in range(1, 10))
RUNS = 20_000
PAIR_RUNS = 40_000
SINGLE_RUNS = 2_500

ON_PARAMETERS: dict[str, Callable[[Case], None]] = {"T1": t1, "T2": t2}
ON_RELEASES: dict[str, Callable[[int], None]] = {"T6": t6, "T7": t7, "T9": t9_releases}
ON_RUNS: dict[str, Callable[[Case, Runs], None]] = {"T3": t3, "T4": t4, "T5": t5}
ON_PAIRS: dict[str, Callable[[Pair, Runs, Runs], None]] = {"T8": t8, "T9": t9}

REFUSALS = (OvergrownError, PrivcoreError, ValueError)
"""What a run of valid data may not raise."""

Finding = tuple[str, str]
"""A test and what it says."""


def runs_of(case: Case, seed: int) -> Runs:
    """The sample of a case that T3, T4 and T5 share."""
    if case in SINGLES:
        return singles(case.points, case.box, case.parameters, SeededWords(seed), SINGLE_RUNS)
    return batches(case.points, case.box, case.parameters, SeededWords(seed), RUNS, case.calls, case.persons)


def pair_of(pair: Pair, seed: int) -> tuple[Runs, Runs]:
    """The samples of two neighbours that T8 and T9 share, from one stream of words."""
    words = SeededWords(seed)
    first, second = (
        batches(rows, pair.box, pair.parameters, words, PAIR_RUNS, persons=persons)
        for rows, persons in zip((pair.first, pair.second), pair.persons, strict=True)
    )
    return first, second


def findings(seed: int, tests: Sequence[str] = TESTS) -> Iterator[Finding]:
    """Run these tests on every case; yield the first finding of each, as soon as there is one."""
    left = set(tests)

    def attempt(name: str, check: Callable[..., None], *arguments: Any) -> Iterator[Finding]:
        if name in left:
            try:
                check(*arguments)
            except CaughtError as error:
                left.discard(name)
                yield name, str(error)
            except OvergrownError:
                pass  # T3 says so

    for case in CASES:
        for name, of_case in ON_PARAMETERS.items():
            yield from attempt(name, of_case, case)
    for case in CASES + SINGLES:
        if not left & ON_RUNS.keys():
            break
        try:
            runs = runs_of(case, seed)
        except REFUSALS as error:
            if "T3" in left:
                left.discard("T3")
                yield "T3", f"T3 {case}: it does not run: {error}"
            continue
        for name, of_runs in ON_RUNS.items():
            yield from attempt(name, of_runs, case, runs)
    for pair in PAIRS:
        if not left & ON_PAIRS.keys():
            break
        try:
            both = pair_of(pair, seed)
        except REFUSALS:
            continue  # for T3 to find
        for name, of_pair in ON_PAIRS.items():
            yield from attempt(name, of_pair, pair, *both)
    with costs_kept(), roots(1):
        for name, of_seed in ON_RELEASES.items():
            yield from attempt(name, of_seed, seed)
