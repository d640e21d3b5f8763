"""The Watch page as a script, and the story that it sends: every step's numbers are those of the simulation."""

from __future__ import annotations

import dataclasses
import functools
import re
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import plotly.graph_objects as go
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from streamlit.testing.v1 import AppTest
from streamlit.util import calc_hash

from dashboard import player, plot
from dashboard.figures import watch
from dashboard.figures.story import Boxes, Dots, Picture, Story
from dashboard.settings import Settings
from dashboard.text import explore as panel_words
from dashboard.text import figures as badges
from dashboard.text import watch as words
from privcore import Parameters, Simulation
from privcore.clouds import CLOUDS, box_of, make
from privcore.simulation import simulate

APP = str(Path(__file__).parents[2] / "dashboard" / "app.py")
BUDGET = 300_000


def opened(**query: str) -> AppTest:
    app = AppTest.from_file(APP, default_timeout=120)
    for key, value in query.items():
        app.query_params[key] = value
    app._page_hash = calc_hash("watch")  # AppTest's own way to another page takes only pages that are files
    app.run()
    assert not app.exception, app.exception[0].message
    return app


def message(app: AppTest) -> bytes:
    element = app.get("bidi_component")[0]  # the pins follow it
    return bytes(element.proto.bytes)


@functools.cache
def run(cloud: str = "city", n: int = 600, d: int = 2, seed: int = 0, **parameters: Any) -> Simulation:
    return simulate(make(cloud, n=n, d=d, seed=0), box_of(cloud, d), Parameters(**{"epsilon": 1.0, **parameters}), seed)


def packed(story: Story) -> bytes:
    return player.pack(story, {"key": "watch", "data_id": "x"})


RUNS = [
    {},
    {"d": 1, "cloud": "uniform", "n": 300},
    {"d": 3, "cloud": "uniform", "shift": "random"},
    {"d": 5, "cloud": "curve"},
    {"mode": "paper", "shift": (0.3, 0.7)},
    {"neighbours": "replace-one"},
    {"projection": "lipschitz", "epsilon": 3.0},
    {"projection": "clip", "theta": 7.5},
    {"theta": -20.0, "epsilon": 0.3},
    {"max_depth": 3},
    {"max_depth": 0},
    {"n": 1},
    {"representative": "spread", "d": 1, "cloud": "uniform"},
]


# ---- the page --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("cloud", sorted(CLOUDS))
def test_every_cloud_can_be_watched(cloud: str) -> None:
    app = opened(cloud=cloud, n="200")
    assert app.title[0].value == words.TITLE
    assert app.get("bidi_component")


@pytest.mark.parametrize(
    "query",
    [
        {"d": "1", "cloud": "uniform"},
        {"d": "3", "cloud": "uniform", "axes": "2,3"},
        {"d": "10", "cloud": "uniform", "shift": "random"},
        {"mode": "paper"},
        {"neighbours": "replace-one"},
        {"projection": "clip"},
        {"max_depth": "1"},
        {"n": "1"},
        {"n": "1", "epsilon": "0.01"},
        {"theta": "-10"},
        {"theta": "1000"},
    ],
    ids=str,
)
def test_every_kind_of_run_can_be_watched(query: dict[str, str]) -> None:
    app = opened(n=query.get("n", "200"), **{key: value for key, value in query.items() if key != "n"})
    assert not app.warning
    assert app.get("bidi_component")


def test_the_page_shows_the_run_of_the_link_and_keeps_it() -> None:
    app = opened(n="200", epsilon="2", seed="5")
    same = run(n=200, epsilon=2.0, seed=5)
    assert len(plot.unpack_all(message(app))["telling"]) == watch.watch(same).story.steps
    found, problems = Settings.from_query(app.query_params)
    assert (found.epsilon, found.seed, problems) == (2.0, 5, ())


def test_new_noise_is_another_story_and_a_rerun_is_the_same_bytes() -> None:
    app = opened(n="200")
    before = message(app)
    app.run()
    assert message(app) == before
    app.button(key="roll").click().run()
    assert message(app) != before
    assert app.session_state["session"].settings.seed == 1


def test_the_step_of_a_link_is_left_to_the_browser() -> None:
    for query in ({"step": "40"}, {"v": "1", "step": "tree"}, {"n": "200", "step": "banana"}):
        app = opened(**query)
        assert not app.warning
        kept = set(query) | ({"v"} if "n" in query else set())
        assert set(app.query_params) == kept
        sent = message(app)
        app.run()
        assert message(app) == sent
        assert set(app.query_params) == kept
        assert plot.unpack_all(sent)["linked"] is True
        app.number_input(key="dial_seed").set_value(3).run()
        assert set(app.query_params) - {"n"} == {"v", "seed"}


def test_a_pin_made_here_is_seen_here_and_on_explore() -> None:
    app = opened(n="200", seed="5")
    assert not app.metric
    app.button(key="pin").click().run()
    names = [markdown.value for markdown in app.markdown if "Pin 1" in markdown.value]
    assert len(names) == 1
    assert "Seed of the noise 5" in names[0]
    leaves = {metric.label: metric.value for metric in app.metric}["Leaves"]
    assert leaves == str(len(run(n=200, seed=5).tree.leaves))
    app.button(key="roll").click().run()
    app.button(key="take_0").click().run()
    assert app.session_state["session"].settings.seed == 5
    app._page_hash = calc_hash("explore")
    app.run()
    assert any("Pin 1" in markdown.value for markdown in app.markdown)
    app._page_hash = calc_hash("watch")
    app.run()
    app.button(key="unpin_0").click().run()
    assert not app.exception
    assert not app.metric


def test_the_box_of_the_link_says_where_the_step_is() -> None:
    app = opened(n="200")
    app.session_state["link_box"] = True
    app.run()
    assert any(caption.value == panel_words.LINK_PLAYER for caption in app.caption)


def test_too_many_leaves_are_answered_with_what_to_do() -> None:
    app = opened(n="20000", epsilon="10")
    assert not app.get("bidi_component")
    assert "1,000" in app.info[0].value
    assert "turn down" in app.info[0].value


def test_the_projector_gets_larger_figures_and_the_right_keys() -> None:
    plain, large = (plot.unpack_all(message(opened(n="200", **query))) for query in ({}, {"present": "1"}))
    assert plain["scale"] == 1.0
    assert large["scale"] > 1.2
    assert any(caption.value == words.PROJECTOR_KEYS for caption in opened(n="200", present="1").caption)


def test_the_table_behind_it_has_a_row_for_every_cell() -> None:
    told = watch.watch(run())
    assert list(told.table.columns) == list(words.TABLE)
    assert len(told.table) == run().tree.active.sum()
    assert (told.table["step"] == np.arange(1, len(told.table) + 1)).all()


# ---- the numbers -----------------------------------------------------------------------------------------------------


def value(columns: dict[str, Any], name: str, element: int) -> float:
    """A column's number, by the rules that `story.Column` states."""
    column = columns[name]
    if column["total"]:
        return sum(factor * value(columns, other, element) for other, factor in column["total"].items())
    if column["most"]:
        return max(value(columns, other, element) for other in column["most"])
    values = column["values"]
    return float(values if np.isscalar(values) else values[element])


def sentence(story: dict[str, Any], step: int) -> tuple[str, dict[str, float]]:
    """What is said at a step: the template, and the numbers that it names."""
    template = story["tellings"][story["telling"][step]]
    texts = [template["text"], template["place"], *(text for _, text in template["notes"])]
    names = {name for text in texts for name in re.findall(r"\{(\w+)\}", text)}
    return template["text"], {name: value(story["columns"], name, step - 1) for name in names}


@pytest.mark.parametrize("kind", RUNS, ids=str)
def test_every_sentence_has_the_numbers_of_its_cell(kind: dict[str, Any]) -> None:
    simulation = run(**kind)
    story = plot.unpack_all(packed(watch.watch(simulation).story))
    tree, visits, cost = simulation.tree, simulation.visits, simulation.cost
    assert len(story["telling"]) == tree.active.sum() + 7
    for step, node in enumerate(np.flatnonzero(tree.active), 1):
        text, said = sentence(story, step)
        base = max(visits.count[node] - tree.depth[node] * cost.delta, cost.theta - cost.delta)
        truth = {
            "depth": tree.depth[node],
            "count": visits.count[node],
            "penalty": tree.depth[node] * cost.delta,
            "less": visits.count[node] - tree.depth[node] * cost.delta,
            "floor": cost.theta - cost.delta,
            "base": base,
            "noise": visits.noise[node],
            "score": base + visits.noise[node],
            "theta": cost.theta,
        }
        for name in said.keys() & truth.keys():
            assert said[name] == pytest.approx(truth[name], rel=1e-6, abs=1e-4), (name, step)
        assert_the_verdict_is_right(text, visits.split[node], base, visits.noise[node], cost.theta)


def assert_the_verdict_is_right(text: str, split: bool, base: float, noise: float, theta: float) -> None:
    if np.isnan(noise):
        assert "depth cap" in text
        return
    assert ("split" in text) == split == (base + noise > theta)
    assert ("noise alone" in text) == (split != (base > theta))
    assert ("raised to the floor" in text) == ("{floor}" in text)


def test_the_bounds_of_the_cell_are_in_the_units_of_the_box() -> None:
    simulation = run(cloud="earthquakes") if "earthquakes" in CLOUDS else run(cloud="iris", n=150, d=2)
    story = plot.unpack_all(packed(watch.watch(simulation).story))
    _, said = sentence(story, 1)
    low, high = simulation.box.low, simulation.box.high
    assert [said["from_0"], said["from_1"]] == pytest.approx(low, rel=1e-6)
    assert [said["to_0"], said["to_1"]] == pytest.approx(high, rel=1e-6)


PUBLIC = {"depth", "noisy", "released"}
"""The columns that anybody may know of."""


@pytest.mark.parametrize("kind", RUNS, ids=str)
def test_a_cell_that_is_pointed_at_has_its_own_numbers_and_what_the_release_knows(kind: dict[str, Any]) -> None:
    simulation = run(**kind)
    story = plot.unpack_all(packed(watch.watch(simulation).story))
    leaf_of = {int(node): leaf for leaf, node in enumerate(simulation.tree.leaves)}
    released = simulation.projection.masses * simulation.total
    assert names_in(story["waiting"]) == {"depth", "count"}
    for element, node in enumerate(np.flatnonzero(simulation.tree.active)):
        telling = story["tellings"][story["telling"][element + 1]]
        assert telling["verdict"] in telling["tip"]
        assert names_in(telling["tip"]) <= {"step", "depth", "count", "score", "theta"}
        assert value(story["columns"], "step", element) == element + 1
        assert names_in(telling["known"]) == ({"depth"} if int(node) not in leaf_of else PUBLIC)
        assert ("leaf" in telling["known"]) == (int(node) in leaf_of)
        if int(node) in leaf_of:
            leaf = leaf_of[int(node)]
            assert value(story["columns"], "noisy", element) == pytest.approx(simulation.noisy_counts[leaf], rel=1e-6)
            assert value(story["columns"], "released", element) == pytest.approx(released[leaf], rel=1e-6, abs=1e-6)


def names_in(template: str) -> set[str]:
    return set(re.findall(r"\{(\w+)\}", template))


def test_the_map_leaves_what_it_says_to_its_figures_once_they_show_noise() -> None:
    story = watch.watch(run()).story
    silent = {picture.key: picture.silent for picture in story.pictures}
    assert silent["map"] == dict(story.stages)["Leaf noise"]
    assert silent["tree"] is None
    assert len(story.keys) == len(set(story.keys)) == len(story.stages)


@pytest.mark.parametrize("kind", RUNS, ids=str)
def test_the_marks_are_the_splits_that_only_noise_made(kind: dict[str, Any]) -> None:
    simulation = run(**kind)
    visits, nodes = simulation.visits, np.flatnonzero(simulation.tree.active)
    lucky = visits.split[nodes] & (visits.margin[nodes] <= 0)
    assert list(watch.watch(simulation).story.marks) == list(1 + np.flatnonzero(lucky))


def test_the_stages_say_the_numbers_of_the_release() -> None:
    simulation = run(projection="lipschitz", epsilon=3.0)
    tellings = watch.watch(simulation).story.tellings[-6:]
    negative = int((simulation.noisy_counts < 0).sum())
    assert f"{negative} of {len(simulation.tree.leaves)} noisy counts" in tellings[2].text
    assert f"along {len(simulation.projection.plan.mass)} arrows" in tellings[3].text
    moved = simulation.projection.plan.mass.sum() * simulation.total
    assert f"{moved:.3g} records are moved" in tellings[3].text


# ---- what is drawn ---------------------------------------------------------------------------------------------------


def there(layer: Boxes, step: int) -> list[int]:
    """The elements of a layer at a step, as the browser finds them."""
    rows = range(len(layer.born)) if layer.rows is None else map(int, layer.rows)
    return [i for i in rows if at(layer.born, i) <= step < at(layer.gone, i)]


def at(values: Any, i: int) -> Any:
    return values if np.isscalar(values) else values[i]


def boxes(picture: Picture) -> list[Boxes]:
    return [layer for layer in picture.layers if isinstance(layer, Boxes)]


@pytest.mark.parametrize("kind", RUNS, ids=str)
def test_map_and_tree_show_the_same_current_cell_and_each_cell_once(kind: dict[str, Any]) -> None:
    simulation = run(**kind)
    story = watch.watch(simulation).story
    pictures = {picture.key: picture for picture in story.pictures}
    cells = int(simulation.tree.active.sum())
    for step in sorted({0, 1, 2, cells // 2, cells, cells + 1, story.steps - 1}):
        current = [step - 1] if 1 <= step <= cells else []
        for key in ("map", "tree"):
            assert [there(layer, step) for layer in boxes(pictures[key]) if layer.look["line"] == watch.CURRENT] == [
                current
            ]
        shown = [i for layer in boxes(pictures["tree"])[-6:-1] for i in there(layer, step)]
        parents = simulation.tree.parent[simulation.tree.active]
        born = np.where(parents < 0, 0, np.cumsum(simulation.tree.active)[parents])
        assert sorted(shown) == list(np.flatnonzero(born <= step))


@pytest.mark.parametrize("kind", RUNS, ids=str)
def test_the_records_of_the_current_cell_are_those_inside_it(kind: dict[str, Any]) -> None:
    simulation = run(**kind)
    picture = next(p for p in watch.watch(simulation).story.pictures if p.key == "map")
    dots = [layer for layer in picture.layers if isinstance(layer, Dots)]
    assert len(dots) == (simulation.box.d > 1)
    for layer in dots:
        counts = simulation.visits.count[simulation.tree.active]
        assert (np.asarray(layer.stop, dtype=int) - np.asarray(layer.start, dtype=int) == counts).all()


@pytest.mark.parametrize("kind", RUNS, ids=str)
def test_every_scene_is_marked_private_until_the_noise_is_on_and_never_after(kind: dict[str, Any]) -> None:
    simulation = run(**kind)
    story = watch.watch(simulation).story
    public = dict(story.stages)["Negatives"]
    for picture in story.pictures:
        assert picture.scenes[0].start == 0
        for scene in picture.scenes:
            texts = [note["text"] for note in scene.figure["layout"]["annotations"]]
            private = f"<b>{badges.BANNER}</b>" in texts
            assert private == (scene.start < public), (picture.key, scene.start)
            assert private or any(badges.LABEL in text for text in texts)
            assert ("Not private" in scene.alt) == private
    for step in range(story.steps):
        assert story.tellings[story.telling[step]].public == (step >= public)


@pytest.mark.parametrize("kind", RUNS, ids=str)
def test_from_the_negatives_on_all_is_a_function_of_the_release(kind: dict[str, Any]) -> None:
    """Other data with the same release shows and says the same, down to the ends of an axis."""
    simulation = run(**kind)
    story, other = watch.watch(simulation).story, watch.watch(with_other_data(simulation)).story
    assert public_part(story) == public_part(other)


def with_other_data(simulation: Simulation) -> Any:
    """What a run with the same public outcome on other data would be, as far as the story asks."""
    names = (
        "tree",
        "box",
        "parameters",
        "cost",
        "noisy_counts",
        "noisy_masses",
        "total",
        "projection",
        "measure",
        "seed",
    )
    visits, counts = simulation.visits, 2 * simulation.true_counts + 3
    count = 2 * visits.count + 3
    margin = np.maximum(count - visits.penalty - simulation.cost.theta, -simulation.cost.delta)
    truth = {
        "visits": dataclasses.replace(visits, count=count, margin=margin, noise=-visits.noise),
        "true_counts": counts,
        "leaf_noise": simulation.noisy_counts - counts,
        "unit_points": np.full((7, simulation.box.d), 0.3),
        "n": 7,
    }
    return SimpleNamespace(**{name: getattr(simulation, name) for name in names}, **truth)


def public_part(story: Story) -> Any:
    public = dict(story.stages)["Negatives"]
    scenes = [
        (picture.key, scene.start, go.Figure(scene.figure).to_json(), scene.alt)
        for picture in story.pictures
        for scene in picture.scenes
        if scene.start >= public
    ]
    cells = [
        {i: str(layer.look) for layer in boxes(picture) for i in there(layer, step)}
        for picture in story.pictures
        for step in range(public, story.steps)
        if picture.until is None
    ]
    said = [story.tellings[story.telling[step]] for step in range(public, story.steps)]
    known = [story.tellings[telling].known for telling in story.telling[1:public]]
    numbers = {name: np.asarray(story.columns[name].values).tolist() for name in PUBLIC}
    return scenes, cells, said, known, numbers


def test_an_arrow_goes_from_a_leaf_that_gives_to_one_that_takes() -> None:
    simulation = run(projection="lipschitz", epsilon=3.0)
    plan = simulation.projection.plan
    assert len(plan.mass)
    picture = next(p for p in watch.watch(simulation).story.pictures if p.key == "map")
    shapes = picture.scenes[3].figure["layout"]["shapes"]
    drawn = [path for shape in shapes for path in re.findall(r"M([\d.,e-]+)L([\d.,e-]+)M", shape["path"])]
    assert len(drawn) == min(len(plan.mass), watch.MOST_ARROWS)
    centres = simulation.tree.representatives * simulation.box.width + simulation.box.low
    flows = np.stack([centres[plan.source], centres[plan.target]], axis=1)
    for ends in drawn:
        arrow = np.array([[float(number) for number in end.split(",")] for end in ends])
        assert np.abs(flows - arrow).max(axis=(1, 2)).min() < 1e-4


# ---- the message -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", [{}, {"projection": "lipschitz"}, {"epsilon": 2.25, "shift": "random"}], ids=str)
def test_five_thousand_points_and_a_thousand_leaves_are_within_the_budget(kind: dict[str, Any]) -> None:
    simulation = run(n=5000, **{"epsilon": 2.05, **kind})
    leaves = len(simulation.tree.leaves)
    assert 900 <= leaves <= watch.MOST_LEAVES, leaves
    assert len(packed(watch.watch(simulation).story)) <= BUDGET


@settings(max_examples=20)
@given(
    st.integers(0, 60),
    st.integers(1, 4),
    st.floats(0.05, 3.0),
    st.sampled_from(["euclidean", "lipschitz", "clip"]),
    st.sampled_from(["none", "random"]),
    st.booleans(),
)
def test_any_run_can_be_packed(n: int, d: int, epsilon: float, projection: Any, shift: Any, same: bool) -> None:
    points = np.full((n, d), 0.3) if same else np.random.default_rng(n).random((n, d))
    parameters = Parameters(epsilon, projection=projection, shift=shift)
    simulation = simulate(points, box_of("uniform", d), parameters, n)
    story = plot.unpack_all(packed(watch.watch(simulation).story))
    assert len(story["telling"]) == simulation.tree.active.sum() + 7


def test_an_upload_can_be_watched_by_its_owner_and_never_enters_the_link() -> None:
    app = opened()
    app.segmented_control(key="source").set_value("My table").run()
    assert words.UPLOAD_FIRST in app.info[0].value
    rows = "{count};lat\n" + "\n".join(f"{i % 17},5;{(7 * i) % 11}" for i in range(200))
    app.file_uploader(key="file").upload("mine.csv", rows.encode()).run()
    app.multiselect[0].set_value(["{count}", "lat"]).run()
    for widget, end in zip([w for w in app.number_input if "possible value" in w.label], (0, 20, 0, 12), strict=True):
        widget.set_value(end)
    app.run()
    assert not app.exception, app.exception[0].message
    assert "data's owner" in app.warning[0].value
    assert not app.query_params
    story = plot.unpack_all(message(app))
    assert story["linked"] is False
    assert "a count" in sentence(story, 1)[0]
    assert story["tellings"][1]["place"].startswith("(count) from {from_0}")
