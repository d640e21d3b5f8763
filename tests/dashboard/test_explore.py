"""The Explore page as a script: every dial by link, uploads, downloads, the code it shows."""

from __future__ import annotations

import contextlib
import dataclasses
import io
import threading
import time
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import plotly.graph_objects as go
import pytest
from streamlit.testing.v1 import AppTest

from dashboard import compute, plot, scrubbing
from dashboard.display import PARTS, Display
from dashboard.figures.error import interval
from dashboard.limits import CLASSROOM
from dashboard.scrubbing import EPSILONS, KEY
from dashboard.settings import Settings
from dashboard.text import explore as words
from dashboard.text.settings import DIALS
from dashboard.views import distance
from privcore import Box, Parameters, Release

APP = str(Path(__file__).parents[2] / "dashboard" / "app.py")
BANNER = "NOT PRIVATE"
BUDGET = 300_000
MOST_ELEMENTS = 40
"""Elements and blocks of a preset's page: each is a message, and messages are nearly all that a rerun costs."""


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
    drawn = {key: plot.unpack(message).figure for key, message in messages(app).items()}
    return {key: figure for key, figure in drawn.items() if figure is not None}


def everything(**query: str) -> dict[str, bytes]:
    """The messages of every part of the page, one opened after the other."""
    return {key: message for part in PARTS for key, message in messages(opened(**query, part=part)).items()}


def texts(figure: Any) -> str:
    return " ".join(note.text for note in figure.layout.annotations if note.text)


def metric(app: AppTest, label: str) -> str:
    return ({m.label: m.value for m in app.metric} | said_at_the_slider(app))[label]


def said_at_the_slider(app: AppTest) -> dict[str, str]:
    """The numbers under the slider where it rests, if there is one."""
    sent = messages(app)
    if KEY not in sent:
        return {}
    options = plot.unpack(sent["figure_partition"]).options
    notes = plot.unpack(sent[KEY]).options["notes"][options["at"]]
    return dict(notes if options["own"] is None else options["own"][1])


def test_default_view_is_complete_and_within_its_budget() -> None:
    app = opened()
    drawn = everything()
    assert {f"figure_{name}" for name in (PRIVATE | PUBLIC) - {"cdfs"}} | {KEY} == set(drawn)
    assert sum(map(len, drawn.values())) <= BUDGET
    assert "2,000 people" in app.markdown[0].value
    assert not app.query_params


def size(node: Any) -> int:
    """The elements and blocks at a place of the page."""
    return 1 + sum(map(size, getattr(node, "children", {}).values()))


@pytest.mark.parametrize("query", [{}, {"epsilon": "2"}, {"cloud": "blobs", "epsilon": "0.5"}], ids=str)
def test_a_preset_sends_few_messages(query: dict[str, str]) -> None:
    app = opened(**query)
    app.run()
    assert size(app.main) + size(app.sidebar) - 2 <= MOST_ELEMENTS
    assert not app.get("empty")  # nobody waits for anything
    app.button(key="pin").click().run()
    app.run()
    assert not app.get("empty")


def test_the_link_is_made_when_it_is_asked_for() -> None:
    app = opened(n="300")
    assert not app.get("multiselect")
    app.session_state["link_box"] = True
    app.run()
    app.multiselect(key="class_hides").set_value(["theta"]).run()
    assert any(c.value.endswith("?v=1&n=300&hide=theta") for c in app.code)
    app.session_state["link_box"] = False
    app.run()
    app.session_state["link_box"] = True
    app.run()
    assert app.multiselect(key="class_hides").value == ["theta"]


def test_the_look_is_picked_behind_a_button_and_kept() -> None:
    app = opened(n="300")
    plain = messages(app)["figure_partition"]
    assert not [control for control in app.segmented_control if control.key in ("colour", "kind")]
    app.session_state["view_box"] = True
    app.run()
    app.segmented_control(key="colour").set_value("density").run()
    app.segmented_control(key="kind").set_value("cells").run()
    coloured = messages(app)["figure_partition"]
    assert coloured != plain
    app.session_state["view_box"] = False
    app.run()
    assert messages(app)["figure_partition"] == coloured
    app.selectbox(key="dial_d").set_value(3).run()  # where cells can't be coloured, nor the measure be drawn as cells
    assert figures(app)["figure_measure"].data[0].type == "scatter3d"
    app.selectbox(key="dial_d").set_value(2).run()
    assert messages(app)["figure_partition"] == coloured


def test_the_table_of_a_figure_is_sent_once_it_is_opened() -> None:
    app = opened(n="300")
    before = messages(app)
    assert not app.dataframe
    app.session_state["figure_scatter"] = {"table": True}
    app.run()
    assert len(app.dataframe) == 1
    assert len(app.dataframe[0].value) == int(metric(app, "Leaves"))
    assert messages(app) == before


def test_a_rerun_draws_the_same_bytes() -> None:
    app = opened()
    before = messages(app)
    app.run()
    assert messages(app) == before


def test_a_thousand_leaves_are_within_the_budget_of_a_rerun() -> None:
    for part in PARTS:
        app = opened(n="5000", epsilon="2.2", theta="1", part=part)
        assert 900 <= int(metric(app, "Leaves").replace(",", "")) <= 1000
        assert sum(map(len, messages(app).values())) <= BUDGET / 2


def test_a_commit_of_epsilon_sends_no_frame_again() -> None:
    app = opened()
    frames = messages(app)[KEY]
    app.select_slider(key="dial_epsilon").set_value(2.0).run()
    assert messages(app)[KEY] == frames
    assert plot.unpack(messages(app)["figure_partition"]).options["at"] == EPSILONS.index(2.0)


@pytest.mark.parametrize("d", [1, 2, 3, 5])
def test_frames_are_what_the_page_shows_at_their_epsilon(d: int) -> None:
    app = opened(cloud="uniform", n="300", d=str(d), epsilon="1.5")
    app.button(key="make_live").click().run()
    packed, shown = plot.unpack(messages(app)[KEY]), figures(app)
    assert len(packed.options["labels"]) == len(EPSILONS) >= 15
    at = EPSILONS.index(1.5)
    for key, pictures in packed.frames.items():
        plain = {"data": [t.to_plotly_json() for t in shown[key].data], "layout": shown[key].layout.to_plotly_json()}
        assert pictures[at] == go.Figure(scrubbing.still(plain))
    settings = app.session_state["session"].settings
    run = compute.simulation(compute.generated(settings), settings.parameters(), settings.seed)
    assert not app.metric
    assert said_at_the_slider(app) == {
        "Leaves": f"{len(run.tree.leaves):,}",
        "W1 error": interval(run.w1),
        "Best guess about one person": "82 of 100",
        "Privacy spent": "ε = 1.5",
    }
    assert set(packed.options["meanings"]) == set(said_at_the_slider(app))


def test_between_two_frames_the_numbers_are_those_of_the_picture() -> None:
    app = opened(epsilon="0.93")
    run = compute.simulation(compute.generated(Settings()), Parameters(0.93), 0)
    options = plot.unpack(messages(app)["figure_partition"]).options
    assert options["own"][0] == "ε = 0.93"
    assert EPSILONS[options["at"]] == 1.0
    assert metric(app, "Leaves") == f"{len(run.tree.leaves):,}" != metric(opened(), "Leaves")
    assert metric(app, "W1 error") == interval(run.w1)
    assert metric(app, "Privacy spent") == "ε = 0.93"


def test_a_preset_can_be_dragged_at_once_and_other_dials_on_demand() -> None:
    assert KEY in messages(opened(cloud="blobs"))
    app = opened(n="401")
    assert KEY not in messages(app)
    app.button(key="make_live").click().run()
    assert KEY in messages(app)
    app.number_input(key="dial_seed").set_value(3).run()
    assert KEY in messages(app)


def test_on_a_projector_epsilon_can_be_dragged_after_the_noise_is_rolled() -> None:
    assert KEY in messages(opened(present="1", n="401", seed="7"))


def test_the_page_says_why_epsilon_cannot_be_dragged() -> None:
    assert any("at most 20,000 points" in c.value for c in opened(n="20001").caption)
    assert any("outside what can be dragged" in c.value for c in opened(epsilon="15").caption)
    app = opened(n="2000", delta="0.8", theta="-9", epsilon="1")
    assert KEY not in messages(app)


def test_the_page_names_no_dial_that_is_not_there() -> None:
    def said(**query: str) -> str:
        app = opened(**query)
        return " ".join(text.value for text in (app.markdown[0], *app.caption))

    assert words.TURN in said(n="317")  # nobody has asked for its frames
    assert words.TURN_PRESENT in said(present="1", epsilon="15")
    for query in ({}, {"n": "300"}, {"epsilon": "15"}):
        assert words.TURN not in said(present="1", **query)
        assert "ε in the panel" not in said(hide="epsilon", **query)


PRIVATE = {"partition", "scatter", "law", "noise_map", "w1", "bounds", "levels", "cdfs", "dimension"}
PRIVATE |= {"plan", "error_map", "loss", "tree_leaves", "tree_depth"}
PUBLIC = {"measure", "projection", "budget", "odds", "icicle", "dimension_release"}


@pytest.mark.parametrize("d", [1, 2, 3, 5])
def test_private_figures_say_so_and_the_others_do_not(d: int) -> None:
    drawn = everything(cloud="uniform", n="300", d=str(d))
    drawn.pop(KEY, None)  # frames of these figures, if another test asked for them
    for key, message in drawn.items():
        figure = plot.unpack(message).figure
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
    assert app.session_state["session"].settings.seed == 1
    points = [next(t for t in f.data if t.name == "data points") for f in (before, after)]
    assert np.array_equal(points[0].x, points[1].x)


def test_delta_shows_its_cost_in_both_units() -> None:
    app = opened(n="300")
    app.segmented_control(key="dial_delta_by").set_value("delta").run()
    app.number_input(key="dial_delta").set_value(8.0).run()
    caption = next(c.value for c in app.caption if c.value.startswith("δ = "))
    cost = app.session_state["session"].settings.parameters().cost(2)
    assert f"{cost.gamma:.3g} λ" in caption
    assert f"{cost.tree:.4f}" in caption
    assert cost.delta == 8.0


def test_paper_mode_shows_what_it_truly_costs() -> None:
    app = opened(mode="paper", n="300")
    assert metric(app, "Privacy spent") == "ε = 0.9011"
    assert app.slider(key="dial_theta").disabled


def test_the_code_reproduces_the_number_on_screen() -> None:
    app = opened(n="400", theta="3", representative="spread", part="take")
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        exec(next(c.value for c in app.code if c.language == "python"), {})
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
    app.session_state["session"].display = Display(part="take")
    app.run()
    assert not [b for b in app.get("download_button") if "JSON" in b.proto.label]
    assert any("command line" in i.value for i in app.info)


def test_the_names_of_columns_show_as_they_are_and_nothing_counts_as_changed() -> None:
    app = opened()
    upload(app, b"<b>x</b>;*y*\n" + b"\n".join(b"%d,5;%d" % (i % 17, i % 11) for i in range(50)) + b"\n;3\n")
    app.multiselect[0].set_value(["<b>x</b>", "*y*"]).run()
    bounds(app, 0, 20, 0, 12)
    assert [w.label for w in app.number_input if "lowest" in w.label] == [
        "<b>x</b>: lowest possible value",
        r"\*y\*: lowest possible value",
    ]
    assert any("Column '<b>x</b>'" in w.value and "). These rows" in w.value for w in app.warning)
    assert figures(app)["figure_partition"].layout.xaxis.title.text == "&lt;b&gt;x&lt;/b&gt;"
    assert not any("Changed" in c.value for c in app.caption)
    assert app.button(key="reset").disabled
    app.button(key="pin").click().run()
    assert app.button(key="pin").disabled
    before = metric(app, "Leaves")
    for source in ("Generated", "My table"):
        app.segmented_control(key="source").set_value(source).run()
    assert metric(app, "Leaves") == before
    assert "50 rows" in app.markdown[0].value


def test_dials_fit_the_table_while_it_is_there_and_the_scenario_after_it() -> None:
    app = opened()
    upload(app, b"a,b,c,d\n" + b"\n".join(b"%d,%d,%d,%d" % (i % 7, i % 11, i % 13, i % 5) for i in range(99)))
    app.multiselect[0].set_value(["a", "b", "c", "d"]).run()
    bounds(app, 0, 8, 0, 12, 0, 14, 0, 6)
    app.selectbox(key="dial_axes").set_value((2, 3)).run()
    app.segmented_control(key="dial_shift_by").set_value("hand").run()
    assert len(app.warning) == 1  # that the view is for the owner, and no dial is complained about
    assert app.selectbox(key="dial_axes").value == (2, 3)
    assert app.selectbox(key="dial_axes").label == words.AXES + " •"
    assert app.session_state["session"].settings.shift == (0.5,) * 4
    app.segmented_control(key="source").set_value("Generated").run()
    assert not app.exception
    kept = app.session_state["session"].settings
    assert (kept.axes, kept.shift, kept.d) == ((0, 1), (0.5, 0.5), 2)
    app.button(key="undo").click().run()
    assert not app.exception


def test_a_dial_that_the_mode_ignores_is_not_marked_as_changed() -> None:
    turned = {"theta": "5", "delta": "9", "tree_share": "0.5", "shift": "random"}
    for mode, marked in (("tight", True), ("paper", False)):
        app = opened(mode=mode, n="200", **turned)
        app.session_state["more"] = True  # what is folded away is not drawn
        app.run()
        labels = [w.label for w in (*app.slider, *app.number_input, *app.segmented_control)]
        for label in (words.THETA, words.DELTA_BY, words.SHARE):
            assert (label + " •" in labels) == marked, (mode, label)
            assert (label in labels) != marked, (mode, label)
        assert words.SHIFT + " •" in labels
        changed = next(c.value for c in app.caption if c.value.startswith("Changed"))
        assert (DIALS["theta"] in changed) == marked
        assert Settings.from_query(app.query_params)[0].theta == 5.0


def test_epsilon_is_not_offered_for_dragging_where_its_own_tree_is_too_large() -> None:
    app = opened(epsilon="10", seed="1")
    assert not [b for b in app.button if b.key == "make_live"]
    assert any("can't be dragged here: at ε = 10" in c.value for c in app.caption)


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


def test_the_uniform_ruler_is_an_even_spread_however_few_the_records() -> None:
    data = compute.Data(np.array([[0.5, 0.5]]), Box.unit(2), "one record")
    rulers = compute.rulers(data, Settings(n=1), ("another", "uniform", "mean"))
    assert rulers["uniform"].value == pytest.approx((np.sqrt(2) + np.log(1 + np.sqrt(2))) / 6, rel=1e-3)


def test_neighbouring_data_sets_never_share_a_result() -> None:
    points = np.random.default_rng(0).random((600_000, 1))
    neighbour = points.copy()
    neighbour[300_001] = 0.999
    digests = {compute.uploaded(p, Box.unit(1)).digest for p in (points, neighbour)}
    assert len(digests) == 2


def test_a_preset_is_computed_once_a_server(monkeypatch: pytest.MonkeyPatch) -> None:
    first = everything(cloud="ring")

    def computed_again(*_: Any, **__: Any) -> None:
        raise AssertionError("a second session computes")

    for name in ("make", "simulate", "wasserstein", "bounds", "dimension", "theory_sizes"):
        monkeypatch.setattr(compute, name, computed_again)
    assert everything(cloud="ring") == first


def test_frames_that_many_ask_for_are_made_once() -> None:
    kept, made, start = compute.Kept(2), [], threading.Barrier(8)

    def ask() -> None:
        start.wait(10)
        kept.get("key", lambda: made.append(time.sleep(0.05)) or "value", lambda before: None)

    threads = [threading.Thread(target=ask) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(10)
    assert len(made) == 1
    for key in ("other", "third"):
        kept.get(key, list, print)
    assert "key" not in kept  # the oldest goes


def gl(figure: Any) -> bool:
    """Whether a figure takes a WebGL context of the browser, which gives only a few to a page."""
    return any(trace.type.endswith(("3d", "gl")) for trace in figure.data)


@pytest.mark.parametrize("query", [{"d": "3"}, {"d": "2", "n": "4000"}, {"d": "5", "n": "4000"}], ids=str)
def test_no_part_of_the_page_takes_more_than_two_webgl_contexts(query: dict[str, str]) -> None:
    for part in PARTS:
        app = opened(
            cloud="uniform", **query, part=part, pin=["v=1&epsilon=0.5&cloud=uniform&d=3", "cloud=uniform&d=3"]
        )
        drawn = figures(app)
        assert "figure_pin_1" in drawn
        assert sum(gl(figure) for figure in drawn.values()) <= 2


# ---- undo, pins, the link, the display


def epsilon_of(app: AppTest) -> float:
    return float(app.session_state["session"].settings.epsilon)


def test_undo_redo_and_reset_walk_through_the_dials() -> None:
    app = opened(n="300")
    assert app.button(key="undo").disabled
    for value in (0.5, 0.2):
        app.select_slider(key="dial_epsilon").set_value(value).run()
    app.button(key="undo").click().run()
    assert (epsilon_of(app), app.select_slider(key="dial_epsilon").value) == (0.5, 0.5)
    assert app.query_params["epsilon"] in ("0.5", ["0.5"])
    app.button(key="redo").click().run()
    assert epsilon_of(app) == 0.2
    assert app.button(key="redo").disabled
    app.button(key="reset").click().run()
    assert app.session_state["session"].settings == Settings()
    app.button(key="undo").click().run()
    assert (epsilon_of(app), app.session_state["session"].settings.n) == (0.2, 300)
    app.select_slider(key="dial_epsilon").set_value(2.0).run()
    assert app.button(key="redo").disabled  # another way was taken


def test_pins_stand_side_by_side_and_travel_with_the_link() -> None:
    app = opened(n="300")
    for value in (1.0, 0.5, 0.2, 2.0, 4.0):
        app.select_slider(key="dial_epsilon").set_value(value).run()
        button = app.button(key="pin")
        if not button.disabled:
            button.click().run()
    assert [pin.epsilon for pin in app.session_state["session"].pins[""]] == [1.0, 0.5, 0.2, 2.0]
    query = {
        "pin": app.query_params.get_all("pin") if hasattr(app.query_params, "get_all") else app.query_params["pin"]
    }
    again = opened(n="300", **query)
    assert again.session_state["session"].pins == app.session_state["session"].pins
    assert {f"figure_pin_{i}" for i in range(4)} <= set(messages(again))
    again.button(key="unpin_1").click().run()
    again.button(key="take_1").click().run()
    assert epsilon_of(again) == 0.2
    assert "figure_pin_3" not in messages(again)


def test_too_many_or_senseless_pins_are_answered() -> None:
    app = opened(pin=["epsilon=0.5", "epsilon=99", "bogus", "n=5", "n=6"])
    said = " ".join(warning.value for warning in app.warning)
    assert "more than 4" in said
    assert "In a pin of the link: ε: 99" in said
    assert len(app.session_state["session"].pins[""]) <= 4


def test_a_link_hides_dials_and_keeps_hiding_them() -> None:
    app = opened(n="300", hide="theta,shift,delta,seed,n,nonsense")
    drawn = {w.key for kind in ("slider", "number_input", "segmented_control") for w in app.get(kind)}
    assert not drawn & {"dial_theta", "dial_shift_by", "dial_delta_by", "dial_seed", "dial_n"}
    assert any("nonsense" in w.value for w in app.warning)
    app.select_slider(key="dial_epsilon").set_value(0.5).run()
    hidden = app.query_params["hide"]
    assert set((hidden if isinstance(hidden, str) else hidden[0]).split(",")) == {
        "delta",
        "n",
        "seed",
        "shift",
        "theta",
    }
    assert app.session_state["session"].settings.n == 300


def test_projector_mode_is_large_and_can_be_left() -> None:
    app = opened(n="300", present="1")
    large = plot.unpack(messages(app)["figure_partition"]).options
    app.button(key="projector").click().run()
    usual = plot.unpack(messages(app)["figure_partition"]).options
    assert large["scale"] > usual["scale"] == 1.0
    assert large["height"] > usual["height"]
    assert "present" not in app.query_params


def test_a_part_is_opened_by_link_and_only_it_costs_anything() -> None:
    app = opened(n="300", part="privacy")
    assert {"figure_budget", "figure_odds"} <= set(messages(app))
    assert "figure_scatter" not in messages(app)
    app.select_slider(key="dial_epsilon").set_value(0.5).run()
    assert app.query_params["part"] in ("privacy", ["privacy"])
    assert any("none of" in w.value for w in opened(n="300", part="nonsense").warning)


# ---- a box


def typed_box(app: AppTest, *ends: float) -> None:
    app.session_state["type_box"] = True
    app.run()
    for end, label in zip(ends, ("x1 from", "x1 to", "x2 from", "x2 to"), strict=False):
        next(w for w in app.number_input if w.label == label).set_value(end)
    app.run()
    assert not app.exception, app.exception[0].message


@pytest.mark.parametrize("d", [1, 2, 3, 5])
def test_a_box_counts_the_data_and_the_release_and_lights_its_leaves(d: int) -> None:
    app = opened(cloud="uniform", n="500", d=str(d))
    typed_box(app, 0.25, 0.75)
    run = compute.simulation(compute.generated(app.session_state["session"].settings), Parameters(1.0), 0)
    inside = (run.points[:, 0] >= 0.25) & (run.points[:, 0] <= 0.75)
    assert metric(app, "In the box: the data") == f"{inside.sum()}"
    released, error = (float(metric(app, label)) for label in ("In the box: the release", "Error of the box"))
    assert released - inside.sum() == pytest.approx(error, abs=1.0)
    names = {key: [trace.name for trace in figure.data] for key, figure in figures(app).items()}
    assert "your box" in names["figure_partition"]
    assert "your box" in names["figure_measure"]
    assert "leaves in your box" in names["figure_scatter"]
    assert "leaves in your box" in names["figure_icicle"]
    app.button(key="clear_box").click().run()
    assert "your box" not in [trace.name for trace in figures(app)["figure_partition"].data]


def test_the_whole_box_holds_everybody_and_an_empty_one_is_refused() -> None:
    app = opened(cloud="uniform", n="500")
    typed_box(app, 0.0, 0.5)
    typed_box(app, 0.0, 1.0)
    assert metric(app, "In the box: the data") == "500"
    typed_box(app, 0.9, 0.1)
    assert any("upper end" in e.value for e in app.error)


# ---- rolls


def test_rolls_fill_in_and_can_be_stopped() -> None:
    app = opened(n="300", part="error")
    app.button(key="start_rolls").click().run()
    for _ in range(50):
        if not app.session_state["rolling"]:
            break
        app.run()
    assert len(app.session_state["rolls"]) == 20
    band, rolls = (t for t in figures(app)["figure_w1"].data if t.name and "rolls" in t.name)
    assert tuple(band.x) == (min(rolls.x), max(rolls.x))
    assert sorted(rolls.x) == sorted(app.session_state["rolls"])
    app.number_input(key="dial_seed").set_value(5).run()
    assert app.session_state["rolls"] == []


def test_a_distance_that_ran_out_of_time_can_be_measured_again(monkeypatch: pytest.MonkeyPatch) -> None:
    real = compute.wasserstein

    def hurried(points: Any, measure: Any, **options: Any) -> Any:
        found = real(points, measure, **options)
        return dataclasses.replace(found, lower=found.lower / 2, exact=False)

    monkeypatch.setattr(compute, "wasserstein", hurried)
    app = opened(cloud="spiral", n="310", part="error")
    assert "–" in metric(app, "W1 error")
    monkeypatch.setattr(compute, "wasserstein", real)
    app.run()
    assert "–" in metric(app, "W1 error")
    app.button(key="measure_again").click().run()
    assert "–" not in metric(app, "W1 error")


def test_a_distance_is_measured_where_it_is_shown_and_once(monkeypatch: pytest.MonkeyPatch) -> None:
    opened()  # what a server measures once, before its first reader
    real, calls = compute.wasserstein, []

    def counted(*arguments: Any, **options: Any) -> Any:
        calls.append(options.get("plan"))
        return real(*arguments, **options)

    monkeypatch.setattr(compute, "wasserstein", counted)
    app = opened(cloud="spiral", n="320")
    assert calls == [False]  # the error, which every part shows
    app.run()
    assert len(calls) == 1
    app.session_state["session"].display = Display(part="error")
    app.run()
    assert calls.count(True) == 1  # with its plan, which this part draws
    assert len(calls) == 2 + 2 + 3  # its two parts, and three rulers
    app.session_state["session"].display = Display()
    app.run()
    assert len(calls) == 7  # the one with its plan serves
    opened(cloud="spiral", n="321", part="error")
    assert calls[7:].count(True) == 1
    assert len(calls) == 7 + 1 + 2 + 3  # nothing is measured twice


@pytest.mark.parametrize(("patience", "spoken"), [(60.0, False), (0.0, True)])
def test_a_distance_that_takes_no_time_is_not_spoken_of(
    monkeypatch: pytest.MonkeyPatch, patience: float, spoken: bool
) -> None:
    said: list[str] = []
    line = SimpleNamespace(caption=said.append, empty=lambda: None)
    monkeypatch.setattr(distance, "st", SimpleNamespace(empty=lambda: line))
    monkeypatch.setattr(distance, "PATIENCE", patience)
    settings = Settings().replace(cloud="spiral", n=2000 + int(patience))
    assert distance.measured(settings, compute.generated(settings)) is not None
    assert bool(said) == spoken


# ---- a class


def test_a_class_has_no_uploads_and_smaller_data(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(CLASSROOM, "1")
    app = opened(n="90000")
    assert app.session_state["session"].settings.n == 20_000
    assert any("20000" in w.value for w in app.warning)
    assert not [w for w in app.segmented_control if w.key == "source"]
    assert not app.get("file_uploader")
