"""T7: with the same words, data of the same public outcome give the same release, to the last byte."""

from __future__ import annotations

import importlib
import warnings
from contextlib import AbstractContextManager, nullcontext
from typing import Any
from unittest import mock

import numpy as np

from privcore.domain import Box
from privcore.noise import SeededWords
from privcore.parameters import Parameters
from privcore.release import Release
from tests.audit.statistics import expect
from tests.core.test_release import outputs

module = importlib.import_module("privcore.release")  # `privcore.release` is the function

CLOUD = np.random.default_rng(0).random((60, 2)) ** 2
SHIFTED: dict[str, Any] = {"shift": "random", "representative": "spread"}
REPLACED: dict[str, Any] = {"neighbours": "replace-one", "theta": -1.5}
CHOICES: list[dict[str, Any]] = [{}, SHIFTED, REPLACED, {"mode": "paper", "shift": (0.25, 1.0)}]


def t7(seed: int) -> None:
    """Moved records, other numbers of records, invalid ones, errors and warnings: no trace but the noisy counts."""
    for axes in (2, 3):
        said = {_said_of(np.zeros((n, axes))) for n in (0, 1, 50)}
        expect(len(said) == 1, f"T7: what is said depends on the number of records: {said}")
    fresh = {release_of(CLOUD, Box.unit(2), {}).to_json() for _ in "ab"}
    expect(len(fresh) == 2, "T7: two releases are the same")
    for choices in CHOICES:
        _moved_inside_their_leaves(choices, seed)
    shifts = {str(release_of(CLOUD**k, Box.unit(2), SHIFTED, seed).tree.shift) for k in (0.2, 1, 2, 5)}
    expect(len(shifts) == 1, "T7: the shift depends on the data")
    last = ([np.nan, 1.0], [0.0, 0.0])
    texts = {release_of([[0.5, 0.5], row], Box.unit(2), REPLACED, seed).to_json() for row in last}
    expect(len(texts) == 1, "T7: with n public, an invalid row is not a row in the lower corner")
    pairs_of_one_outcome(seed)


def _moved_inside_their_leaves(choices: dict[str, Any], seed: int) -> None:
    box = Box([0.0, -1.0], [2.0, 1.0], names=["x", "y"])
    points = box.from_unit(CLOUD)
    first = release_of(points, box, choices, seed)
    centres = box.from_unit(first.tree.representatives)[first.tree.leaf_of(CLOUD)]
    moved = release_of((centres + (points - centres) / 2)[::-1], box, choices, seed)
    _same(first, moved, f"records moved inside their leaves ({choices})")


def pairs_of_one_outcome(seed: int) -> int:
    """Three records in one half and four in both, which happen to give the same splits and noisy counts.

    Returns how many such pairs there were.
    """
    found: dict[str, Release] = {}
    pairs = 0
    for points in ([0.1, 0.2, 0.3], [0.1, 0.3, 0.6, 0.9]):
        for roll in range(100):
            made = release_of(points, Box.unit(1), {"max_depth": 1}, seed + roll)
            key = f"{made.tree.splits.tolist()} {made.counts.tolist()}"
            if len(points) == 3:
                found[key] = made
            elif key in found:
                pairs += 1
                _same(found[key], made, "three and four records")
    return pairs


def release_of(points: Any, box: Box, dials: dict[str, Any], seed: int | None = None) -> Release:
    """A real release; with a seed, from the words of that seed."""
    words: AbstractContextManager[Any] = nullcontext()
    if seed is not None:
        words = mock.patch.object(module, "SystemWords", return_value=SeededWords(seed))
    with words:
        return module.release(points, box, Parameters(1.0, **dials))


def _same(first: Release, second: Release, what: str) -> None:
    shown, again = outputs(first), outputs(second)
    for name in shown:
        expect(shown[name] == again.get(name), f"T7: {what} show in `{name}`")


def _said_of(points: Any) -> str:
    """The error and the warnings of a release."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            release_of(points, Box.unit(2), {})
            said = "no error"
        except Exception as error:
            said = f"{type(error).__name__}: {error}"
    return " ".join([said, *(str(warning.message) for warning in caught)])
