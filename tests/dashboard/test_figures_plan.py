"""The transport plan, the error by leaf and the reader's box: what they draw adds up to what was measured."""

from __future__ import annotations

import numpy as np
import pytest

from dashboard.figures import measure as measure_figures
from dashboard.figures import plan as plan_figures
from dashboard.figures.plan import MAX_ARROWS, arrows, error_by_leaf, error_map
from dashboard.figures.selection import with_box
from dashboard.text import figures as words
from privcore import Box, Parameters, simulate, wasserstein
from privcore.clouds import box_of, make
from privcore.simulation import Simulation
from privcore.transport import W1


def run_of(d: int, n: int = 400, **more: object) -> tuple[Simulation, W1]:
    run = simulate(make("uniform", n, d, 0), box_of("uniform", d), Parameters(1.0, **more), seed=1)
    return run, wasserstein(run.points, run.measure, box=run.box, plan=True)


@pytest.mark.parametrize("d", [1, 2, 3, 5])
@pytest.mark.parametrize("representative", ["centre", "spread"])
def test_the_errors_of_the_leaves_add_up_to_w1(d: int, representative: str) -> None:
    run, found = run_of(d, representative=representative)
    assert found.plan is not None
    error = error_by_leaf(found.plan, run.unit_points, run.measure, run.box)
    assert error.shape == (len(run.tree.leaves),)
    assert error.min() >= 0
    assert error.sum() == pytest.approx(found.upper, rel=1e-9)
    drawn = error_map(found.plan, run.unit_points, run.measure, run.tree, run.box)
    assert drawn.private
    assert drawn.table["share of W1 (%)"].sum() == pytest.approx(100)


@pytest.mark.parametrize("d", [1, 2, 3, 5])
def test_the_strongest_pieces_are_drawn_and_counted(d: int) -> None:
    run, found = run_of(d, n=900)
    assert found.plan is not None
    drawn = arrows(found.plan, run.unit_points, run.measure, run.box, found.upper)
    assert drawn.private
    assert len(drawn.table) == MAX_ARROWS
    cost = drawn.table["mass × distance"].to_numpy()
    assert (np.diff(cost) <= 0).all()
    atoms = (run.measure.points - np.asarray(run.box.low)) / run.box.width
    _, everything = plan_figures.work(found.plan, run.unit_points, atoms)
    assert everything.sum() == pytest.approx(found.upper, rel=1e-9)
    assert np.sort(everything)[::-1][:MAX_ARROWS] == pytest.approx(cost)
    assert f"{MAX_ARROWS} of its" in drawn.alt
    lines = [trace for trace in drawn.figure.data if trace.mode == "lines"]
    assert sum(np.isnan(np.asarray(trace.x, dtype=float)).sum() for trace in lines) == MAX_ARROWS


def test_a_plan_that_moves_nothing_is_drawn_as_nothing() -> None:
    box = Box.unit(2)
    run = simulate(np.full((40, 2), 0.5), box, Parameters(20.0, max_depth=0), seed=1)
    found = wasserstein(run.points, run.measure, box=box, plan=True)
    assert found.plan is not None
    assert arrows(found.plan, run.unit_points, run.measure, box, found.upper).table.empty
    assert error_map(found.plan, run.unit_points, run.measure, run.tree, box).table["share of W1 (%)"].sum() == 0


def test_the_colours_of_many_leaves_are_named_in_their_own_unit() -> None:
    run = simulate(make("uniform", 3000, 2, 0), box_of("uniform", 2), Parameters(20.0), seed=1)
    found = wasserstein(run.points, run.measure, box=run.box, plan=True)
    assert found.plan is not None
    drawn = error_map(found.plan, run.unit_points, run.measure, run.tree, run.box)
    shown, most = np.asarray(drawn.figure.data[0].z).max(), drawn.table["share of W1 (%)"].max()
    assert shown == pytest.approx(100 * most, abs=1)
    assert drawn.figure.layout.coloraxis.colorbar.title.text.startswith(words.RASTER_ERROR_BAR)


def test_one_leaf_and_one_piece_are_named_as_one() -> None:
    box = Box([0.0, 0.0], [10.0, 10.0])
    run = simulate(np.array([[7.0, 4.0]]), box, Parameters(1.0, max_depth=0), seed=1)
    found = wasserstein(run.points, run.measure, box=box, plan=True)
    assert found.plan is not None
    moved = arrows(found.plan, run.unit_points, run.measure, box, found.upper)
    notes = moved.figure.layout.title.subtitle.text
    assert words.ARROWS_NOTE_ALL.format(drawn=1) in notes
    assert words.ARROWS_UNIT in notes
    drawn = error_map(found.plan, run.unit_points, run.measure, run.tree, box)
    assert drawn.figure.layout.title.subtitle.text == words.ERROR_NOTE_ONE.format(share=100)


@pytest.mark.parametrize("d", [1, 2, 3, 5])
def test_the_readers_box_is_drawn_where_it_is(d: int) -> None:
    run, _ = run_of(d)
    drawn = measure_figures.measure(run.measure, run.tree, run.box, run.noisy_counts)
    chosen = Box([0.25] * d, [0.5] * d, names=run.box.columns)
    trace = with_box(drawn, chosen, run.box).figure.data[-1]
    x = np.asarray(trace.x, dtype=float)
    assert (np.nanmin(x), np.nanmax(x)) == (0.25, 0.5)
    assert len(drawn.figure.data) + 1 == len(with_box(drawn, chosen, run.box).figure.data)
