"""The dimension figure: which world it belongs to, what it draws and says, and odd input."""

from __future__ import annotations

import json
from functools import lru_cache

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from dashboard import compute, plot
from dashboard.figures import dimension as figures
from dashboard.figures.style import Drawing
from dashboard.settings import Settings
from dashboard.text import figures as words
from privcore import Box, Parameters, simulate
from privcore.clouds import box_of, make
from privcore.dimension import Dimension, dimension


@lru_cache
def found(cloud: str = "uniform", n: int = 20_000, d: int = 2, epsilon: float = 1.0) -> Dimension:
    return dimension(make(cloud, n, d), box_of(cloud, d), epsilon * n)


def traces(drawing: Drawing) -> dict[str, object]:
    return {trace.name: trace for trace in drawing.figure.data}


def texts(drawing: Drawing) -> str:
    return " ".join(note.text for note in drawing.figure.layout.annotations)


def test_of_the_data_it_is_private_and_says_so_everywhere() -> None:
    drawing = figures.dimension(found(), private=True)
    assert drawing.private
    assert drawing.alt.startswith("Not private.")
    assert words.LABEL not in texts(drawing)


def test_of_a_release_it_has_the_looks_of_a_release() -> None:
    private = figures.dimension(found(), private=True)
    drawing = figures.dimension(found(), private=False, epsilon=0.5, simulated=True)
    assert not drawing.private
    assert "ε = 0.5" in texts(drawing)
    assert drawing.alt.startswith("Epsilon-DP.")
    seen, secret = (traces(d)[words.DIMENSION_UPPER] for d in (drawing, private))
    assert (seen.line.dash, secret.line.dash) == ("solid", "dash")
    assert (seen.marker.symbol, secret.marker.symbol) == ("circle", "circle-open")
    assert seen.line.color != secret.line.color


def test_a_figure_of_the_release_is_made_of_the_measure_alone() -> None:
    box = box_of("city", 2)
    measure = simulate(make("city", 500, 2), box, Parameters(1.0), seed=1).measure
    of_release = dimension(measure.points, box, 500.0, weights=measure.masses)
    drawing = figures.dimension(of_release, private=False, epsilon=1.0)
    assert drawing.table["N at most"].max() <= (measure.masses > 0).sum()


def test_it_draws_the_bounds_and_the_slope_where_it_was_measured() -> None:
    result = found()
    drawn = traces(figures.dimension(result, private=True))
    lower, upper = drawn[words.DIMENSION_LOWER], drawn[words.DIMENSION_UPPER]
    assert np.all(np.asarray(lower.y) <= np.asarray(upper.y))
    assert np.allclose(1.0 / np.asarray(upper.x), result.covering.radius)
    slope = next(trace for name, trace in drawn.items() if name.startswith("slope s"))
    steepness = np.diff(np.log(slope.y)) / np.diff(np.log(slope.x))
    assert steepness[0] == pytest.approx(result.s)
    assert 1.0 / np.asarray(slope.x) == pytest.approx(result.window[::-1])
    inside = (result.covering.radius >= result.window[0]) & (result.covering.radius <= result.window[1])
    on_it = np.interp(-np.log(result.covering.radius[inside]), np.log(slope.x), np.log(slope.y))
    assert np.abs(on_it - np.log(result.covering.upper[inside])).max() < np.log(1.6)


def test_the_curve_is_above_the_cover_up_to_the_cut_off() -> None:
    result = found()
    curve = next(t for name, t in traces(figures.dimension(result, private=True)).items() if name.startswith("N ≤"))
    radius, upper = result.covering.radius, result.covering.upper
    used = (radius <= 1.0) & (radius >= result.cut_off[0])
    drawn = np.exp(np.interp(-np.log(radius[used]), np.log(curve.x), np.log(curve.y)))
    assert np.all(drawn >= upper[used] * (1 - 1e-6))


def test_the_cut_off_column_has_the_ends_that_were_found() -> None:
    result = found()
    column = figures.dimension(result, private=True).figure.data[0]
    assert column.name == "cut-off r*, N = 10,000"
    assert 1.0 / max(column.x) == pytest.approx(result.cut_off[0])
    assert 1.0 / min(column.x) == pytest.approx(result.cut_off[1])


@pytest.mark.parametrize(
    ("result", "verdict", "says"),
    [
        (found, "tells", "s = 1.7"),
        (lambda: found("spiral", 5000), "wide band", "too few points to tell: s is anywhere from 0."),
        (lambda: found("city", 200), "few scales", "too few scales"),
        (lambda: dimension(np.full((50, 2), 0.3), Box.unit(2), 50.0), "one place", "all at one place"),
    ],
    ids=["tells", "wide band", "few scales", "one place"],
)
def test_the_verdict_is_said_in_the_figure_and_to_who_cannot_see_it(result: object, verdict: str, says: str) -> None:
    measured = result()  # type: ignore[operator]
    assert measured.verdict == verdict
    drawing = figures.dimension(measured, private=True)
    assert says in drawing.figure.layout.title.subtitle.text.replace("<br>", " ")
    assert says in drawing.alt
    named = [name for name in traces(drawing) if "slope" in name]
    assert any("s = " in name for name in named) == (verdict == "tells")


def test_the_table_holds_what_is_drawn() -> None:
    table = figures.dimension(found(), private=True).table
    assert list(table) == list(words.DIMENSION_COLUMNS)
    assert np.array_equal(table["N at most"], found().covering.upper)


def test_it_weighs_little() -> None:
    drawing = figures.dimension(found(n=50_000), private=True)
    assert len(plot.pack(drawing.figure, {})) < 6_000


@settings(max_examples=40)
@given(
    st.integers(1, 3).flatmap(
        lambda d: arrays(np.float64, st.tuples(st.integers(1, 40), st.just(d)), elements=st.floats(0, 1))
    ),
    st.sampled_from([1e-6, 1.0, 1e9]),
)
def test_any_points_give_a_valid_figure(points: np.ndarray, epsilon: float) -> None:
    result = dimension(points, Box.unit(points.shape[1]), epsilon * len(points))
    drawing = figures.dimension(result, private=True)
    packed = plot.unpack(plot.pack(drawing.figure, {}))
    assert packed.figure is not None
    assert "nan" not in drawing.alt.lower().split()
    for trace in drawing.figure.data:
        assert np.all(np.isfinite(np.asarray(trace.x, dtype=float)))
        assert np.all(np.asarray(trace.y, dtype=float) > 0.0)
    ranges = [drawing.figure.layout.xaxis.range, drawing.figure.layout.yaxis.range]
    json.dumps(ranges, allow_nan=False)
    assert all(low < high for low, high in ranges)


def test_it_is_computed_once_and_not_for_more_rows_than_it_can_do_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    chosen = Settings(n=150)
    data, parameters = compute.generated(chosen), chosen.parameters()
    first = compute.dimensions(data, parameters, 0)
    assert first is not None
    again = compute.dimensions(data, parameters, 1)
    assert again is not None
    assert again[0] is first[0]  # new noise leaves the data's alone
    assert again[1] is not first[1]
    monkeypatch.setattr(compute, "MOST_DIMENSION_POINTS", 149)
    assert compute.dimensions(data, parameters, 0) is None
    nobody = compute.Data(np.full((3, 2), np.nan), Box.unit(2), "nobody")
    assert compute.dimensions(nobody, parameters, 0) is None
    cornered = Parameters(1.0, neighbours="replace-one")
    at_the_corner = compute.dimensions(nobody, cornered, 0)
    assert at_the_corner is not None
    assert at_the_corner[0].verdict == "one place"
