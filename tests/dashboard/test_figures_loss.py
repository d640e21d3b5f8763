"""The figure of the realised privacy loss: every record is in it, and none beyond the promise."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dashboard.figures.loss import realised


@given(st.lists(st.tuples(st.floats(-1, 1), st.integers(0, 1000)), min_size=1, max_size=50), st.floats(0.01, 20))
def test_every_record_is_drawn_within_the_promise(leaves: list[tuple[float, int]], epsilon: float) -> None:
    counts = np.array([count for _, count in leaves])
    loss = np.where(counts > 0, [epsilon * share for share, _ in leaves], np.nan)
    drawn = realised(loss, counts, epsilon)
    assert drawn.private
    bars, promise = drawn.figure.data
    assert sum(bars.y) == counts.sum() == drawn.table["records"].sum()
    assert [x for x in promise.x if x is not None] == [-epsilon, -epsilon, epsilon, epsilon]
    assert (np.abs(np.asarray(bars.x)) <= epsilon).all()
    assert not drawn.table["privacy loss"].isna().any()


def test_a_loss_at_the_promise_up_to_rounding_is_not_lost() -> None:
    drawn = realised(np.array([1.0 + 1e-13, -1.0 - 1e-13]), np.array([3, 4]), 1.0)
    assert [drawn.figure.data[0].y[-1], drawn.figure.data[0].y[0]] == [3, 4]
    assert drawn.table["privacy loss"].abs().max() == pytest.approx(1.0)
