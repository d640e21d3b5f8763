"""The audit is itself tested: every fault that is put into the code is caught by the tests that should catch it."""

from __future__ import annotations

from collections import Counter

import pytest

from privcore import mechanism, tree
from tests.audit.mutants import MUTANTS, RUN, Edit, Mutant
from tests.audit.suite import TESTS, findings
from tests.audit.test_audit import SEED


@pytest.mark.parametrize(
    ("mutant", "name"), [pytest.param(m, name, id=f"{m} by {name}") for m in MUTANTS for name in m.tests]
)
def test_every_mutant_dies(mutant: Mutant, name: str) -> None:
    with mutant.at_work():
        caught = dict(findings(SEED, [name]))
    assert caught.get(name, "").startswith(name), f"{mutant} is not caught by {name}"


def test_mutants_have_names_and_each_test_catches_some() -> None:
    assert len({mutant.name for mutant in MUTANTS}) == len(MUTANTS)
    caught = Counter(name for mutant in MUTANTS for name in mutant.tests)
    assert set(caught) == set(TESTS)
    assert all(mutant.tests for mutant in MUTANTS)


def test_a_mutant_leaves_no_trace() -> None:
    before = mechanism.run, mechanism.privtree, tree.privtree
    mutant = next(mutant for mutant in MUTANTS if mutant.name == "floor missing")
    with mutant.at_work():
        assert mechanism.privtree is tree.privtree is not before[2]
    assert (mechanism.run, mechanism.privtree, tree.privtree) == before


def test_a_mutant_that_no_longer_applies_is_an_error() -> None:
    stale = Mutant("stale", ("T3",), (Edit(RUN, "a line that is not there", ""),))
    with pytest.raises(AssertionError, match=r"privcore\.mechanism\.run must read"), stale.at_work():
        pass
