"""The looks of the figures: colours, the two badges, the common layout, numbers as text.

Colours are tokens of `dashboard.palette`, which the page resolves for its theme (`palette.resolve` does it for a file).
A figure leaves its backgrounds transparent and sets no font colour or family. Badges bring their own background and
ink, so that they read the same on every theme and in every export.
"""

from __future__ import annotations

import textwrap
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from dashboard import palette
from dashboard.text import figures as words

BLUE = palette.RELEASE
ORANGE = palette.PRIVATE
GREEN, PINK = palette.token("green"), palette.token("pink")
GREY, FAINT = palette.EDGE, palette.GRID
INK = palette.BACKGROUND
"""Text on a bar: the page's background has the contrast that the bar has on the page."""

CIVIDIS = "Cividis"
CELL_LINE = "rgba(255,255,255,0.35)"
DIVERGING = [[0.0, "#0072B2"], [0.5, "#F2F2F2"], [1.0, "#D55E00"]]

FONT_SIZE = 14
TITLE_SIZE = 19
HEIGHT = 460
NOTE_WIDTH = 66
MAP_HEIGHT = 580
FOOT = 146
"""Under a map of that height: room for a colour bar, so that two maps side by side are of one size."""
BELOW_AXIS = 62
"""Room for an axis with its title; a legend any higher would push the map up."""
MAP = {"height": MAP_HEIGHT, "foot": FOOT}


@dataclass(frozen=True)
class Look:
    """How one of the two worlds is drawn; shape and dash say it again for readers who don't see the colour.

    `pixel` is the colour of a picture made here, which no theme can change: it has 3.5 : 1 on white and near-black.
    """

    colour: str
    dash: str
    marker: str
    pixel: str
    badge: str
    badge_ink: str


RELEASE = Look(BLUE, "solid", "circle", pixel="#1A88C9", badge="#0072B2", badge_ink="#FFFFFF")
PRIVATE = Look(ORANGE, "dash", "circle-open", pixel="#D55E00", badge="#E69F00", badge_ink="#000000")


@dataclass(frozen=True, eq=False)
class Drawing:
    """A figure, its alternative text with the numbers of this run, and the table behind it.

    `spec` is the figure as plain data and layout, which no validation has slowed down; `figure` is the same, checked
    by plotly. `messages` is for whoever sends it: what has been packed once.
    """

    spec: dict[str, Any]
    alt: str
    table: pd.DataFrame
    messages: dict[Hashable, bytes] = field(default_factory=dict, repr=False)

    @cached_property
    def figure(self) -> go.Figure:
        """The figure, checked."""
        result = go.Figure(self.spec)
        result.layout.template = None  # plotly's default one would add 6.5 kB to every figure
        return result

    @property
    def private(self) -> bool:
        """Whether the figure shows the data, and so carries the banner."""
        return any(note.get("name") == "banner" for note in self.spec["layout"]["annotations"])


def figure(
    traces: Iterable[dict[str, Any]],
    badge: dict[str, Any],
    title: str,
    note: str | Sequence[str] = "",
    height: int = HEIGHT,
    left: int = 56,
    foot: int = 56,
    **layout: Any,
) -> dict[str, Any]:
    """A figure with the common layout, as plain data; the notes, wrapped for a narrow page, stand under the title.

    The legend stands at the bottom, of a map with a `FOOT` right below its axis.
    `about_axes` is another note, which a layout of axes brings with it.
    """
    notes = [*([note] if isinstance(note, str) else note), layout.pop("about_axes", "")]
    lines = [line for part in notes if part for line in textwrap.wrap(part, NOTE_WIDTH)]
    annotations = [badge, *layout.pop("annotations", [])]
    base: dict[str, Any] = {
        "title": _title(title, "<br>".join(lines)),
        "font": {"size": FONT_SIZE},
        "paper_bgcolor": "rgba(0,0,0,0)",
        "plot_bgcolor": "rgba(0,0,0,0)",
        "height": height,
        "margin": {"l": left, "r": 16, "t": 76 + (12 + 18 * len(lines) if lines else 0), "b": foot},
        "hovermode": "closest",
        "legend": _legend() | ({"y": (foot - BELOW_AXIS) / height, "yanchor": "top"} if foot == FOOT else {}),
        "annotations": annotations,
    }
    return {"data": list(traces), "layout": base | layout}


def _legend() -> dict[str, Any]:
    place = {"xref": "container", "x": 0.01, "xanchor": "left", "yref": "container", "y": 0, "yanchor": "bottom"}
    return {"orientation": "h", "traceorder": "normal", **place}


def _title(title: str, subtitle: str) -> dict[str, Any]:
    result: dict[str, Any] = {
        "text": title,
        "x": 0,
        "xref": "container",
        "xanchor": "left",
        "y": 1,
        "yref": "container",
        "yanchor": "top",
        "pad": {"t": 10, "l": 12},
        "font": {"size": TITLE_SIZE},
    }
    if subtitle:
        result["subtitle"] = {"text": subtitle, "font": {"size": FONT_SIZE}}
    return result


def banner() -> dict[str, Any]:
    """The badge of a figure that shows the data: an annotation, so that it survives an export."""
    return _badge("banner", f"<b>{words.BANNER}</b>", PRIVATE)


def label(epsilon: float | None = None, simulated: bool = False) -> dict[str, Any]:
    """The badge of a figure that anybody may see; a simulated release says that its seed is known."""
    template = words.LABEL_SIMULATED if simulated else words.LABEL_WITH_EPSILON
    text = words.LABEL if epsilon is None else template.format(epsilon=number(epsilon))
    return _badge("label", f"<b>{text}</b>", RELEASE)


def _badge(name: str, text: str, look: Look) -> dict[str, Any]:
    return {
        "name": name,
        "text": text,
        "xref": "paper",
        "yref": "paper",
        "x": 0,
        "y": 1,
        "xanchor": "left",
        "yanchor": "bottom",
        "xshift": 1,
        "yshift": 8,
        "showarrow": False,
        "bgcolor": look.badge,
        "bordercolor": look.badge,
        "borderpad": 4,
        "font": {"color": look.badge_ink},
    }


def axis(title: str, **more: Any) -> dict[str, Any]:
    """An axis with its title and a grid that reads on any background."""
    grid = {"gridcolor": FAINT, "zerolinecolor": GREY, "linecolor": GREY, "showline": True, "ticks": "outside"}
    return {"title": {"text": title}, "automargin": True, "tickcolor": GREY, **grid, **more}


BAR = 0.42
"""The height of a bar in a row of height 1; its name stands above it, so that a narrow page keeps its width."""
ROW_LEFT = 18


def rows(count: int) -> dict[str, Any]:
    """A vertical axis of rows, the first at the bottom; `row_names` writes their names inside the figure."""
    return {"visible": False, "range": [-0.6, max(count, 1) - 0.35], "fixedrange": True}


def row_names(names: Sequence[str], left: float, at: Sequence[float] | None = None) -> dict[str, Any]:
    """The names of the rows above their marks, from the left edge on; rows are 1 apart unless `at` says otherwise."""
    places = {"x": [left] * len(names), "y": list(range(len(names)) if at is None else at)}
    look = {"textposition": "top right", "cliponaxis": False, "hoverinfo": "skip", "showlegend": False}
    return {"type": "scatter", "mode": "text", "text": list(names), **places, **look}


def scene_axis(title: str, low: float, high: float) -> dict[str, Any]:
    """An axis of a 3-D scene."""
    return {
        "title": {"text": title},
        "range": [low, high],
        "nticks": 5,
        "showbackground": False,
        "gridcolor": FAINT,
        "zerolinecolor": FAINT,
        "linecolor": GREY,
    }


def hatched(shape: str, ground: str, lines: str) -> dict[str, Any]:
    """The pattern of a bar, by shape besides colour; the ground is named, or a bar in the page would have none."""
    colours = {"bgcolor": ground, "fgcolor": lines, "fillmode": "overlay"} if shape else {}
    return {"shape": shape, "size": 7, "solidity": 0.3, **colours}


LOWEST = {"y": 0.0}
"""Where a colour bar stands if there is no legend below it."""


def colour_bar(title: str, **more: Any) -> dict[str, Any]:
    """A flat colour bar between the plot and the legend, so that a narrow page keeps its width."""
    place = {"orientation": "h", "x": 0, "xanchor": "left", "yref": "container", "y": 0.07, "yanchor": "bottom"}
    look = {"thickness": 12, "outlinewidth": 0, "ticks": "outside", "len": 1, "xpad": 0}
    return {"title": {"text": f"{title}<br>", "side": "top"}, **place, **look, **more}


def log_ticks(low: float, high: float) -> dict[str, Any]:
    """Ticks of a log axis from 10^low to 10^high: 1, 2, 5 a decade, fewer over many decades.

    >>> log_ticks(-2, 0)["ticktext"]
    ['0.01', '0.02', '0.05', '0.1', '0.2', '0.5', '1']
    """
    steps = (1, 2, 5) if high - low < 2.6 else (1, 3) if high - low < 4 else (1,)
    decades = range(int(np.floor(low)), int(np.ceil(high)) + 1)
    ticks = [step * 10.0**k for k in decades for step in steps if low <= np.log10(step) + k <= high + 1e-9]
    return {"tickvals": ticks, "ticktext": [f"{tick:g}" for tick in ticks]}


def number(value: float, digits: int = 3) -> str:
    """A number for a reader: whole ones with thousands commas, others with significant digits.

    >>> number(12345), number(0.0254321), number(float("nan")), number(-3.2e12)
    ('12,345', '0.0254', 'not a number', '-3.2 × 10^12')
    """
    value = float(value)
    if not np.isfinite(value):
        return "not a number" if np.isnan(value) else "infinite"
    if abs(value) >= 1e9:
        return f"{value:.{digits}g}".replace("e+", " × 10^")
    if value == round(value):
        return f"{round(value):,}"
    if abs(value) >= 1000:
        return f"{value:,.0f}"
    return f"{value:.{digits}g}"


def literal(name: str) -> str:
    """The name of a column inside a figure, where Plotly would take a tag for markup.

    >>> literal("<b>age</b>")
    '&lt;b&gt;age&lt;/b&gt;'
    """
    return name.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def axes_text(columns: Sequence[str]) -> str:
    """Names of the axes in a sentence.

    >>> axes_text(["x"]), axes_text(["x", "y", "z"])
    ('x', 'x, y and z')
    """
    return columns[0] if len(columns) == 1 else f"{', '.join(columns[:-1])} and {columns[-1]}"


def size_for(n: int) -> float:
    """The marker size for n points: larger when there are few.

    >>> size_for(50), size_for(5000)
    (8.0, 3.0)
    """
    return float(np.clip(8.0 - 2.5 * np.log10(max(n, 1) / 50.0), 3.0, 8.0))
