"""Several rows per person: what is kept, with which law, and that no choice looks at another person."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from itertools import combinations
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.stats import chisquare

from privcore import Box, Parameters, error_estimate, release, simulate
from privcore.arrays import Ints, Words
from privcore.errors import InvalidParametersError, InvalidPointsError
from privcore.mechanism import run
from privcore.noise import SeededWords
from privcore.persons import kept_rows, person_numbers

ALPHA = 1e-6
LABELS = st.lists(st.one_of(st.none(), st.text(max_size=3), st.integers(-2, 2)), max_size=40)
NUMBERS = st.lists(st.integers(-1, 5), max_size=60).map(lambda values: np.array(values, dtype=np.int64))


class PerRow:
    """Words that belong to the rows: the same row gets the same words, whoever else is there."""

    def __init__(self, *columns: Any) -> None:
        self.columns = [np.asarray(column, dtype=np.uint64) for column in columns]

    def words(self, count: int) -> Words:
        column = self.columns.pop(0)
        assert len(column) == count
        return column


# Who is who


@pytest.mark.parametrize(
    ("labels", "expected"),
    [
        (["Ada", "ada", "Ada ", " Ada", "Ada"], [0, 1, 2, 3, 0]),
        (["a\0b", "a\0c", "a", "a\0b"], [0, 1, 2, 0]),
        (["é", "e\u0301"], [0, 1]),
        (["01", "1", "1.0", 1, 1.0, True, "True"], [0, 1, 2, 1, 2, 3, 3]),
        ([None, "", float("nan"), pd.NA, pd.NaT, "NA", "nan", " "], [-1, -1, -1, -1, -1, 0, 1, 2]),
        (pd.Series(["b", None, "b"], index=[5, 5, 5]), [0, -1, 0]),
        (pd.Series([1, None, 1], dtype="Int64"), [0, -1, 0]),
        (pd.Categorical(["u", "v", "u"]), [0, 1, 0]),
        (np.array([1.5, np.nan, 0.0, -0.0]), [0, -1, 1, 2]),
        (np.array([9, -1, 9, 2**62], dtype=np.int64), [1, 0, 1, 2]),
        (np.array([2**64 - 1, 0, 2**64 - 2], dtype=np.uint64), [2, 0, 1]),
        ([], []),
    ],
)
def test_persons_are_compared_as_text(labels: Any, expected: list[int]) -> None:
    assert person_numbers(labels).tolist() == expected


@given(LABELS)
def test_numbers_are_equal_exactly_where_the_texts_are(labels: list[Any]) -> None:
    numbers = person_numbers(labels)
    assert numbers.dtype == np.int64
    for (i, first), (j, second) in combinations(enumerate(labels), 2):
        named = first not in (None, "") and second not in (None, "")
        assert (numbers[i] >= 0) == (first not in (None, ""))
        assert (numbers[i] == numbers[j] >= 0) == (named and str(first) == str(second))


@given(arrays(np.int64, 20, elements=st.integers(-3, 3)))
def test_whole_numbers_are_told_apart_like_their_texts(labels: Ints) -> None:
    quick, slow = person_numbers(labels), person_numbers([str(label) for label in labels])
    assert len({*zip(quick, slow, strict=True)}) == len({*quick}) == len({*slow})


@pytest.mark.parametrize(
    "labels", [3, np.zeros((2, 2)), np.zeros((2, 2), dtype=int), pd.DataFrame({"a": [1]}).to_numpy()]
)
def test_what_is_no_column_is_refused(labels: Any) -> None:
    with pytest.raises(InvalidPointsError):
        person_numbers(labels)


# What is kept


@given(NUMBERS, st.integers(1, 4), st.integers(0, 99))
def test_each_person_keeps_at_most_m_rows_and_all_if_there_are_no_more(numbers: Ints, m: int, seed: int) -> None:
    kept = kept_rows(numbers, m, SeededWords(seed))
    assert kept.shape == numbers.shape
    there, left = Counter(numbers.tolist()), Counter(numbers[kept].tolist())
    assert left == {person: min(m, count) for person, count in there.items() if person >= 0}


@pytest.mark.parametrize("m", [1, 2, 3])
def test_every_choice_of_a_person_is_equally_likely_and_persons_are_independent(m: int) -> None:
    people, rows = 60_000, 4
    numbers = np.random.default_rng(m).permutation(np.repeat(np.arange(people), rows))
    kept = kept_rows(numbers, m, SeededWords(m))
    chosen = kept[np.argsort(numbers, kind="stable")].reshape(people, rows) @ (1 << np.arange(rows))
    sets = [sum(1 << row for row in subset) for subset in combinations(range(rows), m)]
    assert set(chosen) == set(sets)
    assert chisquare([(chosen == choice).sum() for choice in sets]).pvalue > ALPHA
    pairs = Counter(zip(chosen[::2].tolist(), chosen[1::2].tolist(), strict=True))
    assert chisquare([pairs[one, two] for one in sets for two in sets]).pvalue > ALPHA


@given(NUMBERS, st.integers(1, 3), st.integers(0, 5), st.integers(0, 99))
def test_removing_a_person_changes_no_other_choice(numbers: Ints, m: int, person: int, seed: int) -> None:
    """The step of the proof: with the same words for the others, B(D) is B(D') and at most m rows of the person."""
    named = numbers >= 0
    words = SeededWords(seed).words(int(named.sum()))
    rest = numbers != person
    both = kept_rows(numbers, m, PerRow(words))
    without = kept_rows(numbers[rest], m, PerRow(words[rest[named]]))
    np.testing.assert_array_equal(both[rest], without)
    assert both[~rest].sum() <= m


@given(NUMBERS, st.integers(1, 3), st.randoms(use_true_random=False))
def test_the_order_of_the_rows_means_nothing(numbers: Ints, m: int, random: Any) -> None:
    words = SeededWords(3).words(len(numbers))
    shuffled = np.array(random.sample(range(len(numbers)), len(numbers)), dtype=np.int64)
    kept = kept_rows(numbers, m, PerRow(words[numbers >= 0]))
    again = numbers[shuffled]
    np.testing.assert_array_equal(kept_rows(again, m, PerRow(words[shuffled][again >= 0])), kept[shuffled])


def test_equal_words_of_one_person_are_settled_by_further_words() -> None:
    numbers = np.array([0, 0, 1, 0])
    assert kept_rows(numbers, 1, PerRow([7, 7, 7, 9], [5, 4, 0, 0])).tolist() == [False, True, True, False]
    assert kept_rows(numbers, 1, PerRow([7, 8, 7, 9])).tolist() == [True, False, True, False]
    three = PerRow([7, 7, 7, 7], [1, 1, 1, 1], [2, 1, 3, 0])
    assert kept_rows(numbers, 1, three).tolist() == [False, False, True, True]


# In a run

BOX = Box.unit(2)
POINTS = np.random.default_rng(0).random((300, 2))
PERSONS = [f"p{i % 50}" for i in range(300)]


@settings(max_examples=40)
@given(st.integers(1, 8), st.integers(0, 50))
def test_the_mechanism_counts_the_kept_rows_alone(m: int, seed: int) -> None:
    made = run(POINTS, BOX, Parameters(1.0, max_rows=m), SeededWords(seed), PERSONS)
    assert made.true_counts.sum() == len(made.rows) == 50 * min(m, 6)
    everyone = {tuple(row): person for row, person in zip(POINTS.tolist(), PERSONS, strict=True)}
    assert set(Counter(everyone[tuple(row)] for row in made.rows.tolist()).values()) == {min(m, 6)}


def test_rows_of_nobody_and_rows_without_a_point_are_left_out_before_the_choice() -> None:
    points = [[0.1, 0.1], [np.nan, 0.1], [np.inf, 0.0], [0.2, 0.2], [0.3, 0.3], [0.4, 0.4]]
    persons = ["a", "a", "a", "a", None, ""]
    for seed in range(20):
        made = run(points, BOX, Parameters(1.0, max_rows=2), SeededWords(seed), persons)
        assert sorted(made.rows.tolist()) == [[0.1, 0.1], [0.2, 0.2]]


@pytest.mark.parametrize(
    ("parameters", "persons", "error"),
    [
        (Parameters(1.0, max_rows=2), None, InvalidParametersError),
        (Parameters(1.0), PERSONS, InvalidParametersError),
        (Parameters(1.0, max_rows=2), PERSONS[1:], InvalidPointsError),
        (Parameters(1.0, max_rows=2), 3, InvalidPointsError),
    ],
)
def test_persons_and_max_rows_go_together(parameters: Parameters, persons: Any, error: type[Exception]) -> None:
    with pytest.raises(error) as found:
        run(POINTS, BOX, parameters, PerRow(), persons)  # no word is there to be drawn
    assert not [number for number in ("299", "300") if number in str(found.value)]


@pytest.mark.parametrize("choices", [{"max_rows": 0}, {"max_rows": 1.5}, {"max_rows": -1}, {"max_rows": 2**20 + 1}])
def test_max_rows_is_a_whole_number_from_1(choices: dict[str, Any]) -> None:
    with pytest.raises(InvalidParametersError, match="max_rows"):
        Parameters(1.0, **choices)


def test_a_person_needs_the_relation_add_remove() -> None:
    with pytest.raises(InvalidParametersError, match="add-remove"):
        Parameters(1.0, neighbours="replace-one", max_rows=2)


@pytest.mark.parametrize("mode", ["tight", "paper"])
def test_a_person_costs_max_rows_times_the_exact_cost_of_a_row(mode: Any) -> None:
    parameters = Parameters(0.7, mode=mode, max_rows=5)
    assert parameters.unit_epsilon(2) == 5 * Fraction(Parameters(0.7, mode=mode).cost(2).total)
    assert "at most 5 count" in parameters.relation
    made = release(POINTS, BOX, parameters, PERSONS)
    assert made.unit_epsilon == parameters.unit_epsilon(2)


def test_a_simulation_says_what_bounding_moves() -> None:
    bounded = simulate(POINTS, BOX, Parameters(1.0, max_rows=2), 1, PERSONS)
    assert (bounded.n, len(bounded.points)) == (100, 100)
    assert bounded.true_counts.sum() == 100
    assert 0 < bounded.w1_bounding.value < 0.2
    assert bounded.w1.lower <= bounded.w1_resolution.upper + bounded.w1_privacy.upper
    everything = simulate(POINTS, BOX, Parameters(1.0, max_rows=6), 1, PERSONS)
    assert everything.w1_bounding.value == 0
    assert simulate(POINTS, BOX, Parameters(1.0), 1).w1_bounding.value == 0


def test_the_error_of_a_release_of_persons_is_estimated_like_any_other() -> None:
    made = release(POINTS, BOX, Parameters(1.0, max_rows=2), PERSONS)
    assert error_estimate(made, seed=1, replicates=2).median > 0


@given(NUMBERS, st.integers(1, 4))
def test_a_choice_draws_one_word_for_each_row_that_can_count(numbers: Ints, m: int) -> None:
    """So how many words a run draws tells that number, ties apart: PRIVACY.md counts it among what isn't hidden."""
    named = int((numbers >= 0).sum())
    source = PerRow(np.arange(named))  # refuses any other number of words, and a second draw
    kept_rows(numbers, m, source)
    assert not source.columns
