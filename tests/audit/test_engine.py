"""The engine and the oracles are themselves tested: a copy is a run, and the laws agree with other sources."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.optimize import brentq
from scipy.stats import binom

from privcore import mechanism
from privcore.arrays import Words
from privcore.noise import SeededWords
from tests.audit.cases import CASES, PAIRS, Case
from tests.audit.engine import DEEP, batch, batches, owners, shapes_of, singles
from tests.audit.interference import pairs_of_one_outcome
from tests.audit.statistics import CaughtError, Frequencies, log_ratio_bound
from tests.core.test_noise import Scripted
from tests.oracle.cost import log_probability, shapes
from tests.oracle.law import Partition, number_of_shapes, two_rate_law


class Recorded:
    """Seeded words, kept."""

    def __init__(self, seed: int) -> None:
        self.source, self.calls = SeededWords(seed), list[Words]()

    def words(self, count: int) -> Words:
        self.calls.append(self.source.words(count))
        return self.calls[-1]


@pytest.mark.parametrize("case", CASES, ids=str)
def test_each_copy_is_the_run_that_its_own_words_give(case: Case) -> None:
    """The words of one copy, picked out of the batch and given to the mechanism alone: the same tree and counts."""
    copies, recorded = 40, Recorded(7)
    forest = batch(case.points, case.box, case.parameters, recorded, copies, case.persons)
    tree, owner, calls = forest.growth.tree, owners(forest.growth.tree), recorded.calls
    shared = [calls.pop(0) for drawn in (case.parameters.shift == "random", case.persons is not None) if drawn]
    leaf_owner = owner[tree.leaves]
    asked = np.isfinite(forest.growth.noise)
    for copy in range(0, copies, 7):
        script, left = list(shared), list(calls)
        for depth in np.unique(tree.depth[asked]):
            signs_and_sizes = left.pop(0).reshape(2, -1)
            script.append(signs_and_sizes[:, owner[asked & (tree.depth == depth)] == copy].ravel())
        script += [draws.reshape(-1, len(leaf_owner))[:, leaf_owner == copy].ravel() for draws in left]
        assert len(left) == 2  # G(a) and G(b)
        source = Scripted(np.concatenate(script))
        alone = mechanism.run(case.points, case.box, case.parameters, source, case.persons)
        assert source.left == []
        np.testing.assert_array_equal(alone.growth.tree.splits, tree.splits[owner == copy])
        np.testing.assert_array_equal(alone.growth.tree.lower, tree.lower[owner == copy])
        np.testing.assert_array_equal(alone.growth.count, forest.growth.count[owner == copy])
        np.testing.assert_array_equal(alone.noisy_counts, forest.noisy_counts[leaf_owner == copy])


def test_what_is_told_of_runs() -> None:
    """A forest told as arrays, against loops over its trees."""
    case = CASES[8]
    runs = batches(case.points, case.box, case.parameters, SeededWords(3), 60, calls=3)
    assert [count for count, _ in runs.parts] == [20, 20, 20]
    assert len({shift for _, shift in runs.parts}) == 3
    source, names = SeededWords(3), shapes(2)
    for part in range(3):
        forest = batch(case.points, case.box, case.parameters, source, 20)
        tree, owner = forest.growth.tree, owners(forest.growth.tree)
        for copy in range(20):
            run = 20 * part + copy
            here = np.flatnonzero(owner[tree.leaves] == copy)
            mine = runs.owner == run
            np.testing.assert_array_equal(runs.noisy[mine], forest.noisy_counts[here])
            np.testing.assert_array_equal(runs.true[mine], forest.true_counts[here])
            assert runs.rank[mine].tolist() == list(range(len(here)))
            assert runs.leaves()[run] == len(here)
            assert runs.sums()[run] == forest.noisy_counts[here].sum()
            assert runs.leaf(0)[run] == forest.noisy_counts[here[0]]
            assert runs.leaf(2, fill=-99)[run] == (forest.noisy_counts[here[2]] if len(here) > 2 else -99)

            def shape(node: int, levels: int, left: np.ndarray = tree.left) -> object:
                if levels == 0 or left[node] < 0:
                    return None
                return shape(left[node], levels - 1), shape(left[node] + 1, levels - 1)

            assert shape(copy, 2) == names[runs.shallow[run]]
    assert set(np.unique(shapes_of(tree, 1))) <= {0, 1}


def test_single_runs_are_told_like_a_forest() -> None:
    case = CASES[0]
    runs = singles(case.points, case.box, case.parameters, SeededWords(1), 5)
    source = SeededWords(1)
    for i in range(5):
        alone = mechanism.run(case.points, case.box, case.parameters, source)
        np.testing.assert_array_equal(runs.noisy[runs.owner == i], alone.noisy_counts)
        np.testing.assert_array_equal(runs.true[runs.owner == i], alone.true_counts)
    assert runs.parts == [(5, None)]


@pytest.mark.parametrize("theta", [-2.0, 0.0, 1.5])
def test_the_law_of_the_shapes_is_that_of_the_other_oracle(theta: float) -> None:
    points = [0.1, 0.1, 0.3, 0.5, 0.9]
    law = Partition(np.array(points)[:, None], 3).law(theta, 0.7, 1.3)
    assert len(law) == number_of_shapes(3) == 26
    other = np.exp([log_probability(shape, points, theta, 0.7, 1.3, 3) for shape in shapes(3)])
    np.testing.assert_allclose(law, other, rtol=1e-12)
    capped = Partition(np.array(points)[:, None], 3).law(theta, 0.7, 1.3, cap=2)
    other = np.exp([log_probability(shape, points, theta, 0.7, 1.3, 2) for shape in shapes(2)])
    np.testing.assert_allclose(np.sort(capped[capped > 0]), np.sort(other), rtol=1e-12)


@pytest.mark.parametrize("shift", [None, (0.3, 0.8)])
def test_the_leaf_of_a_record_in_every_shape(shift: tuple[float, ...] | None) -> None:
    row = [0.4, 0.7]
    partition = Partition(np.array([row]), DEEP, shift)
    law, leaf = partition.law(0.0, 1.0, 1.0), partition.leaf_of(row)
    names = shapes(DEEP)
    for number in np.flatnonzero(law):
        node, shape = 0, names[number]
        while shape is not None:
            left = partition.left[node]
            upper = partition.cells[left + 1].count
            node, shape = left + upper, shape[upper]
        assert leaf[number] == node


def test_the_law_of_the_leaf_noise() -> None:
    up, down, reach = 0.7, 0.4, 5
    law = two_rate_law(up, down, reach)
    k = np.arange(400)
    first, second = np.exp(-up * k) * -np.expm1(-up), np.exp(-down * k) * -np.expm1(-down)
    difference = np.convolve(first, second[::-1])  # of G(up) - G(down), from -399
    whole = np.concatenate([[difference[: 399 - reach].sum()], difference[399 - reach : 400 + reach]])
    np.testing.assert_allclose(law, np.append(whole, difference[400 + reach :].sum()), rtol=1e-10)


def test_frequencies_are_judged_exactly() -> None:
    """The p-value is that of the binomial, times the number of counts."""
    for seen in (500, 560, 575, 590, 425, 410, 1000):
        tail = 2 * min(binom.cdf(seen, 1000, 0.5), binom.sf(seen - 1, 1000, 0.5)) * 2
        frequencies = Frequencies("here")
        frequencies.add("a coin", seen, 1000, 0.5)
        frequencies.add("another", [3], 10, [0.3])
        if tail < 1e-6:
            with pytest.raises(CaughtError, match=rf"here: a coin\[0\] was seen {seen} times in 1000, expected 500"):
                frequencies.judge()
        else:
            frequencies.judge()
    impossible = Frequencies("here")
    impossible.add("never", 1, 10**6, 0.0)
    with pytest.raises(CaughtError):
        impossible.judge()


def test_the_bound_of_a_log_ratio_is_clopper_and_pearsons() -> None:
    """At the ends of the intervals, what was seen has a tail of alpha / 2."""
    low = brentq(lambda p: binom.sf(79, 100, p) - 0.005, 0.5, 0.8)
    high = brentq(lambda p: binom.cdf(30, 200, p) - 0.005, 0.15, 0.5)
    assert log_ratio_bound(80, 30, (100, 200), 0.01) == pytest.approx(math.log(low / high), rel=1e-9)
    assert log_ratio_bound(0, 5, (100, 100), 0.01) == -np.inf
    assert log_ratio_bound(100, 100, (100, 100), 0.01) < 0


def test_pairs_of_one_outcome_are_found() -> None:
    """T7 compares something."""
    assert pairs_of_one_outcome(0) > 5


def test_neighbours_are_neighbours() -> None:
    for pair in PAIRS:
        moved = pair.parameters.neighbours == "replace-one"
        both = zip((pair.first, pair.second), pair.persons, strict=True)
        units = [len(rows) if persons is None else len(set(persons)) for rows, persons in both]
        assert units[0] - units[1] == (0 if moved else 1)
        common = min(len(pair.second), len(pair.first) - 1)
        np.testing.assert_array_equal(pair.first[:common], pair.second[:common])


def test_every_dial_is_turned() -> None:
    """The cases cover what the audit promises to cover, each dimension both relations."""
    seen = {(case.d, case.parameters.neighbours) for case in CASES}
    assert seen == {(d, relation) for d in (1, 2, 3) for relation in ("add-remove", "replace-one")}
    for has in (
        lambda p: p.mode == "paper" and p.shift == "random",
        lambda p: p.mode == "paper" and isinstance(p.shift, tuple),
        lambda p: p.shift == "random" and p.mode == "tight",
        lambda p: p.theta < 0,
        lambda p: p.theta > 0,
        lambda p: p.delta is not None and p.delta < 1,
        lambda p: p.delta is not None and p.delta > 1,
        lambda p: p.gamma is not None,
        lambda p: p.tree_share is not None,
        lambda p: p.max_depth == 0,
        lambda p: p.max_depth,
        lambda p: p.total is not None,
        lambda p: p.max_rows,
    ):
        assert any(has(case.parameters) for case in CASES)
