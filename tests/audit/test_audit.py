"""The mechanism as it is passes all nine tests. `python -m tests.bench.audit` does the same with fresh seeds."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.audit.cases import CASES, PAIRS, SINGLES, Case, Pair
from tests.audit.engine import Runs, costs_kept
from tests.audit.suite import ON_PAIRS, ON_PARAMETERS, ON_RELEASES, ON_RUNS, pair_of, runs_of

SEED = 20_261_130


@pytest.fixture(scope="module")
def sampled() -> Callable[[Case], Runs]:
    """The sample of a case, drawn once for its three tests."""
    kept: dict[Case, Runs] = {}

    def sample(case: Case) -> Runs:
        if case not in kept:
            kept[case] = runs_of(case, SEED)
        return kept[case]

    return sample


@pytest.fixture(scope="module")
def sampled_pair() -> Callable[[Pair], tuple[Runs, Runs]]:
    kept: dict[Pair, tuple[Runs, Runs]] = {}

    def sample(pair: Pair) -> tuple[Runs, Runs]:
        if pair not in kept:
            kept[pair] = pair_of(pair, SEED)
        return kept[pair]

    return sample


@pytest.mark.parametrize("case", CASES, ids=str)
@pytest.mark.parametrize("name", ON_PARAMETERS)
def test_what_is_stated_and_spent(name: str, case: Case) -> None:
    ON_PARAMETERS[name](case)


@pytest.mark.parametrize("case", CASES + SINGLES, ids=str)
@pytest.mark.parametrize("name", ON_RUNS)
def test_many_runs_have_the_exact_law(name: str, case: Case, sampled: Callable[[Case], Runs]) -> None:
    ON_RUNS[name](case, sampled(case))


@pytest.mark.parametrize("name", ON_RELEASES)
def test_samplers_and_releases(name: str) -> None:
    with costs_kept():
        ON_RELEASES[name](SEED)


@pytest.mark.parametrize("pair", PAIRS, ids=str)
@pytest.mark.parametrize("name", ON_PAIRS)
def test_neighbours_look_alike(name: str, pair: Pair, sampled_pair: Callable[[Pair], tuple[Runs, Runs]]) -> None:
    ON_PAIRS[name](pair, *sampled_pair(pair))
