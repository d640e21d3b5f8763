"""The data with the adaptive partition over it, and the two distribution functions in one dimension. All private."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from dashboard.figures import shapes, style
from dashboard.figures.shapes import Plane
from dashboard.figures.style import Drawing, number
from dashboard.palette import fade
from dashboard.text import figures as words
from privcore.arrays import Floats, Ints
from privcore.domain import Box
from privcore.measure import DiscreteMeasure
from privcore.tree import Tree

BINS = 128
MAX_BOXES = 150
CDF_PLACES = 1024


def partition(
    points: Any,
    tree: Tree,
    box: Box,
    true_counts: Ints,
    released_counts: Floats | None = None,
    masses: Floats | None = None,
    loss: Floats | None = None,
    *,
    axes: tuple[int, int] = (0, 1),
    colour: str = "none",
) -> Drawing:
    """The points and the leaf cells of the tree; private.

    `points` (n, d) in the user's units; `true_counts`, `released_counts`, `masses` (leaves,); `loss` (leaves,) is the
    realised privacy loss of a record there, NaN where there is none. One dimension is a line
    with a histogram, two a map, three boxes in space; more are shown on the pair `axes`, where the outlines are the
    shadows of the leaves. `colour` fills the cells of a map by "density" (of the true counts), by "depth" or not.
    """
    unit = box.to_unit(points)
    noise = None if released_counts is None else released_counts - true_counts
    columns = {words.TRUE_COUNT: true_counts, words.RELEASED_COUNT: released_counts, words.NOISE: noise}
    columns |= {words.MASS: masses, words.LOSS: loss}
    table = shapes.leaf_table(tree, box, **columns)
    hover = {words.DEPTH: tree.leaf_depth, **columns}
    if box.d == 1:
        drawn = _line(unit, tree, box, released_counts, hover)
    elif box.d == 2:
        drawn = _map(unit, tree, box, true_counts, hover, colour)
    elif box.d == 3:
        drawn = _space(unit, tree, box, true_counts, hover)
    else:
        drawn = _shadows(unit, tree, Plane(box, *axes))
    alt = words.PARTITION_ALT.format(
        n=number(len(unit)),
        leaves=number(len(tree.leaves)),
        axes=style.axes_text(box.columns),
        shallow=number(tree.leaf_depth.min()),
        deep=number(tree.leaf_depth.max()),
        fullest=number(true_counts.max(initial=0)),
        empty=number((true_counts == 0).sum()),
    )
    figure = style.figure(badge=style.banner(), title=words.PARTITION_TITLE, **drawn)
    return Drawing(figure, alt, table)


def _line(unit: Floats, tree: Tree, box: Box, released_counts: Floats | None, hover: dict[str, Any]) -> dict[str, Any]:
    """d = 1: records per bin of the declared range, in the data and in the release; the leaf cells under it."""
    counts = np.histogram(unit[:, 0], bins=BINS, range=(0.0, 1.0))[0]
    look = {"color": fade(style.ORANGE, 30), "line": {"color": style.PRIVATE.colour, "width": 1}}
    traces = [
        shapes.histogram(box, counts, marker=look, name=words.HISTOGRAM, hovertemplate="%{y}<extra></extra>"),
        shapes.depth_strip(tree, box, hover),
    ]
    if released_counts is not None:
        heights = shapes.binned(tree, released_counts, BINS)
        edges = shapes.on_axis(box, 0, np.repeat(np.linspace(0.0, 1.0, BINS + 1), 2)[1:-1])
        line = {"color": style.BLUE, "width": 2}
        step = {"type": "scatter", "mode": "lines", "x": edges, "y": shapes.small(np.repeat(heights, 2))}
        traces.append({**step, "line": line, "name": words.RELEASED, "hovertemplate": "%{y:.4~g}<extra></extra>"})
    upper = style.axis(words.LINE_Y.format(bins=BINS))
    return {"traces": traces, **shapes.two_panels(box, upper, style.axis(words.DEPTH, nticks=4))}


def _map(unit: Floats, tree: Tree, box: Box, true_counts: Ints, hover: dict[str, Any], colour: str) -> dict[str, Any]:
    """d = 2: the leaf cells, solid blue since the tree is released, and the points, open and orange."""
    plane = Plane(box)
    points, images, note = shapes.point_layer(unit, plane, style.PRIVATE, words.POINTS)
    cells, layout, cell_note = map_cells(tree, plane, true_counts / max(true_counts.sum(), 1), hover, colour)
    return {
        "traces": [*cells, *points],
        "note": [note, cell_note],
        "images": images,
        **style.MAP,
        **layout,
    }


def map_cells(
    tree: Tree, plane: Plane, masses: Floats, hover: dict[str, Any], colour: str
) -> tuple[list[dict[str, Any]], dict[str, Any], str]:
    """The leaf cells of a map as (traces, layout, note): bars with exact hover, or a raster when there are many."""
    logs = shapes.log_density(masses, tree)
    low, high = shapes.density_scale(logs, masses)
    leaves, layout = len(tree.leaves), plane.layout() | {"showlegend": True}
    few = leaves <= shapes.MAX_BARS
    if few or colour == "none":
        layout["bargap"] = 0
    values: Floats | None = None
    if colour == "density":
        values = np.clip(logs, low, high)
        steps = 1 if few else shapes.OCTAVE
        layout["coloraxis"] = {
            "colorscale": style.CIVIDIS,
            "cmin": low * steps,
            "cmax": high * steps,
            "colorbar": shapes.density_bar(low, high, steps),
        }
    elif colour == "depth":
        values = tree.leaf_depth.astype(np.float64)
        layout["coloraxis"] = {"colorscale": style.CIVIDIS, "colorbar": style.colour_bar(words.DEPTH_BAR)}
    if few:
        line = style.BLUE if colour == "none" else style.CELL_LINE
        return [shapes.cell_bars(tree, plane, values, hover, line, name=words.LEAVES)], layout, ""
    if values is None:
        layout["shapes"] = shapes.outline_path(tree, plane, style.BLUE, "below")
    else:
        layout["shapes"] = shapes.outline_path(tree, plane, style.CELL_LINE)
    note = "" if layout["shapes"] else words.NO_OUTLINES.format(total=number(leaves))
    if values is None:
        key = {"type": "scatter", "mode": "lines", "x": [None], "y": [None], "name": words.LEAVES}
        return [key | {"line": {"color": style.BLUE, "width": 1.5}}], layout, note
    steps, text = (shapes.OCTAVE, words.RASTER_HOVER) if colour == "density" else (1, words.RASTER_DEPTH_HOVER)
    levels = np.round(values * steps).astype(np.int64)
    return (
        [shapes.cell_raster(tree, plane, levels, text)],
        layout,
        note or words.RASTER_CELLS.format(total=number(leaves)),
    )


def _space(unit: Floats, tree: Tree, box: Box, true_counts: Ints, hover: dict[str, Any]) -> dict[str, Any]:
    """d = 3: the fullest leaf boxes, the points, and the centres of those leaves for the hover."""
    fullest = np.sort(np.argsort(-true_counts, kind="stable")[:MAX_BOXES])
    rows = shapes.evenly(len(unit), shapes.GL_POINTS)
    data, template = shapes.customdata({name: v[fullest] for name, v in hover.items() if v is not None})
    line = {"color": style.BLUE, "width": 1.5}
    boxes = shapes.box_trace(tree.leaf_lower[fullest], tree.leaf_upper[fullest], box, line=line, name=words.LEAVES)
    traces = [
        boxes,
        shapes.point_trace_3d(unit[rows], box, style.PRIVATE, words.POINTS),
        {
            **shapes.point_trace_3d(tree.representatives[fullest], box, style.RELEASE, words.CENTRES),
            "marker": {"color": style.BLUE, "size": 2, "symbol": "diamond", "opacity": 0.6},
            "customdata": data,
            "hovertemplate": template,
            "hoverinfo": None,
        },
    ]
    notes = []
    if len(fullest) < len(tree.leaves):
        notes.append(words.SOME_BOXES.format(drawn=number(len(fullest)), total=number(len(tree.leaves))))
    if len(rows) < len(unit):
        notes.append(words.SOME_POINTS.format(drawn=number(len(rows)), total=number(len(unit))))
    return {"traces": traces, "note": notes, "height": style.MAP_HEIGHT, **shapes.scene(box)}


def _shadows(unit: Floats, tree: Tree, plane: Plane) -> dict[str, Any]:
    """d > 3: the points on a pair of axes over the faint shadows of the leaves; not a slice, not the partition."""
    points, images, raster_note = shapes.point_layer(unit, plane, style.PRIVATE, words.POINTS)
    line = {"color": fade(style.BLUE, 40), "width": 1}
    outline = shapes.outline_trace(tree.leaf_lower, tree.leaf_upper, plane, line=line, name=words.LEAF_SHADOWS)
    first, second = plane.names
    note = words.SHADOWS.format(first=first, second=second, d=plane.box.d)
    notes = [note, raster_note]
    return {"traces": [outline, *points], "note": notes, "images": images, **style.MAP, **plane.layout()}


def cdfs(points: Any, measure: DiscreteMeasure, box: Box) -> Drawing:
    """The distribution functions of data and release, d = 1; the area between them is W1. Private.

    `points` (n, 1) in the user's units. W1 = integral of |F - G| over the declared range, in units of the axis and in
    the unit interval.
    """
    data = np.sort(box.to_unit(points)[:, 0])
    order = np.argsort(np.asarray(measure.points)[:, 0])
    atoms = (np.asarray(measure.points)[order, 0] - box.low[0]) / box.width[0]
    mass = np.cumsum(np.asarray(measure.masses)[order])
    jumps = np.unique(np.concatenate([[0.0, 1.0], data, atoms]))
    ours, theirs = _cdf_at(jumps, data, None), _cdf_at(jumps, atoms, mass)
    area = float(np.sum(np.abs(ours - theirs)[:-1] * np.diff(jumps)))
    x = jumps if len(jumps) <= CDF_PLACES else np.linspace(0.0, 1.0, CDF_PLACES)
    f, g = _cdf_at(x, data, None), _cdf_at(x, atoms, mass)
    units, name = float(box.width[0]), box.columns[0]
    alt = words.CDF_ALT.format(n=number(len(data)), axis=name, user=number(area * units), unit=number(area))
    template = words.CDF_NOTE_UNIT if units == 1.0 else words.CDF_NOTE
    notes = [template.format(user=number(area * units), axis=name, unit=number(area))]
    if not len(data):
        notes, alt = [words.CDF_NOTE_EMPTY], words.CDF_ALT_EMPTY.format(axis=name)
    if len(x) < len(jumps):
        notes.append(words.GRID_CDF.format(places=number(len(x))))
    at: dict[str, Any] = {"x": shapes.on_axis(box, 0, x)}
    if len(x) < len(jumps):
        at = {"x0": box.low[0], "dx": units / (len(x) - 1)}
    traces = _cdf_traces(at, f, g, with_data=len(data) > 0)
    lower = style.axis(words.CDF_DIFFERENCE, nticks=4)
    layout = shapes.two_panels(box, style.axis(words.CDF_Y, range=[-0.02, 1.04]), lower)
    figure = style.figure(traces, style.banner(), words.CDF_TITLE, notes, **layout)
    columns = dict(zip((name, *words.CDF_COLUMNS), (box.low[0] + x * units, f, g, f - g), strict=True))
    return Drawing(figure, alt, pd.DataFrame(columns))


def _cdf_at(x: Floats, jumps: Floats, mass: Floats | None) -> Floats:
    """The value at x of the distribution function that jumps at the sorted places, to the cumulated mass."""
    reached = np.searchsorted(jumps, x, side="right")
    steps = np.arange(len(jumps) + 1) / max(len(jumps), 1) if mass is None else np.concatenate([[0.0], mass])
    return np.asarray(steps[reached], dtype=np.float64)


def _cdf_traces(x: dict[str, Any], f: Floats, g: Floats, with_data: bool) -> list[dict[str, Any]]:
    """Both curves with the area between them, and under them their difference with the same area, magnified."""
    line = {"type": "scatter", "mode": "lines", **x, "hovertemplate": "%{y:.4f}<extra></extra>"}
    wide = {"shape": "hv", "width": 2.5}
    solid, dashed = {"color": style.BLUE, **wide}, {"color": style.PRIVATE.colour, "dash": "dash", **wide}
    release = {**line, "y": shapes.small(g), "line": solid, "name": words.CDF_RELEASE}
    if not with_data:
        return [release]
    fill = {"fillcolor": fade(style.PINK, 55)}
    area = {
        "line": {"color": style.PINK, "width": 1, "shape": "hv"},
        "name": words.CDF_AREA,
        "fill": "tozeroy",
        "yaxis": "y2",
    }
    return [
        release,
        {**line, "y": shapes.small(f), "line": dashed, "name": words.CDF_DATA, "fill": "tonexty", **fill},
        {**line, "y": shapes.small(f - g), **area, **fill},
    ]
