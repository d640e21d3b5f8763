"""The released measure: what anybody may see. Built from the release alone; ranges come from the declared box."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
import pandas as pd

from dashboard.figures import shapes, style
from dashboard.figures.partition import map_cells
from dashboard.figures.shapes import Plane
from dashboard.figures.style import Drawing, number
from dashboard.text import figures as words
from privcore.arrays import Floats
from privcore.domain import Box
from privcore.measure import DiscreteMeasure
from privcore.tree import Tree

Kind = Literal["cells", "atoms", "pair"]
MARGINAL_PIXELS = 128
BINS = 128
MAX_ATOMS = 2500


def measure(
    released: DiscreteMeasure,
    tree: Tree,
    box: Box,
    released_counts: Floats | None = None,
    *,
    epsilon: float | None = None,
    simulated: bool = False,
    kind: Kind = "cells",
    axes: tuple[int, int] = (0, 1),
) -> Drawing:
    """The released measure: a map of the cell masses, or its atoms sized by mass; in three dimensions always atoms,
    but for a "pair", which is the density of two axes.

    `released_counts` (leaves,) are the noisy counts, for the hover. More than three dimensions are shown on the pair
    `axes`: cells then become the exact marginal density. `simulated` says in the badge that the seed is known.
    """
    masses = np.asarray(released.leaf_masses, dtype=np.float64)
    hover = {words.DEPTH: tree.leaf_depth, words.RELEASED_COUNT: released_counts, words.MASS: masses}
    table = shapes.leaf_table(tree, box, **{words.RELEASED_COUNT: released_counts, words.MASS: masses})
    if kind == "pair" and box.d > 2:
        drawn, title = _marginal(tree, Plane(box, *axes), masses), words.MEASURE_CELLS_TITLE
    elif kind == "atoms" or box.d == 3:
        drawn = _atoms(released, box, axes)
        title = words.MEASURE_ATOMS_TITLE
    else:
        title = words.MEASURE_CELLS_TITLE
        drawn = _line(tree, box, masses, hover) if box.d == 1 else _cells(tree, box, masses, hover, axes)
    figure = style.figure(badge=style.label(epsilon, simulated), title=title, **drawn)
    alt = _alt(released, tree, box, masses) + (words.SIMULATED_ALT if simulated else "")
    return Drawing(figure, alt, table)


def sample(
    points: Any, box: Box, *, epsilon: float | None = None, simulated: bool = False, axes: tuple[int, int] = (0, 1)
) -> Drawing:
    """Points sampled from the released measure, (k, d) in the user's units."""
    unit = box.to_unit(points)
    table = pd.DataFrame(box.from_unit(unit), columns=list(box.columns))
    if box.d == 1:
        drawn = _sample_line(unit, box)
    elif box.d == 3:
        rows = shapes.evenly(len(unit), shapes.GL_POINTS)
        note = words.SOME_POINTS.format(drawn=number(len(rows)), total=number(len(unit)))
        traces = [shapes.point_trace_3d(unit[rows], box, style.RELEASE, words.SAMPLE)]
        drawn = {"traces": traces, "note": note if len(rows) < len(unit) else "", **shapes.scene(box)}
    else:
        plane = Plane(box, *axes)
        traces, images, note = shapes.point_layer(unit, plane, style.RELEASE, words.SAMPLE)
        drawn = {"traces": traces, "note": [_pair(plane), note], "images": images, "showlegend": True, **plane.layout()}
    drawn = (style.MAP if box.d not in (1, 3) else {"height": style.MAP_HEIGHT}) | drawn
    figure = style.figure(badge=style.label(epsilon, simulated), title=words.MEASURE_SAMPLE_TITLE, **drawn)
    alt = words.MEASURE_ALT_SAMPLE.format(sampled=number(len(unit)), axes=style.axes_text(box.columns))
    return Drawing(figure, alt + (words.SIMULATED_ALT if simulated else ""), table)


def _alt(released: DiscreteMeasure, tree: Tree, box: Box, masses: Floats) -> str:
    atoms = np.asarray(released.masses)
    densest = shapes.log_density(masses, tree).max(initial=-np.inf)
    return words.MEASURE_ALT.format(
        axes=style.axes_text(box.columns),
        leaves=number(len(tree.leaves)),
        atoms=number(len(atoms)),
        positive=number((atoms > 0).sum()),
        heaviest=number(masses.max(initial=0.0)),
        densest=number(np.exp2(densest)),
    )


def _pair(plane: Plane) -> str:
    first, second = plane.names
    return words.PAIR.format(first=first, second=second, d=plane.box.d) if plane.box.d > 3 else ""


def _line(tree: Tree, box: Box, masses: Floats, hover: dict[str, Any]) -> dict[str, Any]:
    """d = 1: released mass per bin of the declared range, each cell spread evenly; the leaf cells under it."""
    heights = shapes.binned(tree, masses, BINS)
    look = {"color": style.BLUE, "line": {"width": 0}}
    bars = shapes.histogram(box, heights, marker=look, name=words.CELLS, hovertemplate="%{y:.4~g}<extra></extra>")
    upper = style.axis(words.MEASURE_Y.format(bins=BINS), rangemode="tozero")
    panels = shapes.two_panels(box, upper, style.axis(words.DEPTH, nticks=4))
    return {"traces": [bars, shapes.depth_strip(tree, box, hover)], **panels}


def _cells(tree: Tree, box: Box, masses: Floats, hover: dict[str, Any], axes: tuple[int, int]) -> dict[str, Any]:
    if box.d > 3:
        return _marginal(tree, Plane(box, *axes), masses)
    traces, layout, note = map_cells(tree, Plane(box), masses, hover, "density")
    layout["coloraxis"]["colorbar"] |= style.LOWEST
    return {"traces": traces, "note": note, **style.MAP, **layout, "showlegend": False}


def _marginal(tree: Tree, plane: Plane, masses: Floats) -> dict[str, Any]:
    """d > 3: density of the pair of axes, all other axes added up, each cell's mass spread evenly inside it."""
    pixels = shapes.marginal(tree.leaf_lower, tree.leaf_upper, masses, plane, MARGINAL_PIXELS)
    with np.errstate(divide="ignore"):
        logs = np.log2(pixels * MARGINAL_PIXELS**2)
    low, high = shapes.density_scale(logs.ravel(), pixels.ravel())
    step = plane.box.width[[plane.first, plane.second]] / MARGINAL_PIXELS
    first, second = plane.names
    heat = {
        "type": "heatmap",
        "z": shapes.whole(np.round(np.clip(logs, low, high) * shapes.OCTAVE)),
        "x0": plane.box.low[plane.first] + step[0] / 2,
        "dx": step[0],
        "y0": plane.box.low[plane.second] + step[1] / 2,
        "dy": step[1],
        "coloraxis": "coloraxis",
        "hovertemplate": f"{first} %{{x:.4~g}}<br>{second} %{{y:.4~g}}<br>{words.RASTER_HOVER}<extra></extra>",
    }
    scale = {
        "colorscale": style.CIVIDIS,
        "cmin": low * shapes.OCTAVE,
        "cmax": high * shapes.OCTAVE,
        "colorbar": shapes.density_bar(low, high, shapes.OCTAVE, **style.LOWEST),
    }
    note = words.MARGINAL.format(first=first, second=second, d=plane.box.d)
    return {"traces": [heat], "note": note, **style.MAP, "coloraxis": scale, **plane.layout()}


def _atoms(released: DiscreteMeasure, box: Box, axes: tuple[int, int]) -> dict[str, Any]:
    """Atoms with mass, area (or brightness in space) by mass; the heaviest if they are too many to draw."""
    points, masses = np.asarray(released.points, dtype=np.float64), np.asarray(released.masses, dtype=np.float64)
    heavy = np.argsort(-masses, kind="stable")[:MAX_ATOMS]
    heavy = heavy[masses[heavy] > 0]
    positive = int((masses > 0).sum())
    note = ""
    if len(heavy) < positive:
        note = words.SOME_ATOMS.format(drawn=number(len(heavy)), total=number(positive))
    unit, mass = (points[heavy] - box.low) / box.width, masses[heavy]
    data, template = shapes.customdata({words.MASS: mass})
    common = {"name": words.ATOMS, "customdata": data, "hovertemplate": template, "hoverinfo": None}
    area = np.sqrt(mass / mass.max(initial=1e-300))
    if box.d == 1:
        return {"note": note, **_stems(unit, mass, box, common)}
    if box.d == 3:
        trace = shapes.point_trace_3d(unit, box, style.RELEASE, words.ATOMS)
        size = shapes.small(3.0 + 15.0 * area)
        marker = {"color": style.BLUE, "size": size, "sizemode": "diameter", "opacity": 0.8, "line": {"width": 0}}
        return {
            "traces": [trace | common | {"marker": marker}],
            "note": note,
            "height": style.MAP_HEIGHT,
            **shapes.scene(box),
        }
    plane = Plane(box, *axes)
    x, y = plane.place(unit)
    size = shapes.small(2.0 + 16.0 * area)
    marker = {"color": style.BLUE, "size": size, "opacity": 0.75, "line": {"width": 0}}
    trace = {"type": "scatter", "mode": "markers", "x": x, "y": y, "marker": marker, **common}
    return {"traces": [trace], "note": [_pair(plane), note], "showlegend": True, **style.MAP, **plane.layout()}


def _stems(unit: Floats, mass: Floats, box: Box, common: dict[str, Any]) -> dict[str, Any]:
    x = shapes.on_axis(box, 0, unit[:, 0])
    gap = np.full(len(x), np.nan)
    stems = {
        "type": "scatter",
        "mode": "lines",
        "x": np.column_stack([x, x, gap]).ravel(),
        "y": shapes.small(np.column_stack([np.zeros(len(x)), mass, gap]).ravel()),
        "line": {"color": style.BLUE, "width": 1.2},
        "hoverinfo": "skip",
        "showlegend": False,
    }
    marker = {"color": style.BLUE, "size": 6}
    heads = {"type": "scatter", "mode": "markers", "x": x, "y": shapes.small(mass), "marker": marker, **common}
    layout = {
        "xaxis": style.axis(style.literal(box.columns[0]), range=[box.low[0], box.high[0]], showgrid=False),
        "yaxis": style.axis(words.ATOM_Y, rangemode="tozero"),
    }
    return {"traces": [stems, heads | {"name": words.STEMS}], "showlegend": True, **layout}


def _sample_line(unit: Floats, box: Box) -> dict[str, Any]:
    """d = 1: a histogram of the sampled points over the declared range."""
    counts = np.histogram(unit[:, 0], bins=BINS, range=(0.0, 1.0))[0]
    look = {"color": style.BLUE, "line": {"width": 0}}
    layout = {
        "xaxis": style.axis(style.literal(box.columns[0]), range=[box.low[0], box.high[0]], showgrid=False),
        "yaxis": style.axis(words.SAMPLE_Y.format(bins=BINS), rangemode="tozero"),
        "bargap": 0,
    }
    bars = shapes.histogram(box, counts, marker=look, name=words.SAMPLE)
    return {"traces": [bars], "showlegend": True, "height": style.HEIGHT, **layout}
