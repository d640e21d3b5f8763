"""The W1 error of a release beside its parts, its rulers and the bounds of the theory. All private."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from dashboard.figures import style
from dashboard.figures.style import Drawing, number
from dashboard.palette import fade
from dashboard.text import figures as words
from privcore.transport import W1


LINE = 21
"""Pixels of a line of text in the figure of bounds."""


@dataclass(frozen=True)
class _Row:
    """One line of the W1 figure."""

    name: str
    kind: str
    lower: float
    upper: float
    exact: bool
    method: str

    @property
    def middle(self) -> float:
        return (self.lower + self.upper) / 2

    @property
    def end(self) -> float:
        return 0.0 if np.isnan(self.upper) else self.upper

    @property
    def text(self) -> str:
        if np.isnan(self.upper):
            return words.W1_MISSING
        if self.exact or self.lower == self.upper:
            return number(self.upper)
        return words.W1_INTERVAL.format(lower=number(self.lower), upper=number(self.upper))


def w1(
    total: W1 | None,
    resolution: W1 | None = None,
    privacy: W1 | None = None,
    rulers: Mapping[str, float | W1 | None] | None = None,
    *,
    rolls: Sequence[float] = (),
) -> Drawing:
    """The W1 error, a value or a certified interval, its two parts, and the rulers; in the unit cube. Private.

    `total` is None when there is no data. `rulers` maps a name to its W1, None while it is not computed. `rolls` are
    the W1 of other rolls of the noise on the same data.
    """
    rows = [_row(name, words.W1_RULERS, value) for name, value in (rulers or {}).items()]
    parts = [(words.W1_TOTAL, total), (words.W1_RESOLUTION, resolution), (words.W1_PRIVACY, privacy)]
    ours = [_row(name, words.W1_TOTAL if name == words.W1_TOTAL else words.W1_PARTS, value) for name, value in parts]
    lines = [*rows[::-1], *ours[::-1]]
    table = pd.DataFrame(
        [(r.name, r.kind, r.lower, r.upper, r.exact, r.method) for r in reversed(lines)], columns=list(words.W1_COLUMNS)
    )
    height_of = {id(line): place for place, line in enumerate(lines)}
    groups = [
        (words.W1_TOTAL, style.ORANGE, ""),
        (words.W1_PARTS, fade(style.ORANGE, 45), "/"),
        (words.W1_RULERS, style.GREY, ""),
    ]
    traces = []
    for kind, colour, pattern in groups:
        chosen = [line for line in lines if line.kind == kind]
        if chosen:
            traces.append(_bars(chosen, [height_of[id(line)] for line in chosen], colour, pattern, kind))
    if len(rolls):
        traces.append(_rolls(rolls, height_of[id(ours[0])]))
    right = [max([line.end, *(rolls if line is ours[0] else [])]) for line in lines]
    traces += [_values(lines, right), style.row_names([line.name for line in lines], 0.0)]
    layout = {
        "xaxis": style.axis(words.W1_X, range=[0, 1.3 * max([*right, 1e-9])]),
        "yaxis": style.rows(len(lines)),
        "barmode": "overlay",
        "left": style.ROW_LEFT,
    }
    how = words.W1_NO_DATA if total is None else words.W1_METHOD.format(how=_how(total))
    alt = _w1_alt(total, ours, rows)
    height = 190 + 48 * len(lines)
    return Drawing(style.figure(traces, style.banner(), words.W1_TITLE, how, height=height, **layout), alt, table)


def _row(name: str, kind: str, value: W1 | float | None) -> _Row:
    if value is None:
        return _Row(name, kind, float("nan"), float("nan"), False, "")
    if isinstance(value, (int, float)):
        return _Row(name, kind, float(value), float(value), True, "")
    return _Row(name, kind, float(value.lower), float(value.upper), bool(value.exact), value.method)


def _how(value: W1) -> str:
    template = words.W1_EXACT if value.exact else words.W1_CERTIFIED
    return template.format(method=value.method)


def _bars(rows: list[_Row], places: list[int], colour: str, pattern: str, name: str) -> dict[str, Any]:
    """Horizontal bars up to the middle of each interval, the interval as an error bar."""
    half = [0.0 if np.isnan(r.upper) else (r.upper - r.lower) / 2 for r in rows]
    fill = {"shape": pattern, "fgcolor": style.ORANGE, "size": 6, "solidity": 0.35}
    return {
        "type": "bar",
        "orientation": "h",
        "y": places,
        "x": [0.0 if np.isnan(r.upper) else r.middle for r in rows],
        "width": style.BAR,
        "offset": -0.5,
        "error_x": {
            "type": "data",
            "array": half,
            "color": style.GREY,
            "thickness": 3,
            "width": 7,
            "visible": any(half),
        },
        "marker": {"color": colour, "pattern": fill, "line": {"width": 0}},
        "name": name,
        "customdata": [[r.name, r.text] for r in rows],
        "hovertemplate": "%{customdata[0]}: %{customdata[1]}<extra></extra>",
    }


def _rolls(rolls: Sequence[float], place: int) -> dict[str, Any]:
    """Other rolls of the noise as open circles on the bar of this release."""
    marker = {"symbol": "circle-open", "size": 9, "color": style.GREY, "line": {"width": 2}}
    where = {"x": [float(v) for v in rolls], "y": [place - 0.5 + style.BAR / 2] * len(rolls)}
    hover = {"hovertemplate": "%{x:.4~g}<extra></extra>"}
    return {"type": "scatter", "mode": "markers", "name": words.W1_ROLLS, "marker": marker, **where, **hover}


def _values(lines: list[_Row], right: list[float]) -> dict[str, Any]:
    """The numbers, right of everything drawn in their row."""
    return {
        "type": "scatter",
        "mode": "text",
        "x": right,
        "y": [place - 0.5 + style.BAR / 2 for place in range(len(lines))],
        "text": [f"  {line.text}" for line in lines],
        "textposition": "middle right",
        "cliponaxis": False,
        "hoverinfo": "skip",
        "showlegend": False,
    }


def _w1_alt(total: W1 | None, ours: list[_Row], rulers: list[_Row]) -> str:
    if total is None:
        return words.W1_ALT_EMPTY
    return words.W1_ALT.format(
        total=ours[0].text,
        how=_how(total),
        resolution=ours[1].text,
        privacy=ours[2].text,
        rulers="; ".join(f"{r.name} {r.text}" for r in rulers) or words.NONE,
    )


def bounds(total: W1 | None, theory: pd.DataFrame) -> Drawing:
    """The measured W1 beside the bounds of the theory, on a log scale; a bound that is not proved is greyed. Private.

    `theory` is what `privcore.theory.bounds` returns: columns name, value, proved, reason.
    """
    names = [str(name) for name in theory["name"]]
    values = theory["value"].to_numpy(dtype=np.float64)
    proved = theory["proved"].to_numpy(dtype=np.bool_)
    reasons = ["" if proved[i] else str(reason) for i, reason in enumerate(theory["reason"])]
    drawable = np.isfinite(values) & (values > 0)
    upper = float("nan") if total is None else float(total.upper)
    labels = [_bound_name(*row) for row in zip(names, reasons, drawable, strict=True)]
    top, rows = _row_places(labels)
    groups = [
        (proved & drawable, style.BLUE, "diamond", words.BOUNDS_PROVED),
        (~proved & drawable, style.GREY, "diamond-open", words.BOUNDS_GREYED),
    ]
    traces = [
        _bound_marks(names, values, reasons, rows, np.flatnonzero(mask), colour, symbol, label)
        for mask, colour, symbol, label in groups
        if mask.any()
    ]
    if np.isfinite(upper) and upper > 0:
        traces.append(_measured(upper, rows))
    low, high = _log_range([*values[drawable], upper])
    traces.append(style.row_names(labels, 10.0**low, rows.tolist()))
    layout = {
        "xaxis": style.axis(words.BOUNDS_X, type="log", range=[low, high], **style.log_ticks(low, high)),
        "yaxis": {"visible": False, "range": [-0.2, top], "fixedrange": True},
        "left": style.ROW_LEFT,
    }
    alt = words.BOUNDS_ALT.format(
        total=words.W1_MISSING if total is None else number(upper),
        proved=_listed(names, values, proved),
        greyed=_listed(names, values, ~proved),
    )
    height = round(180 + LINE * top)
    figure = style.figure(traces, style.banner(), words.BOUNDS_TITLE, height=height, **layout)
    return Drawing(figure, alt, theory.reset_index(drop=True))


def _bound_marks(
    names: list[str], values: Any, reasons: list[str], rows: Any, chosen: Any, colour: str, symbol: str, label: str
) -> dict[str, Any]:
    return {
        "type": "scatter",
        "mode": "markers+text",
        "x": values[chosen],
        "y": rows[chosen] - 0.75,
        "text": [f" {number(values[i])}" for i in chosen],
        "textposition": "middle right",
        "marker": {"color": colour, "size": 13, "symbol": symbol, "line": {"width": 2, "color": colour}},
        "name": label,
        "customdata": [[names[i], reasons[i]] for i in chosen],
        "hovertemplate": "%{customdata[0]}: %{x:.4~g}<br>%{customdata[1]}<extra></extra>",
        "cliponaxis": False,
    }


def _row_places(labels: list[str]) -> tuple[float, Any]:
    """The height of all rows and where the last line of each name stands, in lines of text from the bottom."""
    lines = np.array([label.count("<br>") + 1 for label in labels] or [1])
    below = np.cumsum((lines + 2.0)[::-1])[::-1]
    return float(below[0]), (below - lines - 0.3)[: len(labels)]


def _measured(upper: float, rows: Any) -> dict[str, Any]:
    """The measured W1 as a dashed line through the marks of every row, interrupted where the names stand."""
    ends = np.column_stack([rows - 1.5, rows, np.full(len(rows), np.nan)]).ravel()
    return {
        "type": "scatter",
        "mode": "lines",
        "x": np.full(max(len(ends), 2), upper),
        "y": ends if len(ends) else np.array([0.0, 1.0]),
        "line": {"color": style.PRIVATE.colour, "dash": "dash", "width": 2.5},
        "name": f"{words.BOUNDS_MEASURED}: {number(upper)}",
        "hovertemplate": "%{x:.4~g}<extra></extra>",
    }


def _bound_name(name: str, reason: str, drawable: bool) -> str:
    """The name of a bound, and the reason when it is not proved or has no number."""
    missing = "" if drawable else f" ({words.BOUNDS_NONE})"
    return f"{name}{missing}<br><i>{wrap(reason)}</i>" if reason else f"{name}{missing}"


def wrap(sentence: str, width: int = 48) -> str:
    """A sentence in lines of at most `width` characters.

    >>> wrap("one two three", 8)
    'one two<br>three'
    """
    return "<br>".join(textwrap.wrap(sentence, width))


def _log_range(values: list[float]) -> tuple[float, float]:
    """The range of a log axis, in powers of ten, with room for the numbers right of the marks."""
    real = [v for v in values if np.isfinite(v) and v > 0] or [1.0]
    low, high = float(np.log10(min(real))), float(np.log10(max(real)))
    room = 0.15 * (high - low) + 0.15
    return low - room, high + 2.0 * room


def _listed(names: list[str], values: Any, mask: Any) -> str:
    chosen = [f"{names[i]} {number(values[i])}" for i in np.flatnonzero(mask)]
    return "; ".join(chosen) or words.NONE
