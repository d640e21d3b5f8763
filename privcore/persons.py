"""Several rows per person: a random choice of at most m rows each, so that removing a person removes at most m.

The guarantee. Let M be epsilon-differentially private for adding or removing one row, and let B keep, of every
person's rows, a uniform choice of m (all of them, if there are no more). Then M(B(D)) is m epsilon-differentially
private for adding or removing one person with all their rows, however many these are.

Proof. Each person's choice is made with words of its own: it looks at no other person's rows, and the choices are
independent. Let D' be D without one person p. Give the others the same choices in both; this is allowed, since their
choices have the same law in D and D'. Then B(D) = B(D') and a set S of at most m rows of p, so for fixed choices
the two differ by adding at most m rows one by one, and group privacy gives P(M(B(D)) in A) <= e^(m epsilon)
P(M(B(D')) in A) and the same with D and D' exchanged. The right side doesn't depend on S; averaging over the choices
keeps both inequalities.

What makes it true, and is tested: a person is exactly the text that names them, so that no two are merged (the
choice among one's rows would then depend on the other's); a row that names nobody, or has no valid point, is left
out by a rule that looks at that row alone (kept as somebody's only row, a person could have any number of them). Two
spellings of one person are two persons, and cost that person 2 m epsilon: clean the names first.

Source: bounding the contributions of a user and group privacy (Dwork and Roth, 2014, theorem 2.2).
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from privcore.arrays import Bools, Ints, Words
from privcore.errors import InvalidParametersError, InvalidPointsError
from privcore.noise import WordSource


def person_numbers(persons: Any) -> Ints:
    """A number for the person of each row, (n,): equal where the labels are equal as text, -1 where there is none.

    `persons` has one label a row: text, numbers, anything with a text. None, NaN and empty text name nobody. Text is
    compared exactly: "Ada", "ada" and "Ada " are three persons. Raises `InvalidPointsError` unless it is a sequence.

    >>> person_numbers(["Ada", "Bob", None, "Ada", ""]).tolist()
    [0, 1, -1, 0, -1]
    """
    try:
        labels = persons if isinstance(persons, np.ndarray | pd.Series) else pd.Series(list(persons), dtype=object)
    except TypeError:
        raise InvalidPointsError("The persons are no sequence. Give one label a row.") from None
    if labels.ndim != 1:
        raise InvalidPointsError("The persons must be one column. Give one label a row.")
    if isinstance(labels.dtype, np.dtype) and labels.dtype.kind in "iu":
        return np.unique(labels, return_inverse=True)[1].astype(np.int64)
    numbers: dict[str, int] = {"": -1}
    missing = pd.isna(labels)
    texts = ["" if none else str(label) for label, none in zip(labels, missing, strict=True)]
    return np.array([numbers.setdefault(text, len(numbers) - 1) for text in texts], dtype=np.int64)


def checked_numbers(persons: Any, max_rows: int | None, rows: int) -> Ints | None:
    """The persons' numbers, or None where the unit is a row; raises where persons and `max_rows` don't go together.

    Raises `InvalidParametersError` if one is given without the other, `InvalidPointsError` if there is not one label
    for each of the `rows`; the message doesn't say how many there are.

    >>> checked_numbers(None, None, 2) is None
    True
    """
    if persons is None and max_rows is None:
        return None
    if persons is None:
        raise InvalidParametersError(
            f"max_rows is {max_rows}, but there are no persons. Give `persons`, a label a row."
        )
    if max_rows is None:
        raise InvalidParametersError("Persons are given, but max_rows is not. Say how many rows of one person count.")
    numbers = person_numbers(persons)
    if len(numbers) != rows:
        raise InvalidPointsError("There are not as many persons as rows. Give one label a row.")
    return numbers


def kept_rows(numbers: Ints, max_rows: int, source: WordSource) -> Bools:
    """Which rows count, (n,): of each person's rows a uniform choice of `max_rows`, or all if there are no more.

    `numbers` (n,) as `person_numbers` gives them; a row of nobody, -1, doesn't count. Each row draws a word, and the
    rows of a person with the smallest words are kept: every choice is equally likely, and none looks at others' rows.

    >>> from privcore.noise import SeededWords
    >>> kept = kept_rows(np.array([0, 0, 0, 1, -1]), 2, SeededWords(1))
    >>> int(kept[:3].sum()), kept[3:].tolist()
    (2, [True, False])
    """
    named = np.flatnonzero(numbers >= 0)
    order = named[_shuffled(numbers[named], source)]
    first = np.flatnonzero(np.diff(numbers[order], prepend=-1))
    rank = np.arange(len(order)) - np.repeat(first, np.diff(first, append=len(order)))
    kept = np.zeros(len(numbers), dtype=np.bool_)
    kept[order[rank < max_rows]] = True
    return kept


def _shuffled(person: Ints, source: WordSource) -> Ints:
    """An order of the rows: persons together, the rows of each in an exactly uniform order."""
    words: list[Words] = []
    while True:
        words.insert(0, source.words(len(person)))
        order = np.lexsort((*words, person))  # by the last key first: the words are digits, the oldest on top
        keys = np.array([person.astype(np.uint64), *words])[:, order]
        if not (keys[:, 1:] == keys[:, :-1]).all(axis=0).any():
            return order  # two equal words of one person (chance 2^-64 a pair) get 64 digits more
