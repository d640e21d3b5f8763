"""Leaf cells and points as Plotly traces that stay light: one trace, one path or one picture, never one a cell.

Cells and points come in unit-cube coordinates; `Plane` places them on two axes of the declared box.
"""

from __future__ import annotations

import base64
import struct
import zlib
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from dashboard.figures import style
from dashboard.palette import fade
from dashboard.text import figures as words
from privcore.arrays import Floats, Ints
from privcore.domain import Box
from privcore.tree import Tree

MAX_BARS = 1000
MAX_OUTLINES = 20_000
SVG_POINTS = 2500
GL_POINTS = 5000
RASTER = 512
MOST_RATIO = 1e300
"""How many times longer one axis of a square may be than the other: a step below the largest number."""
OCTAVE = 8
"""Steps of a rastered density: eighths of a power of two."""
MARGINAL_CHUNK = 8192
DARKEST = 12
"""Powers of two that a density scale reaches below its top."""


@dataclass(frozen=True)
class Plane:
    """Two axes of the declared box, on which cells and points are drawn."""

    box: Box
    first: int = 0
    second: int = 1

    @property
    def names(self) -> tuple[str, str]:
        """The declared names of the two axes, as Plotly shows them."""
        return style.literal(self.box.columns[self.first]), style.literal(self.box.columns[self.second])

    def place(self, unit: Floats) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]:
        """The two coordinates of unit-cube points (n, d), in the user's units."""
        return tuple(on_axis(self.box, axis, unit[:, axis]) for axis in (self.first, self.second))

    def layout(self) -> dict[str, Any]:
        """Axes over the whole declared box, drawn as the square that the mechanism sees.

        Where one axis is so much longer than the other that no number says how much, each fills the room it has.
        """
        (x0, y0), (x1, y1) = self._corner(self.box.low), self._corner(self.box.high)
        names, ratio = self.names, (x1 - x0) / (y1 - y0)
        anchored = 1 / MOST_RATIO <= ratio <= MOST_RATIO
        square: dict[str, Any] = {}
        if anchored:
            square = {"scaleanchor": "x", "scaleratio": ratio, "constrain": "domain", "constraintoward": "top"}
        return ({} if anchored else {"about_axes": words.OWN_SCALES}) | {
            "xaxis": style.axis(names[0], range=[x0, x1], constrain="domain", showgrid=False, zeroline=False),
            "yaxis": style.axis(names[1], range=[y0, y1], showgrid=False, zeroline=False, **square),
        }

    def _corner(self, corner: tuple[float, ...]) -> tuple[float, float]:
        return corner[self.first], corner[self.second]


def on_axis(box: Box, axis: int, unit: Floats) -> np.ndarray[Any, Any]:
    """Unit coordinates on one axis of the box, as float32 where that is enough to tell them apart on screen."""
    low, high = box.low[axis], box.high[axis]
    values = low + np.asarray(unit, dtype=np.float64) * (high - low)
    return small(values, high - low)


def small(values: Any, width: float | None = None) -> np.ndarray[Any, Any]:
    """Half the bytes, unless a window of the given width would then show steps (dates, map coordinates)."""
    values = np.asarray(values, dtype=np.float64)
    largest = float(np.nanmax(np.abs(values), initial=0.0))
    fits = largest < 1e30 and (width is None or largest < width * 1e3)
    return values.astype(np.float32) if fits else values


def whole(values: Any) -> np.ndarray[Any, Any]:
    """Whole numbers in the smallest integer type that a browser knows and that holds them all."""
    values = np.asarray(values)
    low, high = values.min(initial=0), values.max(initial=0)
    kinds = (np.int8, np.uint8, np.int16, np.int32)
    kind = next(kind for kind in kinds if np.iinfo(kind).min <= low and high <= np.iinfo(kind).max)
    return values.astype(kind)


def leaf_table(tree: Tree, box: Box, **columns: Any) -> pd.DataFrame:
    """One row a leaf: its number, depth and corners in the user's units, then the given columns."""
    low, high = np.asarray(box.low), box.width
    table: dict[str, Any] = {words.LEAF: np.arange(len(tree.leaves)), words.DEPTH: tree.leaf_depth}
    for axis, name in enumerate(box.columns):
        table[words.FROM.format(axis=name)] = low[axis] + tree.leaf_lower[:, axis] * high[axis]
        table[words.TO.format(axis=name)] = low[axis] + tree.leaf_upper[:, axis] * high[axis]
    return pd.DataFrame(table | {name: values for name, values in columns.items() if values is not None})


def log_density(masses: Floats, tree: Tree) -> Floats:
    """log2 of mass over volume of each leaf, -inf without mass; in logs, since volumes of deep cells underflow."""
    sides = tree.leaf_upper - tree.leaf_lower
    with np.errstate(divide="ignore"):
        return np.log2(np.maximum(masses, 0.0)) - np.log2(sides).sum(axis=1)


def density_scale(logs: Floats, masses: Floats) -> tuple[float, float]:
    """The colour range of log densities: what 2 % and 90 % of the mass stay below, at most `DARKEST` octaves.

    A few tiny cells can be a thousand times denser than the rest: they share the brightest colour.
    """
    real = np.flatnonzero(np.isfinite(logs))
    if not len(real):
        return -1.0, 1.0
    order = real[np.argsort(logs[real])]
    share = np.cumsum(masses[order]) / masses[order].sum()
    low, high = (float(logs[order[min(np.searchsorted(share, level), len(order) - 1)]]) for level in (0.02, 0.9))
    high = max(high, low + 2.0)
    return max(low, high - DARKEST), high


def density_bar(low: float, high: float, steps: int = 1, **more: Any) -> dict[str, Any]:
    """A colour bar of log2 densities that says 1/4, 1, 4 in place of -2, 0, 2."""
    stride = max(1, int(np.ceil((high - low) / 6.0)))
    exponents = [k for k in range(int(np.ceil(low)), int(np.floor(high)) + 1) if k % stride == 0]
    text = [_power(k) for k in exponents]
    return style.colour_bar(words.DENSITY_BAR, tickvals=[k * steps for k in exponents], ticktext=text, **more)


def _power(exponent: int) -> str:
    """2^k for a reader: 1/4, 1, 4, and a power beyond a million."""
    if abs(exponent) > 20:
        return f"2<sup>{exponent}</sup>"
    return f"{2**exponent:,}" if exponent >= 0 else f"1/{2**-exponent:,}"


def hover_lines(names: list[str]) -> str:
    """A hover text with one line a column of customdata, numbers to four digits."""
    lines = [f"{name}: %{{customdata[{i}]:.4~g}}" for i, name in enumerate(names)]
    return "<br>".join(lines) + "<extra></extra>"


def customdata(columns: dict[str, Any]) -> tuple[np.ndarray[Any, Any], str]:
    """Hover values (rows, columns) in float32 and the template that prints them; None columns are left out."""
    given = {name: values for name, values in columns.items() if values is not None}
    return np.column_stack(list(given.values())).astype(np.float32), hover_lines(list(given))


def cell_bars(
    tree: Tree, plane: Plane, values: Floats | None, hover: dict[str, Any], line: str, **more: Any
) -> dict[str, Any]:
    """The leaf cells as one bar trace with base and width: exact hover, one SVG group."""
    x0, y0 = plane.place(tree.leaf_lower)
    x1, y1 = plane.place(tree.leaf_upper)
    data, template = customdata(hover)
    marker: dict[str, Any] = {"line": {"color": line, "width": 1}}
    marker |= {"color": "rgba(0,0,0,0)"} if values is None else {"color": small(values), "coloraxis": "coloraxis"}
    return {
        "type": "bar",
        "x": (x0 + x1) / 2,
        "width": x1 - x0,
        "base": y0,
        "y": y1 - y0,
        "marker": marker,
        "customdata": data,
        "hovertemplate": template,
        **more,
    }


def leaf_bars(
    tree: Tree, box: Box, values: Floats, hover: dict[str, Any], marker: dict[str, Any], name: str
) -> dict[str, Any]:
    """A value of each leaf (leaves,) over its interval, d = 1."""
    lower, upper = on_axis(box, 0, tree.leaf_lower[:, 0]), on_axis(box, 0, tree.leaf_upper[:, 0])
    data, template = customdata(hover)
    where = {"x": (lower + upper) / 2, "width": upper - lower, "y": small(values)}
    return {"type": "bar", **where, "marker": marker, "name": name, "customdata": data, "hovertemplate": template}


def _short(values: np.ndarray[Any, Any], width: float, digits: int = 6) -> Floats:
    """Values to 10^-digits of the width: paths travel as decimal digits, so they should be few."""
    return np.round(values.astype(np.float64), digits - int(np.floor(np.log10(width))))


def cell_raster(tree: Tree, plane: Plane, levels: Ints, hover: str, **more: Any) -> dict[str, Any]:
    """The leaf cells as a heatmap of small integers: a pixel shows the leaf that holds its centre."""
    box = plane.box
    step = box.width[[plane.first, plane.second]] / RASTER
    low = np.asarray(box.low)[[plane.first, plane.second]]
    return {
        "type": "heatmap",
        "z": whole(owner_raster(tree, plane, levels)),
        "x0": low[0] + step[0] / 2,
        "dx": step[0],
        "y0": low[1] + step[1] / 2,
        "dy": step[1],
        "coloraxis": "coloraxis",
        "hovertemplate": f"{plane.names[0]} %{{x:.4~g}}<br>{plane.names[1]} %{{y:.4~g}}<br>{hover}<extra></extra>",
        "showlegend": False,
        **more,
    }


def owner_raster(tree: Tree, plane: Plane, values: Ints) -> Ints:
    """One value a pixel (RASTER, RASTER), row = second axis, by a running sum over the corners of the cells."""
    axes = [plane.first, plane.second]
    begin = np.ceil(tree.leaf_lower[:, axes] * RASTER - 0.5).astype(np.int64)
    end = np.ceil(tree.leaf_upper[:, axes] * RASTER - 0.5).astype(np.int64)
    steps = np.zeros((RASTER + 1, RASTER + 1), dtype=np.int64)
    for x, y, sign in ((begin, begin, 1), (begin, end, -1), (end, begin, -1), (end, end, 1)):
        np.add.at(steps, (y[:, 1], x[:, 0]), sign * values)
    return steps.cumsum(axis=0).cumsum(axis=1)[:RASTER, :RASTER]


def outline_path(tree: Tree, plane: Plane, colour: str, layer: str = "above") -> list[dict[str, Any]]:
    """All leaf outlines as one path shape: the lower and left edge of each cell; none if there are too many.

    Cells under half a pixel of the raster are left out, as they are in the raster.
    """
    if len(tree.leaves) > MAX_OUTLINES:
        return []
    axes = [plane.first, plane.second]
    wide = ((tree.leaf_upper - tree.leaf_lower)[:, axes] >= 0.5 / RASTER).any(axis=1)
    (x0, y0), (x1, y1) = plane.place(tree.leaf_lower[wide]), plane.place(tree.leaf_upper[wide])
    widths = plane.box.width[axes]
    left, top, bottom, right = (
        np.char.mod("%.15g", _short(values, width, 5)).tolist()
        for values, width in ((x0, widths[0]), (y1, widths[1]), (y0, widths[1]), (x1, widths[0]))
    )
    path = "".join(f"M{a},{b}V{c}H{d}" for a, b, c, d in zip(left, top, bottom, right, strict=True))
    return [{"type": "path", "path": path, "line": {"color": colour, "width": 0.6}, "layer": layer}]


def outline_trace(lower: Floats, upper: Floats, plane: Plane, **more: Any) -> dict[str, Any]:
    """Rectangles as one line trace, NaN between them; equal rectangles are drawn once."""
    axes = [plane.first, plane.second]
    corners = np.unique(np.hstack([lower[:, axes], upper[:, axes]]), axis=0)
    gap = np.full(len(corners), np.nan)
    x0, y0, x1, y1 = corners.T
    x = np.column_stack([x0, x1, x1, x0, x0, gap]).ravel()
    y = np.column_stack([y0, y0, y1, y1, y0, gap]).ravel()
    box = plane.box
    place = {"x": on_axis(box, plane.first, x), "y": on_axis(box, plane.second, y)}
    return {"type": "scatter", "mode": "lines", "hoverinfo": "skip", **place, **more}


CUBE_PATH = np.array(
    [
        [0, 0, 0],
        [1, 0, 0],
        [1, 1, 0],
        [0, 1, 0],
        [0, 0, 0],
        [0, 0, 1],
        [1, 0, 1],
        [1, 0, 0],
        [1, 0, 1],
        [1, 1, 1],
        [1, 1, 0],
        [1, 1, 1],
        [0, 1, 1],
        [0, 1, 0],
        [0, 1, 1],
        [0, 0, 1],
    ],
    dtype=np.float64,
)
"""A walk over the twelve edges of the cube."""


def box_trace(lower: Floats, upper: Floats, box: Box, **more: Any) -> dict[str, Any]:
    """Boxes in space (m, 3) as one line trace, NaN between them."""
    walk = lower[:, None, :] + CUBE_PATH * (upper - lower)[:, None, :]
    walk = np.concatenate([walk, np.full((len(lower), 1, 3), np.nan)], axis=1).reshape(-1, 3)
    place = {name: on_axis(box, axis, walk[:, axis]) for axis, name in enumerate("xyz")}
    return {"type": "scatter3d", "mode": "lines", "hoverinfo": "skip", **place, **more}


def scene(box: Box) -> dict[str, Any]:
    """A cube-shaped scene over the declared box."""
    axes = {
        f"{name}axis": style.scene_axis(style.literal(box.columns[axis]), box.low[axis], box.high[axis])
        for axis, name in enumerate("xyz")
    }
    camera = {"eye": {"x": 1.45, "y": -1.45, "z": 0.9}, "center": {"x": 0, "y": 0, "z": -0.12}}
    return {"scene": {**axes, "aspectmode": "cube", "camera": camera, "dragmode": "orbit"}, "left": 16}


def point_trace_3d(unit: Floats, box: Box, look: style.Look, name: str) -> dict[str, Any]:
    """Points in space (m, 3)."""
    place = {axis_name: on_axis(box, axis, unit[:, axis]) for axis, axis_name in enumerate("xyz")}
    marker = {"color": look.colour, "size": style.size_for(len(unit)) * 0.8, "symbol": look.marker}
    return {"type": "scatter3d", "mode": "markers", "hoverinfo": "skip", "name": name, "marker": marker, **place}


def robust_top(values: Floats) -> float:
    """An axis end that a few giants do not set: the largest value up to 2.5 times the 99th percentile.

    >>> robust_top(np.r_[np.arange(1000.0), 1e6])
    999.0
    """
    if not len(values):
        return 0.0
    return float(values[values <= 2.5 * max(np.quantile(values, 0.99), 1e-12)].max(initial=0.0))


def evenly(n: int, most: int) -> Ints:
    """At most `most` row numbers out of n, evenly spaced.

    >>> evenly(5, 10).tolist(), evenly(100, 3).tolist()
    ([0, 1, 2, 3, 4], [0, 50, 99])
    """
    return np.unique(np.linspace(0, max(n - 1, 0), min(n, most)).round().astype(np.int64))


def points_kind(n: int, plane: Plane) -> str:
    """How n points are drawn: WebGL for many, which has only float32, so not beyond its range."""
    widths = plane.box.width[[plane.first, plane.second]]
    return "scattergl" if n > SVG_POINTS and widths.min() > 1e-30 and widths.max() < 1e30 else "scatter"


def point_layer(
    unit: Floats, plane: Plane, look: style.Look, name: str
) -> tuple[list[dict[str, Any]], list[dict[str, Any]], str]:
    """Points as (traces, layout images, note): SVG, then WebGL, then a picture made here, as their number grows."""
    n = len(unit)
    if n > GL_POINTS:
        # An empty trace keeps the legend entry; the picture itself can't have one.
        key = {"type": "scatter", "mode": "markers", "x": [None], "y": [None], "name": name, "hoverinfo": "skip"}
        key["marker"] = {"color": look.colour, "size": 7, "symbol": look.marker}
        note = words.RASTER_POINTS.format(total=style.number(n), size=RASTER)
        return [key], [point_picture(unit, plane, look.pixel)], note
    x, y = plane.place(unit)
    trace = {
        "type": points_kind(n, plane),
        "mode": "markers",
        "x": x,
        "y": y,
        "name": name,
        "hoverinfo": "skip",
        "marker": _point_marker(n, look),
    }
    return [trace], [], ""


def _point_marker(n: int, look: style.Look) -> dict[str, Any]:
    line = {"width": 1.0 if look.marker.endswith("open") else 0.0}
    return {"color": look.colour, "size": style.size_for(n), "symbol": look.marker, "line": line}


def point_picture(unit: Floats, plane: Plane, colour: str) -> dict[str, Any]:
    """Many points as one small palette PNG over the declared box: opacity grows with the log of the pixel's count."""
    axes = [plane.first, plane.second]
    pixel = np.minimum((unit[:, axes] * RASTER).astype(np.int64), RASTER - 1)
    hits = np.bincount(pixel[:, 1] * RASTER + pixel[:, 0], minlength=RASTER * RASTER).reshape(RASTER, RASTER)
    depth = np.log1p(hits) / np.log1p(max(int(hits.max()), 1))
    levels = np.where(hits > 0, 130 + 125 * depth, 0).astype(np.uint8)
    levels[1:] = np.maximum(levels[1:], levels[:-1])  # a lone point is two pixels wide and high
    levels[:, 1:] = np.maximum(levels[:, 1:], levels[:, :-1])
    box = plane.box
    (x0, y1), (width, height) = (box.low[axes[0]], box.high[axes[1]]), box.width[axes]
    source = "data:image/png;base64," + base64.b64encode(_png(levels[::-1], colour)).decode("ascii")
    place = {"x": x0, "y": y1, "sizex": width, "sizey": height, "xref": "x", "yref": "y", "sizing": "stretch"}
    return {"source": source, "layer": "above", **place}


def _png(levels: np.ndarray[Any, Any], colour: str) -> bytes:
    """A PNG in one colour whose opacity is the level, 0 to 255."""
    height, width = levels.shape
    rows = np.hstack([np.zeros((height, 1), dtype=np.uint8), levels])
    chunks = [
        (b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 3, 0, 0, 0)),
        (b"PLTE", bytes.fromhex(colour[1:]) * 256),
        (b"tRNS", bytes(range(256))),
        (b"IDAT", zlib.compress(rows.tobytes(), 6)),
        (b"IEND", b""),
    ]
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body)) for kind, body in chunks
    )


def marginal(lower: Floats, upper: Floats, masses: Floats, plane: Plane, pixels: int) -> Floats:
    """Mass in each pixel (pixels, pixels), row = second axis, of a measure spread evenly inside its cells; exact."""
    total = np.zeros((pixels, pixels))
    for begin in range(0, len(masses), MARGINAL_CHUNK):
        rows = slice(begin, begin + MARGINAL_CHUNK)
        across = _overlap(lower[rows, plane.first], upper[rows, plane.first], pixels)
        along = _overlap(lower[rows, plane.second], upper[rows, plane.second], pixels)
        total += (along * masses[rows, None]).T @ across
    return total


def binned(tree: Tree, values: Floats, bins: int) -> Floats:
    """The sum of a leaf array in equal bins of the unit interval (d = 1), each leaf spread evenly; exact, (bins,)."""
    return values @ _overlap(tree.leaf_lower[:, 0], tree.leaf_upper[:, 0], bins)


def depth_strip(tree: Tree, box: Box, hover: dict[str, Any]) -> dict[str, Any]:
    """d = 1: the leaf cells as bars as high as they are deep, for the lower panel of a line."""
    lower, upper = (on_axis(box, 0, corner[:, 0]) for corner in (tree.leaf_lower, tree.leaf_upper))
    data, template = customdata(hover)
    return {
        "type": "bar",
        "x": (lower + upper) / 2,
        "width": upper - lower,
        "y": tree.leaf_depth.astype(np.float32),
        "yaxis": "y2",
        "marker": {"color": fade(style.BLUE, 35), "line": {"color": style.BLUE, "width": 1}},
        "name": words.LEAVES,
        "customdata": data,
        "hovertemplate": template,
    }


def histogram(box: Box, heights: Any, **more: Any) -> dict[str, Any]:
    """d = 1: bars of equal width over the declared range."""
    bins = len(heights)
    x = on_axis(box, 0, (np.arange(bins) + 0.5) / bins)
    return {"type": "bar", "x": x, "y": small(heights), "width": float(box.width[0]) / bins, **more}


def two_panels(box: Box, upper: dict[str, Any], lower: dict[str, Any]) -> dict[str, Any]:
    """d = 1: a main panel over the declared range and a lower one (axis y2) under it."""
    return {
        "xaxis": style.axis(
            style.literal(box.columns[0]), range=[box.low[0], box.high[0]], showgrid=False, anchor="y2"
        ),
        "yaxis": upper | {"domain": [0.38, 1.0]},
        "yaxis2": lower | {"domain": [0.0, 0.28]},
        "bargap": 0,
    }


def _overlap(lower: Floats, upper: Floats, pixels: int) -> Floats:
    """The share of each interval in each pixel, (cells, pixels)."""
    edges = np.linspace(0.0, 1.0, pixels + 1)
    inside = np.clip(upper[:, None], edges[:-1], edges[1:]) - np.clip(lower[:, None], edges[:-1], edges[1:])
    return inside / (upper - lower)[:, None]
