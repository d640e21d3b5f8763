"""The reader's box drawn over a picture of the data or of the release."""

from __future__ import annotations

from typing import Any

import numpy as np

from dashboard.figures import shapes, style
from dashboard.figures.style import Drawing
from dashboard.text import figures as words
from privcore.domain import Box


def with_box(drawing: Drawing, chosen: Box, box: Box, axes: tuple[int, int] = (0, 1)) -> Drawing:
    """The same picture with the outline of a chosen box, which is public: the reader drew it."""
    line = {"color": style.PINK, "width": 3, "dash": "dashdot"}
    look = {"line": line, "name": words.BOX, "hoverinfo": "skip", "showlegend": True}
    traces = [*drawing.spec["data"], _outline(chosen, box, axes) | look]
    return Drawing({**drawing.spec, "data": traces}, drawing.alt, drawing.table)


def _outline(chosen: Box, box: Box, axes: tuple[int, int]) -> dict[str, Any]:
    if box.d == 3:
        low, high = (np.atleast_2d((np.asarray(end) - box.low) / box.width) for end in (chosen.low, chosen.high))
        return shapes.box_trace(low, high, box)
    if box.d == 1:
        ends = [chosen.low[0], chosen.high[0]]
        return {
            "type": "scatter",
            "mode": "lines+markers",
            "x": ends,
            "y": [0, 0],
            "marker": {"size": 9, "symbol": "line-ns-open"},
        }
    (x0, x1), (y0, y1) = ((chosen.low[axis], chosen.high[axis]) for axis in axes)
    return {"type": "scatter", "mode": "lines", "x": [x0, x1, x1, x0, x0], "y": [y0, y0, y1, y1, y0]}
