"""The realised privacy loss: what this one output says about each record. Private."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from dashboard.figures import style
from dashboard.figures.style import Drawing, number
from dashboard.palette import fade
from dashboard.text import figures as words
from privcore.arrays import Floats, Ints

BINS = 40


def realised(loss: Floats, counts: Ints, epsilon: float) -> Drawing:
    """How many records have which loss ln P(output | data) / P(output | data without the record); private.

    `loss` (leaves,) is the same for all records of a leaf and NaN where there is none, `counts` (leaves,) are the
    records. The promise is that no loss leaves [-epsilon, epsilon].
    """
    held = counts > 0
    losses, records = loss[held], counts[held]
    edges = np.linspace(-epsilon, epsilon, BINS + 1)
    # A loss of exactly epsilon, up to rounding, belongs to the last bin.
    heights = np.histogram(np.clip(losses, -epsilon, epsilon), edges, weights=records)[0]
    middle = (edges[:-1] + edges[1:]) / 2
    top = float(heights.max(initial=1.0))
    bars = {
        "type": "bar",
        "x": middle,
        "y": heights,
        "width": edges[1] - edges[0],
        "name": words.LOSS_RECORDS,
        "marker": {"color": fade(style.ORANGE, 30), "line": {"color": style.PRIVATE.colour, "width": 1}},
        "hovertemplate": words.LOSS_HOVER,
    }
    layout = {
        "xaxis": style.axis(words.LOSS_X, range=[-1.12 * epsilon, 1.12 * epsilon]),
        "yaxis": style.axis(words.LOSS_Y, rangemode="tozero"),
        "bargap": 0,
        "showlegend": True,
    }
    total = int(records.sum())
    mean = float(records @ losses / total) if total else 0.0
    worst = float(np.abs(losses).max(initial=0.0))
    facts = {"mean": number(mean), "worst": number(worst), "epsilon": number(epsilon)}
    alt = words.LOSS_ALT.format(records=number(total), **facts)
    note = words.LOSS_NOTE.format(**facts)
    figure = style.figure([bars, _promise(epsilon, top)], style.banner(), words.LOSS_TITLE, note, **layout)
    columns = (np.flatnonzero(held), records, losses)
    return Drawing(figure, alt, pd.DataFrame(dict(zip(words.LOSS_COLUMNS, columns, strict=True))))


def _promise(epsilon: float, top: float) -> dict[str, Any]:
    """The two lines that no loss can cross."""
    return {
        "type": "scatter",
        "mode": "lines",
        "x": [-epsilon, -epsilon, None, epsilon, epsilon],
        "y": [0.0, top, None, 0.0, top],
        "name": words.LOSS_PROMISE,
        "line": {"color": style.BLUE, "width": 3},
        "hoverinfo": "skip",
    }
