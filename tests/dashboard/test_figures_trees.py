"""The figures of the trees without noise: they say that they are private, draw what was measured, and the bounds."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import lru_cache

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dashboard import plot
from dashboard.figures import trees as figures
from dashboard.figures.style import Drawing
from dashboard.text import figures as words
from privcore import Box
from privcore.cells import CellCounts
from privcore.clouds import make
from privcore.errors import InvalidParametersError
from privcore.theory import tree_sizes
from privcore.tree import hard

BOTH = [figures.leaves, figures.depth]
each = pytest.mark.parametrize("draw", BOTH, ids=["leaves", "depth"])


@lru_cache
def sizes(n: int = 2000, d: int = 2) -> pd.DataFrame:
    counts = CellCounts(make("city", n, d), Box.unit(d))
    return tree_sizes(counts, [1.0, 3.0, 10.0, 100.0], delta=4.0, most=60)


def traces(drawing: Drawing) -> dict[str, object]:
    return {trace.name: trace for trace in drawing.figure.data}


@each
def test_it_says_that_it_shows_the_data(draw: Callable[[pd.DataFrame], Drawing]) -> None:
    drawing = draw(sizes())
    assert drawing.private
    assert words.BANNER in " ".join(note.text for note in drawing.figure.layout.annotations)
    assert drawing.alt.startswith("Not private.")
    for name, trace in traces(drawing).items():
        measured = name in words.TREES_RULES.values()
        assert trace.line.dash == ("dash" if measured else "dot")
        assert not measured or trace.marker.symbol.endswith("-open")


@each
def test_rules_differ_by_colour_and_by_marker(draw: Callable[[pd.DataFrame], Drawing]) -> None:
    drawn = traces(draw(sizes()))
    measured = [drawn[name] for name in words.TREES_RULES.values()]
    assert len({trace.line.color for trace in measured}) == len({trace.marker.symbol for trace in measured}) == 3


@each
def test_what_was_measured_is_drawn_and_below_its_bound(draw: Callable[[pd.DataFrame], Drawing]) -> None:
    what, table = draw.__name__, sizes()
    drawn = traces(draw(table))
    for rule, name in words.TREES_RULES.items():
        part = table[table.rule == rule]
        assert np.asarray(drawn[name].x) == pytest.approx(part.theta)
        assert np.asarray(drawn[name].y) == pytest.approx(part[what])
        bound = drawn.get(words.TREES_BOUND.format(rule=name))
        assert (bound is None) == (rule == "hard" and what == "leaves")
        if bound is not None:
            assert (np.asarray(bound.y) >= np.asarray(drawn[name].y)).all()


@each
def test_the_axes_hold_all_that_is_drawn(draw: Callable[[pd.DataFrame], Drawing]) -> None:
    figure = draw(sizes()).figure
    for trace in figure.data:
        for values, axis in ((trace.x, figure.layout.xaxis), (trace.y, figure.layout.yaxis)):
            shown = np.log10(values) if axis.type == "log" else np.asarray(values)
            assert axis.range[0] < shown.min()
            assert shown.max() < axis.range[1]


def test_the_table_and_the_alternative_text_have_the_numbers() -> None:
    table = figures.leaves(sizes()).table
    first = table[table["rule"] == "hard threshold"].iloc[0]
    counts = CellCounts(make("city", 2000, 2), Box.unit(2))
    assert first["leaves"] == len(hard(counts, 1.0).tree.leaves)
    assert f"{first['leaves']:,}" in figures.leaves(sizes()).alt
    assert "no bound is known" in figures.leaves(sizes()).alt
    assert "no bound is known" not in figures.depth(sizes()).alt


@each
@given(
    points=st.lists(st.floats(0, 1), min_size=1, max_size=30),
    thetas=st.lists(st.floats(1e-3, 1e6), min_size=1, max_size=4, unique=True),
    delta=st.floats(0.05, 100.0),
    most=st.integers(1, 40),
)
def test_any_points_give_a_valid_figure(
    draw: Callable[[pd.DataFrame], Drawing], points: list[float], thetas: list[float], delta: float, most: int
) -> None:
    counts = CellCounts(np.array(points)[:, None], Box.unit(1))
    drawing = draw(tree_sizes(counts, sorted(thetas), delta, most))
    assert plot.unpack(plot.pack(drawing.figure, {})).figure is not None
    assert "nan" not in json.dumps(drawing.spec["layout"]).lower()
    assert "not a number" not in drawing.alt


def test_the_sizes_need_a_positive_threshold_and_data() -> None:
    some, none = CellCounts([0.5], Box.unit(1)), CellCounts(np.zeros((0, 1)), Box.unit(1))
    for counts, theta, delta in ((some, 0.0, 1.0), (some, 1.0, 0.0), (none, 1.0, 1.0)):
        with pytest.raises(InvalidParametersError, match="at least one record"):
            tree_sizes(counts, [theta], delta, most=3)
