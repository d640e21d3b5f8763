"""dashboard/settings.py: link and dials are two ways of writing the same thing, and no link can break a page."""

from __future__ import annotations

import dataclasses
import math
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dashboard.settings import CHOICES, FIXED_BY_PAPER, RANGES, WHOLE, Settings, dimensions
from dashboard.text import settings as words

NAMES = [field.name for field in dataclasses.fields(Settings)]


def numbers(key: str) -> st.SearchStrategy[Any]:
    low, high = RANGES[key]
    if key in WHOLE:
        return st.integers(int(low), int(high))
    return st.floats(low, high, allow_nan=False)


@st.composite
def dials(draw: st.DrawFn) -> Settings:
    """Any combination of dials in their ranges; `repaired` makes it payable."""
    values: dict[str, Any] = {key: draw(st.sampled_from(options)) for key, options in CHOICES.items()}
    values |= {key: draw(numbers(key)) for key in ("n", "epsilon", "data_seed", "seed")}
    values["d"] = d = draw(st.integers(*dimensions(values["cloud"])))
    for key in ("gamma", "delta", "tree_share", "max_depth", "theta", "projection"):
        if draw(st.booleans()):
            values.pop(key, None)
        elif key in RANGES:
            values[key] = draw(numbers(key))
    shifts = st.lists(st.floats(0, 1), min_size=d, max_size=d).map(tuple)
    values["shift"] = draw(st.sampled_from(["none", "random"]) | shifts)
    if d > 1:
        values["axes"] = tuple(draw(st.permutations(range(d)))[:2])
    return Settings(**values).repaired()[0]


@settings(max_examples=60)
@given(dials())
def test_a_link_brings_the_same_dials_back(chosen: Settings) -> None:
    assert Settings.from_query(chosen.to_query()) == (chosen, ())


@settings(max_examples=60)
@given(dials())
def test_repaired_dials_are_payable_and_stay_as_they_are(chosen: Settings) -> None:
    assert chosen.repaired() == (chosen, ())
    cost = chosen.parameters().cost(chosen.d)
    assert cost.total > 0
    assert cost.lam > 0


hostile_values = st.one_of(
    st.text(max_size=30),
    st.sampled_from(
        ["nan", "inf", "-inf", "1e999", "-0", "0x10", "１２", "1_000", "None", "[]", "true", "1,2", "1,,2", ","]
    ),
    st.floats().map(str),
    st.integers().map(str),
    st.lists(st.text(max_size=5), max_size=3),
)


@settings(max_examples=200)
@given(st.dictionaries(st.sampled_from([*NAMES, "v", "hide", "present"]) | st.text(max_size=8), hostile_values))
def test_no_link_raises_and_all_of_them_end_in_valid_dials(query: dict[str, Any]) -> None:
    read, problems = Settings.from_query(query)
    read.parameters().cost(read.d)
    assert read.repaired() == (read, ())
    assert Settings.from_query(read.to_query()) == (read, ())
    for problem in problems:
        assert problem.message


def test_the_defaults_are_the_empty_link() -> None:
    assert Settings().to_query() == {}
    assert Settings.from_query({}) == (Settings(), ())
    assert Settings().repaired() == (Settings(), ())
    default = Settings()
    assert (default.cloud, default.n, default.d, default.epsilon) == ("city", 2000, 2, 1.0)


def test_only_what_was_turned_is_written() -> None:
    turned = Settings().replace(epsilon=0.5, cloud="ring", shift=(0.25, 0.5), axes=(1, 0), max_depth=12)
    expected = {"cloud": "ring", "epsilon": "0.5", "shift": "0.25,0.5", "axes": "2,1", "max_depth": "12"}
    assert turned.to_query() == {"v": "1", **expected}
    assert set(turned.changed()) == set(expected)


@pytest.mark.parametrize(
    ("query", "key", "value", "said"),
    [
        ({"epsilon": "1000"}, "epsilon", 20.0, "ε: 1000 is outside 0.01 to 20; 20 is used."),
        ({"epsilon": "nan"}, "epsilon", 1.0, "ε: “nan” is not a number; 1 is used."),
        ({"n": "-5"}, "n", 1, "How many: -5 is outside 1 to 100000; 1 is used."),
        ({"n": "12.5"}, "n", 12, "How many: 12.5 is not a whole number; 12 is used."),
        ({"d": "inf"}, "d", 3, "Dimension d: inf is outside 1 to 10; 10 is used."),
        ({"d": "7"}, "d", 3, "Dimension d: 7 is not a dimension of City, which has 1 to 3; 3 is used."),
        ({"cloud": "atlantis"}, "cloud", "city", "Scenario: “atlantis” is none of"),
        ({"mode": "loose"}, "mode", "tight", "Mode: “loose” is none of tight, paper; tight is used."),
        ({"shift": "sideways"}, "shift", "none", "Shift: “sideways” is not “none”, “random” or"),
        ({"shift": "0.5"}, "shift", (0.5, 0.5), "Shift: “0.5” is not “none”, “random” or 2 numbers"),
        ({"shift": "2,-1"}, "shift", (1.0, 0.0), "Shift: “2,-1” is not"),
        ({"axes": "1,1"}, "axes", (0, 1), "Axes: “1,1” does not name two different axes from 1 to 2"),
        ({"max_depth": "300"}, "max_depth", 104, "Depth cap: 300 is outside 1 to 104; 104 is used."),
        ({"v": "99", "n": "10"}, "n", 10, "another version"),
        ({"colour": "blue"}, "n", 2000, "“colour”"),
    ],
)
def test_what_cannot_be_taken_is_answered(query: dict[str, str], key: str, value: object, said: str) -> None:
    read, problems = Settings.from_query(query)
    assert getattr(read, key) == value
    assert said in " ".join(problem.message for problem in problems)


def test_upper_case_is_understood_and_the_last_of_two_values_counts() -> None:
    read, problems = Settings.from_query({"cloud": ["ring", "City"], "mode": "PAPER"})
    assert (read.cloud, read.mode, problems) == ("city", "paper", ())


def test_parts_that_others_read_are_no_problem() -> None:
    assert Settings.from_query({"hide": "theta,shift", "present": "1", "embed": "true"}) == (Settings(), ())


def test_a_message_cannot_carry_markup_or_a_wall_of_text() -> None:
    _, problems = Settings.from_query({"epsilon": "<script>*_`[x](y)" + "a" * 500, "n": "$x$"})
    said = "".join(problem.message for problem in problems)
    assert len(said) < 250
    assert not set("<>*`[]$") & set(said)


def test_a_depth_penalty_too_small_to_pay_for_is_raised_to_the_least_that_is_not() -> None:
    read, problems = Settings.from_query({"delta": "0.01"})
    assert [problem.key for problem in problems] == ["delta"]
    least = math.log(2) / read.parameters().tree_budget(2)
    assert least < read.delta < 1.02 * least
    assert f"{read.delta:g} is used" in problems[0].message


def test_a_threshold_below_the_floor_is_raised_to_it() -> None:
    read, problems = Settings.from_query({"theta": "-100000"})
    assert [problem.key for problem in problems] == ["theta"]
    assert read.theta == pytest.approx(-12 * read.parameters().cost(2).delta, rel=1e-3)


def test_paper_mode_says_which_dials_it_fixes_and_keeps_them_for_later() -> None:
    turned = Settings(theta=5.0, gamma=1.0, tree_share=0.4)
    paper = turned.replace(mode="paper")
    assert paper.repaired() == (paper, ())
    assert all(paper.inactive()[key] == words.PAPER_FIXES for key in FIXED_BY_PAPER)
    assert paper.parameters() == Settings(mode="paper").parameters()
    assert paper.replace(mode="tight").parameters() == turned.parameters()


@settings(max_examples=60)
@given(dials())
def test_a_dial_counts_as_changed_only_if_it_has_an_effect(chosen: Settings) -> None:
    ignored = set(chosen.inactive())
    assert set(chosen.acting()) == set(chosen.changed()) - ignored
    back = chosen.replace(**{key: getattr(Settings(), key) for key in ignored})
    assert back.acting() == chosen.acting()
    assert back.parameters() == chosen.parameters()


def test_a_dial_that_paper_mode_ignores_stays_in_the_link_and_out_of_the_summary() -> None:
    paper = Settings(theta=5.0, tree_share=0.4, mode="paper")
    assert Settings.from_query(paper.to_query()) == (paper, ())
    assert paper.summary() == Settings(mode="paper").summary()


def test_delta_in_records_replaces_gamma() -> None:
    both = Settings(gamma=2.0, delta=8.0)
    assert both.inactive()["gamma"] == words.DELTA_REPLACES_GAMMA
    assert both.parameters() == Settings(delta=8.0).parameters()
    assert both.parameters().cost(2).delta == pytest.approx(8.0, abs=1e-5)


def test_replace_one_is_said_to_be_symmetric() -> None:
    assert Settings(neighbours="replace-one").notes() == (words.SYMMETRIC,)
    assert Settings().notes() == ()
    cost = Settings(neighbours="replace-one").parameters().cost(2)
    assert cost.a == cost.b


def test_axes_matter_only_where_they_are_drawn() -> None:
    assert "axes" in Settings(d=2).inactive()
    assert "axes" not in Settings(cloud="blobs", d=5).inactive()


def test_a_data_set_has_a_name_of_its_own() -> None:
    named = {
        Settings(**{key: value}).data_id for key, value in [("n", 5), ("d", 3), ("data_seed", 1), ("cloud", "ring")]
    }
    assert len({*named, Settings().data_id}) == 5
    assert Settings(epsilon=3.0, seed=9).data_id == Settings().data_id


@pytest.mark.parametrize(
    "chosen",
    [
        Settings(n=200),
        Settings(n=200, mode="paper", neighbours="replace-one", theta=4.0, seed=3),
        Settings(cloud="blobs", n=150, d=4, theta=2.0, delta=9.0, shift="random", projection="lipschitz"),
        Settings(
            cloud="ring", n=150, shift=(0.25, 0.75), tree_share=0.4, gamma=1.5, max_depth=8, representative="spread"
        ),
        Settings(n=100, d=1, epsilon=0.1),
    ],
)
def test_the_code_runs_and_shows_the_same_run(chosen: Settings, capsys: pytest.CaptureFixture[str]) -> None:
    from privcore import simulate
    from privcore.clouds import box_of, make

    scope: dict[str, Any] = {}
    exec(chosen.code(), scope)
    points = make(chosen.cloud, n=chosen.n, d=chosen.d, seed=chosen.data_seed)
    run = simulate(points, box_of(chosen.cloud, chosen.d), chosen.parameters(), seed=chosen.seed)
    assert scope["parameters"] == chosen.parameters()
    assert (scope["run"].measure.masses == run.measure.masses).all()
    assert f"W1 = {run.w1.value:.4f}" in capsys.readouterr().out
    assert len(scope["table"]) == len(run.measure.to_frame())


def test_the_code_takes_other_data() -> None:
    code = Settings().code(data="points = table.to_numpy()\nbox = Box((0, 0), (1, 1))")
    assert "points = table.to_numpy()" in code
    assert "make(" not in code
