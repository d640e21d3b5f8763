from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from privcore.arrays import Floats
from privcore.cells import CellCounts
from privcore.domain import Box
from privcore.errors import InvalidParametersError, InvalidReleaseError, TooLargeError
from privcore.noise import SeededWords
from privcore.tree import Growth, Tree, capped, hard, privtree, soft, uniform
from tests.oracle.tree import Cell, Decide, grow, heaviest_first

SPECIAL = [0.0, 1.0, 0.5, 0.25, 0.75, 1 - 2.0**-53, 2.0**-52, 1 / 3, 0.5 - 2.0**-54, 2.0**-60]


@st.composite
def data_sets(draw: st.DrawFn) -> tuple[Floats, tuple[float, ...] | None]:
    """Points with many ties, on borders and in corners, and any shift."""
    d = draw(st.sampled_from([1, 2, 3, 5]))
    value = st.one_of(st.sampled_from(SPECIAL), st.floats(0.0, 1.0))
    rows = draw(st.lists(st.lists(value, min_size=d, max_size=d), max_size=12))
    rows += rows[: draw(st.integers(0, 3))]
    offset = st.one_of(st.sampled_from([0.0, 1.0, 0.5, 2.0**-53]), st.floats(0.0, 1.0))
    shift = draw(st.one_of(st.none(), st.lists(offset, min_size=d, max_size=d).map(tuple)))
    return np.array(rows, dtype=np.float64).reshape(-1, d), shift


def same(growth: Growth, nodes: list[Cell]) -> None:
    tree = growth.tree
    assert tree.splits.tolist() == [cell.split for cell in nodes]
    assert tree.depth.tolist() == [cell.depth for cell in nodes]
    assert tree.active.tolist() == [cell.active for cell in nodes]
    assert growth.count.tolist() == [cell.count for cell in nodes]
    # Fractions compare exactly with floats.
    assert [tuple(row) for row in tree.lower.tolist()] == [cell.lower for cell in nodes]
    assert [tuple(row) for row in tree.upper.tolist()] == [cell.upper for cell in nodes]


def sound(growth: Growth, points: Floats) -> None:
    """What holds for any tree: nothing is lost, nothing counted twice, leaves tile the cube."""
    tree, inner = growth.tree, np.flatnonzero(growth.tree.splits)
    assert growth.count[0] == len(points)
    left = tree.left[inner]
    np.testing.assert_array_equal(growth.count[inner], growth.count[left] + growth.count[left + 1])
    np.testing.assert_array_equal(tree.parent[left], inner)
    np.testing.assert_array_equal(tree.parent[left + 1], inner)
    assert not growth.count[~tree.active].any()
    kraft = float(np.exp2(-tree.leaf_depth.astype(np.float64)).sum())
    every_leaf = np.exp2(-tree.depth[~tree.splits].astype(np.float64)).sum()
    assert every_leaf == pytest.approx(1.0, abs=1e-12)
    assert kraft <= 1 + 1e-12
    assert tree.shift is not None or kraft == pytest.approx(1.0, abs=1e-12)
    volume = np.prod(tree.leaf_upper - tree.leaf_lower, axis=1).sum()
    assert volume == pytest.approx(1.0, abs=1e-9)
    assert (tree.leaf_lower >= 0).all()
    assert (tree.leaf_upper <= 1).all()
    assert (tree.leaf_lower <= tree.representatives).all()
    assert (tree.representatives <= tree.leaf_upper).all()
    of = tree.leaf_of(points)
    counted = np.bincount(of, minlength=len(tree.leaves)) if len(of) else np.zeros(len(tree.leaves))
    np.testing.assert_array_equal(counted, growth.count[tree.leaves])
    slack = 1e-15 if tree.shift is not None else 0.0
    assert (tree.leaf_lower[of] - slack <= points).all()
    assert (points <= tree.leaf_upper[of] + slack).all()
    again = Tree.from_splits(tree.splits, tree.d, None if tree.shift is None else tuple(tree.shift.tolist()))
    for name in ("depth", "parent", "left", "lower", "upper", "active"):
        np.testing.assert_array_equal(getattr(again, name), getattr(tree, name))


def counted(points: Floats, shift: tuple[float, ...] | None) -> CellCounts:
    return CellCounts(points, Box.unit(points.shape[1]), shift)


@settings(max_examples=60)
@given(data_sets(), st.integers(0, 7))
def test_uniform_matches_the_naive_tree(data: tuple[Floats, tuple[float, ...] | None], depth: int) -> None:
    points, shift = data
    growth = uniform(counted(points, shift), depth)
    same(growth, grow(points.tolist(), points.shape[1], lambda counts, _: [True] * len(counts), depth, shift))
    sound(growth, points)


@settings(max_examples=80)
@given(data_sets(), st.integers(0, 3), st.integers(0, 80))
def test_hard_matches_the_naive_tree(data: tuple[Floats, tuple[float, ...] | None], theta: int, cap: int) -> None:
    points, shift = data
    cap = min(cap, 52 * points.shape[1])
    growth = hard(counted(points, shift), theta, cap)
    same(growth, grow(points.tolist(), points.shape[1], lambda counts, _: [c > theta for c in counts], cap, shift))
    sound(growth, points)


@settings(max_examples=60)
@given(data_sets(), st.sampled_from([-1.0, 0.0, 0.5, 2.0]), st.sampled_from([0.125, 0.5, 1.0, 3.0]))
def test_soft_matches_the_naive_tree(data: tuple[Floats, tuple[float, ...] | None], theta: float, delta: float) -> None:
    points, shift = data
    cap = min(40, 52 * points.shape[1])
    growth = soft(counted(points, shift), theta, delta, cap)

    def decide(counts: list[int], depth: int) -> list[bool]:
        return [c > theta + depth * delta for c in counts]

    same(growth, grow(points.tolist(), points.shape[1], decide, cap, shift))
    sound(growth, points)


def scripted(theta: float, delta: float, lam: float, seed: int) -> Decide:
    """The decisions of the paper's Algorithm 5, with noise made from the same words by a logarithm."""
    words = SeededWords(seed)

    def decide(counts: list[int], depth: int) -> list[bool]:
        drawn = [int(word) for word in words.words(2 * len(counts))]
        split = []
        for count, sign, size in zip(counts, drawn[: len(counts)], drawn[len(counts) :], strict=True):
            noise = -lam * math.log((size + 0.5) / 2**64) * (1 if sign >= 2**63 else -1)
            split.append(max(count - depth * delta, theta - delta) + noise > theta)
        return split

    return decide


@settings(max_examples=80)
@given(data_sets(), st.sampled_from([-2.0, 0.0, 1.5]), st.sampled_from([0.5, 1.0]), st.integers(0, 2**32), st.data())
def test_privtree_matches_the_naive_tree(
    data: tuple[Floats, tuple[float, ...] | None], theta: float, delta: float, seed: int, more: st.DataObject
) -> None:
    points, shift = data
    lam = more.draw(st.sampled_from([0.25, 0.75, 1.0]))
    cap = more.draw(st.integers(0, 12))
    growth = privtree(counted(points, shift), theta, delta, lam, SeededWords(seed), cap)
    same(growth, grow(points.tolist(), points.shape[1], scripted(theta, delta, lam, seed), cap, shift))
    sound(growth, points)
    tree = growth.tree
    undecided = ~tree.active | (tree.depth >= cap)
    np.testing.assert_array_equal(np.isnan(growth.noise), undecided)
    margin = np.maximum(growth.count - tree.depth * delta - theta, -delta)
    np.testing.assert_array_equal((margin + growth.noise > 0)[~undecided], tree.splits[~undecided])


@settings(max_examples=80)
@given(data_sets(), st.integers(0, 2), st.integers(1, 20), st.integers(0, 30))
def test_capped_is_the_heap(data: tuple[Floats, tuple[float, ...] | None], theta: int, leaves: int, cap: int) -> None:
    points, shift = data
    growth = capped(counted(points, shift), theta, leaves, cap)
    sound(growth, points)
    whole = grow(points.tolist(), points.shape[1], lambda counts, _: [c > theta for c in counts], cap, shift)
    expected = heaviest_first(whole, leaves)
    tree = growth.tree
    inner = np.flatnonzero(tree.splits)
    found = [(int(tree.depth[i]), tuple(Fraction(v) for v in tree.lower[i].tolist())) for i in inner]
    assert sorted(found) == sorted(expected)
    assert tree.splits.sum() <= leaves - 1


@pytest.mark.parametrize(("d", "cap"), [(1, 52), (2, 104), (3, 150), (3, 156), (5, 260), (2, 64), (2, 65), (3, 63)])
@pytest.mark.parametrize("shifted", [False, True])
def test_duplicates_are_followed_to_the_cap(d: int, cap: int, shifted: bool) -> None:
    """Many groups of equal records, far beyond the 64 digits of one key word."""
    rng = np.random.default_rng(d * cap)
    points = np.repeat(rng.random((5, d)), [3, 2, 2, 4, 1], axis=0)
    points[-2, 0] = np.nextafter(points[-3, 0], 1.0)
    rng.shuffle(points)
    shift = tuple(rng.random(d).tolist()) if shifted else None
    growth = hard(counted(points, shift), 1, cap)
    assert growth.tree.depth.max() == cap
    sound(growth, points)
    same(growth, grow(points.tolist(), d, lambda counts, _: [c > 1 for c in counts], cap, shift))


def test_many_groups_are_keyed_anew() -> None:
    """300 groups of duplicates: the second key words hold 9 digits of the group and 55 of the path."""
    rng = np.random.default_rng(11)
    points = np.repeat(rng.random((300, 3)), 2, axis=0)
    growth = hard(counted(points, None), 1, 156)
    tree = growth.tree
    assert (growth.count[tree.leaves] == 2).sum() == 300
    assert (tree.leaf_depth[growth.count[tree.leaves] == 2] == 156).all()
    np.testing.assert_array_equal(
        growth.count[tree.leaves], np.bincount(tree.leaf_of(points), minlength=len(tree.leaves))
    )


@pytest.mark.parametrize("invalid", ["drop", "corner"])
@pytest.mark.parametrize("shift", [None, (0.3, 0.9)])
def test_invalid_and_outside_rows(invalid: str, shift: tuple[float, ...] | None) -> None:
    nan, inf = float("nan"), float("inf")
    points = np.array([[nan, 0.1], [inf, 0.2], [-inf, nan], [-5.0, 9.0], [4.0, 0.7], [0.5, 0.5], [-5.0, 9.0]])
    box = Box([0.0, 0.0], [2.0, 1.0])
    counts = CellCounts(points, box, shift, invalid=invalid)  # type: ignore[arg-type]
    unit = [[0.0, 1.0], [1.0, 0.7], [0.25, 0.5], [0.0, 1.0]] + [[0.0, 0.0]] * (3 if invalid == "corner" else 0)
    assert counts.n == len(unit)
    growth = hard(counts, 0, 70)
    same(growth, grow(unit, 2, lambda c, _: [v > 0 for v in c], 70, shift))
    sound(growth, np.array(unit))


@pytest.mark.parametrize("shift", [(0.0, 0.0), (1.0, 1.0), (0.5, 0.5), (1.0, 0.0), (2.0**-53, 1 - 2.0**-53)])
def test_corner_shifts_keep_every_record_in_the_window(shift: tuple[float, ...]) -> None:
    grid = np.array([[x, y] for x in SPECIAL for y in SPECIAL])
    growth = uniform(counted(grid, shift), 10)
    sound(growth, grid)
    same(growth, grow(grid.tolist(), 2, lambda counts, _: [True] * len(counts), 10, shift))


def test_large_data_in_chunks() -> None:
    """More rows than one chunk of keys, with invalid ones among them."""
    rng = np.random.default_rng(3)
    points = rng.random((100_001, 3))
    points[::17, 1] = np.nan
    growth = uniform(CellCounts(points, Box.unit(3)), 9)
    tree, good = growth.tree, points[np.isfinite(points).all(axis=1)]
    np.testing.assert_array_equal(growth.count[tree.leaves], np.bincount(tree.leaf_of(good), minlength=512))
    histogram, _ = np.histogramdd(good, bins=[8, 8, 8], range=[(0, 1)] * 3)
    cells = np.floor(tree.leaf_lower * 8).astype(int)
    np.testing.assert_array_equal(growth.count[tree.leaves], histogram[tuple(cells.T)])


def test_the_order_of_the_records_does_not_matter() -> None:
    rng = np.random.default_rng(5)
    points = rng.random((200, 2)) ** 3
    first = privtree(counted(points, None), 0.0, 1.0, 1.0, SeededWords(1))
    second = privtree(counted(points[::-1], None), 0.0, 1.0, 1.0, SeededWords(1))
    np.testing.assert_array_equal(first.tree.splits, second.tree.splits)
    np.testing.assert_array_equal(first.count, second.count)


def test_no_data_at_all() -> None:
    for shift in (None, (0.25, 0.5)):
        growth = privtree(counted(np.empty((0, 2)), shift), 0.0, 1.0, 1.0, SeededWords(2))
        sound(growth, np.empty((0, 2)))
        assert growth.count.sum() == 0


@pytest.mark.parametrize(
    "flags", [[], [True], [True, False], [False, False], [True, False, False, False], [True, True, False, False]]
)
def test_flags_that_are_no_tree(flags: list[bool]) -> None:
    with pytest.raises(InvalidReleaseError, match="split flags"):
        Tree.from_splits(flags, d=1)


def test_flags_that_split_an_empty_cell_or_go_too_deep() -> None:
    Tree.from_splits([True, False, False], 1, (0.0,))
    with pytest.raises(InvalidReleaseError):
        Tree.from_splits([True, False, True, False, False], 1, (0.0,))
    chain = [True] + [True, False] * 51 + [False, False]
    assert Tree.from_splits(chain, 1).depth.max() == 52
    with pytest.raises(InvalidReleaseError):
        Tree.from_splits([True] + [True, False] * 52 + [False, False], 1)


def test_arrays_of_a_tree_are_read_only() -> None:
    tree = uniform(counted(np.array([[0.5, 0.5]]), (0.2, 0.4)), 4).tree
    for name in (
        "depth",
        "parent",
        "left",
        "lower",
        "upper",
        "active",
        "shift",
        "leaves",
        "leaf_lower",
        "representatives",
    ):
        with pytest.raises(ValueError, match="read-only"):
            getattr(tree, name)[0] = 0


def test_errors_name_the_number() -> None:
    counts = counted(np.array([[0.5]]), None)
    with pytest.raises(TooLargeError, match="depth 25"):
        uniform(counts, 25)
    with pytest.raises(InvalidParametersError, match="but is 0"):
        capped(counts, 0, 0)
    with pytest.raises(InvalidParametersError, match=r"0\.3 is not a whole multiple"):
        privtree(counts, 0.0, 0.3, 1.0, SeededWords(0))
    with pytest.raises(InvalidParametersError, match="must be positive"):
        privtree(counts, 0.0, 0.0, 1.0, SeededWords(0))
    with pytest.raises(InvalidParametersError, match=r"1 numbers between 0 and 1.*1\.5"):
        CellCounts([[0.5]], Box.unit(1), (1.5,))
