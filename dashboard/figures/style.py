"""The looks of the figures: colours, the two badges, the common layout, numbers as text.

A figure leaves its backgrounds transparent and sets no font colour, family or relative size: the component that hosts
it sets `layout.font` (colour, family, size) and nothing else. Grid lines are translucent grey, which reads on white
and on black. Badges bring their own background, so no theme may recolour them.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from dashboard.text import figures as words

# Okabe and Ito's colours that keep a contrast of 3 : 1 on white and on near-black.
BLUE = "#0072B2"
VERMILLION = "#D55E00"
GREEN = "#009E73"
PURPLE = "#CC79A7"
ORANGE = "#E69F00"
SKY = "#56B4E9"
GREY = "#808080"
FAINT = "rgba(128,128,128,0.25)"
OUTLINE = "rgba(128,128,128,0.55)"

CIVIDIS = "Cividis"
DIVERGING = [[0.0, BLUE], [0.5, "#F2F2F2"], [1.0, VERMILLION]]

FONT_SIZE = 14
HEIGHT = 460
MAP_HEIGHT = 540


@dataclass(frozen=True)
class Look:
    """How one of the two worlds is drawn; shape and dash say it again for readers who don't see the colour."""

    colour: str
    dash: str
    marker: str
    badge_colour: str
    badge_text: str


RELEASE = Look(BLUE, "solid", "circle", BLUE, "#FFFFFF")
PRIVATE = Look(VERMILLION, "dash", "circle-open", ORANGE, "#000000")


@dataclass(frozen=True)
class Drawing:
    """A figure, its alternative text with the numbers of this run, and the table behind it."""

    figure: go.Figure
    alt: str
    table: pd.DataFrame

    @property
    def private(self) -> bool:
        """Whether the figure shows the data, and so carries the banner."""
        return any(note.name == "banner" for note in self.figure.layout.annotations)


def figure(
    traces: Iterable[dict[str, Any]],
    badge: dict[str, Any],
    title: str,
    note: str | Sequence[str] = "",
    height: int = HEIGHT,
    **layout: Any,
) -> go.Figure:
    """A figure with the common layout; `note` (sentences joined by dots) stands under the title."""
    notes = [note] if isinstance(note, str) else list(note)
    subtitle = " · ".join(part for part in notes if part)
    annotations = [badge, *layout.pop("annotations", [])]
    base: dict[str, Any] = {
        "template": {"data": {}, "layout": {}},
        "title": _title(title, subtitle),
        "font": {"size": FONT_SIZE},
        "paper_bgcolor": "rgba(0,0,0,0)",
        "plot_bgcolor": "rgba(0,0,0,0)",
        "height": height,
        "margin": {"l": 64, "r": 16, "t": 104 if subtitle else 84, "b": 56},
        "hovermode": "closest",
        "legend": {"orientation": "h", "x": 0, "xanchor": "left", "yref": "container", "y": 0, "yanchor": "bottom"},
        "annotations": annotations,
    }
    return go.Figure({"data": list(traces), "layout": base | layout})


def _title(title: str, subtitle: str) -> dict[str, Any]:
    result: dict[str, Any] = {
        "text": title,
        "x": 0,
        "xref": "paper",
        "xanchor": "left",
        "y": 1,
        "yref": "container",
        "yanchor": "top",
        "pad": {"t": 12},
    }
    if subtitle:
        result["subtitle"] = {"text": subtitle, "font": {"size": FONT_SIZE - 1}}
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
        "bgcolor": look.badge_colour,
        "bordercolor": look.badge_colour,
        "borderpad": 4,
        "font": {"color": look.badge_text, "size": FONT_SIZE - 1},
    }


def axis(title: str, **more: Any) -> dict[str, Any]:
    """An axis with its title and a grid that reads on any background."""
    grid = {"gridcolor": FAINT, "zerolinecolor": OUTLINE, "linecolor": OUTLINE, "showline": True, "ticks": "outside"}
    return {"title": {"text": title}, "automargin": True, "tickcolor": OUTLINE, **grid, **more}


def scene_axis(title: str, low: float, high: float) -> dict[str, Any]:
    """An axis of a 3-D scene."""
    return {
        "title": {"text": title},
        "range": [low, high],
        "showbackground": False,
        "gridcolor": FAINT,
        "zerolinecolor": FAINT,
        "linecolor": OUTLINE,
    }


def colour_bar(title: str, **more: Any) -> dict[str, Any]:
    """A colour bar, slim enough for a narrow page."""
    return {"title": {"text": title}, "thickness": 14, "outlinewidth": 0, "ticks": "outside", **more}


def number(value: float, digits: int = 3) -> str:
    """A number for a reader: whole ones with thousands commas, others with significant digits.

    >>> number(12345), number(0.0254321), number(float("nan")), number(-1.0)
    ('12,345', '0.0254', 'not a number', '-1')
    """
    value = float(value)
    if not np.isfinite(value):
        return "not a number" if np.isnan(value) else "infinite"
    if value == round(value) and abs(value) < 1e15:
        return f"{round(value):,}"
    return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.{digits}g}"


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
