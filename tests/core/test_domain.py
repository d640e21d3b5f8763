from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from privcore.domain import Box, Frame
from privcore.errors import InvalidBoxError, InvalidParametersError, InvalidPointsError

BOX = Box([-1.0, 0.0], [3.0, 0.5], names=["a", "b"])


@given(st.lists(st.tuples(st.floats(), st.floats()), max_size=10))
def test_rows_follow_one_fixed_rule(rows: list[tuple[float, float]]) -> None:
    """Each row alone decides what becomes of it."""
    unit = BOX.to_unit(np.array(rows).reshape(-1, 2))
    alone = [BOX.to_unit([row]) for row in rows]
    np.testing.assert_array_equal(unit, np.concatenate([np.empty((0, 2)), *alone]))
    assert ((unit >= 0) & (unit <= 1)).all()
    assert len(unit) == sum(np.isfinite(row).all() for row in rows)
    corner = BOX.to_unit(np.array(rows).reshape(-1, 2), invalid="corner")
    assert len(corner) == len(rows)
    for row, mapped in zip(rows, corner, strict=True):
        if not np.isfinite(row).all():
            assert mapped.tolist() == [0.0, 0.0]


KINDS: list[object] = [0.1, np.float32(0.1), np.float16(0.1), 7, 2**53 + 1, 2**64 + 1, True, "0.1", b"0.1", None]


@given(st.lists(st.sampled_from(KINDS), min_size=1, max_size=4))
def test_no_row_changes_how_another_is_read(values: list[object]) -> None:
    """numpy chooses one type for a whole list, so that what one row holds must not show in the others."""
    together = Box.unit(1).rows([[value] for value in values])
    alone = [Box.unit(1).rows([[value]])[0] for value in values]
    np.testing.assert_array_equal(together, np.array(alone, dtype=np.float64))


@pytest.mark.parametrize(
    "points",
    [
        [[np.datetime64("2020-01-01")]],
        [[np.timedelta64(3, "s")]],
        pd.DataFrame({"day": pd.to_datetime(["2020-01-01"])}),
        [[1j]],
        [[10**400]],
    ],
)
def test_what_is_no_real_number_is_refused(points: object) -> None:
    """A day is 18262.0, but 1577836800.0 if some other row has seconds."""
    with pytest.raises(InvalidPointsError, match="not all numbers"):
        Box.unit(1).rows(points)


@given(st.lists(st.tuples(st.floats(-1, 3), st.floats(0, 0.5)), min_size=1, max_size=10))
def test_there_and_back(rows: list[tuple[float, float]]) -> None:
    np.testing.assert_allclose(BOX.from_unit(BOX.to_unit(rows)), rows, atol=1e-15)


@given(st.floats(0, 1), st.floats(-1e6, 1e6), st.floats(1e-6, 1e6))
def test_from_unit_stays_inside(u: float, low: float, width: float) -> None:
    box = Box([low], [low + width])
    assert low <= box.from_unit([[u]])[0, 0] <= low + width


def test_corners_map_to_corners() -> None:
    assert BOX.to_unit([[-1, 0], [3, 0.5]]).tolist() == [[0, 0], [1, 1]]
    assert BOX.to_unit([[-99, 99]]).tolist() == [[0, 1]]


@pytest.mark.parametrize("dtype", [np.int64, np.float32, np.float64, np.uint8, np.bool_])
def test_kinds_of_numbers(dtype: type) -> None:
    assert Box.unit(2).to_unit(np.array([[0, 1], [1, 0]], dtype=dtype)).tolist() == [[0, 1], [1, 0]]


def test_frames_are_read_by_name() -> None:
    frame = pd.DataFrame({"b": [0.5, 0.0], "other": ["x", "y"], "a": [3.0, -1.0]})
    assert BOX.to_unit(frame).tolist() == [[1, 1], [0, 0]]
    with pytest.raises(InvalidPointsError, match="no column 'a'"):
        BOX.to_unit(frame.drop(columns="a"))
    with pytest.raises(InvalidPointsError, match="twice"):
        BOX.to_unit(pd.concat([frame, frame[["a"]]], axis=1))
    assert Box.unit(1).to_unit(pd.DataFrame({"whatever": [0.25]})).tolist() == [[0.25]]


def test_the_input_is_left_alone() -> None:
    points = np.array([[5.0, 5.0], [np.nan, 0.0]])
    before = points.copy()
    BOX.to_unit(points, invalid="corner")
    np.testing.assert_array_equal(points, before)


@pytest.mark.parametrize(
    "points", [[[1, 2, 3]], [1, 2], np.zeros((2, 2, 2)), [["a", "b"]], [[1, 2], [3]], [[object(), 1]]]
)
def test_points_of_the_wrong_form(points: object) -> None:
    with pytest.raises(InvalidPointsError):
        BOX.to_unit(points)


def test_the_error_does_not_tell_the_number_of_rows() -> None:
    messages = set()
    for n in (3, 70):
        with pytest.raises(InvalidPointsError) as error:
            BOX.to_unit(np.zeros((n, 5)))
        messages.add(str(error.value))
    assert messages == {"The points have shape (n, 5), but the box has 2 axes. Give an (n, 2) array."}


@pytest.mark.parametrize(
    ("low", "high", "names"),
    [
        ([], [], None),
        ([0], [1, 2], None),
        ([1], [1], None),
        ([2], [1], None),
        ([float("nan")], [1], None),
        ([0], [float("inf")], None),
        ([-1e308], [1e308], None),
        ([0], [1e-300], None),
        (["a"], [1], None),
        ([0, 0], [1, 1], ["x"]),
        ([0, 0], [1, 1], ["x", "x"]),
    ],
)
def test_what_is_no_box(low: list[float], high: list[float], names: list[str] | None) -> None:
    with pytest.raises(InvalidBoxError):
        Box(low, high, names)


def test_box_basics() -> None:
    assert Box.unit(3).d == 3
    assert Box.unit(3).columns == ("x1", "x2", "x3")
    assert BOX.columns == ("a", "b")
    assert BOX.width.tolist() == [4.0, 0.5]
    assert Box(0, 1) == Box([0], [1])  # type: ignore[arg-type]
    assert hash(BOX) == hash(Box([-1.0, 0.0], [3.0, 0.5], names=["a", "b"]))
    with pytest.raises(InvalidBoxError, match="d is 0"):
        Box.unit(0)


@given(st.floats(0, 1), st.floats(0, 1))
def test_numbers_stay_in_the_window(u: float, offset: float) -> None:
    for frame in (Frame(1), Frame(1, (offset,))):
        number = int(frame.numbers(np.array([[u]]))[0, 0])
        assert int(frame.first[0]) <= number <= int(frame.last[0]) < 2**52


@given(st.floats(0, 1), st.floats(0, 1), st.floats(0, 1))
def test_numbers_keep_the_order(u: float, v: float, offset: float) -> None:
    frame = Frame(1, (offset,))
    low, high = frame.numbers(np.array([[min(u, v)], [max(u, v)]]))[:, 0]
    assert low <= high


@pytest.mark.parametrize("shift", [(0.5,), (0.5, -0.1), (0.5, 1.1), (0.5, float("nan"))])
def test_no_such_shift(shift: tuple[float, ...]) -> None:
    with pytest.raises(InvalidParametersError, match="2 numbers between 0 and 1"):
        Frame(2, shift)
