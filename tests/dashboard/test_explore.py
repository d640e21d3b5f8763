"""The Explore page as a script: every dial by link, uploads, downloads, the code it shows."""

from __future__ import annotations

import contextlib
import io
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from dashboard import compute, plot
from dashboard.settings import Settings
from privcore import Box, Parameters, Release

APP = str(Path(__file__).parents[2] / "dashboard" / "app.py")
BANNER = "NOT PRIVATE"
BUDGET = 300_000


def opened(**query: str) -> AppTest:
    app = AppTest.from_file(APP, default_timeout=120)
    for key, value in query.items():
        app.query_params[key] = value
    app.run()
    assert not app.exception, app.exception[0].message
    return app


def messages(app: AppTest) -> dict[str, bytes]:
    found = {}
    for element in app.get("bidi_component"):
        message = element.proto.bytes
        found[plot.unpack(message).options["key"]] = message
    return found


def figures(app: AppTest) -> dict[str, Any]:
    return {key: plot.unpack(message).figure for key, message in messages(app).items()}


def texts(figure: Any) -> str:
    return " ".join(note.text for note in figure.layout.annotations if note.text)


def metric(app: AppTest, label: str) -> str:
    return next(m.value for m in app.metric if m.label == label)


def test_default_view_is_complete_and_within_its_budget() -> None:
    app = opened()
    drawn = messages(app)
    assert {"figure_partition", "figure_measure", "figure_w1", "figure_budget", "figure_law"} <= set(drawn)
    assert sum(map(len, drawn.values())) <= BUDGET
    assert "2,000 people" in app.markdown[0].value
    assert not app.query_params


def test_a_rerun_draws_the_same_bytes() -> None:
    app = opened()
    before = messages(app)
    app.run()
    assert messages(app) == before


PRIVATE = {"partition", "scatter", "law", "noise_map", "w1", "bounds", "levels", "cdfs", "dimension"}
PUBLIC = {"measure", "projection", "budget", "odds", "icicle", "dimension_release"}


@pytest.mark.parametrize("d", [1, 2, 3, 5])
def test_private_figures_say_so_and_the_others_do_not(d: int) -> None:
    for key, figure in figures(opened(cloud="uniform", n="300", d=str(d))).items():
        name = key.removeprefix("figure_")
        assert (BANNER in texts(figure)) == (name in PRIVATE), name
        assert name in PRIVATE | PUBLIC


@pytest.mark.parametrize(
    "query",
    [
        {"mode": "paper"},
        {"neighbours": "replace-one"},
        {"shift": "random"},
        {"shift": "0.3,0.7"},
        {"delta": "6"},
        {"gamma": "2"},
        {"theta": "-10"},
        {"theta": "50"},
        {"projection": "lipschitz"},
        {"projection": "clip"},
        {"representative": "spread"},
        {"n": "1"},
        {"epsilon": "0.01"},
        {"max_depth": "1"},
        {"tree_share": "0.3"},
        {"tree_share": "0.02"},
        {"delta": "100000"},
        {"epsilon": "20", "gamma": "50"},
        {"theta": "0.123", "gamma": "0.4321"},
        {"cloud": "iris", "d": "4"},
        {"cloud": "uniform", "d": "10", "n": "2"},
        {"cloud": "curve", "d": "5", "axes": "2,4"},
    ],
    ids=str,
)
def test_every_dial_can_be_set_by_link(query: dict[str, str]) -> None:
    app = opened(n=query.get("n", "300"), **{k: v for k, v in query.items() if k != "n"})
    assert not app.warning
    settings, problems = Settings.from_query(app.query_params)
    assert not problems
    assert settings.to_query().items() >= {k: v for k, v in query.items() if k not in ("axes", "shift")}.items()


def test_a_bad_link_is_answered_with_the_nearest_value() -> None:
    app = opened(epsilon="99", d="77", foo="1")
    said = " ".join(warning.value for warning in app.warning)
    assert "99" in said
    assert "77" in said
    assert "foo" in said


def test_turning_a_dial_goes_into_the_link_and_back() -> None:
    app = opened(n="300")
    app.select_slider(key="dial_epsilon").set_value(0.5).run()
    app.slider(key="dial_theta").set_value(12.0).run()
    assert app.query_params["epsilon"] in ("0.5", ["0.5"])
    again = opened(**{k: v[0] if isinstance(v, list) else v for k, v in app.query_params.items()})
    assert messages(again) == messages(app)


def test_new_noise_leaves_the_data_alone() -> None:
    app = opened(n="300")
    before = figures(app)["figure_partition"]
    next(b for b in app.button if b.label == "Roll new noise").click().run()
    after = figures(app)["figure_partition"]
    assert app.session_state["settings"].seed == 1
    points = [next(t for t in f.data if t.name == "data points") for f in (before, after)]
    assert np.array_equal(points[0].x, points[1].x)


def test_delta_shows_its_cost_in_both_units() -> None:
    app = opened(n="300")
    app.segmented_control(key="dial_delta_by").set_value("delta").run()
    app.number_input(key="dial_delta").set_value(8.0).run()
    caption = next(c.value for c in app.caption if c.value.startswith("δ = "))
    cost = app.session_state["settings"].parameters().cost(2)
    assert f"{cost.gamma:.3g} λ" in caption
    assert f"{cost.tree:.4f}" in caption
    assert cost.delta == 8.0


def test_paper_mode_shows_what_it_truly_costs() -> None:
    app = opened(mode="paper", n="300")
    assert metric(app, "Privacy spent") == "ε = 0.9011"
    assert app.slider(key="dial_theta").disabled


def test_the_code_reproduces_the_number_on_screen() -> None:
    app = opened(n="400", theta="3", representative="spread")
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        exec(app.code[0].value, {})
    leaves, w1 = out.getvalue().split(" leaves, W1 = ")
    assert leaves == metric(app, "Leaves")
    assert float(w1.split()[0]) == pytest.approx(float(metric(app, "W1 error")), rel=5e-3)


def upload(app: AppTest, content: bytes, name: str = "mine.csv") -> None:
    app.segmented_control(key="source").set_value("My table").run()
    app.file_uploader(key="file").upload(name, content).run()
    assert not app.exception, app.exception[0].message


def bounds(app: AppTest, *ends: float) -> None:
    for widget, end in zip([w for w in app.number_input if "possible value" in w.label], ends, strict=True):
        widget.set_value(end)
    app.run()
    assert not app.exception, app.exception[0].message


ROWS = "place;long;lat\n" + "\n".join(f"P{i};{i % 17},5;{(7 * i) % 11}" for i in range(200))


def test_an_upload_waits_for_columns_and_bounds_and_never_enters_the_link() -> None:
    app = opened()
    upload(app, ROWS.encode())
    assert not messages(app)
    choose = app.multiselect[0]
    assert choose.options == ["long", "lat"]
    choose.set_value(["long", "lat"]).run()
    low = [w for w in app.number_input if "possible value" in w.label]
    assert [w.value for w in low] == [None] * 4
    bounds(app, 0, 20, 0, 12)
    partition = figures(app)["figure_partition"]
    assert partition.layout.xaxis.title.text == "long"
    assert "200 rows" in app.markdown[0].value
    assert not app.query_params
    assert not [b for b in app.get("download_button") if "JSON" in b.proto.label]


def test_an_upload_with_impossible_bounds_or_no_numbers_is_answered_in_words() -> None:
    app = opened()
    upload(app, b"name\nAda\nBob\n")
    assert any("No column" in e.value for e in app.error)
    app = opened()
    upload(app, b"x\n1\n2\nnan\n")
    app.multiselect[0].set_value(["x"]).run()
    bounds(app, 5, 1)
    assert any("low < high" in e.value for e in app.error)
    bounds(app, 0, 5)
    assert any("1 of 3 rows" in w.value for w in app.warning)
    assert "figure_cdfs" in messages(app)


@pytest.mark.parametrize("content", [b"", b"\x00\xff\x00junk", b"x,y\n"], ids=["empty", "junk", "header"])
def test_a_useless_file_gives_a_sentence(content: bytes) -> None:
    app = opened()
    upload(app, content)
    assert app.error or app.warning
    assert not messages(app)


def test_a_held_release_is_made_once() -> None:
    data = compute.uploaded(np.full((50, 1), 0.3), Box.unit(1))
    held = compute.HeldRelease(data, Parameters(1.0))
    assert held.text() == held.text()
    assert Release.from_json(held.text()).box == Box.unit(1)


def test_neighbouring_data_sets_never_share_a_result() -> None:
    points = np.random.default_rng(0).random((600_000, 1))
    neighbour = points.copy()
    neighbour[300_001] = 0.999
    digests = {compute.uploaded(p, Box.unit(1)).digest for p in (points, neighbour)}
    assert len(digests) == 2
