"""The leaf noise: true against released counts, the law, the projection, and where the noise fell."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from dashboard.figures import shapes, style
from dashboard.figures.shapes import Plane
from dashboard.figures.style import Drawing, number
from dashboard.palette import fade
from dashboard.text import figures as words
from privcore.arrays import Bools, Floats, Ints
from privcore.domain import Box
from privcore.tree import Tree

MAX_MARKS = 2500
MAX_RANKS = 1000


def law(a: float, b: float, low: int, high: int) -> Floats:
    """P(Z = k) for k = low, ..., high, where Z = G(a) - G(b) and P(G(r) = j) is proportional to e^(-r j).

    P(Z = k) = (1 - p)(1 - q) / (1 - p q) times p^k for k >= 0 and q^-k for k < 0, with p = e^-a, q = e^-b.

    >>> law(1.0, 2.0, -60, 60).sum().round(12)
    np.float64(1.0)
    """
    k = np.arange(low, high + 1)
    constant = np.expm1(-a) * np.expm1(-b) / -np.expm1(-a - b)
    return np.asarray(constant * np.exp(np.where(k >= 0, -a * k, b * k)), dtype=np.float64)


def law_moments(a: float, b: float) -> tuple[float, float]:
    """Mean and standard deviation of Z = G(a) - G(b).

    >>> law_moments(0.5, 0.5)[0]
    0.0
    """
    mean = 1.0 / np.expm1(a) - 1.0 / np.expm1(b)
    variance = 1.0 / (4.0 * np.sinh(a / 2.0) ** 2) + 1.0 / (4.0 * np.sinh(b / 2.0) ** 2)
    return float(mean), float(np.sqrt(variance))


def leaf_scatter(
    true_counts: Ints, released_counts: Floats, depth: Ints | None = None, marked: Bools | None = None
) -> Drawing:
    """True against released count of each leaf (leaves,), with the diagonal of no noise; private.

    `marked` (leaves,) are leaves to be picked out.
    """
    noise = released_counts - true_counts
    rows = _spread_by(true_counts, MAX_MARKS)
    negative = released_counts[rows] < 0
    columns = {words.DEPTH: depth, words.TRUE_COUNT: true_counts, words.RELEASED_COUNT: released_counts}
    columns[words.NOISE] = noise
    hover = {words.NOISE: noise[rows], words.DEPTH: None if depth is None else depth[rows]}
    data, template = shapes.customdata(hover)
    template = words.SCATTER_HOVER + template
    high = max(shapes.robust_top(true_counts), 1.0)
    top = max(high, shapes.robust_top(released_counts))
    low = min(float(released_counts.min(initial=0.0)), 0.0)
    groups = [(~negative, "circle-open", words.SCATTER_LEAVES), (negative, "x-thin-open", words.SCATTER_NEGATIVE)]
    traces: list[dict[str, Any]] = [
        {
            "type": "scatter",
            "mode": "lines",
            "x": [0, top],
            "y": [0, top],
            "line": {"color": style.GREY, "width": 1.5},
            "name": words.SCATTER_DIAGONAL,
            "hoverinfo": "skip",
        }
    ]
    for mask, symbol, name in groups:
        if not mask.any():
            continue
        marker = {"color": style.PRIVATE.colour, "size": 7, "symbol": symbol, "line": {"width": 1.2}}
        place = {"x": shapes.small(true_counts[rows][mask]), "y": shapes.small(released_counts[rows][mask])}
        hover = {"customdata": data[mask], "hovertemplate": template}
        traces.append({"type": "scatter", "mode": "markers", "name": name, "marker": marker, **place, **hover})
    if marked is not None and marked.any():
        traces.append(_marked(true_counts[marked], released_counts[marked]))
    beyond = int(((true_counts > high) | (released_counts > top)).sum())
    notes = [_some_leaves(len(rows), len(noise)), _beyond(beyond, float(true_counts.max(initial=0)))]
    room = 0.04 * (high - low + 1.0)
    layout = {
        "xaxis": style.axis(words.SCATTER_X, range=[-room, high + room]),
        "yaxis": style.axis(words.SCATTER_Y, range=[low - room, top + room]),
    }
    alt = words.SCATTER_ALT.format(
        leaves=number(len(noise)),
        mean=number(_mean(noise)),
        sd=number(noise.std() if len(noise) else 0.0),
        worst=number(np.abs(noise).max(initial=0.0)),
        negative=number((released_counts < 0).sum()),
    )
    table = pd.DataFrame({words.LEAF: np.arange(len(noise))} | {k: v for k, v in columns.items() if v is not None})
    return Drawing(style.figure(traces, style.banner(), words.SCATTER_TITLE, notes, **layout), alt, table)


def _marked(true_counts: Ints, released_counts: Floats) -> dict[str, Any]:
    """Filled diamonds over the leaves that the reader's box picks out."""
    rows = _spread_by(true_counts, MAX_MARKS)
    place = {"x": shapes.small(true_counts[rows]), "y": shapes.small(released_counts[rows])}
    marker = {"color": style.PINK, "size": 9, "symbol": "diamond", "line": {"width": 1, "color": style.INK}}
    hover = {"hovertemplate": words.SCATTER_HOVER + f"<extra>{words.MARKED}</extra>"}
    return {"type": "scatter", "mode": "markers", **place, "marker": marker, "name": words.MARKED, **hover}


def _some_leaves(drawn: int, total: int) -> str:
    return words.SOME_LEAVES.format(drawn=number(drawn), total=number(total)) if drawn < total else ""


def _beyond(leaves: int, largest: float) -> str:
    if not leaves:
        return ""
    template = words.BEYOND_ONE if leaves == 1 else words.BEYOND
    return template.format(leaves=number(leaves), largest=number(largest))


def _mean(values: Floats) -> float:
    return float(values.mean()) if len(values) else 0.0


def _spread_by(key: Any, most: int) -> Ints:
    """All rows, or `most` of them evenly spaced in the order of the key, both ends included."""
    return np.sort(np.argsort(key, kind="stable")[shapes.evenly(len(key), most)])


def noise_law(leaf_noise: Floats, a: float, b: float) -> Drawing:
    """Histogram of the leaf noise (leaves,) over the exact law it was drawn from; private.

    A bar is one record wide, or a fifth of the law's standard deviation where that is more; the table has every record.
    `a` and `b` are the rates of the upward and the downward geometric part; the noise already has its mean subtracted.
    """
    mean, sd = law_moments(a, b)
    whole = np.round(leaf_noise + mean).astype(np.int64)
    low = min(int(whole.min(initial=0)), int(np.floor(-3.0 * sd)))
    high = max(int(whole.max(initial=0)), int(np.ceil(3.0 * sd)))
    step = max(1, round(sd / 5.0))
    high += -(high - low + 1) % step  # whole bars
    seen = np.bincount(whole - low, minlength=high - low + 1)
    share, expected = seen / max(len(whole), 1), law(a, b, low, high)
    x = np.arange(low, high + 1) - mean
    middle, seen_in_bar, share_in_bar, expected_in_bar = (
        values.reshape(-1, step) for values in (x, seen, share, expected)
    )
    bars = {
        "type": "bar",
        "x": shapes.small(middle.mean(axis=1)),
        "y": shapes.small(share_in_bar.sum(axis=1)),
        "width": 0.85 * step,
        "name": words.LAW_SEEN,
        "marker": {"color": fade(style.ORANGE, 25), "line": {"color": style.PRIVATE.colour, "width": 1.5}},
        "customdata": seen_in_bar.sum(axis=1).astype(np.float32),
        "hovertemplate": words.LAW_HOVER,
    }
    exact = {
        "type": "scatter",
        "mode": "lines+markers",
        "x": shapes.small(middle.mean(axis=1)),
        "y": shapes.small(expected_in_bar.sum(axis=1)),
        "name": words.LAW_EXACT,
        "line": {"color": style.BLUE, "width": 2},
        "marker": {"size": 5},
        "hovertemplate": words.LAW_EXACT_HOVER,
    }
    note = words.LAW_NOTE.format(a=number(a), b=number(b), mean=number(mean))
    if a == b:
        note = words.LAW_NOTE_SYMMETRIC.format(a=number(a))
    layout = {
        "xaxis": style.axis(words.LAW_X),
        "yaxis": style.axis(words.LAW_Y if step == 1 else words.LAW_Y_BARS.format(step=step), rangemode="tozero"),
        "bargap": 0,
    }
    alt = words.LAW_ALT.format(
        leaves=number(len(whole)),
        a=number(a),
        b=number(b),
        mean=number(mean),
        seen=number(leaf_noise.std() if len(whole) else 0.0),
        sd=number(sd),
    )
    table = pd.DataFrame(dict(zip(words.LAW_COLUMNS, (x, seen, share, expected), strict=True)))
    return Drawing(style.figure([bars, exact], style.banner(), words.LAW_TITLE, note, **layout), alt, table)


def projection(
    noisy_masses: Floats, masses: Floats, method: str, *, epsilon: float | None = None, simulated: bool = False
) -> Drawing:
    """Leaf masses (leaves,) before and after the projection, sorted by the noisy mass, negatives marked.

    Both are functions of the release alone, so this figure is not private.
    """
    order = np.argsort(noisy_masses, kind="stable")
    before, after = noisy_masses[order], masses[order]
    rank = np.arange(1, len(order) + 1)
    rows = shapes.evenly(len(order), MAX_RANKS)
    negative = rows[before[rows] < 0]
    line = {"type": "scatter", "x": shapes.small(rank[rows])}
    traces: list[dict[str, Any]] = [
        {
            **line,
            "mode": "lines",
            "y": shapes.small(before[rows]),
            "name": words.PROJECTION_BEFORE,
            "line": {"color": fade(style.GREY, 45), "width": 8},
            "hovertemplate": words.PROJECTION_HOVER.format(what=words.PROJECTION_BEFORE),
        },
        {
            **line,
            "mode": "markers",
            "y": shapes.small(after[rows]),
            "name": words.PROJECTION_AFTER.format(method=method),
            "marker": {"color": style.BLUE, "size": 4},
            "hovertemplate": words.PROJECTION_HOVER.format(what=words.PROJECTION_AFTER.format(method=method)),
        },
    ]
    if len(negative):
        marker = {"color": style.PINK, "size": 8, "symbol": "x"}
        place = {"x": shapes.small(rank[negative]), "y": shapes.small(before[negative])}
        hover = {"hovertemplate": words.PROJECTION_HOVER.format(what=words.PROJECTION_NEGATIVE)}
        name = words.PROJECTION_NEGATIVE
        traces.append({"type": "scatter", "mode": "markers", **place, "marker": marker, "name": name, **hover})
    below = before[before < 0]
    notes = [
        words.PROJECTION_NOTE.format(
            negative=number(len(below)), leaves=number(len(before)), removed=number(max(0.0, float(-below.sum())))
        )
    ]
    top, low = shapes.robust_top(np.maximum(before, after)), float(min(before.min(initial=0.0), 0.0))
    notes.append(_some_leaves(len(rows), len(before)))
    notes.append(_beyond(int((np.maximum(before, after) > top).sum()), float(before.max(initial=0.0))))
    room = 0.05 * (top - low) or 1.0
    layout = {
        "xaxis": style.axis(words.PROJECTION_X),
        "yaxis": style.axis(words.PROJECTION_Y, range=[low - room, top + room]),
    }
    alt = words.PROJECTION_ALT.format(
        leaves=number(len(before)),
        method=method,
        negative=number(len(below)),
        below=number(max(0.0, float(-below.sum()))),
        sum_before=number(before.sum(), 4),
        least=number(after.min() if len(after) else 0.0),
        sum_after=number(after.sum(), 4),
    )
    columns = (noisy_masses, masses, masses - noisy_masses)
    table = pd.DataFrame(
        {words.LEAF: np.arange(len(before))} | dict(zip(words.PROJECTION_COLUMNS, columns, strict=True))
    )
    badge = style.label(epsilon, simulated)
    return Drawing(style.figure(traces, badge, words.PROJECTION_TITLE, notes, **layout), alt, table)


def noise_map(
    tree: Tree, box: Box, true_counts: Ints, released_counts: Floats, *, axes: tuple[int, int] = (0, 1)
) -> Drawing:
    """The noise of each leaf in its place: bars (d = 1), a map (d = 2), leaf centres on a pair of axes; private."""
    noise = released_counts - true_counts
    columns = {words.TRUE_COUNT: true_counts, words.RELEASED_COUNT: released_counts, words.NOISE: noise}
    hover = {words.DEPTH: tree.leaf_depth, **columns}
    reach = max(float(np.abs(noise).max(initial=0.0)), 1.0)
    if box.d == 1:
        drawn = _noise_line(tree, box, noise, hover)
    else:
        scale = {"colorscale": style.DIVERGING, "cmin": -reach, "cmax": reach}
        colours = {"coloraxis": scale | {"colorbar": style.colour_bar(words.NOISE_BAR, **style.LOWEST)}}
        plane = Plane(box, *axes)
        drawn = _noise_cells(tree, plane, noise, hover) if box.d == 2 else _noise_centres(tree, plane, noise, hover)
        drawn |= colours | plane.layout() | style.MAP
    alt = words.NOISE_MAP_ALT.format(
        leaves=number(len(noise)),
        axes=style.axes_text(box.columns),
        low=number(noise.min(initial=0.0)),
        high=number(noise.max(initial=0.0)),
        sd=number(noise.std() if len(noise) else 0.0),
    )
    figure = style.figure(badge=style.banner(), title=words.NOISE_MAP_TITLE, **drawn)
    return Drawing(figure, alt, shapes.leaf_table(tree, box, **columns))


def _noise_line(tree: Tree, box: Box, noise: Floats, hover: dict[str, Any]) -> dict[str, Any]:
    marker = {"color": fade(style.ORANGE, 25), "line": {"color": style.PRIVATE.colour, "width": 1}}
    bars = shapes.leaf_bars(tree, box, noise, hover, marker, words.NOISE_OF_LEAF)
    xaxis = style.axis(style.literal(box.columns[0]), range=[box.low[0], box.high[0]], showgrid=False)
    return {"traces": [bars], "xaxis": xaxis, "yaxis": style.axis(words.LAW_X), "bargap": 0, "showlegend": True}


def _noise_cells(tree: Tree, plane: Plane, noise: Floats, hover: dict[str, Any]) -> dict[str, Any]:
    if len(tree.leaves) <= shapes.MAX_BARS:
        bars = shapes.cell_bars(tree, plane, noise, hover, style.GREY, name=words.LEAVES, showlegend=False)
        return {"traces": [bars], "bargap": 0}
    raster = shapes.cell_raster(tree, plane, np.round(noise).astype(np.int64), words.RASTER_NOISE_HOVER)
    outlines = shapes.outline_path(tree, plane, style.GREY)
    note = words.RASTER_NOISE_NOTE.format(total=number(len(noise)))
    return {"traces": [raster], "shapes": outlines, "note": note}


def _noise_centres(tree: Tree, plane: Plane, noise: Floats, hover: dict[str, Any]) -> dict[str, Any]:
    rows = _spread_by(noise, MAX_MARKS)
    x, y = plane.place(tree.representatives[rows])
    data, template = shapes.customdata({name: values[rows] for name, values in hover.items()})
    marker = {"color": shapes.small(noise[rows]), "coloraxis": "coloraxis", "size": 9}
    marker["line"] = {"color": style.GREY, "width": 1}
    trace = {"type": "scatter", "mode": "markers", "x": x, "y": y, "marker": marker}
    trace |= {"customdata": data, "hovertemplate": template, "name": words.CENTRES, "showlegend": False}
    first, second = plane.names
    notes = [words.CENTRES_NOTE.format(first=first, second=second, d=plane.box.d)]
    notes.append(_some_leaves(len(rows), len(noise)))
    return {"traces": [trace], "note": notes}
