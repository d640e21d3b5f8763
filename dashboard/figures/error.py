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


def interval(value: W1) -> str:
    """A distance for a reader: the value if it is exact, else the interval.

    >>> interval(W1(0.25, 0.25, True, "line", 0.0)), interval(W1(0.2, 0.25, False, "", 0.0))
    ('0.25', '0.2 – 0.25')
    """
    return number(value.value) if value.exact else f"{number(value.lower)} – {number(value.upper)}"


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
        traces += _rolls(rolls, height_of[id(ours[0])])
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
    fill = style.hatched(pattern, colour, style.ORANGE)
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


def _rolls(rolls: Sequence[float], place: int) -> list[dict[str, Any]]:
    """Other rolls of the noise as open circles on the bar of this release, and the band that holds them all."""
    middle = place - 0.5 + style.BAR / 2
    marker = {"symbol": "circle-open", "size": 9, "color": style.GREY, "line": {"width": 2}}
    where = {"x": [float(v) for v in rolls], "y": [middle] * len(rolls)}
    hover = {"hovertemplate": "%{x:.4~g}<extra></extra>"}
    low, high = min(rolls), max(rolls)
    name = words.W1_BAND.format(rolls=len(rolls), low=number(low), high=number(high))
    band = {"x": [low, high], "y": [middle, middle], "line": {"color": fade(style.GREY, 50), "width": 22}}
    return [
        {"type": "scatter", "mode": "lines", **band, "name": name, "hoverinfo": "skip"},
        {"type": "scatter", "mode": "markers", "name": words.W1_ROLLS, "marker": marker, **where, **hover},
    ]


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


def bounds(total: W1 | None, theory: pd.DataFrame, resolution: W1 | None = None, privacy: W1 | None = None) -> Drawing:
    """Each bound of the theory on W1 or on one of its parts, beside what was measured, on a log scale. Private.

    `theory` is what `privcore.theory.bounds` returns. A row that is not proved for these dials is greyed and says why.
    Bounds on other quantities (leaves, depth) stand in the table only.
    """
    measured = {"resolution": resolution, "privacy": privacy, "total": total}
    chosen = theory[theory["quantity"].isin(list(measured)) & (theory["kind"] != "identity")]
    order = sorted(range(len(chosen)), key=lambda i: list(measured).index(chosen["quantity"].iloc[i]))
    labels = [_bound_name(chosen.iloc[i]) for i in order]
    top, places = _row_places(labels)
    rows = [_Bound.of(chosen.iloc[i], measured, place) for i, place in zip(order, places, strict=True)]
    low, high = _log_range([value for row in rows for value in (row.value, row.measured)])
    traces = [_spans(rows)]
    for wanted, colour, symbol, name in (
        (True, style.BLUE, "diamond", words.BOUNDS_PROVED),
        (False, style.GREY, "diamond-open", words.BOUNDS_GREYED),
    ):
        traces.append(_bound_marks([row for row in rows if row.proved == wanted and row.drawn], colour, symbol, name))
    traces += [
        _measured([row for row in rows if row.measured > 0]),
        style.row_names(labels, 10.0**low, places.tolist()),
    ]
    layout = {
        "xaxis": style.axis(words.BOUNDS_X, type="log", range=[low, high], **style.log_ticks(low, high)),
        "yaxis": {"visible": False, "range": [-0.2, top], "fixedrange": True},
        "left": style.ROW_LEFT,
    }
    alt = words.BOUNDS_ALT.format(
        total=words.W1_MISSING if total is None else number(total.upper),
        proved="; ".join(f"{row.name} {number(row.value)}" for row in rows if row.proved) or words.NONE,
        greyed="; ".join(f"{row.name} ({row.reason})" for row in rows if not row.proved) or words.NONE,
    )
    figure = style.figure(traces, style.banner(), words.BOUNDS_TITLE, height=round(180 + LINE * top), **layout)
    return Drawing(figure, alt, theory.reset_index(drop=True))


@dataclass(frozen=True)
class _Bound:
    """One line of the figure of bounds; `measured` is nan if the quantity was not, `place` is where its name stands."""

    name: str
    value: float
    proved: bool
    reason: str
    formula: str
    measured: float
    place: float

    @classmethod
    def of(cls, row: pd.Series, measured: Mapping[str, W1 | None], place: float) -> _Bound:
        seen = measured[row["quantity"]]
        upper = float("nan") if seen is None else float(seen.upper)
        told = str(row["name"]), float(row["value"]), bool(row["proved"]), str(row["reason"]), str(row["formula"])
        return cls(*told, upper, float(place))

    @property
    def drawn(self) -> bool:
        return bool(np.isfinite(self.value) and self.value > 0)

    @property
    def height(self) -> float:
        return self.place - 0.75


def _bound_name(row: pd.Series) -> str:
    """The name of a bound with what it bounds, and the reason when it is not proved."""
    template = words.BOUND_EXPECTED if row["expected"] else words.BOUND_NAME
    name = template.format(name=row["name"], quantity=words.QUANTITIES[row["quantity"]])
    return name if row["proved"] else f"{name}<br><i>{wrap(str(row['reason']))}</i>"


def _bound_marks(rows: list[_Bound], colour: str, symbol: str, name: str) -> dict[str, Any]:
    return {
        "type": "scatter",
        "mode": "markers+text",
        "x": [row.value for row in rows],
        "y": [row.height for row in rows],
        "text": [f" {number(row.value)}" for row in rows],
        "textposition": "middle right",
        "marker": {"color": colour, "size": 13, "symbol": symbol, "line": {"width": 2, "color": colour}},
        "name": name,
        "customdata": [[row.name, wrap(row.formula, 60)] for row in rows],
        "hovertemplate": "%{customdata[0]}: %{x:.4~g}<br>%{customdata[1]}<extra></extra>",
        "cliponaxis": False,
    }


def _measured(rows: list[_Bound]) -> dict[str, Any]:
    """What was measured, as an open circle in the row of each bound on it."""
    return {
        "type": "scatter",
        "mode": "markers",
        "x": [row.measured for row in rows],
        "y": [row.height for row in rows],
        "marker": {"color": style.ORANGE, "symbol": "circle-open", "size": 12, "line": {"width": 2.5}},
        "name": words.BOUNDS_MEASURED,
        "hovertemplate": f"{words.BOUNDS_MEASURED}: %{{x:.4~g}}<extra></extra>",
    }


def _spans(rows: list[_Bound]) -> dict[str, Any]:
    """A dashed line from what was measured to its bound."""
    both = [row for row in rows if row.drawn and row.measured > 0]
    return {
        "type": "scatter",
        "mode": "lines",
        "x": [x for row in both for x in (row.measured, row.value, None)],
        "y": [y for row in both for y in (row.height, row.height, None)],
        "line": {"color": style.GREY, "dash": "dash", "width": 1.5},
        "hoverinfo": "skip",
        "showlegend": False,
    }


def _row_places(labels: list[str]) -> tuple[float, Any]:
    """The height of all rows and where the last line of each name stands, in lines of text from the bottom."""
    lines = np.array([label.count("<br>") + 1 for label in labels] or [1])
    below = np.cumsum((lines + 2.0)[::-1])[::-1]
    return float(below[0]), (below - lines - 0.3)[: len(labels)]


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
