"""The transport plan behind W1, and where on the map the error comes from. All private."""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
import pandas as pd

from dashboard import palette
from dashboard.figures import shapes, style
from dashboard.figures.shapes import Plane
from dashboard.figures.style import Drawing, number
from dashboard.text import figures as words
from privcore.arrays import Floats, Ints
from privcore.domain import Box
from privcore.measure import DiscreteMeasure
from privcore.transport import Plan
from privcore.tree import Tree

Places: TypeAlias = tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]
"""Two coordinates of each point."""

MAX_ARROWS = 400
LOOKS = [(style.GREY, 1.0), (palette.token("sky"), 1.5), (style.GREEN, 2.0), (style.PINK, 2.5), (style.ORANGE, 3.0)]
"""Colour and width of the arrows by fifths of the longest distance drawn."""


def work(plan: Plan, points: Floats, atoms: Floats) -> tuple[Floats, Floats]:
    """Distance and work (mass times distance) of every piece of a plan; the work adds up to the plan's cost.

    >>> plan = Plan(np.array([0]), np.array([0]), np.array([0.5]))
    >>> work(plan, np.array([[0.0]]), np.array([[0.5]]))
    (array([0.5]), array([0.25]))
    """
    distance = np.linalg.norm(points[plan.source] - atoms[plan.target], axis=1)
    return distance, distance * plan.mass


def arrows(
    plan: Plan, unit: Floats, released: DiscreteMeasure, box: Box, w1: float, *, axes: tuple[int, int] = (0, 1)
) -> Drawing:
    """How mass moves from data to release in an optimal plan, the pieces with the most work first; private.

    `unit` (n, d) are the records in the unit cube, `w1` the cost of the plan there. Lines run from a record to an
    atom and are coloured by their length: in one dimension from the data's line to the release's, in three and more on
    the pair `axes`.
    """
    atoms = (np.asarray(released.points) - box.low) / box.width
    distance, cost = work(plan, unit, atoms)
    order = np.argsort(-cost, kind="stable")
    order = order[cost[order] > 0]
    rows = order[:MAX_ARROWS]
    share = float(cost[rows].sum() / cost.sum()) if len(rows) else 0.0
    start, end = unit[plan.source[rows]], atoms[plan.target[rows]]
    if box.d == 1:
        drawn = _line(start, end, distance[rows], box)
    else:
        drawn = _plane(start, end, distance[rows], Plane(box, *axes))
    facts = {"drawn": number(len(rows)), "total": number(len(order)), "share": number(100 * share)}
    notes = [(words.ARROWS_NOTE if len(rows) < len(order) else words.ARROWS_NOTE_ALL).format(**facts)]
    if (box.width != 1).any():
        notes.append(words.ARROWS_UNIT)
    if box.d > 2:
        first, second = Plane(box, *axes).names
        notes.append(words.PAIR.format(first=first, second=second, d=box.d))
    longest = number(distance[rows].max(initial=0.0))
    alt = words.ARROWS_ALT.format(w1=number(w1), longest=longest, **facts)
    table = _table(box, start, end, plan.mass[rows], distance[rows], cost[rows])
    return Drawing(style.figure(badge=style.banner(), title=words.ARROWS_TITLE, note=notes, **drawn), alt, table)


def _table(box: Box, start: Floats, end: Floats, mass: Floats, distance: Floats, cost: Floats) -> pd.DataFrame:
    columns: dict[str, Any] = {}
    for axis, name in enumerate(box.columns):
        columns[words.FROM.format(axis=name)] = box.low[axis] + start[:, axis] * box.width[axis]
        columns[words.TO.format(axis=name)] = box.low[axis] + end[:, axis] * box.width[axis]
    return pd.DataFrame(columns | dict(zip(words.ARROW_COLUMNS, (mass, distance, cost), strict=True)))


def _steps(distance: Floats) -> list[tuple[Ints, dict[str, Any], str]]:
    """The rows of each fifth of the longest distance, its line and its name."""
    longest = float(distance.max(initial=0.0)) or 1.0
    fifth = np.minimum((distance / longest * len(LOOKS)).astype(np.int64), len(LOOKS) - 1)
    found = []
    for k, (colour, width) in enumerate(LOOKS):
        rows = np.flatnonzero(fifth == k)
        low, high = longest * k / len(LOOKS), longest * (k + 1) / len(LOOKS)
        name = words.ARROW_STEP.format(low=f"{low:.2g}", high=f"{high:.2g}")
        if len(rows):
            found.append((rows, {"color": colour, "width": width, "dash": "dash"}, name))
    return found


def _broken(*places: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """Polylines through the places of each row, with a gap after each."""
    return np.column_stack([*places, np.full(len(places[0]), np.nan, dtype=places[0].dtype)]).ravel()


def _plane(start: Floats, end: Floats, distance: Floats, plane: Plane) -> dict[str, Any]:
    traces = _arrows(plane.place(start), plane.place(end), distance)
    return {"traces": traces, "height": style.MAP_HEIGHT, "showlegend": True, **plane.layout()}


def _arrows(start: Places, end: Places, distance: Floats) -> list[dict[str, Any]]:
    """Lines from start to end in five colours by length, and the marks at their ends."""
    traces: list[dict[str, Any]] = []
    for rows, line, name in _steps(distance):
        x, y = (_broken(a[rows], b[rows]) for a, b in zip(start, end, strict=True))
        look = {"line": line, "name": name, "hoverinfo": "skip"}
        traces.append({"type": "scatter", "mode": "lines", "x": x, "y": y, **look})
    return [
        *traces,
        _ends(*start, style.PRIVATE.colour, "circle-open", words.ARROW_FROM, distance),
        _ends(*end, style.BLUE, "circle", words.ARROW_TO, distance),
    ]


def _ends(x: Any, y: Any, colour: str, symbol: str, name: str, distance: Floats) -> dict[str, Any]:
    marker = {"color": colour, "symbol": symbol, "size": 5, "line": {"width": 1.2}}
    hover = {"customdata": shapes.small(distance), "hovertemplate": words.ARROW_HOVER.format(name=name)}
    return {"type": "scatter", "mode": "markers", "x": x, "y": y, "marker": marker, "name": name, **hover}


def _line(start: Floats, end: Floats, distance: Floats, box: Box) -> dict[str, Any]:
    x0, x1 = shapes.on_axis(box, 0, start[:, 0]), shapes.on_axis(box, 0, end[:, 0])
    traces = _arrows((x0, np.ones_like(x0)), (x1, np.zeros_like(x1)), distance)
    rails = {"range": [-0.15, 1.15], "tickvals": [0, 1], "ticktext": [words.ARROW_TO, words.ARROW_FROM]}
    layout = {
        "xaxis": style.axis(style.literal(box.columns[0]), range=[box.low[0], box.high[0]], showgrid=False),
        "yaxis": style.axis("", showgrid=False, zeroline=False, **rails),
    }
    return {"traces": traces, "height": style.HEIGHT, "showlegend": True, **layout}


def error_by_leaf(plan: Plan, unit: Floats, released: DiscreteMeasure, box: Box) -> Floats:
    """The work that ends in each leaf, shape (leaves,): it adds up to the plan's cost."""
    atoms = (np.asarray(released.points) - box.low) / box.width
    _, cost = work(plan, unit, atoms)
    return np.bincount(released.leaf[plan.target], cost, minlength=len(released.cell_lower))


def error_map(
    plan: Plan, unit: Floats, released: DiscreteMeasure, tree: Tree, box: Box, *, axes: tuple[int, int] = (0, 1)
) -> Drawing:
    """The part of W1 that ends in each leaf, in its place: bars (d = 1), a map (d = 2), centres on a pair; private."""
    error = error_by_leaf(plan, unit, released, box)
    total = float(error.sum())
    percent = 100.0 * error / total if total > 0 else error
    columns = {words.MASS: np.asarray(released.leaf_masses), words.ERROR: error, words.ERROR_SHARE: percent}
    hover = {words.DEPTH: tree.leaf_depth, **columns}
    if box.d == 1:
        drawn = _error_line(tree, box, percent, hover)
    else:
        plane = Plane(box, *axes)
        drawn = _error_cells(tree, plane, percent, hover) if box.d == 2 else _error_centres(tree, plane, percent, hover)
        bar = style.colour_bar(drawn.pop("bar", words.ERROR_BAR), **style.LOWEST)
        scale = {"colorscale": style.CIVIDIS, "cmin": 0.0, "colorbar": bar}
        drawn |= {"coloraxis": scale} | plane.layout() | style.MAP
    worst = np.sort(error)[::-1]
    tenth = max(1, len(error) // 10)
    facts = {"share": number(100 * worst[:tenth].sum() / total if total > 0 else 0.0), "leaves": number(tenth)}
    note = words.ERROR_NOTE if tenth > 1 else words.ERROR_NOTE_ONE
    notes = [note.format(**facts), drawn.pop("note", "")]
    alt = words.ERROR_ALT.format(
        w1=number(total), all=number(len(error)), worst=number(percent.max(initial=0.0)), **facts
    )
    figure = style.figure(badge=style.banner(), title=words.ERROR_TITLE, note=notes, **drawn)
    return Drawing(figure, alt, shapes.leaf_table(tree, box, **columns))


def _error_line(tree: Tree, box: Box, percent: Floats, hover: dict[str, Any]) -> dict[str, Any]:
    marker = {"color": style.ORANGE, "line": {"color": style.INK, "width": 0.5}}
    bars = shapes.leaf_bars(tree, box, percent, hover, marker, words.LEAVES)
    xaxis = style.axis(style.literal(box.columns[0]), range=[box.low[0], box.high[0]], showgrid=False)
    return {"traces": [bars], "xaxis": xaxis, "yaxis": style.axis(words.ERROR_BAR), "bargap": 0}


def _error_cells(tree: Tree, plane: Plane, percent: Floats, hover: dict[str, Any]) -> dict[str, Any]:
    if len(tree.leaves) <= shapes.MAX_BARS:
        bars = shapes.cell_bars(tree, plane, percent, hover, style.CELL_LINE, name=words.LEAVES, showlegend=False)
        return {"traces": [bars], "bargap": 0}
    levels = np.round(100.0 * percent).astype(np.int64)
    raster = shapes.cell_raster(tree, plane, levels, words.RASTER_ERROR_HOVER)
    note = words.RASTER_ERROR_NOTE.format(total=number(len(percent)))
    return {"traces": [raster], "note": note, "bar": words.RASTER_ERROR_BAR}


def _error_centres(tree: Tree, plane: Plane, percent: Floats, hover: dict[str, Any]) -> dict[str, Any]:
    rows = np.sort(np.argsort(-percent, kind="stable")[: shapes.SVG_POINTS])
    x, y = plane.place(tree.representatives[rows])
    data, template = shapes.customdata({name: values[rows] for name, values in hover.items()})
    marker = {"color": shapes.small(percent[rows]), "coloraxis": "coloraxis", "size": 9}
    marker["line"] = {"color": style.GREY, "width": 1}
    trace = {"type": "scatter", "mode": "markers", "x": x, "y": y, "marker": marker, "showlegend": False}
    trace |= {"customdata": data, "hovertemplate": template, "name": words.CENTRES}
    first, second = plane.names
    return {"traces": [trace], "note": words.CENTRES_NOTE.format(first=first, second=second, d=plane.box.d)}
