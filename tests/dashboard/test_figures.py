"""The figures: which world they belong to, what they say, what they weigh, and that odd input does not break them."""

from __future__ import annotations

import base64
import io
import json
import subprocess
import sys
from functools import lru_cache
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image
from scipy.stats import wasserstein_distance

import dashboard.figures
from dashboard.figures import error, measure, noise, partition, privacy, shapes, style, tree
from dashboard.figures.shapes import Plane
from dashboard.figures.style import Drawing
from dashboard.plot import pack
from dashboard.text import figures as words
from privcore.cells import CellCounts
from privcore.domain import Box
from privcore.noise import SeededWords
from privcore.parameters import Parameters
from privcore.simulation import Simulation, simulate
from privcore.theory import bounds
from privcore.transport import W1
from privcore.tree import capped, privtree, uniform

NAMES = ("length", "weight", "height", "age", "speed")


def clusters(n: int, d: int, seed: int = 3) -> np.ndarray:
    """Points of a few clusters, far from the corner of the unit cube, in the box of `box_of`."""
    rng = np.random.default_rng(seed)
    centres = rng.random((4, d)) * 0.8 + 0.1
    unit = np.clip(centres[rng.integers(0, 4, n)] + rng.normal(0, 0.03, (n, d)), 0, 1)
    return box_of(d).from_unit(unit)


def box_of(d: int) -> Box:
    return Box([-5.0] * d, [5.0 + axis for axis in range(d)], names=NAMES[:d])


@lru_cache
def run(n: int, d: int, shift: str = "none", epsilon: float = 1.0, mode: str = "tight") -> Simulation:
    return simulate(clusters(n, d), box_of(d), Parameters(epsilon, shift=shift, mode=mode), seed=11)


RUNS = [(0, 1), (1, 2), (300, 1), (300, 2), (300, 3), (300, 5)]
CASES = [(*case, "none") for case in RUNS] + [(300, d, "random") for d in (1, 2, 3, 5)] + [(0, 3, "random")]


def test_axes_too_far_apart_for_a_square_fill_the_room_and_the_figure_says_so() -> None:
    """Plotly computes with the ratio of the sides, which must be a number; the points must be ones it can draw."""
    for high, square in ((1e-9, False), (1.0, True), (1e300, True)):
        box = Box([0.0, 0.0], [1e300, high], names=NAMES[:2])
        s = simulate(box.from_unit(np.random.default_rng(0).random((3000, 2))), box, Parameters(1.0), seed=1)
        drawings = [
            partition.partition(s.points, s.tree, box, s.true_counts),
            measure.measure(s.measure, s.tree, box, s.noisy_counts, epsilon=1.0),
            noise.noise_map(s.tree, box, s.true_counts, s.noisy_counts),
        ]
        for drawing in drawings:
            layout = drawing.figure.layout
            said = words.OWN_SCALES in (layout.title.subtitle.text or "")
            assert said != square
            assert (layout.yaxis.scaleanchor == "x") == square
            assert np.isfinite(layout.yaxis.scaleratio or 0.0)
            assert layout.xaxis.range == (0.0, 1e300)
            assert "scattergl" not in {trace.type for trace in drawing.figure.data}


def private_figures(s: Simulation) -> dict[str, Drawing]:
    cost, visits = s.parameters.cost(s.box.d), s.visits
    masses = s.measure.leaf_masses
    drawings = {
        f"partition {colour}": partition.partition(
            s.points, s.tree, s.box, s.true_counts, s.noisy_counts, masses, colour=colour
        )
        for colour in ("none", "density", "depth")
    }
    if s.box.d == 1:
        drawings["cdfs"] = partition.cdfs(s.points, s.measure, s.box)
    return drawings | {
        "scatter": noise.leaf_scatter(s.true_counts, s.noisy_counts, s.tree.leaf_depth),
        "law": noise.noise_law(s.leaf_noise, cost.a, cost.b),
        "noise map": noise.noise_map(s.tree, s.box, s.true_counts, s.noisy_counts),
        "icicle": tree.icicle(s.tree, s.true_counts, private=True),
        "levels": tree.levels(s.tree, visits.count, visits.noise, visits.split, cost.theta, cost.delta),
        "w1": error.w1(s.w1 if s.n else None, rulers={"perfect": 0.0, "uniform": None}),
        "bounds": error.bounds(s.w1 if s.n else None, bounds(s), *((s.w1_resolution, s.w1_privacy) if s.n else ())),
    }


def public_figures(s: Simulation) -> dict[str, Drawing]:
    cost, masses = s.parameters.cost(s.box.d), s.measure.leaf_masses
    sampled = s.measure.sample(200, seed=5)
    return {
        "cells": measure.measure(s.measure, s.tree, s.box, s.noisy_counts, epsilon=1.0, simulated=True),
        "atoms": measure.measure(s.measure, s.tree, s.box, epsilon=1.0, kind="atoms"),
        "sample": measure.sample(sampled, s.box, epsilon=1.0),
        "projection": noise.projection(s.noisy_masses, masses, "euclidean", epsilon=1.0),
        "icicle": tree.icicle(s.tree, s.noisy_counts, private=False, epsilon=1.0),
        "budget": privacy.budget(cost),
        "odds": privacy.odds(1.0),
    }


def exact(value: float) -> W1:
    return certified(value, value, exact=True)


def certified(lower: float, upper: float, exact: bool = False) -> W1:
    return W1(lower=lower, upper=upper, exact=exact, method="network simplex", seconds=0.0, plan=None, potentials=None)


def theory(chaining: float = np.nan) -> pd.DataFrame:
    """A table like that of `privcore.theory.bounds`."""
    rows = [
        ("resolution + privacy", "total", chaining, False, "only for the Lipschitz projection", "f", "bound", True),
        ("cell diameters", "resolution", 0.05, True, "", "sum of p diam", "bound", False),
        ("Kraft", "tree", 1.0, True, "", "sum", "identity", False),
        ("leaves", "leaves", 700.0, True, "", "many", "bound", True),
    ]
    return pd.DataFrame(rows, columns=["name", "quantity", "value", "proved", "reason", "formula", "kind", "expected"])


def not_json(constant: str) -> None:
    raise AssertionError(f"{constant} is not JSON")


def badges(drawing: Drawing) -> dict[str, str]:
    return {note.name: note.text for note in drawing.figure.layout.annotations if note.name}


def traces(drawing: Drawing, kind: str) -> list:
    return [trace for trace in drawing.figure.data if trace.type == kind]


def is_gl(drawing: Drawing) -> bool:
    return any(trace.type in ("scattergl", "scatter3d") for trace in drawing.figure.data)


@pytest.mark.parametrize(("n", "d", "shift"), CASES)
def test_every_private_figure_carries_the_banner_and_no_public_one_does(n, d, shift):
    s = run(n, d, shift)
    for name, drawing in private_figures(s).items():
        assert badges(drawing) == {"banner": f"<b>{words.BANNER}</b>"}, name
        assert drawing.private, name
    for name, drawing in public_figures(s).items():
        assert list(badges(drawing)) == ["label"], name
        assert words.LABEL in badges(drawing)["label"], name
        assert not drawing.private, name


@pytest.mark.parametrize(("n", "d", "shift"), CASES)
def test_figures_are_valid_json_with_finite_bars_and_pixels(n, d, shift):
    s = run(n, d, shift)
    for name, drawing in (private_figures(s) | public_figures(s)).items():
        json.loads(drawing.figure.to_json(), parse_constant=not_json)
        assert drawing.alt, name
        assert "nan" not in drawing.alt, name
        assert isinstance(drawing.table, pd.DataFrame), name
        for trace in drawing.figure.data:
            for part in ("x", "y", "base", "width", "z") if trace.type in ("bar", "heatmap") else ():
                values = getattr(trace, part, None)
                if values is not None:
                    assert np.isfinite(np.asarray(values, dtype=np.float64)).all(), (name, part)


@pytest.mark.parametrize(("n", "d", "shift"), CASES)
def test_alternative_text_has_the_numbers_and_tables_have_the_leaves(n, d, shift):
    s = run(n, d, shift)
    drawings = private_figures(s)
    leaves = len(s.tree.leaves)
    assert f"{n:,} data points" in drawings["partition none"].alt
    for name in ("partition none", "scatter", "law", "noise map"):
        assert f"{leaves} " in drawings[name].alt, name
    for name in ("partition none", "scatter", "noise map"):
        table = drawings[name].table
        assert len(table) == leaves, name
        assert table[words.TRUE_COUNT].tolist() == s.true_counts.tolist(), name
        np.testing.assert_allclose(table[words.RELEASED_COUNT], s.noisy_counts)
    released = public_figures(s)["cells"]
    np.testing.assert_allclose(released.table[words.MASS], s.measure.leaf_masses)
    assert f"{leaves} leaf cells" in released.alt
    assert words.TRUE_COUNT not in released.table


@pytest.mark.parametrize("d", [2, 5])
def test_maps_span_the_declared_box_and_name_its_axes(d):
    s = run(300, d)
    axes = (0, 1) if d == 2 else (3, 1)
    drawings = [
        partition.partition(s.points, s.tree, s.box, s.true_counts, axes=axes),
        measure.measure(s.measure, s.tree, s.box, axes=axes),
        measure.measure(s.measure, s.tree, s.box, kind="atoms", axes=axes),
        measure.sample(s.measure.sample(50, seed=1), s.box, axes=axes),
        noise.noise_map(s.tree, s.box, s.true_counts, s.noisy_counts, axes=axes),
    ]
    for drawing in drawings:
        layout = drawing.figure.layout
        assert layout.xaxis.range == (s.box.low[axes[0]], s.box.high[axes[0]])
        assert layout.yaxis.range == (s.box.low[axes[1]], s.box.high[axes[1]])
        assert (layout.xaxis.title.text, layout.yaxis.title.text) == (NAMES[axes[0]], NAMES[axes[1]])
        if d > 3:
            assert (
                f"{NAMES[axes[0]]} and {NAMES[axes[1]]}, 2 of {d} axes"
                in layout.title.subtitle.text.replace("<br>", " ")
                or "leaf centres" in layout.title.subtitle.text
            )


def test_release_figures_do_not_change_with_the_data():
    """The same public numbers give the same figure, whatever the truth was: nothing else is passed in."""
    s = run(300, 2)
    again = simulate(clusters(300, 2), box_of(2), s.parameters, seed=11)
    first = measure.measure(s.measure, s.tree, s.box, s.noisy_counts)
    second = measure.measure(again.measure, again.tree, again.box, again.noisy_counts)
    assert first.figure.to_json() == second.figure.to_json()
    counts = measure.measure(s.measure, s.tree, s.box, s.noisy_counts).figure.data[0].customdata
    assert counts.shape == (len(s.tree.leaves), 3)


@pytest.mark.parametrize("d", [1, 2, 3, 5])
def test_a_page_of_5000_points_and_1000_leaves_weighs_300_kilobytes(d):
    drawings = large_page(d, 5000, 1000)
    weights = {name: len(pack(drawing.spec, {})) for name, drawing in drawings.items()}
    assert sum(weights.values()) <= 300_000, weights
    assert sum(map(is_gl, drawings.values())) <= 2


def large_page(d: int, n: int, leaves: int) -> dict[str, Drawing]:
    """The figures of the Explore page on a tree with a given number of leaves."""
    points, box = clusters(n, d), box_of(d)
    grown = capped(CellCounts(points, box), 0.0, leaves)
    rng = np.random.default_rng(0)
    true, cells = grown.count[grown.tree.leaves], grown.tree
    assert len(cells.leaves) == leaves
    released = true + np.round(rng.laplace(0, 2, leaves)) - 0.25
    masses = np.maximum(released, 0) / np.maximum(released, 0).sum()
    measured = FakeMeasure(box.from_unit(cells.representatives), masses)
    drawings = {
        "partition": partition.partition(points, cells, box, true, released, masses, colour="density"),
        "measure": measure.measure(measured, cells, box, released, epsilon=1.0),
        "scatter": noise.leaf_scatter(true, released, cells.leaf_depth),
        "law": noise.noise_law(released - true, 0.6, 0.8),
        "projection": noise.projection(released / n, masses, "euclidean"),
        "noise map": noise.noise_map(cells, box, true, released),
        "w1": error.w1(exact(0.02), exact(0.015), certified(0.01, 0.011), {"perfect": 0.0, "uniform": None}),
        "bounds": error.bounds(exact(0.02), theory()),
        "budget": privacy.budget(Parameters(1.0).cost(d)),
        "icicle": tree.icicle(cells, true, private=True),
    }
    return drawings | ({"cdfs": partition.cdfs(points, measured, box)} if d == 1 else {})


class FakeMeasure:
    """What a figure reads of a measure."""

    def __init__(self, points, masses):
        self.points, self.masses, self.leaf_masses = points, masses, masses


@pytest.mark.parametrize("colour", ["none", "density", "depth"])
def test_many_leaves_become_a_raster_with_one_path(colour):
    points, box = clusters(20_000, 2), box_of(2)
    grown = capped(CellCounts(points, box), 0.0, 3000)
    counts = grown.count[grown.tree.leaves]
    drawing = partition.partition(points, grown.tree, box, counts, colour=colour)
    assert not traces(drawing, "bar")
    assert len(drawing.figure.layout.shapes) == 1
    assert len(drawing.figure.layout.images) == 1
    sides = grown.tree.leaf_upper - grown.tree.leaf_lower
    assert drawing.figure.layout.shapes[0].path.count("M") == (sides >= 1 / 1024).any(axis=1).sum()
    assert "20,000 points" in drawing.figure.layout.title.subtitle.text
    for heat in traces(drawing, "heatmap"):
        assert heat.z.dtype.itemsize <= 2
        assert heat.z.shape == (shapes.RASTER, shapes.RASTER)


def test_few_leaves_are_one_bar_trace_that_fits_the_cells():
    s = run(300, 2)
    drawing = partition.partition(s.points, s.tree, s.box, s.true_counts, s.noisy_counts)
    (bars,) = traces(drawing, "bar")
    corners = s.box.from_unit(s.tree.leaf_lower), s.box.from_unit(s.tree.leaf_upper)
    np.testing.assert_allclose(bars.x - bars.width / 2, corners[0][:, 0], atol=1e-5)
    np.testing.assert_allclose(bars.x + bars.width / 2, corners[1][:, 0], atol=1e-5)
    np.testing.assert_allclose(bars.base.astype(float), corners[0][:, 1], atol=1e-5)
    np.testing.assert_allclose(bars.base.astype(float) + bars.y, corners[1][:, 1], atol=1e-5)
    np.testing.assert_allclose(bars.customdata[:, 1], s.true_counts)
    assert f"{words.TRUE_COUNT}: %{{customdata[1]" in bars.hovertemplate
    assert not drawing.figure.layout.shapes


@pytest.mark.parametrize("shift", [None, (0.3, 0.7)])
def test_a_pixel_shows_the_leaf_that_holds_its_centre(shift):
    grown = capped(CellCounts(clusters(3000, 2), box_of(2), shift), 0.0, 1500)
    owner = shapes.owner_raster(grown.tree, Plane(box_of(2)), np.arange(len(grown.tree.leaves)))
    centres = (np.arange(shapes.RASTER) + 0.5) / shapes.RASTER
    grid = np.stack(np.meshgrid(centres, centres), axis=-1).reshape(-1, 2)
    np.testing.assert_array_equal(owner.ravel(), grown.tree.leaf_of(grid))


@pytest.mark.parametrize("n", [2500, 2501, 5000, 5001])
def test_points_change_their_way_to_the_screen_with_their_number(n):
    drawing = measure.sample(clusters(n, 2), box_of(2))
    kind = "scatter" if n <= 2500 or n > 5000 else "scattergl"
    assert [trace.type for trace in drawing.figure.data] == [kind]
    assert len(drawing.figure.layout.images) == (n > 5000)
    if n <= 5000:
        assert drawing.figure.data[0].x.dtype == np.float32


def test_the_picture_of_many_points_has_them_in_place():
    unit = np.array([[0.1, 0.9], [0.7, 0.2]])
    picture = shapes.point_picture(unit, Plane(Box.unit(2)), "#1A88C9")
    image = Image.open(io.BytesIO(base64.b64decode(picture["source"].split(",")[1]))).convert("RGBA")
    alpha = np.asarray(image)[::-1, :, 3]
    where = np.argwhere(alpha > 0)
    expected = {(int(y * 512) + i, int(x * 512) + j) for x, y in unit for i in (0, -1) for j in (0, 1)}
    assert {(int(row), int(column)) for row, column in where} <= {
        (row + i, column + j) for row, column in expected for i in (-1, 0, 1) for j in (-1, 0, 1)
    }
    assert len(where) == 8
    assert np.asarray(image)[0, 0, :3].tolist() == [0x1A, 0x88, 0xC9]


def test_dates_keep_enough_digits_to_tell_neighbours_apart():
    box = Box([1.7e9], [1.7e9 + 60.0], names=["time"])
    assert shapes.on_axis(box, 0, np.array([0.5, 0.51])).dtype == np.float64
    assert shapes.on_axis(Box.unit(1), 0, np.array([0.5, 0.51])).dtype == np.float32
    assert shapes.on_axis(Box.unit(1), 0, np.array([0.5, np.nan])).dtype == np.float32


def test_a_deep_tree_has_a_finite_density_where_volumes_underflow():
    points = np.full((500, 5), 0.3)
    grown = privtree(CellCounts(points, Box.unit(5)), 0.0, 4.0, 6.0, SeededWords(1))
    counts = grown.count[grown.tree.leaves]
    logs = shapes.log_density(counts / 500, grown.tree)
    assert logs.max() > 40
    low, high = shapes.density_scale(logs, counts / 500)
    assert np.isfinite([low, high]).all()
    assert low < high
    drawing = partition.partition(points, grown.tree, Box.unit(5), counts, colour="density")
    assert "500 data points" in drawing.alt


# d = 1: distribution functions


@given(st.integers(1, 40), st.integers(1, 12), st.integers(0, 10**6))
@settings(max_examples=40)
def test_the_area_between_the_distribution_functions_is_w1(n, m, seed):
    rng = np.random.default_rng(seed)
    box = Box([-2.0], [6.0], names=["t"])
    data, atoms = rng.uniform(-2, 6, n), rng.uniform(-2, 6, m)
    masses = rng.dirichlet(np.ones(m))
    drawing = partition.cdfs(data[:, None], FakeMeasure(atoms[:, None], masses), box)
    table = drawing.table
    area = np.sum(np.abs(table["difference"].to_numpy()[:-1]) * np.diff(table["t"]))
    expected = wasserstein_distance(data, atoms, v_weights=masses)
    assert area == pytest.approx(expected, abs=1e-9)
    assert style.number(expected) in drawing.alt


def test_long_distribution_functions_are_drawn_at_fewer_places_and_say_so():
    box = box_of(1)
    points = clusters(4000, 1)
    drawing = partition.cdfs(points, FakeMeasure(np.array([[0.0]]), np.array([1.0])), box)
    assert "1,024 places" in drawing.figure.layout.title.subtitle.text.replace("<br>", " ")
    expected = wasserstein_distance(points[:, 0], [0.0])
    assert style.number(expected) in drawing.alt


def test_without_data_there_is_no_distribution_function_and_no_w1():
    drawing = partition.cdfs(np.zeros((0, 1)), FakeMeasure(np.array([[0.0]]), np.array([1.0])), box_of(1))
    assert [trace.name for trace in drawing.figure.data] == [words.CDF_RELEASE]
    assert "not defined" in drawing.alt


@pytest.mark.parametrize("shift", [None, (0.4,)])
def test_binned_mass_is_conserved(shift):
    grown = capped(CellCounts(clusters(500, 1), box_of(1), shift), 0.0, 60)
    counts = grown.count[grown.tree.leaves].astype(np.float64)
    assert shapes.binned(grown.tree, counts, 32).sum() == pytest.approx(500)


def test_marginal_mass_is_conserved_and_in_place():
    grown = capped(CellCounts(clusters(500, 5), box_of(5)), 0.0, 200)
    counts = grown.count[grown.tree.leaves] / 500.0
    pixels = shapes.marginal(grown.tree.leaf_lower, grown.tree.leaf_upper, counts, Plane(box_of(5), 3, 1), 64)
    assert pixels.sum() == pytest.approx(1.0)
    halves = grown.tree.leaf_upper[:, 3] <= 0.5
    straddling = (grown.tree.leaf_lower[:, 3] < 0.5) & ~halves
    assert counts[halves].sum() <= pixels[:, :32].sum() + 1e-9
    assert pixels[:, :32].sum() <= counts[halves | straddling].sum() + 1e-9


# Noise


@pytest.mark.parametrize(("a", "b"), [(0.6, 0.9), (0.5, 0.5), (3.0, 0.05)])
def test_the_law_is_that_of_a_difference_of_two_geometrics(a, b):
    j = np.arange(3000)
    up, down = (1 - np.exp(-a)) * np.exp(-a * j), (1 - np.exp(-b)) * np.exp(-b * j)
    both = np.convolve(up, down[::-1])
    np.testing.assert_allclose(noise.law(a, b, -20, 20), both[2999 - 20 : 2999 + 21], rtol=1e-9)
    k = np.arange(-2000, 2001)
    p = noise.law(a, b, -2000, 2000)
    mean, sd = noise.law_moments(a, b)
    assert mean == pytest.approx(float(p @ k), abs=1e-9)
    assert sd == pytest.approx(float(np.sqrt(p @ (k - mean) ** 2)))


def test_the_histogram_counts_every_leaf_once_where_the_law_lives():
    s = run(300, 2)
    cost = s.parameters.cost(2)
    table = noise.noise_law(s.leaf_noise, cost.a, cost.b).table
    assert table["leaves"].sum() == len(s.tree.leaves)
    assert table["share"].sum() == pytest.approx(1.0)
    mean = noise.law_moments(cost.a, cost.b)[0]
    whole = table["noise (records)"] + mean
    np.testing.assert_allclose(whole, np.round(whole), atol=1e-9)
    back = np.repeat(table["noise (records)"], table["leaves"]).to_numpy()
    np.testing.assert_allclose(back, np.sort(s.leaf_noise), atol=1e-9)


@pytest.mark.parametrize("rate", [0.004, 0.05, 2.0])
def test_the_bars_of_the_noise_are_as_wide_as_its_law_asks_for(rate):
    drawn = np.round(np.random.default_rng(0).laplace(scale=1 / rate, size=7))
    drawing = noise.noise_law(drawn, rate, rate)
    bars, exact_law = drawing.figure.data
    assert len(bars.x) < 200
    assert np.sum(bars.y) == pytest.approx(1.0)
    assert np.sum(bars.customdata) == len(drawn)
    step = bars.width / 0.85
    middles = np.asarray(bars.x)
    np.testing.assert_allclose(np.diff(middles), step)
    expected = [noise.law(rate, rate, round(x - (step - 1) / 2), round(x + (step - 1) / 2)).sum() for x in middles]
    np.testing.assert_allclose(exact_law.y, expected, rtol=1e-5)
    assert max(exact_law.y) > 0.05  # the law can be seen beside the bars


def test_negative_leaves_are_marked():
    noisy = np.array([0.7, -0.2, 0.5])
    drawing = noise.projection(noisy, np.array([0.6, 0.0, 0.4]), "euclidean")
    assert words.PROJECTION_NEGATIVE in [trace.name for trace in drawing.figure.data]
    assert "1 leaves are negative, 0.2 of mass" in drawing.alt
    assert drawing.table[words.PROJECTION_COLUMNS[2]].tolist() == pytest.approx([-0.1, 0.2, -0.1])
    scatter = noise.leaf_scatter(np.array([3, 0]), np.array([2.5, -1.5]))
    assert words.SCATTER_NEGATIVE in [trace.name for trace in scatter.figure.data]


def test_a_giant_leaf_does_not_set_the_axis_and_is_announced():
    true = np.r_[np.arange(200), 100_000]
    drawing = noise.leaf_scatter(true, true + 0.5)
    assert drawing.figure.layout.xaxis.range[1] < 300
    assert "1 leaf lies beyond the axes, at 100,000" in drawing.figure.layout.title.subtitle.text


# Error


def test_w1_is_a_value_or_an_interval_with_its_method():
    rulers = {"another sample": certified(0.01, 0.02), "uniform": 0.2, "mean": None}
    drawing = error.w1(certified(0.030, 0.032), exact(0.025), exact(0.01), rulers, rolls=[0.029, 0.035])
    assert "0.03 to 0.032" in drawing.alt
    assert "network simplex" in drawing.alt
    assert drawing.table["what"].tolist() == [
        words.W1_TOTAL,
        words.W1_RESOLUTION,
        words.W1_PRIVACY,
        "another sample",
        "uniform",
        "mean",
    ]
    texts = next(trace for trace in traces(drawing, "scatter") if trace.mode == "text").text
    assert [text.strip() for text in texts][::-1][:2] == ["0.03 to 0.032", "0.025"]
    assert words.W1_MISSING in [text.strip() for text in texts]


def test_without_data_w1_is_said_to_be_undefined():
    drawing = error.w1(None, rulers={"uniform": None})
    assert "not defined" in drawing.alt
    assert error.bounds(None, theory()).alt.startswith("Not private. Measured W1 not computed")


def test_bounds_that_are_not_proved_are_greyed_with_their_reason():
    drawing = error.bounds(exact(0.02), theory(0.4), resolution=exact(0.015))
    by_name = {trace.name: trace for trace in drawing.figure.data}
    assert by_name[words.BOUNDS_PROVED].marker.color == style.BLUE
    assert by_name[words.BOUNDS_PROVED].x == (0.05,)
    assert by_name[words.BOUNDS_GREYED].marker.color == style.GREY
    assert by_name[words.BOUNDS_GREYED].x == (0.4,)
    assert "only for the Lipschitz projection" in str(drawing.figure.to_dict()["data"]).replace("<br>", " ")
    assert "Not proved for these dials: resolution + privacy (only for the" in drawing.alt


def test_each_bound_stands_beside_what_it_bounds():
    drawing = error.bounds(exact(0.02), theory(0.4), resolution=exact(0.015))
    by_name = {trace.name: trace for trace in drawing.figure.data}
    assert by_name[words.BOUNDS_MEASURED].x == (0.015, 0.02)
    rows = dict(zip(by_name[words.BOUNDS_MEASURED].x, by_name[words.BOUNDS_MEASURED].y, strict=True))
    assert by_name[words.BOUNDS_PROVED].y == (rows[0.015],)
    assert by_name[words.BOUNDS_GREYED].y == (rows[0.02],)
    assert drawing.table["name"].tolist() == theory()["name"].tolist()


def test_no_bounds_at_all_is_a_figure_too():
    drawing = error.bounds(exact(0.02), theory().iloc[:0])
    assert drawing.alt.endswith("Not proved for these dials: none.")


# Privacy


@pytest.mark.parametrize(("epsilon", "right"), [(0.1, 52), (0.5, 62), (1, 73), (2, 88), (4, 98)])
def test_the_odds_sentence(epsilon, right):
    assert f"at most {right} times in 100" in privacy.odds_sentence(epsilon)


def test_the_odds_are_never_rounded_to_certainty():
    assert "100 times" not in privacy.odds_sentence(9.0)
    assert "two values" in privacy.odds_sentence(1.0, replace_one=True)


@pytest.mark.parametrize("neighbours", ["add-remove", "replace-one"])
@pytest.mark.parametrize("mode", ["tight", "paper"])
def test_the_budget_adds_up_to_the_total(mode, neighbours):
    cost = Parameters(1.0, mode=mode, neighbours=neighbours).cost(2)
    drawing = privacy.budget(cost)
    table = drawing.table
    np.testing.assert_allclose(table["tree"] + table["leaf counts"], table["total"])
    assert table["total"][:-1].max() == pytest.approx(cost.total, abs=1e-9)
    assert table["total"].iloc[-1] == cost.published_total
    assert len(table) == (3 if cost.a != cost.b else 2)
    assert style.number(cost.tree, 4) in drawing.alt
    assert "at most 73 times in 100" in drawing.alt or mode == "paper"


# Tree


def test_sums_of_the_tree_are_the_counts_of_its_nodes():
    s = run(300, 2)
    np.testing.assert_array_equal(tree.sums(s.tree, s.true_counts), s.visits.count)


def test_the_icicle_nests_and_says_where_it_stops():
    s = run(300, 2)
    full = tree.icicle(s.tree, s.true_counts, private=True, most=10**6)
    (bars,) = traces(full, "bar")
    assert len(bars.x) == len(s.tree)
    left, right = bars.x - bars.width / 2, bars.x + bars.width / 2
    child = np.flatnonzero(s.tree.parent >= 0)
    assert (left[child] >= left[s.tree.parent[child]] - 1e-3).all()
    assert (right[child] <= right[s.tree.parent[child]] + 1e-3).all()
    assert bars.width[0] == s.tree.splits.sum() + 1
    cut = tree.icicle(s.tree, s.noisy_counts, private=False, most=9)
    drawn = len(traces(cut, "bar")[0].x)
    assert drawn <= 9
    assert f"{drawn} of {len(s.tree)} cells drawn" in cut.figure.layout.title.subtitle.text
    assert len(cut.table) == len(s.tree)


def test_the_levels_tell_splits_that_only_noise_made():
    s = run(300, 2)
    cost = s.parameters.cost(2)
    drawing = private_figures(s)["levels"]
    asked = ~np.isnan(s.visits.noise)
    lucky = asked & s.visits.split & (s.visits.count <= cost.theta + s.tree.depth * cost.delta)
    assert f"{lucky.sum()} of them by noise alone" in drawing.alt
    assert (drawing.table["outcome"] == words.LEVELS_LUCKY).sum() == lucky.sum()


def test_a_single_leaf_is_drawn():
    alone = uniform(CellCounts(clusters(5, 2), box_of(2)), 0).tree
    assert len(partition.partition(clusters(5, 2), alone, box_of(2), np.array([5])).table) == 1
    assert tree.icicle(alone, np.array([5]), private=True).table["count"].tolist() == [5]
    assert noise.projection(np.array([1.0]), np.array([1.0]), "clip").table[words.LEAF].tolist() == [0]
    assert noise.noise_map(alone, box_of(2), np.array([5]), np.array([4.5])).table[words.NOISE].tolist() == [-0.5]


# The house


def test_backgrounds_are_transparent_and_fonts_are_left_to_the_page():
    s = run(300, 2)
    for name, drawing in (private_figures(s) | public_figures(s)).items():
        layout = drawing.figure.to_dict()["layout"]
        assert layout["paper_bgcolor"] == layout["plot_bgcolor"] == "rgba(0,0,0,0)", name
        assert layout["font"] == {"size": style.FONT_SIZE}, name
        assert "template" not in layout, name
        for note in layout["annotations"]:
            assert ("font" in note) == ("bgcolor" in note), name


def test_figures_import_no_streamlit():
    names = [path.stem for path in Path(dashboard.figures.__file__).parent.glob("*.py") if path.stem != "__init__"]
    code = f"import sys\nfrom dashboard.figures import {', '.join(names)}\nsys.exit('streamlit' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


@given(st.floats(allow_nan=True, allow_infinity=True))
def test_numbers_become_text(value):
    text = style.number(value)
    assert text
    assert "nan" not in text
