"""The mechanism step by step: which cell was asked when, what came of it, and the stages after the tree.

Everything a step shows is an element with the step at which it comes and the one at which it goes, so that a browser
can play thousands of steps from one message. Elements are the visited cells, in the order of the mechanism: level by
level. Step 0 is the start, step i + 1 the decision of element i, and the stages follow.
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd

from dashboard import palette
from dashboard.figures import measure as measure_figures
from dashboard.figures import shapes, style
from dashboard.figures.shapes import Plane
from dashboard.figures.story import Boxes, Column, Dots, Picture, Place, Scene, Story, Telling
from dashboard.figures.style import number
from dashboard.figures.tree import ends_below, left_edges
from dashboard.palette import fade
from dashboard.text import figures as figure_words
from dashboard.text import watch as words
from privcore.accounting import Cost
from privcore.arrays import Bools, Floats, Ints
from privcore.simulation import Simulation

MOST_LEAVES = 1000
MOST_POINTS = 5000
MOST_SAMPLED = 1000
MOST_ARROWS = 200
STILL = 1e-6
"""Records that are none but for rounding."""
ARROW = "#1a1a1a"
"""Read on the middle of the diverging scale, which is light on any theme."""
BINS = 128
MAP_HEIGHT = 536
GROWING_HEIGHT = 256
DECISION_HEIGHT = 272

SPLIT, LUCKY, LEAF, KEPT, CAPPED = range(5)
"""Outcomes: split, split by noise alone, leaf, leaf by noise alone, leaf at the depth cap."""
OUTCOMES = tuple(words.VERDICTS)
STAGES = ("start", "grow", "tree", "noise", "negatives", "projection", "release", "sample")
"""The stages in a link, whatever they are called on the page."""
TONES = ("split", "lucky", "leaf", "leaf", "leaf")


@dataclass(frozen=True, eq=False)
class Told:
    """A story and the table of its steps."""

    story: Story
    table: pd.DataFrame
    messages: dict[Hashable, bytes] = field(default_factory=dict, repr=False)
    """For whoever sends the story: what has been packed once."""


def watch(run: Simulation, axes: tuple[int, int] = (0, 1)) -> Told:
    """The whole run, from the first cell to the sample; private up to the leaf noise, then only what is released.

    `axes` is the pair that is drawn where d > 2. For trees of up to `MOST_LEAVES` leaves.
    """
    view = _View(run, axes)
    story = Story(
        pictures=[_map(view), _tree(view), _decision(view)],
        tellings=[*_asked(view), *_after(view)],
        telling=np.concatenate([[0], 1 + view.outcome + 5 * view.floored, 11 + np.arange(6)]),
        columns=_columns(view),
        stages=list(zip(words.STAGES, (0, 1, *view.last + 1 + np.arange(6)), strict=True)),
        marks=1 + np.flatnonzero(view.outcome == LUCKY),
        label=_label(run),
        keys=STAGES,
        waiting=words.TIP_WAITING,
    )
    return Told(story, _table(view))


class _View:
    """The elements of a run, the active cells in the order they were asked, with what came of them: (elements,)."""

    def __init__(self, run: Simulation, axes: tuple[int, int]) -> None:
        tree, visits = run.tree, run.visits
        self.run, self.tree, self.box = run, tree, run.box
        self.plane = Plane(run.box, *(axes if run.box.d > 1 else (0, 0)))
        self.nodes = np.flatnonzero(tree.active)
        self.last = len(self.nodes)
        """The step of the last decision; the stages come after it."""
        self.tree_column = 1 if run.box.d <= 2 else 0  # more axes than a map shows: the tree is the main picture
        self.depth, self.count, self.noise = tree.depth[self.nodes], visits.count[self.nodes], visits.noise[self.nodes]
        self.penalty = visits.penalty[self.nodes]
        self.base = visits.margin[self.nodes] + run.cost.theta
        self.floored = self.count - self.penalty < run.cost.theta - run.cost.delta
        self.outcome = _outcome(visits.margin[self.nodes], self.noise, visits.split[self.nodes])
        self.leaf_rows = _rows(~visits.split[self.nodes])
        self.lower, self.upper = _in_cube(tree.lower, tree.shift), _in_cube(tree.upper, tree.shift)
        step = np.zeros(len(tree), dtype=np.uint16)
        step[self.nodes] = np.arange(1, self.last + 1)
        self.own = step[self.nodes]
        self.parent = np.where(self.nodes > 0, step[tree.parent[self.nodes]], np.uint16(0))
        self.parent_of_empty = step[tree.parent[~tree.active]]
        self.wide = ends_below(tree)
        self.left = left_edges(tree, self.wide)
        self.released = run.projection.masses * run.total


def _rows(flags: Bools) -> Any:
    """The numbers of the elements that have a flag."""
    return np.flatnonzero(flags).astype(np.uint16)


def _in_cube(corners: Floats, shift: Floats | None) -> Floats:
    return corners if shift is None else np.clip(corners - shift, 0.0, 1.0)


def _outcome(margin: Floats, noise: Floats, split: Bools) -> Ints:
    """What came of each cell, as a number of OUTCOMES: without noise a cell is split if its margin is above 0."""
    asked = np.where(split, np.where(margin > 0, SPLIT, LUCKY), np.where(margin > 0, KEPT, LEAF))
    return np.where(np.isnan(noise), CAPPED, asked)


def _table(view: _View) -> pd.DataFrame:
    """One row a step."""
    outcome = np.asarray(list(words.VERDICTS.values()))[view.outcome]
    theta = np.full(view.last, view.run.cost.theta)
    columns = (view.own, view.depth, view.count, view.penalty, view.base, view.noise, view.base + view.noise, theta)
    return pd.DataFrame(dict(zip(words.TABLE, (*columns, outcome), strict=True)))


# ---- what is said ----------------------------------------------------------------------------------------------------


def _columns(view: _View) -> dict[str, Column]:
    """The numbers that the sentences of a cell name; `noisy` and `released` of leaves alone."""
    cost = view.run.cost
    noisy, released = np.zeros(view.last), np.zeros(view.last)
    noisy[view.leaf_rows], released[view.leaf_rows] = view.run.noisy_counts, view.released
    columns = {
        "depth": Column(shapes.whole(view.depth), 0),
        "count": Column(shapes.whole(view.count), 0),
        "penalty": Column(digits=2, total={"depth": cost.delta}),
        "less": Column(digits=2, total={"count": 1, "penalty": -1}),
        "base": Column(digits=2, most=["less", "floor"]),
        "noise": Column(shapes.small(view.noise), 2, signed=True),
        "score": Column(digits=2, total={"base": 1, "noise": 1}),
        "floor": Column(cost.theta - cost.delta, 2),
        "theta": Column(cost.theta),
        "step": Column(shapes.whole(view.own), 0),
        "noisy": Column(shapes.small(noisy)),
        "released": Column(shapes.small(released)),
    }
    for axis in _shown_axes(view):
        low, high = (shapes.on_axis(view.box, axis, corner[view.nodes, axis]) for corner in (view.lower, view.upper))
        columns |= {f"from_{axis}": Column(low), f"to_{axis}": Column(high)}
    return columns


def _shown_axes(view: _View) -> list[int]:
    return list(dict.fromkeys((view.plane.first, view.plane.second)))


def _asked(view: _View) -> list[Telling]:
    """The start, then a telling for each outcome, without and with the floor."""
    start = Telling(words.START.format(n=number(view.run.n)))
    numbers = [
        (words.COUNT, "{count}"),
        (words.PENALTY, "{penalty}"),
        (words.BASE, "{base}"),
        (words.NOISE, "{noise}"),
        (words.SCORE, "{score}"),
        (words.THETA, "{theta}"),
    ]
    cell = ", ".join(words.CELL.format(name=_plain(view.box.columns[axis]), axis=axis) for axis in _shown_axes(view))
    said = []
    for floored in ("", words.FLOORED):
        endings = (words.SPLIT, words.LUCKY, words.LEAF, words.KEPT)
        texts = [*(words.ASKED + floored + ending for ending in endings), words.CAPPED]
        for outcome, text in enumerate(texts):
            notes = numbers if outcome != CAPPED else numbers[:1]
            verdict = words.VERDICTS[OUTCOMES[outcome]]
            tip = (words.TIP_ASKED if outcome != CAPPED else words.TIP_CAPPED).format(verdict=verdict)
            known = words.KNOWN_SPLIT if outcome <= LUCKY else words.KNOWN_LEAF
            said.append(Telling(text, notes, verdict, TONES[outcome], cell, tip=tip, known=known))
    return [start, *said]


def _plain(name: str) -> str:
    """The name of a column, which a template must not take for one of its own."""
    return name.replace("{", "(").replace("}", ")")


def _after(view: _View) -> list[Telling]:
    """The finished tree, leaf noise, negatives, projection, release, sample."""
    run, noisy = view.run, view.run.noisy_counts
    leaves, below = number(len(noisy)), noisy[noisy < 0]
    lucky = number(np.count_nonzero(view.outcome == LUCKY))
    cost = run.cost
    tree_cost, noise_cost = _costs(cost)
    tree = words.TREE.format(
        splits=number(np.count_nonzero(run.tree.splits)), lucky=lucky, leaves=leaves, cost=tree_cost
    )
    noise = words.LEAF_NOISE.format(
        empty=number(np.count_nonzero(run.true_counts == 0)),
        low=_signed(run.leaf_noise.min()),
        high=_signed(run.leaf_noise.max()),
        n=number(run.n),
        noisy=_signed(noisy.sum(), 5),
        cost=noise_cost,
    )
    negatives = (words.NEGATIVES if len(below) else words.NO_NEGATIVES).format(
        negative=number(len(below)), leaves=leaves, below=number(-below.sum())
    )
    zero = number(np.count_nonzero(view.released <= STILL))
    drawn = number(_sampled(run))
    total, spent = (words.TOTAL_NOTE, number(run.total, 5)), (words.COST_NOTE, number(cost.total))
    return [
        Telling(tree, [(words.LEAVES_NOTE, leaves), (words.LUCKY_NOTE, lucky)]),
        Telling(noise, [(words.LEAVES_NOTE, leaves), total]),
        Telling(negatives, [(words.NEGATIVE_NOTE, number(len(below))), total, spent], public=True),
        Telling(_projection_text(view), [(words.ZERO_NOTE, zero), total, spent], public=True),
        Telling(
            words.RELEASE.format(leaves=leaves, cost=number(cost.total)),
            [(words.LEAVES_NOTE, leaves), spent],
            public=True,
        ),
        Telling(words.SAMPLE.format(points=drawn), [(words.POINTS_NOTE, drawn), spent], public=True),
    ]


def _costs(cost: Cost) -> tuple[str, str]:
    """What the tree and the leaf noise spend: by neighbour where the two rates of the noise differ."""
    if cost.a == cost.b:
        tree = words.TREE_COST.format(tree=number(cost.tree))
        return tree, words.NOISE_COST.format(leaves=number(cost.leaves), total=number(cost.total))
    tree = words.TREE_COST_SIDES.format(tree=number(cost.tree), added=number(cost.tree_added))
    return tree, words.NOISE_COST_SIDES.format(a=number(cost.a), b=number(cost.b), total=number(cost.total))


def _signed(value: float, digits: int = 3) -> str:
    return number(value, digits).replace("-", "\u2212")


def _projection_text(view: _View) -> str:
    """What the projection did, by its own rule: only one of the three carries mass from place to place."""
    run, masses = view.run, view.run.projection.masses
    kept = view.released > STILL
    if run.projection.method == "euclidean":
        each = float(np.mean((run.noisy_masses - masses)[kept])) * run.total
        if abs(each) < STILL and kept.all():
            return words.EUCLIDEAN_STILL
        does, at = words.TAKES if each >= 0 else words.GIVES
        zero = number(np.count_nonzero(~kept))
        return words.EUCLIDEAN.format(does=does, at=at, each=number(abs(each)), zero=zero)
    if run.projection.method == "clip":
        positive = float(np.maximum(run.noisy_masses, 0.0).sum())
        return words.CLIP.format(factor=number(1 / positive)) if positive > 0 else words.CLIP_NOTHING
    plan = run.projection.plan
    if not len(plan.mass):
        return words.LIPSCHITZ_STILL
    drawn = words.STRONGEST.format(drawn=number(MOST_ARROWS)) if len(plan.mass) > MOST_ARROWS else ""
    moved = number(float(plan.mass.sum()) * run.total)
    return words.LIPSCHITZ.format(moved=moved, arrows=number(len(plan.mass)), drawn=drawn)


def _sampled(run: Simulation) -> int:
    """The size of the sample: of public numbers alone, so n is not among them."""
    return int(np.clip(round(run.total), 1, MOST_SAMPLED))


def _label(run: Simulation) -> str:
    return str(style.label(run.cost.total, simulated=True)["text"]).removeprefix("<b>").removesuffix("</b>")


# ---- the map ---------------------------------------------------------------------------------------------------------

WAITING = {"color": style.GREY, "width": 1, "dash": "dot"}
CURRENT = {"color": palette.TEXT, "width": 3}
INSIDE = {"color": style.ORANGE, "width": 1.6}


def _map(view: _View) -> Picture:
    """The cells in their place: a line, a map, or the shadow of the current cell on two axes."""
    drawn, layers = (_line if view.box.d == 1 else _plane if view.box.d == 2 else _shadow)(view)
    alt = words.MAP_ALT.format(n=number(view.run.n), axes=style.axes_text(view.box.columns))
    figure = style.figure(badge=style.banner(), height=MAP_HEIGHT, **drawn)
    scenes = [Scene(0, figure, alt), *_map_scenes(view)]
    return Picture("map", scenes, layers, column=1 - view.tree_column, silent=scenes[1].start)


def _cells(view: _View, axes: dict[str, str], x: tuple[Any, Any], y: tuple[Any, Any]) -> list[Boxes]:
    """The layers of cells that are waiting, decided and asked now."""
    end = view.last + 2
    leaf = {"line": {"color": style.BLUE, "width": 1}, "fillcolor": fade(style.BLUE, 16), **axes}
    place = (x[0], y[0], x[1], y[1])
    leads = view.parent if view.box.d <= 2 else None  # shadows overlap
    return [
        Boxes(*place, view.parent, view.own, {"line": WAITING, "layer": "below", **axes}),
        Boxes(*place, view.own, end, {**leaf, "layer": "below"}, rows=view.leaf_rows),
        Boxes(
            *place, view.own, view.own + 1, {"line": CURRENT, "fillcolor": fade(palette.TEXT, 12), **axes}, leads=leads
        ),
    ]


def _plane(view: _View) -> tuple[dict[str, Any], list[Boxes | Dots]]:
    """d = 2: the records, the cells, and the lines along which cells were split."""
    (x0, y0), (x1, y1) = view.plane.place(view.lower[view.nodes]), view.plane.place(view.upper[view.nodes])
    trace, inside, note = _points(view)
    cells = _cells(view, {}, (x0, x1), (y0, y1))
    keys = [_waiting_key(), _square(words.LEAF_CELL, style.BLUE, 16), _lucky_key(), _current_key(), _inside_key()]
    drawn = {"title": words.MAP_TITLE, "traces": [trace, *keys], "note": note, **view.plane.layout()}
    return drawn, [*cells[:2], *_split_lines(view), cells[2], inside, *_signs(view, (x0, y0, x1, y1))]


def _signs(view: _View, place: tuple[Any, ...]) -> list[Boxes]:
    """At the negatives: the leaves below zero and the others."""
    start, negative = view.last + 3, view.run.noisy_counts < 0
    fine = {"line": {"color": style.BLUE, "width": 1}, "fillcolor": fade(style.BLUE, 16)}
    wrong = {"line": {"color": style.PINK, "width": 2}, "fillcolor": fade(style.PINK, 60)}
    signs = ((~negative, fine), (negative, wrong))
    return [Boxes(*place, start, start + 1, look, rows=view.leaf_rows[flags]) for flags, look in signs]


def _split_lines(view: _View) -> list[Boxes]:
    """The line that each split drew, a box without width; thick and pink where noise alone made it."""
    rows = np.flatnonzero(view.outcome <= LUCKY)
    children = view.tree.left[view.nodes[rows]]
    axis = view.depth[rows] % view.box.d
    low, high = view.lower[view.nodes[rows]].copy(), view.upper[view.nodes[rows]].copy()
    at = view.upper[children][np.arange(len(rows)), axis]
    low[np.arange(len(rows)), axis] = high[np.arange(len(rows)), axis] = at
    (x0, y0), (x1, y1) = view.plane.place(low), view.plane.place(high)
    own, end = view.own[rows], view.last + 2
    lucky = view.outcome[rows] == LUCKY
    plain = {"line": {"color": style.BLUE, "width": 1}}
    return [
        Boxes(x0, y0, x1, y1, own, end, plain, rows=_rows(~lucky)),
        Boxes(x0, y0, x1, y1, own, end, {"line": {"color": style.PINK, "width": 2.5}}, rows=_rows(lucky)),
    ]


def _points(view: _View) -> tuple[dict[str, Any], Dots, list[str]]:
    """The records, and those of the cell that is asked: in the order of the tree, where they follow each other."""
    unit = view.run.unit_points
    rows = shapes.evenly(len(unit), MOST_POINTS)
    place = view.left[view.tree.leaves][view.tree.leaf_of(unit[rows])]
    order = np.argsort(place, kind="stable")
    x, y = view.plane.place(unit[rows[order]])
    left = view.left[view.nodes]
    start, stop = (np.searchsorted(place[order], edge) for edge in (left, left + view.wide[view.nodes]))
    size = style.size_for(len(rows))
    colour = style.ORANGE if view.box.d == 2 else fade(style.ORANGE, 45)  # in a shadow the cell's own must stand out
    marker = {"color": colour, "size": size, "symbol": style.PRIVATE.marker, "line": {"width": 1}}
    kind = shapes.points_kind(len(rows), view.plane)
    trace = {"type": kind, "mode": "markers", "x": x, "y": y, "marker": marker, "name": words.POINTS}
    half = 0.0045 * view.box.width[[view.plane.first, view.plane.second]]
    inside = Dots(x, y, shapes.whole(start), shapes.whole(stop), (half[0], half[1]), {"line": INSIDE})
    some = figure_words.SOME_POINTS.format(drawn=number(len(rows)), total=number(len(unit)))
    return trace | {"hoverinfo": "skip"}, inside, [some] if len(rows) < len(unit) else []


def _shadow(view: _View) -> tuple[dict[str, Any], list[Boxes | Dots]]:
    """d > 2: the records on two axes and the shadow of the cell that is asked, with its own records."""
    (x0, y0), (x1, y1) = view.plane.place(view.lower[view.nodes]), view.plane.place(view.upper[view.nodes])
    trace, inside, note = _points(view)
    first, second = view.plane.names
    notes = [words.SHADOW.format(first=first, second=second, d=view.box.d), *note]
    keys = [_current_key(), _inside_key()]
    drawn = {"title": words.MAP_TITLE_SHADOW, "traces": [trace, *keys], "note": notes, **view.plane.layout()}
    return drawn, [_cells(view, {}, (x0, x1), (y0, y1))[2], inside]


def _line(view: _View) -> tuple[dict[str, Any], list[Boxes | Dots]]:
    """d = 1: records per bin over the declared range; under it the cells, each at its depth."""
    counts = np.histogram(view.run.unit_points[:, 0], bins=BINS, range=(0.0, 1.0))[0]
    look = {"color": fade(style.ORANGE, 30), "line": {"color": style.PRIVATE.colour, "width": 1}}
    bars = shapes.histogram(view.box, counts, marker=look, name=words.HISTOGRAM, hovertemplate="%{y}<extra></extra>")
    x = tuple(shapes.on_axis(view.box, 0, corner[view.nodes, 0]) for corner in (view.lower, view.upper))
    y = shapes.whole(view.depth), shapes.whole(view.depth + 1)
    lucky = {"line": {"color": style.PINK, "width": 2.5}, "yref": "y2"}
    rows = _rows(view.outcome == LUCKY)
    cells = _cells(view, {"yref": "y2"}, x, y)
    cells.insert(2, Boxes(x[0], y[0], x[1], y[1], view.own, view.last + 2, lucky, rows=rows))
    top = max(float(counts.max(initial=0)), 1.0) * 1.05
    band = {"line": {"width": 0}, "fillcolor": fade(palette.TEXT, 12), "layer": "below"}
    beam = Boxes(
        x[0], np.zeros(view.last, np.uint8), x[1], np.full(view.last, top, np.float32), view.own, view.own + 1, band
    )
    deepest = int(view.depth.max()) + 1
    lower = _depths(deepest, 4)
    panels = shapes.two_panels(view.box, style.axis(words.LINE_Y.format(bins=BINS), range=[0, top]), lower)
    panels["yaxis"]["domain"], panels["yaxis2"]["domain"] = [0.62, 1.0], [0.0, 0.52]
    keys = [_waiting_key(), _square(words.LEAF_CELL, style.BLUE, 16), _lucky_key(), _current_key()]
    keys = [key | {"yaxis": "y2"} for key in keys]  # plotly has no axis without a trace
    return {"title": words.MAP_TITLE, "traces": [bars, *keys], **panels}, [beam, *cells]


def _map_scenes(view: _View) -> list[Scene]:
    """What follows the tree, in the place of the leaves; from the second scene on only what is released is shown."""
    run, axes, epsilon = view.run, (view.plane.first, view.plane.second), view.run.cost.total
    points = run.measure.sample(_sampled(run), seed=run.seed)
    release = measure_figures.measure(run.measure, run.tree, run.box, epsilon=epsilon, simulated=True, axes=axes)
    sample = measure_figures.sample(points, run.box, epsilon=epsilon, simulated=True, axes=axes)
    found = [_leaf_noise(view), _negatives(view), _projection(view)]
    found += [(release.spec, release.alt), (sample.spec, sample.alt)]
    scenes = []
    for stage, (figure, alt) in enumerate(found, view.last + 2):
        layout = figure["layout"] | {"height": MAP_HEIGHT}
        scenes.append(Scene(stage, figure | {"layout": layout}, alt))
    return scenes


def _leaves(view: _View, values: Floats, name: str, rows: Any = slice(None), **look: Any) -> dict[str, Any]:
    """Some leaves as marks: bars as high as their value (d = 1), cells (d = 2), or centres on two axes."""
    lower, upper, plane = view.tree.leaf_lower[rows], view.tree.leaf_upper[rows], view.plane
    (x0, y0), (x1, y1) = plane.place(lower), plane.place(upper)
    said = "y" if view.box.d == 1 else "marker.color" if "coloraxis" in look else ""
    count = f": %{{{said}:.4~g}}" if said else ""
    hover = {"name": name, "hovertemplate": f"{name}{count}<extra></extra>"}
    if view.box.d > 2:
        place = {"x": shapes.small((x0 + x1) / 2), "y": shapes.small((y0 + y1) / 2)}
        return {"type": "scatter", "mode": "markers", **place, "marker": {"size": 9, **look}, **hover}
    bar = {"type": "bar", "x": (x0 + x1) / 2, "width": x1 - x0, "marker": look, **hover}
    if view.box.d == 1:
        return bar | {"y": shapes.small(values[rows])}
    return bar | {"base": y0, "y": y1 - y0}


def _by_value(view: _View, values: Floats, name: str, bar: str) -> tuple[dict[str, Any], dict[str, Any]]:
    """All leaves coloured by a number of records around zero, as (trace, layout); d = 1 has an axis that says it."""
    reach = max(float(np.abs(values).max(initial=0.0)), 0.1)
    look = {"color": shapes.small(values), "coloraxis": "coloraxis", "line": {"color": style.GREY, "width": 0.6}}
    scale = {"colorscale": style.DIVERGING, "cmin": -reach, "cmax": reach, "colorbar": style.colour_bar(bar)}
    scale |= {"showscale": view.box.d > 1}
    return _leaves(view, values, name, **look), _leaf_layout(view) | {"coloraxis": scale, "showlegend": False}


def _leaf_noise(view: _View) -> tuple[Any, str]:
    """The noise of each leaf in its place; private."""
    noise = view.run.leaf_noise
    marks, layout = _by_value(view, noise, figure_words.NOISE, figure_words.NOISE_BAR)
    alt = figure_words.NOISE_MAP_ALT.format(
        leaves=number(len(noise)),
        axes=style.axes_text(view.box.columns),
        low=number(noise.min()),
        high=number(noise.max()),
        sd=number(noise.std()),
    )
    return style.figure([marks], style.banner(), figure_words.NOISE_MAP_TITLE, **layout), alt


def _leaf_layout(view: _View) -> dict[str, Any]:
    if view.box.d == 1:
        xaxis = style.axis(
            style.literal(view.box.columns[0]), range=[view.box.low[0], view.box.high[0]], showgrid=False
        )
        return {
            "xaxis": xaxis,
            "yaxis": style.axis(words.BARS_Y),
            "bargap": 0,
            "barmode": "overlay",
            "showlegend": True,
        }
    note = ""
    if view.box.d > 2:
        first, second = view.plane.names
        note = figure_words.CENTRES_NOTE.format(first=first, second=second, d=view.box.d)
    return {**view.plane.layout(), "bargap": 0, "barmode": "overlay", "showlegend": True, "note": note}


def _negatives(view: _View) -> tuple[Any, str]:
    """The leaves whose noisy count is below zero; public."""
    noisy = view.run.noisy_counts
    negative = noisy < 0
    fine = {"color": fade(style.BLUE, 16), "line": {"color": style.BLUE, "width": 1}}
    wrong = {"color": fade(style.PINK, 60), "line": {"color": style.PINK, "width": 2}}
    if view.box.d > 2:
        fine, wrong = fine | {"symbol": "circle"}, wrong | {"symbol": "x"}
    traces = [
        _leaves(view, noisy, words.POSITIVE_LEAF, ~negative, **fine),
        _leaves(view, noisy, words.NEGATIVE_LEAF, negative, **wrong),
    ]
    if view.box.d == 2:  # drawn by layers, which have the cells already
        traces = [_square(words.POSITIVE_LEAF, style.BLUE, 16), _square(words.NEGATIVE_LEAF, style.PINK, 60)]
    alt = words.NEGATIVE_ALT.format(
        leaves=number(len(noisy)), negative=number(negative.sum()), axes=style.axes_text(view.box.columns)
    )
    badge = style.label(view.run.cost.total, simulated=True)
    return style.figure(traces, badge, words.NEGATIVES_TITLE, **_leaf_layout(view)), alt


def _projection(view: _View) -> tuple[Any, str]:
    """What the projection changes in each leaf, in records; arrows where it carries mass; public."""
    change = view.released - view.run.noisy_masses * view.run.total
    change[np.abs(change) < STILL] = 0.0
    marks, layout = _by_value(view, change, words.CHANGE, words.CHANGE_BAR)
    arrows = _arrows(view, change)
    key = _stroke(words.ARROWS, {"color": _arrow_colour(view), "width": 2})
    traces = [marks | {"showlegend": False}, key] if arrows else [marks]
    layout["showlegend"] = bool(arrows)
    alt = words.PROJECTION_ALT.format(
        leaves=number(len(change)),
        axes=style.axes_text(view.box.columns),
        low=number(change.min()),
        high=number(change.max()),
    )
    badge = style.label(view.run.cost.total, simulated=True)
    return style.figure(traces, badge, words.PROJECTION_TITLE, shapes=arrows, **layout), alt


def _arrows(view: _View, change: Floats) -> list[dict[str, Any]]:
    """The strongest flows of the plan, from the leaf that gives to the one that takes; thicker with more mass."""
    plan = view.run.projection.plan
    strongest = np.argsort(-plan.mass, kind="stable")[:MOST_ARROWS]
    if not len(strongest):
        return []
    centre, low, width = _canvas(view, change)
    share = plan.mass[strongest] / plan.mass[strongest[0]]
    drawn = []
    for thin, thick, line in ((0.0, 0.25, 1.5), (0.25, 0.6, 2.5), (0.6, 1.1, 3.5)):
        flows = strongest[(share > thin) & (share <= thick)]
        ends = zip(centre[plan.source[flows]], centre[plan.target[flows]], strict=True)
        path = "".join(_arrow(tail, head, low, width) for tail, head in ends)
        if path:
            drawn.append({"type": "path", "path": path, "line": {"color": _arrow_colour(view), "width": line}})
    return drawn


def _canvas(view: _View, change: Floats) -> tuple[Floats, Floats, Floats]:
    """Where an arrow begins or ends in each leaf, in parts of the picture, whose corner and size follow.

    On a map that is the centre of the leaf, on a line the end of the bar that shows its change.
    """
    if view.box.d > 1:
        axes = [view.plane.first, view.plane.second]
        return view.tree.representatives[:, axes], np.asarray(view.box.low)[axes], view.box.width[axes]
    span = 2.0 * max(float(np.abs(change).max(initial=0.0)), 1e-9)
    places = np.column_stack([view.tree.representatives[:, 0], change / span])
    return places, np.array([view.box.low[0], 0.0]), np.array([view.box.width[0], span])


def _arrow_colour(view: _View) -> str:
    return ARROW if view.box.d == 2 else palette.TEXT


def _arrow(tail: Floats, head: Floats, low: Floats, width: Floats) -> str:
    """A line with a head, in the axes' own units."""
    length = float(np.hypot(*(head - tail)))
    along, size = (head - tail) / max(length, 1e-12), min(0.024, 0.4 * length)
    across = np.array([-along[1], along[0]])
    wings = [head - size * along + side * 0.6 * size * across for side in (1, -1)]
    (ax, ay), (bx, by), (cx, cy), (dx, dy) = (low + width * corner for corner in (tail, head, *wings))
    return f"M{ax:.5g},{ay:.5g}L{bx:.5g},{by:.5g}M{cx:.5g},{cy:.5g}L{bx:.5g},{by:.5g}L{dx:.5g},{dy:.5g}"


# ---- the tree --------------------------------------------------------------------------------------------------------


def _tree(view: _View) -> Picture:
    """The tree, root on top; once it is finished, over the counts of its leaves along the same axis."""
    run, noisy, total = view.run, view.run.noisy_counts, view.run.total
    x, public, negative = view.left[view.tree.leaves] + 0.5, view.last + 3, view.run.noisy_counts < 0
    numbers = {"leaves": number(len(noisy)), "deep": number(view.depth.max())}
    numbers |= {"negative": number(negative.sum()), "zero": number((view.released <= STILL).sum())}
    split, leaf = _square(words.SPLIT_CELL, style.GREY, 40), _square(words.LEAF_CELL, style.BLUE, 30)
    lucky = _square(words.LUCKY_CELL, style.PINK, 60, "diamond")
    empty = [] if view.tree.active.all() else [_square(words.EMPTY_CELL, style.GREY, 14)]
    true = _bars(x, run.true_counts, words.TRUE_BAR, style.ORANGE, 0)
    dots = {"type": "scatter", "mode": "markers", "x": shapes.small(x), "y": shapes.small(noisy), "yaxis": "y2"}
    dots |= {"marker": {"color": style.BLUE, "size": 5}, "hovertemplate": "%{y:.4~g}<extra></extra>"}
    signed = [
        _bars(x[~negative], noisy[~negative], words.NOISY_BAR, style.BLUE, 60),
        _bars(x[negative], noisy[negative], words.NEGATIVE_BAR, style.PINK, 80),
    ]
    before = _bars(x, run.noisy_masses * total, words.BEFORE_BAR, style.GREY, 0)
    after, released = (_bars(x, view.released, name, style.BLUE, 60) for name in (words.AFTER_BAR, words.RELEASED_BAR))
    private, label = style.banner(), style.label(run.cost.total, simulated=True)
    private_layout = _tree_layout(view, run.true_counts, noisy)
    public_layout = _tree_layout(view, noisy, view.released)
    growing = {name: value for name, value in private_layout.items() if name != "yaxis2"}
    growing |= {"yaxis": growing["yaxis"] | {"domain": [0, 1]}, "xaxis": growing["xaxis"] | {"anchor": "y"}}
    growing["height"] = GROWING_HEIGHT
    grown, noisy_dots = [split, lucky, leaf, *empty, true], dots | {"name": words.NOISY_BAR}
    found = [
        (0, [split, lucky, leaf, *empty], private, growing, words.TREE_ALT),
        (view.last + 1, grown, private, private_layout, words.TREE_ALT),
        (view.last + 2, [*grown, noisy_dots], private, private_layout, words.TREE_NOISE_ALT),
        (public, [split, leaf, *empty, *signed], label, public_layout, words.TREE_NEGATIVE_ALT),
        (public + 1, [split, leaf, *empty, before, after], label, public_layout, words.TREE_PROJECTION_ALT),
        (public + 2, [split, leaf, *empty, released], label, public_layout, words.TREE_RELEASE_ALT),
    ]
    scenes = [
        Scene(step, style.figure(traces, badge, words.TREE_TITLE, **layout), alt.format(**numbers))
        for step, traces, badge, layout, alt in found
    ]
    return Picture("tree", scenes, _tree_layers(view, public), column=view.tree_column)


def _bars(x: Floats, y: Floats, name: str, colour: str, percent: int) -> dict[str, Any]:
    marker = {"color": fade(colour, percent) if percent else "rgba(0,0,0,0)", "line": {"color": colour, "width": 1}}
    look = {"marker": marker, "name": name, "hovertemplate": "%{y:.4~g}<extra></extra>", "yaxis": "y2"}
    return {"type": "bar", "x": shapes.small(x), "y": shapes.small(y), "width": 1, **look}


def _tree_layout(view: _View, *counts: Any) -> dict[str, Any]:
    """The axes of the tree and of the counts under it, which are given: a public figure is not scaled by the data."""
    values = np.concatenate(counts)
    low, high = min(float(values.min()), 0.0), max(shapes.robust_top(values), 1.0)
    room = 0.05 * (high - low)
    deepest = int(view.depth.max()) + 1
    along = {"showticklabels": False, "ticks": "", "showgrid": False, "range": [0, view.wide[0]], "anchor": "y2"}
    icicle = _depths(deepest, 5) | {"domain": [0.4, 1.0]}
    return {
        "xaxis": style.axis(words.TREE_X, **along),
        "yaxis": icicle,
        "yaxis2": style.axis(words.BARS_Y, range=[low - room, high + room], domain=[0.0, 0.3], nticks=4),
        "bargap": 0,
        "barmode": "overlay",
        "showlegend": True,
        "height": MAP_HEIGHT,
    }


def _tree_layers(view: _View, public: int) -> list[Boxes | Dots]:
    """The cells of the tree as they are decided.

    Which splits noise alone made is private, so from the public stages on all splits look the same.
    """
    end = public + 10
    left, wide, nodes = shapes.whole(view.left), shapes.whole(view.wide), view.nodes
    x0, x1 = left[nodes], shapes.whole(view.left[nodes] + wide[nodes])
    y0, y1 = shapes.whole(view.depth), shapes.whole(view.depth + 1)
    empty, deep = ~view.tree.active, view.tree.depth
    edge = {"color": palette.BACKGROUND, "width": 0.6}
    plain, lucky = (_rows(view.outcome == kind) for kind in (SPLIT, LUCKY))
    split = {"fillcolor": fade(style.GREY, 40), "line": edge}
    pink = {"fillcolor": fade(style.PINK, 60), "line": {"color": style.PINK, "width": 1.5}}
    leaf = {"fillcolor": fade(style.BLUE, 30), "line": {"color": style.BLUE, "width": 0.8}}
    beam = {"line": {"color": palette.TEXT, "width": 1}, "fillcolor": fade(palette.TEXT, 12)}
    cells = (x0, y0, x1, y1)
    layers: list[Boxes | Dots] = [
        Boxes(x0, 0, x1, int(view.depth.max()) + 1, view.own, view.own + 1, beam),
        Boxes(*cells, view.parent, view.own, {"line": WAITING}),
        Boxes(*cells, view.own, end, split, rows=plain),
        Boxes(*cells, view.own, public, pink, rows=lucky),
        Boxes(*cells, public, end, split, rows=lucky),
        Boxes(*cells, view.own, end, leaf, rows=view.leaf_rows),
        Boxes(*cells, view.own, view.own + 1, {"line": CURRENT, "fillcolor": palette.TEXT}, leads=view.parent),
    ]
    if empty.any():
        ends = shapes.whole(view.left[empty] + view.wide[empty])
        look = {"line": {"width": 0}, "fillcolor": fade(style.GREY, 14), "layer": "below"}
        y = shapes.whole(deep[empty]), shapes.whole(deep[empty] + 1)
        layers.insert(0, Boxes(left[empty], y[0], ends, y[1], view.parent_of_empty, end, look))
    return layers


def _depths(deepest: int, intervals: int) -> dict[str, Any]:
    """The axis of depths, root on top; a depth is a whole number."""
    step = -(-deepest // intervals)
    return style.axis(words.TREE_Y, range=[deepest, 0], dtick=step, tick0=0, showgrid=False, zeroline=False)


# ---- one decision ----------------------------------------------------------------------------------------------------


def _decision(view: _View) -> Picture:
    """Count, penalised count and noisy score of the current cell against the threshold, each from the one before."""
    theta, scale = view.run.cost.theta, view.run.cost.lam

    def place(records: Any) -> Any:
        return np.arcsinh((np.asarray(records, dtype=np.float64) - theta) / scale)

    ends = np.concatenate([view.count, view.base, (view.base + view.noise)[view.outcome != CAPPED]])
    reach = max(float(np.abs(place(ends)).max()), 1.0) * 1.08
    count, base, score = (Place(column, theta, scale) for column in ("count", "base", "score"))
    here, step, size = np.arange(view.last, dtype=np.uint16), view.own, (0.022 * reach, 0.13)
    bold = {"color": palette.TEXT, "width": 2}
    layers: list[Boxes | Dots] = [
        Boxes(count, 2, base, 2, step, step + 1, {"line": {"color": style.ORANGE, "width": 6}}),
        Boxes(base, 1, score, 1, step, step + 1, {"line": {"color": style.PINK, "width": 6}}),
        Dots(count, 3, here, step, size, {"line": bold}),
        Dots(base, 2, here, step, size, {"line": bold}),
        Dots(score, 1, here, step, size, {"line": bold, "fillcolor": palette.TEXT}),
    ]
    # A name stands above its row, where no bar of any width can reach it.
    names = style.row_names([words.ROW_SCORE, words.ROW_BASE, words.ROW_COUNT], -reach, at=[1.2, 2.2, 3.2])
    values = [sign * step * 10**k for k in range(7) for step in ((1, 2, 5) if reach < 3 else (1,)) for sign in (1, -1)]
    ticks = [
        value
        for value in sorted({0, *values})
        if abs(place(value)) <= reach and (abs(value) >= scale / 2 or value == 0)
    ]
    line = {"type": "line", "x0": 0, "x1": 0, "y0": 0.3, "y1": 3.3}
    side = {"yref": "y", "y": 0.45, "showarrow": False, "xref": "x"}
    sides = [
        {**side, "x": -0.02 * reach, "text": words.SIDE_LEAF, "xanchor": "right", "font": {"color": style.BLUE}},
        {**side, "x": 0.02 * reach, "text": words.SIDE_SPLIT, "xanchor": "left"},
    ]
    figure = style.figure(
        [names],
        style.banner(),
        words.DECISION_TITLE,
        height=DECISION_HEIGHT,
        left=16,
        shapes=[{**line, "line": {"color": style.PRIVATE.colour, "dash": "dash", "width": 2.5}}],
        annotations=sides,
        xaxis=style.axis(
            words.DECISION_X,
            showgrid=False,
            range=[-reach, reach],
            tickvals=[float(place(v)) for v in ticks],
            ticktext=[number(v) for v in ticks],
        ),
        yaxis={"visible": False, "range": [0.2, 3.75], "fixedrange": True},
    )
    return Picture(
        "decision", [Scene(0, figure, words.DECISION_ALT)], layers, column=view.tree_column, until=view.last + 1
    )


# ---- the legend: entries of layers, which have none of their own ----------------------------------------------------


def _square(name: str, colour: str, percent: int, symbol: str = "square") -> dict[str, Any]:
    marker = {"symbol": symbol, "size": 12, "line": {"color": colour, "width": 1.5}}
    marker["color"] = fade(colour, percent) if percent else "rgba(0,0,0,0)"
    return {"type": "scatter", "mode": "markers", "x": [None], "y": [None], "name": name, "marker": marker}


def _stroke(name: str, line: dict[str, Any]) -> dict[str, Any]:
    return {"type": "scatter", "mode": "lines", "x": [None], "y": [None], "name": name, "line": line}


def _waiting_key() -> dict[str, Any]:
    return _stroke(words.WAITING, WAITING)


def _lucky_key() -> dict[str, Any]:
    return _stroke(words.LUCKY_CELL, {"color": style.PINK, "width": 3})


def _current_key() -> dict[str, Any]:
    key = _square(words.CURRENT, palette.TEXT, 0)
    key["marker"] |= {"color": fade(palette.TEXT, 12), "line": {"color": palette.TEXT, "width": 2.5}}
    return key


def _inside_key() -> dict[str, Any]:
    return _square(words.INSIDE, style.ORANGE, 0, "diamond")
