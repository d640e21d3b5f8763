"""The server's half of dashboard/plot.py: what a message holds, and what a script gets back."""

from __future__ import annotations

import os
import zlib
from pathlib import Path
from typing import Any

import numpy as np
import plotly
import plotly.graph_objects as go
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays
from streamlit.testing.v1 import AppTest

from dashboard import palette
from dashboard.plot import MODULES, Frames, install, pack, pack_frames, unpack

NUMBERS = [np.int8, np.uint8, np.int16, np.uint16, np.int32, np.uint32, np.float32, np.float64]


def sent(figure: go.Figure, **options: Any) -> go.Figure:
    back = unpack(pack(figure, options)).figure
    assert back is not None
    return back


@given(arrays.arrays(st.sampled_from(NUMBERS), st.integers(1, 30), elements=st.integers(0, 100)))
def test_numbers_come_back_in_their_own_type(values: np.ndarray) -> None:
    figure = go.Figure(go.Scatter(x=values, y=values))
    back = sent(figure).data[0]
    assert back.x.dtype == values.dtype
    np.testing.assert_array_equal(back.x, values)


@given(arrays.arrays(np.float64, st.integers(1, 20), elements=st.floats(allow_nan=True, allow_infinity=True)))
def test_not_a_number_and_infinity_survive_in_arrays(values: np.ndarray) -> None:
    np.testing.assert_array_equal(sent(go.Figure(go.Scatter(y=values))).data[0].y, values)


@given(st.lists(st.integers(-(2**62), 2**62), min_size=1))
def test_64_bit_integers_become_numbers_that_a_browser_has(values: list[int]) -> None:
    back = sent(go.Figure(go.Scatter(y=np.array(values, dtype=np.int64)))).data[0].y
    assert back.dtype in (np.int32, np.float64)
    np.testing.assert_allclose(back, np.array(values, dtype=float), rtol=1e-15)


@pytest.mark.parametrize("shape", [(3, 5), (2, 3, 4)])
def test_shape_is_kept(shape: tuple[int, ...]) -> None:
    grid = np.arange(np.prod(shape), dtype=np.float32).reshape(shape)
    np.testing.assert_array_equal(sent(go.Figure(go.Heatmap(z=grid))).data[0].z, grid)


def test_arrays_of_any_memory_order_keep_their_values() -> None:
    grid = np.asfortranarray(np.arange(12.0).reshape(3, 4))
    np.testing.assert_array_equal(sent(go.Figure(go.Heatmap(z=grid))).data[0].z, grid)
    big = np.arange(5, dtype=">f8")
    np.testing.assert_array_equal(sent(go.Figure(go.Scatter(y=big))).data[0].y, big)


def test_words_truth_values_dates_and_holes_travel_as_lists() -> None:
    figure = go.Figure(
        go.Scatter(
            x=np.array(["2026-01-01", "2026-01-02"], dtype="datetime64[D]"),
            y=[1.0, None],
            text=np.array(["a", "b"]),
            customdata=np.array([True, False]),
        )
    )
    back = sent(figure).data[0]
    assert [str(day)[:10] for day in back.x] == ["2026-01-01", "2026-01-02"]
    assert list(back.y) == [1.0, None]
    assert list(back.text) == ["a", "b"]
    assert list(back.customdata) == [True, False]


def test_the_template_is_dropped_and_options_are_kept() -> None:
    figure = go.Figure(go.Scatter(y=[1, 2]), layout={"template": "plotly_dark", "title": "A title"})
    packed = unpack(pack(figure, {"alt": "épsilon ε", "height": 300}))
    assert packed.options == {"alt": "épsilon ε", "height": 300}
    assert packed.figure is not None
    assert packed.figure.layout.title.text == "A title"
    assert len(pack(figure, {})) < 300


def test_an_array_that_all_frames_share_is_sent_once() -> None:
    points = np.random.default_rng(0).random(5000)
    figures = [go.Figure([go.Scatter(x=points, y=points), go.Scatter(y=np.full(3, float(i)))]) for i in range(20)]
    message = pack_frames(Frames({"a": figures, "b": figures}, [str(i) for i in range(20)]), "scrub").message
    assert len(message) < points.nbytes + 20_000
    back = unpack(message)
    assert back.figure is None
    assert [len(pictures) for pictures in back.frames.values()] == [20, 20]
    np.testing.assert_array_equal(back.frames["a"][7].data[1].y, [7.0, 7.0, 7.0])
    np.testing.assert_array_equal(back.frames["b"][7].data[0].x, points)


def test_a_message_names_what_it_holds() -> None:
    def digest(values: list[float], **options: str) -> bytes:
        message = zlib.decompress(pack(go.Figure(go.Scatter(y=np.array(values))), options))
        return message.partition(b'"digest":')[2][:26]

    assert digest([1.0, 2.0], alt="a") == digest([1.0, 2.0], alt="a")
    assert len({digest([1.0, 2.0], alt="a"), digest([1.0, 3.0], alt="a"), digest([1.0, 2.0], alt="b")}) == 3


def test_raw_numbers_are_smaller_than_text() -> None:
    values = np.random.default_rng(1).random(5000).astype(np.float32)
    assert len(pack(go.Figure(go.Scattergl(x=values, y=values)), {})) < 4 * 5000 + 1000


def test_frames_must_have_a_label_each() -> None:
    with pytest.raises(ValueError, match="1 frames of 'one' and 2 labels"):
        Frames({"one": [go.Figure()]}, ["a", "b"])
    with pytest.raises(ValueError, match="2 notes"):
        Frames({"one": [go.Figure()]}, ["a"], notes=[[], []])


# ---- in a script


def script() -> None:
    import numpy as np
    import pandas as pd
    import plotly.graph_objects as go
    import streamlit as st

    from dashboard.plot import Frames, pack_frames, plot, scrubber, table

    scale = st.slider("scale", 1, 5, 1)
    figure = go.Figure(go.Scatter(y=np.arange(4.0) * scale))
    rows = pd.DataFrame({"y": np.arange(1200.0)})
    box = plot(figure, key="one", alt=f"A line to {3 * scale}", data_id="line", on_select=True, table=rows)
    st.text(f"selection {box}")
    frames = Frames({"two": [figure, figure]}, ["a", "b"])
    at = st.session_state.setdefault("at", 0)
    plot(figure, key="two", alt="Two frames", data_id="line", height=200, scrubbed_by="scrub", at=at)
    scrubber(pack_frames(frames, "scrub"), key="scrub", on_frame=lambda frame: st.session_state.update(at=frame))
    st.text(f"frame {at}")
    table(pd.DataFrame({"y": np.arange(4.0)}), key="three")


def messages(app: AppTest) -> list[bytes]:
    return [element.proto.bytes for element in app.get("bidi_component")]


@pytest.fixture
def app() -> AppTest:
    app = AppTest.from_function(script, default_timeout=30).run()
    assert not app.exception
    return app


def test_a_script_draws_and_a_test_can_read_the_figure(app: AppTest) -> None:
    app.slider[0].set_value(4).run()
    one, two, scrub = (unpack(message) for message in messages(app))
    assert one.figure is not None
    np.testing.assert_array_equal(one.figure.data[0].y, [0, 4, 8, 12])
    assert one.options["alt"] == "A line to 12"
    assert (one.options["height"], two.options["height"]) == (420, 200)
    assert two.options["at"] == 0
    assert two.options["group"] == scrub.options["key"] == "scrub"
    assert [len(pictures) for pictures in scrub.frames.values()] == [2]


def test_a_table_is_not_sent_while_it_is_closed(app: AppTest) -> None:
    assert not app.dataframe


def test_opening_the_table_of_a_figure_sends_its_first_rows_and_leaves_every_figure_as_it_is(app: AppTest) -> None:
    before = messages(app)
    app.session_state["one"] = {"table": True}
    app.run()
    (rows,) = app.dataframe
    assert list(rows.value.columns) == ["y"]
    assert len(rows.value) == 1000
    assert any(c.value == "The first 1,000 of 1,200 rows." for c in app.caption)
    assert messages(app) == before
    assert [unpack(message).options.get("table", "") for message in before] == ["Table", "", ""]


def test_what_the_browser_sends_back_is_read_with_care(app: AppTest) -> None:
    box = {"data_id": "line", "range": {"x": [0, 1.5], "y": [0, 2]}, "points": 2}
    app.session_state["one"] = {"selection": box}
    app.run()
    assert app.text[0].value == "selection Selection(range={'x': (0.0, 1.5), 'y': (0.0, 2.0)}, points=2)"
    app.session_state["one"] = {"selection": box | {"data_id": "another"}}
    app.run()
    assert app.text[0].value == "selection None"


def test_a_figure_without_words_is_refused() -> None:
    def silent() -> None:
        import plotly.graph_objects as go

        from dashboard.plot import plot

        plot(go.Figure(), key="k", alt=" ", data_id="d")

    app = AppTest.from_function(silent, default_timeout=30).run()
    assert "alternative text" in app.exception[0].message


# ---- the files that are served


def test_install_copies_the_modules_and_plotly_once(tmp_path: Path) -> None:
    folder = tmp_path / "static"
    assert install(folder)
    library = folder / f"plotly-{plotly.__version__}.min.js"
    assert library.read_bytes() == (Path(plotly.__file__).parent / "package_data" / "plotly.min.js").read_bytes()
    assert len(list(folder.iterdir())) == 1 + len(MODULES)
    os.utime(library, ns=(1, 1))
    assert install(folder)
    assert library.stat().st_mtime_ns == 1  # not written again
    assert len(list(folder.iterdir())) == 1 + len(MODULES)


def test_install_says_when_it_cannot_write(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    assert not install(tmp_path / "file")


def test_the_files_are_served_from_where_they_are_if_the_script_is_elsewhere(app: AppTest) -> None:
    options = unpack(messages(app)[0]).options
    assert options["module"] == "/_stcore/bidi-components/privcore.plot/plot.js"
    assert options["plotly"] == "/_stcore/bidi-components/privcore.plotly/plotly.min.js"


# ---- colours


@pytest.mark.parametrize("theme", [0, 1])
@pytest.mark.parametrize("ground", ["background", "panel"])
def test_colours_are_legible_on_both_themes(theme: int, ground: str) -> None:
    page = palette.COLOURS[ground][theme]
    for role in ("text", "muted", "release", "private", "black"):
        assert palette.contrast(palette.COLOURS[role][theme], page) >= 4.5, role
    for role in ("edge", "green", "pink", "sky", "yellow"):
        assert palette.contrast(palette.COLOURS[role][theme], page) >= 3, role


def test_plotly_takes_tokens_for_colours() -> None:
    figure = go.Figure(
        go.Scatter(y=[1], line={"color": palette.RELEASE}, fillcolor=palette.fade(palette.RELEASE, 20)),
        layout={"font": {"color": palette.TEXT}, "coloraxis": {"colorscale": [[0, palette.GRID], [1, palette.TEXT]]}},
    )
    assert sent(figure).data[0].fillcolor == "var(--pc-release/20)"
    resolved = palette.resolve(figure.to_plotly_json(), theme="dark")
    assert resolved["data"][0]["fillcolor"] == "rgba(86,180,233,0.2)"
    assert resolved["layout"]["font"]["color"] == "#f2f2f2"


def test_an_unknown_role_is_refused() -> None:
    with pytest.raises(KeyError, match="no colour has the role 'blue'"):
        palette.token("blue")
