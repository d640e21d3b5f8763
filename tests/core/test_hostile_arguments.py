"""Whatever stands where something else belongs: it is taken for what it is, or refused in a sentence of ours."""

from __future__ import annotations

import tempfile
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import privcore
from privcore import (
    Box,
    DiscreteMeasure,
    Ledger,
    Parameters,
    Release,
    error_estimate,
    project,
    read_table,
    release,
    simulate,
    tree_cost,
    tree_cost_published,
    wasserstein,
)
from privcore.clouds import box_of, make
from privcore.dimension import covering_numbers, dimension, occupied_cells
from privcore.errors import PrivcoreError
from privcore.theory import bounds

UNIT, ONE, DATA = Box.unit(2), Parameters(1.0, max_depth=4), [[0.2, 0.3], [0.7, 0.8]]
MADE = release(DATA, UNIT, ONE)
PERSONS = Parameters(1.0, max_depth=4, max_rows=1)

HOSTILE: list[Any] = [
    None,
    "a",
    "",
    b"\xff",
    True,
    -1,
    1.5,
    1j,
    float("nan"),
    float("inf"),
    5e-324,
    [],
    (),
    {},
    [None],
    ["a"],
    [1j],
    [[0.5], [0.5, 0.5]],
    [[[0.5]]],
    np.zeros((0, 3)),
    np.array([0.5, np.nan]),
    np.array(["2020-01-01"], dtype="datetime64[s]"),
    np.ma.masked_all((2, 2)),
    pd.DataFrame({"x": ["a"], "y": [pd.Timestamp(0)]}),
    pd.Series([pd.NA, 1], dtype="Int64"),
    object(),
    int,
]

PLACES: dict[str, Callable[[Any], Any]] = {
    "release points": lambda x: release(x, UNIT, ONE).measure,
    "release box": lambda x: release(DATA, x, ONE),
    "release parameters": lambda x: release(DATA, UNIT, x),
    "release persons": lambda x: release(DATA, UNIT, PERSONS, x),
    "simulate seed": lambda x: simulate(DATA, UNIT, ONE, seed=x),
    "simulate w1": lambda x: simulate(x, UNIT, ONE, seed=0).w1,
    "Box low": lambda x: Box(x, [1, 1]),
    "Box high": lambda x: Box([0, 0], x),
    "Box names": lambda x: Box([0, 0], [1, 1], names=x),
    "Box.unit": Box.unit,
    "Box.to_unit": UNIT.to_unit,
    "Box.from_unit": UNIT.from_unit,
    "cost d": ONE.cost,
    "tree_cost lambda": lambda x: tree_cost(x, 1.0),
    "tree_cost delta": lambda x: tree_cost(1.0, x),
    "tree_cost_published lambda": lambda x: tree_cost_published(x, 1.0),
    "sample n": lambda x: MADE.measure.sample(x, 0),
    "sample seed": lambda x: MADE.measure.sample(1, x),
    "sample method": lambda x: MADE.measure.sample(1, 0, x),
    "mass_in": MADE.measure.mass_in,
    "measure points": lambda x: DiscreteMeasure(x, [1.0]),
    "measure masses": lambda x: DiscreteMeasure([[0.5]], x),
    "measure leaf": lambda x: DiscreteMeasure([[0.5]], [1.0], x),
    "measure cells": lambda x: DiscreteMeasure([[0.5]], [1.0], None, x, [[1.0]]),
    "project points": lambda x: project(x, [1.0]),
    "project masses": lambda x: project([[0.5]], x),
    "project method": lambda x: project([[0.5]], [1.0], x),
    "project volumes": lambda x: project([[0.5]], [-1.0], "clip", x),
    "wasserstein points": lambda x: wasserstein(x, [[0.5, 0.5]]),
    "wasserstein measure": lambda x: wasserstein(DATA, x),
    "wasserstein weights": lambda x: wasserstein(DATA, [[0.5, 0.5]], weights=x),
    "wasserstein measure_weights": lambda x: wasserstein(DATA, [[0.5, 0.5]], measure_weights=x),
    "wasserstein box": lambda x: wasserstein(DATA, [[0.5, 0.5]], box=x),
    "wasserstein tolerance": lambda x: wasserstein(DATA, [[0.5, 0.5]], tolerance=x),
    "wasserstein deadline": lambda x: wasserstein(DATA, [[0.5, 0.5]], deadline=x),
    "wasserstein progress": lambda x: wasserstein(DATA, [[0.5, 0.5]], progress=x),
    "records_in": simulate(DATA, UNIT, ONE, seed=0).records_in,
    "read_table file": read_table,
    "read_table delimiter": lambda x: read_table(b"x,y\n1,2\n", delimiter=x),
    "read_table decimal": lambda x: read_table(b"x,y\n1,2\n", decimal=x),
    "read_table encoding": lambda x: read_table(b"x,y\n1,2\n", encoding=x),
    "read_table text": lambda x: read_table(b"x,y\n1,2\n", text=x),
    "error_estimate release": lambda x: error_estimate(x, 0, 1),
    "error_estimate seed": lambda x: error_estimate(MADE, x, 1),
    "error_estimate replicates": lambda x: error_estimate(MADE, 0, x),
    "bounds": bounds,
    "bounds dimension": lambda x: bounds(MADE, dimension=x),
    "dimension points": lambda x: dimension(x, UNIT, 10.0),
    "dimension box": lambda x: dimension(DATA, x, 10.0),
    "dimension effective_size": lambda x: dimension(DATA, UNIT, x),
    "dimension weights": lambda x: dimension(DATA, UNIT, 10.0, weights=x),
    "covering_numbers": covering_numbers,
    "occupied_cells": occupied_cells,
    "occupied_cells shifts": lambda x: occupied_cells(DATA, shifts=x),
    "occupied_cells max_depth": lambda x: occupied_cells(DATA, max_depth=x),
    "make name": lambda x: make(x, 3),
    "make n": lambda x: make("city", x),
    "make d": lambda x: make("city", 3, x),
    "make seed": lambda x: make("city", 3, seed=x),
    "box_of d": lambda x: box_of("city", x),
    "from_json": Release.from_json,
    "ledger budget": lambda x: Ledger.create(Path(tempfile.mkdtemp()) / "a.json", x),
    **{f"Parameters {name}": lambda x, name=name: Parameters(**{"epsilon": 1.0, name: x}) for name in ONE.to_dict()},
}


@pytest.mark.parametrize("place", PLACES)
def test_what_does_not_belong_is_refused_in_a_sentence(place: str) -> None:
    for value in HOSTILE:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            try:
                PLACES[place](value)
            except (PrivcoreError, TypeError) as error:
                text = str(error)
                # Python's and numpy's own errors are no sentences: they end without a full stop.
                assert text.endswith("."), (value, text)
                assert len(text.split()) > 3, (value, text)


def test_every_public_function_is_tried() -> None:
    tried = " ".join(PLACES)
    functions = {name for name in privcore.__all__ if callable(getattr(privcore, name)) and name[0].islower()}
    assert [name for name in functions if name not in tried] == []


@pytest.mark.parametrize(
    "place", ["Box low", "Box.from_unit", "measure masses", "project masses", "Parameters epsilon"]
)
def test_a_number_too_large_for_a_float_is_refused_in_a_sentence(place: str) -> None:
    with pytest.raises(PrivcoreError, match=r"\.$"):
        PLACES[place](10**400)


@pytest.mark.parametrize("made", [MADE, simulate(DATA, UNIT, ONE, seed=0)])
def test_whoever_gives_a_whole_release_is_told_of_its_measure(made: Any) -> None:
    with pytest.raises(PrivcoreError, match=r"`\.measure`"):
        wasserstein(DATA, made)


def test_a_masked_point_or_mass_is_not_taken_for_what_lies_under_the_mask() -> None:
    masked = np.ma.masked_array([[0.2, 0.3], [0.7, 0.8]], [[False, False], [True, False]])
    with pytest.raises(PrivcoreError, match="Row 1 of the points"):
        wasserstein(masked, [[0.5, 0.5]])
    with pytest.raises(PrivcoreError, match="mass of row 1"):
        wasserstein(DATA, [[0.5, 0.5]], weights=np.ma.masked_array([0.5, 0.5], [False, True]))
    assert UNIT.to_unit(masked).tolist() == [[0.2, 0.3]]


def test_a_mistake_costs_nothing(tmp_path: Path) -> None:
    ledger = Ledger.create(tmp_path / "a.json", 1)
    slips: list[tuple[Any, ...]] = [(["a"], UNIT, ONE), (DATA, None, ONE), (DATA, UNIT, 1.0), (DATA, UNIT, ONE, [1])]
    for slip in slips:
        with pytest.raises(PrivcoreError):
            ledger.release(*slip)
    assert ledger.remaining == 1


@pytest.mark.parametrize("missing", [None, pd.NA, float("nan"), pd.NaT])
def test_a_missing_value_is_a_row_without_a_point_whatever_it_is_called(missing: Any) -> None:
    frame = pd.DataFrame({"x": [0.5, missing], "y": [0.5, 0.5]}, dtype=object)
    for points in (frame, frame.to_numpy(), frame.to_numpy().tolist()):
        assert UNIT.to_unit(points).tolist() == [[0.5, 0.5]]
        assert UNIT.to_unit(points, "corner").tolist() == [[0.5, 0.5], [0.0, 0.0]]


def test_columns_of_pandas_with_missing_whole_numbers_and_masked_arrays_keep_their_gaps() -> None:
    frame = pd.DataFrame({"x": pd.array([1, None], dtype="Int64"), "y": [0.5, 0.5]})
    assert UNIT.to_unit(frame).tolist() == [[1.0, 0.5]]
    for kind in (np.float64, np.float32, np.int64):
        masked = np.ma.array([[1, 1], [0, 1]], mask=[[False, False], [False, True]], dtype=kind)
        assert UNIT.to_unit(masked).tolist() == [[1.0, 1.0]]


def test_a_frame_whose_columns_are_numbers_is_read_by_them() -> None:
    frame = pd.DataFrame([[0.25, 9.0, 0.75]])
    assert Box([0, 0], [1, 1], names=[2, 0]).to_unit(frame).tolist() == [[0.75, 0.25]]  # type: ignore[list-item]


def test_a_public_number_of_records_below_one_is_refused_before_anything_is_spent() -> None:
    for total in (5e-324, 1e-300, 0.999):
        with pytest.raises(PrivcoreError, match="from 1 to"):
            Parameters(1.0, total=total)


def test_a_notebook_shows_a_line_and_no_wall_of_numbers() -> None:
    parts = [MADE, MADE.measure, MADE.tree, MADE.projection]
    for value in (*parts, simulate(DATA, UNIT, ONE, 0), error_estimate(MADE, 0, 1)):
        assert "array" not in repr(value)
        assert len(repr(value)) < 120


def test_a_box_of_another_dimension_is_no_question_about_the_records() -> None:
    with pytest.raises(PrivcoreError, match="1 axes, but the records have 2"):
        simulate(DATA, UNIT, ONE, seed=0).records_in(Box.unit(1))
