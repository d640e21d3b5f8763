"""Clouds: shape, box, repeatability, and the dimension each one claims."""

from __future__ import annotations

import math
import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from privcore.arrays import Floats, Ints
from privcore.clouds import CLOUDS, box_of, make
from privcore.clouds.city import river, river_half_width
from privcore.errors import InvalidParametersError, TooLargeError

GENERATED = [name for name, cloud in CLOUDS.items() if cloud.kind == "generated"]
REAL = [name for name, cloud in CLOUDS.items() if cloud.kind == "real"]


@st.composite
def names_and_dimensions(draw: st.DrawFn) -> tuple[str, int]:
    name = draw(st.sampled_from(list(CLOUDS)))
    return name, draw(st.integers(*CLOUDS[name].dimensions))


@given(names_and_dimensions(), st.integers(0, 40), st.integers(0, 2**32))
@settings(max_examples=150)
def test_a_cloud_has_its_shape_and_stays_in_its_box(cloud: tuple[str, int], n: int, seed: int) -> None:
    name, d = cloud
    points, box = make(name, n, d, seed), box_of(name, d)
    assert points.shape == (n, d)
    assert points.dtype == np.float64
    assert box.d == d
    assert (points >= box.low).all()
    assert (points <= box.high).all()


@pytest.mark.parametrize("name", CLOUDS)
def test_the_same_seed_gives_the_same_points_and_another_seed_others(name: str) -> None:
    d = CLOUDS[name].dimensions[1]
    assert np.array_equal(make(name, 50, d, seed=7), make(name, 50, d, seed=7))
    assert np.array_equal(make(name, 50, d, seed=7), make(name, 50, d, np.random.default_rng(7)))
    assert not np.array_equal(make(name, 50, d, seed=7), make(name, 50, d, seed=8))


def test_drawing_leaves_the_global_generator_alone() -> None:
    before = np.random.get_state(legacy=False)["state"]["key"].copy()  # noqa: NPY002
    make("city", 100)
    assert np.array_equal(before, np.random.get_state(legacy=False)["state"]["key"])  # noqa: NPY002


@pytest.mark.parametrize("name", CLOUDS)
def test_the_catalogue_is_complete(name: str) -> None:
    cloud = CLOUDS[name]
    assert re.fullmatch(r"[a-z][a-z-]*", name)
    assert cloud.name == name
    assert cloud.title
    assert cloud.description.endswith(".")
    for d in range(cloud.dimensions[0], cloud.dimensions[1] + 1):
        intrinsic = cloud.intrinsic(d)
        assert (intrinsic is None) == (cloud.kind == "real")
        assert intrinsic is None or 0.0 <= intrinsic <= d


def test_the_default_is_the_city() -> None:
    assert next(iter(CLOUDS)) == "city"


@pytest.mark.parametrize("name", [name for name in GENERATED if name not in ("cluster", "loner")])
@pytest.mark.parametrize("d", [1, 2, 3])
def test_box_counting_agrees_with_the_dimension(name: str, d: int) -> None:
    low, high = CLOUDS[name].dimensions
    if not low <= d <= high:
        d = low
    intrinsic = CLOUDS[name].intrinsic(d)
    assert intrinsic is not None
    points = make(name, 200_000, d, seed=3)
    # Crowds are denser here than there, so that only coarse boxes in the middle of one show its dimension.
    if name in ("blobs", "city"):
        points = _densest_part(points)
    coarse, fine = (16, 64) if intrinsic <= 2.0 else (4, 16)
    if name == "cantor":  # boxes of another base than its own cut its parts
        coarse, fine = 3, 27
    slope = math.log(_boxes(points, fine) / _boxes(points, coarse)) / math.log(fine / coarse)
    assert slope == pytest.approx(intrinsic, abs=0.3)


def _boxes(points: Floats, side: int) -> int:
    return len(np.unique(_cell_numbers(points, side)))


def _cell_numbers(points: Floats, side: int) -> Ints:
    cells = np.minimum(np.floor(points * side), side - 1).astype(np.int64)
    return np.asarray(np.ravel_multi_index(tuple(cells.T), (side,) * points.shape[1]))


def _densest_part(points: Floats) -> Floats:
    d = points.shape[1]
    crowded = np.bincount(_cell_numbers(points, 16), minlength=16**d).argmax()
    middle = (np.array(np.unravel_index(crowded, (16,) * d)) + 0.5) / 16
    near = points[np.argsort(np.abs(points - middle).max(axis=1))[:15_000]]
    low, high = near.min(axis=0), near.max(axis=0)
    return np.asarray((near - low) / (high - low))


def test_one_dimensional_shapes_lie_on_their_curves() -> None:
    for d in (2, 3, 7):
        ring = make("ring", 200, d) - 0.5
        assert np.linalg.norm(ring, axis=1) == pytest.approx(0.4 * math.sqrt(d / 2.0))
        assert np.linalg.matrix_rank(ring, tol=1e-9) == 2
        line = make("line", 200, d) - 0.5
        assert np.linalg.matrix_rank(line, tol=1e-9) == 1
        sphere = make("sphere", 200, max(d, 3)) - 0.5
        assert np.linalg.norm(sphere, axis=1) == pytest.approx(0.45)


@pytest.mark.parametrize("name", ["ring", "line", "curve", "sheet", "sphere"])
@pytest.mark.parametrize("d", [3, 5, 10])
def test_shapes_use_every_axis(name: str, d: int) -> None:
    assert (np.ptp(make(name, 500, d), axis=0) > 0.25).all()


def test_the_cluster_meets_every_first_cut() -> None:
    d = 6
    points = make("cluster", 20_000, d)
    assert np.linalg.norm(points - 0.5, axis=1).max() <= 1e-3 * (1.0 + 1e-9)
    assert len(np.unique(points >= 0.5, axis=0)) == 2**d


@given(st.integers(1, 500), st.integers(1, 10))
@settings(max_examples=30)
def test_the_loner_is_the_last_row_and_far_from_the_crowd(n: int, d: int) -> None:
    points = make("loner", n, d)
    distance = np.abs(points - points[-1]).max(axis=1)
    assert (distance[:-1] > 0.15).all()
    assert np.array_equal(points[-1], make("loner", 1, d, seed=5)[0])


def test_cantor_points_have_no_ternary_digit_1() -> None:
    rest = make("cantor", 5000, 2)
    for _ in range(18):  # rounding reaches later digits
        rest = 3.0 * rest
        assert not ((rest > 1.0 + 1e-6) & (rest < 2.0 - 1e-6)).any()
        rest = np.where(rest < 1.5, rest, rest - 2.0)


def test_sierpinski_points_lie_in_no_hole() -> None:
    low, top = np.array([0.04, 0.1]), 0.46 * math.sqrt(3.0)
    points = make("sierpinski", 5000, 2) - low
    # Barycentric coordinates; a hole is where all three are below one half, on any scale.
    third = points[:, 1] / (2.0 * top / 2.0)
    second = points[:, 0] / 0.92 - third / 2.0
    weights = np.stack([1.0 - second - third, second, third], axis=1)
    for _ in range(12):
        assert (weights.max(axis=1) >= 0.5 - 1e-6).all()
        largest = weights.argmax(axis=1)
        weights = 2.0 * weights
        weights[np.arange(len(weights)), largest] -= 1.0


def test_nobody_lives_in_the_river() -> None:
    homes = make("city", 100_000, 2, seed=11)
    gap = np.abs(homes[:, 1] - river(homes[:, 0])) - river_half_width(homes[:, 0])
    assert (gap >= -1e-12).all()
    north = homes[:, 1] > river(homes[:, 0])
    assert 0.4 < north.mean() < 0.8
    on_the_way = np.linspace(0.0, 1.0, 101)
    assert (river(on_the_way) - river_half_width(on_the_way) > 0.0).all()
    assert (river(on_the_way) + river_half_width(on_the_way) < 1.0).all()


def test_the_city_has_a_dense_middle_and_thin_countryside() -> None:
    homes = make("city", 20_000, 2, seed=2)
    counts, *_ = np.histogram2d(homes[:, 0], homes[:, 1], bins=10, range=[[0, 1], [0, 1]])
    share = np.sort(counts.ravel())[::-1] / len(homes)
    assert share[:10].sum() > 0.5
    assert 0.0 < share[50:].sum() < 0.1


def test_the_city_on_a_line_is_the_map_from_the_south() -> None:
    assert np.array_equal(make("city", 100, 1, seed=4), make("city", 100, 2, seed=4)[:, :1])
    assert np.array_equal(make("city", 100, 3, seed=4)[:, :2], make("city", 100, 2, seed=4))


@pytest.mark.parametrize("name", REAL)
def test_real_tables_give_different_rows_and_at_most_what_there_is(name: str) -> None:
    cloud = CLOUDS[name]
    rows, d = cloud.sizes[1], cloud.dimensions[1]
    everything = make(name, 10**6, d)
    assert everything.shape == (rows, d)
    again = make(name, rows, d, seed=9)
    assert np.array_equal(everything[np.lexsort(everything.T)], again[np.lexsort(again.T)])
    assert len(make(name, 17, d)) == 17
    box = box_of(name, d)
    assert box.names is not None
    # Declared bounds are round numbers, not the least and the greatest row.
    assert all(float(bound).is_integer() for bound in (*box.low, *box.high))


def test_what_cannot_be_drawn_is_refused() -> None:
    with pytest.raises(InvalidParametersError, match="no cloud 'atlantis'"):
        make("atlantis", 3)
    with pytest.raises(InvalidParametersError, match="has 3 dimensions, but d = 2"):
        make("swiss-roll", 3, 2)
    with pytest.raises(InvalidParametersError, match="d = 11"):
        box_of("uniform", 11)
    with pytest.raises(InvalidParametersError, match="n is -1"):
        make("uniform", -1)
    with pytest.raises(InvalidParametersError, match="seed is -1"):
        make("uniform", 1, seed=-1)
    with pytest.raises(TooLargeError, match="n <= 100000000"):
        make("uniform", 10**12)
