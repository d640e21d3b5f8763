"""Where epsilon goes, and what it means for one person. Functions of the public parameters alone."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from dashboard.figures import shapes, style
from dashboard.figures.style import Drawing, number
from dashboard.palette import fade
from dashboard.text import figures as words
from privcore.accounting import Cost


def right_guesses(epsilon: Any) -> Any:
    """The most often, in 100, that a guess about one person is right: 100 e^eps / (1 + e^eps).

    >>> [round(float(right_guesses(e))) for e in (0.1, 0.5, 1, 2, 4)]
    [52, 62, 73, 88, 98]
    """
    return 100.0 / (1.0 + np.exp(-np.asarray(epsilon, dtype=np.float64)))


def odds_sentence(epsilon: float, replace_one: bool = False) -> str:
    """What epsilon means, in one sentence; where neighbours differ in one record's values, the guess is about these."""
    return (words.ODDS_REPLACE if replace_one else words.ODDS).format(right=right_text(epsilon))


def right_text(epsilon: float) -> str:
    """The most right guesses in 100 as text: never as good as a coin, and never certain.

    >>> [right_text(epsilon) for epsilon in (0.01, 1.0, 9.0, 20.0)]
    ['50.2', '73', '99.99', '99.9999998']
    """
    exact = float(right_guesses(epsilon))
    gap = min(exact - 50.0, 100.0 - exact)
    return f"{exact:.{0 if gap >= 0.5 else int(np.ceil(-np.log10(max(gap, 1e-12))))}f}"


def budget(cost: Cost) -> Drawing:
    """Where epsilon goes: the exact cost of tree and leaf counts, the published bound under it, and the epsilon asked.

    `cost` is what `Parameters.cost(d)` returns. With two noise rates, removing and adding a person cost the two stages
    different amounts and have a bar each; what counts is the longer one.
    """
    rows = _accounts(cost)
    names, places = [row[0] for row in rows], list(range(len(rows)))[::-1]
    parts = [(1, words.BUDGET_TREE, style.BLUE, ""), (2, words.BUDGET_LEAVES, style.GREEN, "/")]
    traces: list[dict[str, Any]] = []
    for place, name, colour, pattern in parts:
        values = [float(row[place]) for row in rows]
        traces.append(
            {
                "type": "bar",
                "orientation": "h",
                "y": places,
                "x": values,
                "width": style.BAR,
                "offset": -0.5,
                "name": name,
                "text": [number(v) for v in values],
                "textposition": "inside",
                "insidetextanchor": "middle",
                "insidetextfont": {"color": style.INK},
                "textangle": 0,
                "marker": {"color": colour, "pattern": style.hatched(pattern, colour, fade(style.INK, 25))},
                "customdata": names,
                "hovertemplate": f"%{{customdata}}, {name}: %{{x:.6g}}<extra></extra>",
            }
        )
    traces += [_asked(float(cost.epsilon), len(rows)), style.row_names(names[::-1], 0.0)]
    totals = [_total(place, float(row[3])) for place, row in zip(places, rows, strict=True)]
    reach = max(float(cost.epsilon), *(float(row[3]) for row in rows))
    layout = {
        "barmode": "stack",
        "xaxis": style.axis(words.BUDGET_X, range=[0, 1.25 * reach]),
        "yaxis": style.rows(len(names)),
        "left": style.ROW_LEFT,
        "annotations": totals,
    }
    odds = words.ODDS_SHORT.format(right=right_text(float(cost.total)))
    figure = style.figure(traces, style.label(), words.BUDGET_TITLE, odds, height=230 + 60 * len(rows), **layout)
    alt = words.BUDGET_ALT.format(
        epsilon=number(cost.epsilon),
        exact="; ".join(words.BUDGET_ROW.format(*row[:1], *map(_four, row[1:3])) for row in rows[:-1]),
        total=number(cost.total, 4),
        published_tree=number(cost.published_tree, 4),
        published_total=number(cost.published_total, 4),
        odds=odds_sentence(float(cost.total)),
    )
    table = pd.DataFrame([(*row, cost.epsilon) for row in rows], columns=list(words.BUDGET_COLUMNS))
    return Drawing(figure, alt, table)


def _four(value: float) -> str:
    return number(value, 4)


def _accounts(cost: Cost) -> list[tuple[str, float, float, float]]:
    """(name, tree, leaf counts, total) by each way to count."""
    added = 1.0 / cost.lam
    exact = [(words.BUDGET_EXACT, cost.tree, cost.leaves)]
    if cost.a != cost.b:
        exact = [(words.BUDGET_REMOVED, cost.tree, cost.a), (words.BUDGET_ADDED, added, cost.b)]
    published = (words.BUDGET_PUBLISHED, cost.published_tree, cost.published_total - cost.published_tree)
    return [(name, float(tree), float(leaves), float(tree + leaves)) for name, tree, leaves in [*exact, published]]


def _asked(epsilon: float, rows: int) -> dict[str, Any]:
    """The epsilon that was asked for, as a line across the bars."""
    return {
        "type": "scatter",
        "mode": "lines",
        "x": [epsilon, epsilon],
        "y": [-0.65, rows - 0.9],
        "line": {"color": style.GREY, "width": 3, "dash": "dot"},
        "name": words.BUDGET_NOMINAL.format(epsilon=number(epsilon)),
        "hovertemplate": "%{x}<extra></extra>",
    }


def _total(place: int, total: float) -> dict[str, Any]:
    """The sum of a row, right of its bars."""
    where = {"x": total, "y": place - 0.5 + style.BAR / 2, "xanchor": "left", "xshift": 8}
    return {"text": f"<b>= {number(total, 4)}</b>", "showarrow": False, **where}


def odds(epsilon: float) -> Drawing:
    """How often a guess about one person can be right, over epsilon, with the given epsilon marked."""
    grid = np.geomspace(0.01, max(10.0, epsilon), 200)
    curve = right_guesses(grid)
    line = {"type": "scatter", "mode": "lines", "x": shapes.small(grid)}
    here = float(right_guesses(epsilon))
    traces = [
        {**line, "y": shapes.small(curve), "name": words.ODDS_CURVE, "line": {"color": style.BLUE, "width": 3}},
        {**line, "y": np.full(len(grid), 50, dtype=np.float32), "name": words.ODDS_COIN},
        {
            "type": "scatter",
            "mode": "markers+text",
            "x": [epsilon],
            "y": [here],
            "text": [right_text(epsilon)],
            "textposition": "top left",
            "name": words.ODDS_HERE.format(epsilon=number(epsilon)),
            "marker": {"color": style.BLUE, "size": 14},
        },
    ]
    traces[1]["line"] = {"color": style.GREY, "width": 1.5, "dash": "dot"}
    ticks = [0.01, 0.03, 0.1, 0.3, 1, 3, 10]
    layout = {
        "xaxis": style.axis(words.ODDS_X, type="log", tickvals=ticks, ticktext=[f"{t:g}" for t in ticks]),
        "yaxis": style.axis(words.ODDS_Y, range=[48, 102]),
    }
    figure = style.figure(traces, style.label(), words.ODDS_TITLE, height=380, **layout)
    table = pd.DataFrame(dict(zip(words.ODDS_COLUMNS, (grid, curve), strict=True)))
    return Drawing(figure, odds_sentence(epsilon), table)
