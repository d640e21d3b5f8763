"""How large the trees that are not private grow, beside what the paper proves about them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd

from privcore.cells import CellCounts
from privcore.errors import InvalidParametersError
from privcore.theory import trees
from privcore.tree import Growth, capped, depth_cap, hard, soft


def tree_sizes(
    counts: CellCounts, thetas: Sequence[float], delta: float, most: int, max_depth: int | None = None
) -> pd.DataFrame:
    """Leaves and depth of the hard, the capped and the soft tree at every threshold, with their bounds. NOT PRIVATE.

    `thetas` (k,) and `delta`, all above 0, are in records; the capped tree has at most `most` leaves. One row a
    tree: rule, theta, leaves, depth, leaves_at_most, depth_at_most; NaN where nothing is proved (the leaves of the
    hard tree). With theta and delta over n: soft leaves <= min(1 + 1/theta + ln(1/theta)/delta, the sum by level),
    soft depth <= ceil((1 - theta)/delta); any depth is at most the cap.
    Raises `InvalidParametersError`. Source: the paper, sections 4.1 and 5.1, appendix A.

    >>> from privcore.domain import Box
    >>> tree_sizes(CellCounts([0.1, 0.2, 0.9], Box.unit(1)), [1.0], delta=1.0, most=3).leaves.tolist()
    [4, 3, 2]
    """
    n = float(counts.n)
    if n == 0 or delta <= 0 or not len(thetas) or min(thetas) <= 0:
        raise InvalidParametersError("The trees need at least one record, delta > 0, and one theta or more, each > 0.")
    cap = depth_cap(counts.d, max_depth)
    rows = []
    for theta in thetas:
        p, q = theta / n, delta / n
        leaves = min(trees.soft_leaves(p, q), trees.soft_leaves_by_level(p, q))
        rows += [
            _row("hard", theta, hard(counts, theta, max_depth), np.nan, cap),
            _row("capped", theta, capped(counts, theta, most, max_depth), float(most), cap),
            _row("soft", theta, soft(counts, theta, delta, max_depth), leaves, min(cap, trees.soft_depth(p, q))),
        ]
    return pd.DataFrame(rows)


def _row(rule: str, theta: float, growth: Growth, leaves_at_most: float, depth_at_most: int) -> dict[str, object]:
    tree = growth.tree
    return {
        "rule": rule,
        "theta": float(theta),
        "leaves": len(tree.leaves),
        "depth": int(tree.leaf_depth.max()),
        "leaves_at_most": leaves_at_most,
        "depth_at_most": depth_at_most,
    }
