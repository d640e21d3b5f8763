"""The tree itself: an icicle, and count against depth with the threshold that a cell had to pass."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from dashboard.figures import shapes, style
from dashboard.figures.style import Drawing, number
from dashboard.palette import fade
from dashboard.text import figures as words
from privcore.arrays import Bools, Floats, Ints
from privcore.tree import Tree

MAX_NODES = 600
MAX_MARKS = 2500


def sums(tree: Tree, leaf_values: Any) -> Floats:
    """The sum of a leaf array (leaves,) below every node, shape (nodes,).

    >>> sums(Tree.from_splits([True, False, False], d=1), [2.0, 3.0])
    array([5., 2., 3.])
    """
    total = np.zeros(len(tree))
    total[tree.leaves] = leaf_values
    deepest = int(tree.depth.max())
    bounds = np.searchsorted(tree.depth, np.arange(deepest + 2))  # nodes come breadth first
    for depth in range(deepest, 0, -1):
        level = slice(bounds[depth], bounds[depth + 1])
        np.add.at(total, tree.parent[level], total[level])
    return total


def icicle(
    tree: Tree,
    leaf_counts: Any,
    *,
    private: bool,
    epsilon: float | None = None,
    simulated: bool = False,
    most: int = MAX_NODES,
    marked: Bools | None = None,
) -> Drawing:
    """The tree, root on top, a cell as wide as it has leaves below it and coloured by its count.

    `leaf_counts` (leaves,) are true counts (`private=True`) or released ones; `marked` (leaves,) picks leaves out.
    Whole levels are drawn from the root down, as long as they come to at most `most` cells; the figure says where it
    stopped.
    """
    count, leaves = sums(tree, leaf_counts), sums(tree, np.ones(len(tree.leaves)))
    width = np.where(tree.left < 0, 1.0, ends_below(tree))
    left = left_edges(tree, width)
    size = np.bincount(tree.depth)
    deepest = max(int(np.searchsorted(np.cumsum(size), most, side="right")) - 1, 0)
    shown = np.flatnonzero(tree.depth <= deepest)
    logs = np.log10(1.0 + np.maximum(count, 0.0))
    is_leaf = (tree.left < 0) & tree.active
    hover = {words.DEPTH: tree.depth, words.LEAVES_BELOW: leaves}
    hover[words.TRUE_COUNT if private else words.RELEASED_COUNT] = count
    data, template = shapes.customdata({name: values[shown] for name, values in hover.items()})
    bars = {
        "type": "bar",
        "x": shapes.small(left[shown] + width[shown] / 2),
        "width": shapes.small(width[shown]),
        "base": shapes.small(tree.depth[shown]),
        "y": np.where(is_leaf[shown], 0.75, 1.0).astype(np.float32),
        "marker": {"color": shapes.small(logs[shown]), "coloraxis": "coloraxis", "line": _edge(len(shown))},
        "customdata": data,
        "hovertemplate": template,
        "showlegend": False,
    }
    ticks = [t for t in (0, 1, 3, 10, 30, 100, 300, 1e3, 1e4, 1e5, 1e6, 1e7) if np.log10(1 + t) <= max(logs.max(), 1)]
    bar = style.colour_bar(words.COUNT_BAR, tickvals=[float(np.log10(1 + t)) for t in ticks], **style.LOWEST)
    bar["ticktext"] = [number(t) for t in ticks]
    cut = len(shown) < len(tree)
    note = words.SOME_NODES.format(depth=deepest, drawn=number(len(shown)), total=number(len(tree)))
    layout = {
        "coloraxis": {"colorscale": style.CIVIDIS, "cmin": 0.0, "cmax": max(float(logs.max()), 1.0), "colorbar": bar},
        "xaxis": style.axis(words.ICICLE_X, showticklabels=False, ticks="", showgrid=False, range=[0, width[0]]),
        "yaxis": style.axis(words.ICICLE_Y, range=[deepest + 1, 0], showgrid=False, zeroline=False),
        "bargap": 0,
        "barmode": "overlay",
        "foot": style.FOOT,
    }
    badge = style.banner() if private else style.label(epsilon, simulated)
    alt = words.ICICLE_ALT.format(
        privacy=words.ICICLE_PRIVATE if private else words.ICICLE_RELEASE,
        nodes=number(len(tree)),
        leaves=number(len(tree.leaves)),
        deep=number(tree.depth.max()),
        root=number(count[0]),
        note=f"; {note}" if cut else "",
    )
    traces = [bars] if marked is None else [bars, *_marked(tree, left, width, tree.leaves[marked], deepest)]
    figure = style.figure(traces, badge, words.ICICLE_TITLE, note if cut else "", **layout)
    columns = dict(
        zip(words.ICICLE_COLUMNS, (tree.depth, tree.parent, leaves.astype(np.int64), is_leaf, count), strict=True)
    )
    return Drawing(figure, alt, pd.DataFrame(columns))


def _marked(tree: Tree, left: Floats, width: Floats, leaves: Ints, deepest: int) -> list[dict[str, Any]]:
    """A thick frame around the leaves that the reader's box picks out, those too deep to be drawn left out."""
    shown = leaves[tree.depth[leaves] <= deepest]
    if not len(shown):
        return []
    place = {"x": shapes.small(left[shown] + width[shown] / 2), "width": shapes.small(width[shown])}
    height = {"base": shapes.small(tree.depth[shown]), "y": np.full(len(shown), 0.75, dtype=np.float32)}
    marker = {"color": fade(style.PINK, 35), "line": {"color": style.PINK, "width": 2}}
    look = {"marker": marker, "name": words.MARKED, "showlegend": True, "hoverinfo": "skip"}
    return [{"type": "bar", **place, **height, **look}]


def _edge(cells: int) -> dict[str, Any]:
    return {"color": style.GREY, "width": 1.0 if cells < 200 else 0.4}


def ends_below(tree: Tree) -> Floats:
    """Ends of the tree below every node, publicly empty ones too, so that no cell has width 0."""
    total = (tree.left < 0).astype(np.float64)
    bounds = np.searchsorted(tree.depth, np.arange(int(tree.depth.max()) + 2))
    for depth in range(int(tree.depth.max()), 0, -1):
        level = slice(bounds[depth], bounds[depth + 1])
        np.add.at(total, tree.parent[level], total[level])
    return total


def left_edges(tree: Tree, width: Floats) -> Floats:
    """The left edge of every node: the lower child begins where its parent does, the upper one after its sister."""
    left = np.zeros(len(tree))
    bounds = np.searchsorted(tree.depth, np.arange(int(tree.depth.max()) + 2))
    for depth in range(1, int(tree.depth.max()) + 1):
        level = np.arange(bounds[depth], bounds[depth + 1])
        parent = tree.parent[level]
        upper = level != tree.left[parent]
        left[level] = left[parent] + np.where(upper, width[tree.left[parent]], 0.0)
    return left


def levels(tree: Tree, count: Ints, noise: Floats, split: Any, theta: float, delta: float) -> Drawing:
    """True count against depth of every cell that was asked, with the line theta + depth delta; private.

    `count`, `noise` (NaN where no decision was made), `split` (nodes,) are those of `Simulation.visits`; theta and
    delta are in records. A cell above the line splits more often than not; one below it only by noise.
    """
    asked = np.flatnonzero(~np.isnan(noise))
    threshold = theta + tree.depth * delta
    above = count > threshold
    outcome = np.where(split, np.where(above, words.LEVELS_SPLIT, words.LEVELS_LUCKY), words.LEVELS_LEAF)
    columns = (tree.depth[asked], count[asked], threshold[asked], noise[asked], outcome[asked])
    table = pd.DataFrame(dict(zip(words.LEVELS_COLUMNS, columns, strict=True)))
    rows = asked[np.sort(np.argsort(count[asked], kind="stable")[shapes.evenly(len(asked), MAX_MARKS)])]
    looks = [
        (words.LEVELS_LEAF, style.GREY, "square-open", -0.15),
        (words.LEVELS_SPLIT, style.BLUE, "circle-open", 0.0),
        (words.LEVELS_LUCKY, style.PRIVATE.colour, "triangle-up-open", 0.15),
    ]
    traces = []
    for name, *look in looks:
        total = np.count_nonzero(outcome[asked] == name)
        traces.append(_level_marks(tree, count, noise, rows[outcome[rows] == name], f"{name}: {number(total)}", *look))
    deepest = int(tree.depth.max())
    at = np.arange(deepest + 1)
    line = {"color": style.PRIVATE.colour, "dash": "dash", "width": 2.5}
    traces.append(
        {
            "type": "scatter",
            "mode": "lines",
            "x": at,
            "y": _log_count(np.maximum(theta + at * delta, 0.0)),
            "name": words.LEVELS_LINE,
            "line": line,
            "hoverinfo": "skip",
        }
    )
    top = max(float(count.max(initial=1)), 1.0)
    ticks = [t for t in (0, 1, 3, 10, 30, 100, 300, 1000, 3000, 10**4, 10**5, 10**6, 10**7) if t <= 2 * top]
    layout = {
        "xaxis": style.axis(words.LEVELS_X, range=[-0.5, deepest + 0.5]),
        "yaxis": style.axis(words.LEVELS_Y, tickvals=_log_count(ticks).tolist(), ticktext=[number(t) for t in ticks]),
    }
    note = words.SOME_CELLS.format(drawn=number(len(rows)), total=number(len(asked))) if len(rows) < len(asked) else ""
    alt = words.LEVELS_ALT.format(
        nodes=number(len(asked)),
        theta=number(theta),
        delta=number(delta),
        split=number(np.count_nonzero(split)),
        lucky=number(np.count_nonzero((outcome == words.LEVELS_LUCKY)[asked])),
    )
    return Drawing(style.figure(traces, style.banner(), words.LEVELS_TITLE, note, **layout), alt, table)


def _log_count(counts: Any) -> Any:
    """log10(1 + count): a scale that shows 0 and 100,000 on one page."""
    return np.log10(1.0 + np.asarray(counts, dtype=np.float64)).astype(np.float32)


def _level_marks(
    tree: Tree, count: Ints, noise: Floats, rows: Ints, name: str, colour: str, symbol: str, aside: float
) -> dict[str, Any]:
    hover = {words.DEPTH: tree.depth[rows], words.TRUE_COUNT: count[rows], words.NOISE: noise[rows]}
    data, template = shapes.customdata(hover)
    return {
        "type": "scatter",
        "mode": "markers",
        "x": (tree.depth[rows] + aside).astype(np.float32),
        "y": _log_count(count[rows]),
        "name": name,
        "marker": {"color": colour, "symbol": symbol, "size": 7, "line": {"width": 1.2}},
        "customdata": data,
        "hovertemplate": template,
    }
