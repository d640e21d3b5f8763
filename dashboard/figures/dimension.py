"""How many balls cover a set at each radius, and the dimension that this says it has, up to the cut-off of a release.

On the data it is private; on a released measure anybody may see it.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from dashboard.figures import shapes, style
from dashboard.figures.style import Drawing, Look, number
from dashboard.palette import fade
from dashboard.text import figures as words
from privcore.arrays import Floats
from privcore.dimension import Dimension


def dimension(found: Dimension, *, private: bool, epsilon: float | None = None, simulated: bool = False) -> Drawing:
    """log N against log 1/r: N between a packing and a cover, the cut-off r*, the slope s with its band and verdict.

    `private` says whether `found` was made from the data; otherwise it was made from a released measure, and `epsilon`
    and `simulated` are that release's.
    """
    covering = found.covering
    look = style.PRIVATE if private else style.RELEASE
    most = float(max(covering.upper.max(), found.target))
    says = words.DIMENSION_SAYS[found.verdict].format(
        s=number(found.s), low=number(found.band[0]), high=number(found.band[1])
    )
    traces = [_cut_off(found, most), *_bounds(found, look), *_slope(found)]
    x = np.log10(1.0 / covering.radius)
    across, up = (float(x.min()) - 0.03, float(x.max()) + 0.06), (-0.06, float(np.log10(most)) + 0.15)
    layout = {
        "xaxis": style.axis(words.DIMENSION_X, type="log", range=across, **style.log_ticks(*across)),
        "yaxis": style.axis(words.DIMENSION_Y, type="log", range=up, **style.log_ticks(*up)),
    }
    badge = style.banner() if private else style.label(epsilon, simulated)
    title = words.DIMENSION_TITLE if private else words.DIMENSION_TITLE_RELEASE
    alt = words.DIMENSION_ALT.format(
        privacy=words.DIMENSION_PRIVATE if private else words.DIMENSION_RELEASE,
        distinct=number(covering.distinct),
        target=number(found.target),
        fine=number(found.cut_off[0]),
        coarse=number(found.cut_off[1]),
        says=says,
    )
    columns = (covering.radius, covering.lower, covering.upper, found.slope)
    table = pd.DataFrame(dict(zip(words.DIMENSION_COLUMNS, columns, strict=True)))
    return Drawing(style.figure(traces, badge, title, says, height=500, **layout), alt, table)


def _bounds(found: Dimension, look: Look) -> list[dict[str, Any]]:
    """The packing and the cover, and what is between them shaded."""
    radius = found.covering.radius
    both = {"type": "scatter", "x": shapes.small(1.0 / radius), "customdata": shapes.small(radius)}
    lower = {
        **both,
        "y": shapes.small(found.covering.lower),
        "mode": "lines",
        "line": {"color": look.colour, "dash": "dot", "width": 2},
        "name": words.DIMENSION_LOWER,
    }
    upper = {
        **both,
        "y": shapes.small(found.covering.upper),
        "mode": "lines+markers",
        "line": {"color": look.colour, "dash": look.dash, "width": 2},
        "marker": {"symbol": look.marker, "size": 6},
        "fill": "tonexty",
        "fillcolor": fade(look.colour, 12),
        "name": words.DIMENSION_UPPER,
    }
    hover = words.DIMENSION_HOVER
    return [{**trace, "hovertemplate": f"{hover}{trace['name']} %{{y:,}}<extra></extra>"} for trace in (lower, upper)]


def _cut_off(found: Dimension, most: float) -> dict[str, Any]:
    """The radii between which the cut-off lies, as a grey column."""
    left, right = 1.0 / found.cut_off[1], 1.0 / found.cut_off[0]
    return {
        "type": "scatter",
        "mode": "lines",
        "x": [left, left, right, right],
        "y": [0.5, 10.0 * most, 10.0 * most, 0.5],
        "fill": "toself",
        "fillcolor": fade(style.GREY, 25),
        "line": {"color": style.GREY, "width": 1},
        "name": words.DIMENSION_CUT.format(target=number(found.target)),
        "hoverinfo": "skip",
    }


def _slope(found: Dimension) -> list[dict[str, Any]]:
    """The slope over its window, the wedge of all slopes in the band, and the bound A r^-s; none without a window."""
    fine, coarse = found.window
    if not np.isfinite([fine, coarse, found.s, *found.band]).all():
        return []
    ends = np.array([coarse, fine])
    pivot = float(np.sqrt(fine * coarse))
    height = _height(found, pivot)

    def line(slope: float) -> Floats:
        return np.asarray(height * (ends / pivot) ** -slope)

    low, high = line(found.band[0]), line(found.band[1])
    plain = {"type": "scatter", "mode": "lines", "hoverinfo": "skip"}
    wedge = {
        **plain,
        "x": [*(1.0 / ends), 1.0 / fine, 1.0 / coarse],
        "y": [low[0], low[1], high[1], high[0]],
        "fill": "toself",
        "fillcolor": fade(style.GREEN, 30),
        "line": {"width": 0},
        "name": words.DIMENSION_BAND.format(low=number(found.band[0]), high=number(found.band[1])),
    }
    name = words.DIMENSION_SLOPE if found.tells else words.DIMENSION_SLOPE_ONLY
    slope = {
        **plain,
        "x": [*(1.0 / ends)],
        "y": [*line(found.s)],
        "line": {"color": style.GREEN, "width": 4, "dash": "solid" if found.tells else "dot"},
        "name": name.format(s=number(found.s)),
    }
    proved = np.array([min(1.0, float(found.covering.radius[0])), found.cut_off[0]])
    curve = {
        **plain,
        "x": [*(1.0 / proved)],
        "y": [*found.curve(proved)],
        "line": {"color": style.GREY, "dash": "dashdot", "width": 2},
        "name": words.DIMENSION_CURVE.format(constant=number(found.constant)),
    }
    return [wedge, slope, curve]


def _height(found: Dimension, pivot: float) -> float:
    """The height at which the slope crosses `pivot`, so that it lies on the cover over the finer half of its window."""
    covering = found.covering
    used = (covering.radius >= found.window[0]) & (covering.radius <= pivot)
    return float(np.exp(np.mean(np.log(covering.upper[used] * (covering.radius[used] / pivot) ** found.s))))
