"""The W1 error of a release beside its parts, its rulers and the bounds of the theory. All private."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from dashboard.figures import style
from dashboard.figures.style import Drawing, number
from dashboard.text import figures as words
from privcore.transport import W1


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
    names = [line.name for line in lines]
    traces = [
        _bars([r for r in lines if r.kind == words.W1_RULERS], style.GREY, "solid", words.W1_RULERS),
        _bars([r for r in lines if r.kind == words.W1_PARTS], style.ORANGE, "parts", words.W1_PARTS),
        _bars([r for r in lines if r.kind == words.W1_TOTAL], style.VERMILLION, "total", words.W1_TOTAL),
    ]
    if len(rolls):
        marker = {"symbol": "circle-open", "size": 8, "color": style.VERMILLION, "line": {"width": 1.3}}
        place = {"x": [float(v) for v in rolls], "y": [words.W1_TOTAL] * len(rolls)}
        hover = {"hovertemplate": "%{x:.4~g}<extra></extra>"}
        traces.append({"type": "scatter", "mode": "markers", "name": words.W1_ROLLS, "marker": marker, **place, **hover})
    reach = [r.upper for r in lines if np.isfinite(r.upper)] + [float(v) for v in rolls]
    layout = {
        "xaxis": style.axis(words.W1_X, range=[0, 1.28 * max([*reach, 1e-9])]),
        "yaxis": style.axis("", categoryorder="array", categoryarray=names, showgrid=False, ticks="", automargin=True),
        "bargap": 0.35,
        "barmode": "overlay",
    }
    how = words.W1_NO_DATA if total is None else words.W1_METHOD.format(how=_how(total))
    alt = _w1_alt(total, ours, rows)
    height = 180 + 34 * len(lines)
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


def _bars(rows: list[_Row], colour: str, pattern: str, name: str) -> dict[str, Any]:
    """Horizontal bars up to the middle of each interval, with the interval as an error bar and the value as text."""
    fill = {"solid": {}, "total": {}, "parts": {"shape": "/", "fgcolor": "#000000", "size": 6, "solidity": 0.25}}[pattern]
    half = [0.0 if np.isnan(r.upper) else (r.upper - r.lower) / 2 for r in rows]
    error = {"type": "data", "array": half, "color": style.GREY, "thickness": 2, "width": 6, "visible": any(half)}
    return {
        "type": "bar",
        "orientation": "h",
        "y": [r.name for r in rows],
        "x": [0.0 if np.isnan(r.upper) else r.middle for r in rows],
        "error_x": error,
        "text": [f" {r.text}" for r in rows],
        "textposition": "outside",
        "cliponaxis": False,
        "marker": {"color": colour, "pattern": fill, "line": {"width": 0}},
        "name": name,
        "hovertemplate": "%{y}: %{text}<extra></extra>",
        "showlegend": bool(rows),
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
    drawable = np.isfinite(values) & (values > 0)
    upper = float("nan") if total is None else float(total.upper)
    traces = []
    groups = [
        (proved & drawable, style.BLUE, "diamond", words.BOUNDS_PROVED),
        (~proved & drawable, style.GREY, "diamond-open", words.BOUNDS_GREYED),
    ]
    for mask, colour, symbol, label in groups:
        chosen = np.flatnonzero(mask)
        if not len(chosen):
            continue
        reasons = ["" if proved[i] else str(theory["reason"].iloc[i]) for i in chosen]
        traces.append(
            {
                "type": "scatter",
                "mode": "markers+text",
                "x": values[chosen],
                "y": [names[i] for i in chosen],
                "text": [f" {number(values[i])}" for i in chosen],
                "textposition": "middle right",
                "marker": {"color": colour, "size": 13, "symbol": symbol, "line": {"width": 2}},
                "name": label,
                "customdata": reasons,
                "hovertemplate": "%{y}: %{x:.4~g}<br>%{customdata}<extra></extra>",
                "cliponaxis": False,
            }
        )
    if np.isfinite(upper) and upper > 0:
        traces.append(_measured(upper, names))
    layout = {"xaxis": _log_axis([*values[drawable], upper]), "yaxis": _reasons_axis(names, theory, values, drawable)}
    alt = words.BOUNDS_ALT.format(
        total=words.W1_MISSING if total is None else number(upper),
        proved=_listed(names, values, proved),
        greyed=_listed(names, values, ~proved),
    )
    height = 190 + 46 * max(len(names), 1)
    figure = style.figure(traces, style.banner(), words.BOUNDS_TITLE, height=height, **layout)
    return Drawing(figure, alt, theory.reset_index(drop=True))


def _measured(upper: float, names: list[str]) -> dict[str, Any]:
    """The measured W1 as a dashed line across all rows."""
    ends = [names[0], names[-1]] if names else [words.W1_TOTAL]
    return {
        "type": "scatter",
        "mode": "lines+markers",
        "x": [upper] * len(ends),
        "y": ends,
        "line": {"color": style.PRIVATE.colour, "dash": "dash", "width": 2.5},
        "marker": {"symbol": "circle-open", "size": 9},
        "name": f"{words.BOUNDS_MEASURED}: {number(upper)}",
        "hovertemplate": "%{x:.4~g}<extra></extra>",
    }


def _log_axis(values: list[float]) -> dict[str, Any]:
    real = [v for v in values if np.isfinite(v) and v > 0] or [1.0]
    low, high = np.log10(min(real)), np.log10(max(real))
    room = 0.12 * (high - low) + 0.1
    return style.axis(words.BOUNDS_X, type="log", range=[low - room, high + 2.2 * room])


def _reasons_axis(names: list[str], theory: pd.DataFrame, values: Any, drawable: Any) -> dict[str, Any]:
    """Row names, with the reason under the name of a bound that does not hold or has no number."""
    text = []
    for i, name in enumerate(names):
        reason = str(theory["reason"].iloc[i])
        grey = not bool(theory["proved"].iloc[i]) or not drawable[i]
        text.append(f"{name}<br><span style='font-size:0.8em'>{wrap(reason)}</span>" if grey and reason else name)
    shown = {"tickmode": "array", "tickvals": names, "ticktext": text}
    return style.axis("", autorange="reversed", categoryorder="array", categoryarray=names, ticks="", **shown)


def wrap(sentence: str, width: int = 38) -> str:
    """A sentence in lines of at most `width` characters, for an axis label.

    >>> wrap("one two three", 8)
    'one two<br>three'
    """
    lines = [""]
    for word in sentence.split():
        if len(lines[-1]) + len(word) >= width and lines[-1]:
            lines.append("")
        lines[-1] = f"{lines[-1]} {word}".strip()
    return "<br>".join(lines)


def _listed(names: list[str], values: Any, mask: Any) -> str:
    chosen = [f"{names[i]} {number(values[i])}" for i in np.flatnonzero(mask)]
    return "; ".join(chosen) or words.NONE
