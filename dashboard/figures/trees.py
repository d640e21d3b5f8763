"""The paper's three trees that are not private: how their leaves and their depth follow the threshold.

Both figures show the data. Measured lines are dashed with open markers, as all that is private; bounds are dotted.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas as pd

from dashboard.figures import shapes, style
from dashboard.figures.style import Drawing, number
from dashboard.text import figures as words

LOOKS = {"hard": (style.ORANGE, "circle-open"), "capped": (style.PINK, "square-open"), "soft": (style.GREEN, "x-open")}
"""The colour and the marker of a rule."""


def leaves(sizes: pd.DataFrame) -> Drawing:
    """Leaves against the threshold theta, with what is proved; `sizes` is a table of `privcore.theory.tree_sizes`."""
    up = _decades(pd.concat([sizes.leaves, sizes.leaves_at_most.dropna()]))
    axis = {"type": "log", "range": up, **style.log_ticks(*up)}
    return _drawn(sizes, "leaves", words.TREES_LEAVES_TITLE, words.TREES_LEAVES, words.TREES_LEAVES_NOTE, axis)


def depth(sizes: pd.DataFrame) -> Drawing:
    """Depth against the threshold theta, with what is proved; `sizes` is a table of `privcore.theory.tree_sizes`."""
    axis = {"range": (-0.5, 1.08 * float(sizes.depth_at_most.max()) + 0.5)}
    return _drawn(sizes, "depth", words.TREES_DEPTH_TITLE, words.TREES_DEPTH, words.TREES_DEPTH_NOTE, axis)


def _drawn(sizes: pd.DataFrame, what: str, title: str, unit: str, note: str, vertical: dict[str, Any]) -> Drawing:
    traces = [trace for rule in LOOKS for trace in _lines(sizes[sizes.rule == rule], rule, what, unit)]
    across = _decades(sizes.theta)
    layout = {
        "xaxis": style.axis(words.TREES_X, type="log", range=across, **style.log_ticks(*across)),
        "yaxis": style.axis(unit, **vertical),
    }
    alt = words.TREES_ALT.format(
        unit=unit.capitalize(),
        low=number(sizes.theta.min()),
        high=number(sizes.theta.max()),
        rules=_sentence(sizes, what),
    )
    table = sizes[["rule", "theta", what, f"{what}_at_most"]].copy()
    table["rule"] = table["rule"].map(words.TREES_RULES)
    table.columns = pd.Index([*words.TREES_COLUMNS, unit, words.TREES_AT_MOST.format(unit=unit)])
    spec = style.figure(traces, style.banner(), title, note, height=500, **layout)
    return Drawing(spec, alt, table.reset_index(drop=True))


def _lines(part: pd.DataFrame, rule: str, what: str, unit: str) -> Iterator[dict[str, Any]]:
    """A rule's measured line, and its bound where there is one."""
    colour, marker = LOOKS[rule]
    name = words.TREES_RULES[rule]
    theta = part.theta.to_numpy()
    common = {"type": "scatter", "x": shapes.small(theta), "legendgroup": rule}
    hover = words.TREES_HOVER.format(unit=unit)
    yield {
        **common,
        "y": shapes.small(part[what].to_numpy()),
        "mode": "lines+markers",
        "line": {"color": colour, "dash": style.PRIVATE.dash, "width": 2},
        "marker": {"symbol": marker, "size": 8},
        "name": name,
        "hovertemplate": f"{name}<br>{hover}<extra></extra>",
    }
    bound = part[f"{what}_at_most"].to_numpy(dtype=np.float64)
    if np.isfinite(bound).all():
        name = words.TREES_BOUND.format(rule=name)
        yield {
            **common,
            "y": shapes.small(bound),
            "mode": "lines",
            "line": {"color": colour, "dash": "dot", "width": 2},
            "name": name,
            "hovertemplate": f"{name}<br>{hover}<extra></extra>",
        }


def _sentence(sizes: pd.DataFrame, what: str) -> str:
    """Each rule's least and greatest value, and its greatest share of the bound."""
    parts = []
    for rule, name in words.TREES_RULES.items():
        part = sizes[sizes.rule == rule]
        bound = part[f"{what}_at_most"]
        share = float((part[what] / bound.replace(0, 1)).max())  # NaN where there is no bound
        says = words.TREES_SHARE.format(share=number(100 * share)) if np.isfinite(share) else words.TREES_NO_BOUND
        parts.append(
            words.TREES_RULE_ALT.format(
                name=name, low=number(part[what].min()), high=number(part[what].max()), says=says
            )
        )
    return " ".join(parts)


def _decades(values: pd.Series[Any]) -> tuple[float, float]:
    """The range of a log axis that holds the positive values, with some air."""
    return float(np.log10(values.min())) - 0.08, float(np.log10(values.max())) + 0.12
