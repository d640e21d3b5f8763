"""The panel of dials: widgets that turn one Settings object, which the link mirrors."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import streamlit as st

from dashboard import settings as dials
from dashboard.limits import limits
from dashboard.settings import Settings
from dashboard.text import explore as words
from dashboard.text.settings import DIALS, literal
from dashboard.views import session
from dashboard.views.session import Session
from privcore.accounting import Cost
from privcore.clouds import CLOUDS
from privcore.parameters import DEFAULT_GAMMA, default_tree_share
from privcore.tree import default_depth

EPSILONS = (0.01, 0.02, 0.03, 0.05, 0.07, 0.1, 0.15, 0.2, 0.3, 0.4, 0.5, 0.7)
EPSILONS += (1.0, 1.5, 2.0, 3.0, 4.0, 5.0, 7.0, 10.0, 15.0, 20.0)
EXACT = "%.10g"
"""Numbers are shown as they are: Streamlit's own format would round them to two digits."""
OF_DATA = frozenset({"cloud", "n", "d", "data_seed"})
"""The dials of a generated data set."""
THETA_SPAN = (-20.0, 200.0)
_UNSET = object()


def dial(draw: Callable[..., Any], label: str, name: str, value: Any, *, on: str | None = None, **options: Any) -> Any:
    """Draw the widget of one dial, standing at `value`; turning it changes the settings and nothing else.

    A dial that the link hides is not drawn, and stands as it is.
    """
    me = session.kept()
    if (on or name) in me.display.hide:
        return None
    key = f"dial_{name}"
    if st.session_state.get(key, _UNSET) != value:
        st.session_state[key] = value
    label += _mark(me, on or name)

    def commit() -> None:
        turned = st.session_state[key]
        if turned is not None:
            session.turn(**{on or name: turned})

    return draw(label, key=key, on_change=commit, **options)


def _mark(me: Session, *names: str) -> str:
    """The dot behind the label of a dial that one of these names belongs to, if it is changed and has an effect."""
    shown = me.settings if me.table_d is None else me.settings.replace(d=me.table_d)
    return " •" if set(names) & set(shown.acting()) else ""


def hidden(name: str) -> bool:
    """Whether the link hides a dial."""
    return name in session.display().hide


def where_to_turn() -> str:
    """Where epsilon is turned if it can't be dragged: a projector shows no panel."""
    return words.TURN_PRESENT if session.display().present else words.TURN


def data_dials(settings: Settings) -> None:
    """Scenario, size, dimension and seed of a generated data set."""
    cloud = CLOUDS[settings.cloud]
    dial(
        st.selectbox,
        words.CLOUD,
        "cloud",
        settings.cloud,
        options=list(CLOUDS),
        format_func=lambda name: CLOUDS[name].title,
        help=cloud.description,
    )
    low, high = dials.span("n")
    first, last = dials.dimensions(settings.cloud)
    with st.grid(2, min_column_width=100):
        dial(
            st.number_input,
            words.N,
            "n",
            settings.n,
            min_value=int(low),
            max_value=int(high),
            step=100,
        )
        dial(st.selectbox, words.D, "d", settings.d, options=list(range(first, last + 1)))
    if cloud.kind == "real":
        st.caption(words.ONLY_ROWS.format(n=min(settings.n, cloud.sizes[1])))


def main_dials(settings: Settings, columns: tuple[str, ...], cost: Cost) -> None:
    """epsilon, theta, delta and the shift, each beside what it costs."""
    fixed = settings.inactive()
    dial(
        st.select_slider,
        words.EPSILON,
        "epsilon",
        settings.epsilon,
        options=sorted({*EPSILONS, settings.epsilon}),
        format_func=lambda value: f"{value:g}",
        help=words.EPSILON_HELP,
    )
    if not hidden("epsilon"):
        st.caption(words.EPSILON_ENDS)
    low, high = min(THETA_SPAN[0], settings.theta), max(THETA_SPAN[1], settings.theta)
    dial(
        st.slider,
        words.THETA,
        "theta",
        settings.theta,
        min_value=low,
        max_value=high,
        step=0.5,
        format=EXACT,
        help=fixed.get("theta", words.THETA_HELP),
        disabled="theta" in fixed,
    )
    _delta(settings, fixed, cost)
    _shift(settings, columns)
    low_seed, high_seed = dials.RANGES["seed"]
    dial(st.number_input, words.SEED, "seed", settings.seed, min_value=int(low_seed), max_value=int(high_seed))


def more_dials(settings: Settings, generated: bool) -> None:
    """Mode, relation, share, projection, atoms, depth cap and the seed of the data."""
    fixed = settings.inactive()
    for name, label, choices, help_text in (
        ("mode", words.MODE, words.MODE_CHOICES, words.MODE_HELP),
        ("neighbours", words.NEIGHBOURS, words.NEIGHBOUR_CHOICES, words.NEIGHBOURS_HELP),
        ("representative", words.REPRESENTATIVE, words.REPRESENTATIVE_CHOICES, words.REPRESENTATIVE_HELP),
    ):
        chosen, options = getattr(settings, name), list(choices)
        dial(st.selectbox, label, name, chosen, options=options, format_func=choices.get, help=help_text)
    _choice_or_default(words.PROJECTION, "projection", settings.projection, words.PROJECTION_CHOICES)
    share = default_tree_share(settings.d)
    _number_or_default(
        words.DEFAULT_SHARE.format(share=share),
        words.SHARE,
        "tree_share",
        settings.tree_share,
        share,
        step=0.05,
        format=EXACT,
        min_value=dials.RANGES["tree_share"][0],
        max_value=dials.RANGES["tree_share"][1],
        help=fixed.get("tree_share", words.SHARE_HELP),
        disabled="tree_share" in fixed,
    )
    cap = default_depth(settings.d)
    low, _ = dials.RANGES["max_depth"]
    _number_or_default(
        words.DEFAULT_CAP.format(cap=cap), words.CAP, "max_depth", settings.max_depth, cap, min_value=int(low), step=1
    )
    if generated:
        first, last = dials.RANGES["data_seed"]
        dial(
            st.number_input,
            words.DATA_SEED,
            "data_seed",
            settings.data_seed,
            min_value=int(first),
            max_value=int(last),
        )


def axes_dial(settings: Settings, columns: tuple[str, ...]) -> None:
    """Which two of more than three axes are drawn."""
    pairs = [(i, j) for i in range(len(columns)) for j in range(len(columns)) if i < j]
    dial(
        st.selectbox,
        words.AXES,
        "axes",
        settings.axes if settings.axes in pairs else pairs[0],
        options=pairs,
        format_func=lambda pair: f"{columns[pair[0]]} × {columns[pair[1]]}",
    )


def footer(settings: Settings, generated: bool) -> None:
    """What is changed and has an effect (a table of one's own has no scenario), and that a classroom takes no table."""
    changed = [name for name in settings.acting() if generated or name not in OF_DATA]
    said = [words.CHANGED.format(names=", ".join(DIALS[name] for name in changed))] if changed else []
    if not limits().uploads:
        said.append(words.NO_UPLOADS)
    if said:
        st.caption("\n\n".join(said))


def say_problems() -> None:
    """Say what could not be taken as it stood, until the next dial is turned: in one box, however much it is."""
    problems = [problem.message for problem in session.kept().problems]
    if problems:
        st.warning("\n\n".join(problems), icon=":material/info:")
    for note in session.kept().settings.notes():
        st.info(note)


def _delta(settings: Settings, fixed: dict[str, str], cost: Cost) -> None:
    """delta in one of three ways; its cost stands below, always."""
    if hidden("delta") or hidden("gamma"):
        return
    way = "delta" if settings.delta is not None else "gamma" if settings.gamma is not None else "default"
    key = "dial_delta_by"
    if st.session_state.get(key) != way:
        st.session_state[key] = way

    def choose() -> None:
        starts = {"gamma": {"gamma": round(DEFAULT_GAMMA, 3)}, "delta": {"delta": round(cost.delta * 2, 2)}}
        session.turn(**{"gamma": None, "delta": None, **starts.get(st.session_state[key], {})})

    st.segmented_control(
        words.DELTA_BY + _mark(session.kept(), "gamma", "delta"),
        list(words.DELTA_CHOICES),
        format_func=words.DELTA_CHOICES.get,
        key=key,
        on_change=choose,
        required=True,
        help=fixed.get("delta", words.DELTA_BY_HELP),
        disabled="delta" in fixed,
    )
    if "delta" not in fixed and way != "default":
        low, high = dials.RANGES[way]
        dial(
            st.number_input,
            words.GAMMA if way == "gamma" else words.DELTA,
            way,
            getattr(settings, way),
            min_value=low,
            max_value=high,
            step=0.05 if way == "gamma" else 0.5,
            format=EXACT,
        )
    st.caption(
        words.DELTA_COST.format(
            delta=cost.delta, gamma=cost.gamma, lam=cost.lam, tree=cost.tree, epsilon=settings.epsilon
        )
    )


def _shift(settings: Settings, columns: tuple[str, ...]) -> None:
    if hidden("shift"):
        return
    by_hand = isinstance(settings.shift, tuple)
    way, key = "hand" if by_hand else str(settings.shift), "dial_shift_by"
    if st.session_state.get(key) != way:
        st.session_state[key] = way

    def choose() -> None:
        chosen = st.session_state[key]
        session.turn(shift=tuple(0.5 for _ in columns) if chosen == "hand" else chosen)

    st.segmented_control(
        words.SHIFT + _mark(session.kept(), "shift"),
        list(words.SHIFT_CHOICES),
        format_func=words.SHIFT_CHOICES.get,
        key=key,
        on_change=choose,
        required=True,
        help=words.SHIFT_HELP,
    )
    if isinstance(settings.shift, tuple):
        for axis, name in enumerate(columns):
            _shift_axis(settings.shift, axis, name)


def _shift_axis(shift: tuple[float, ...], axis: int, name: str) -> None:
    key = f"dial_shift_{axis}"
    if st.session_state.get(key) != shift[axis]:
        st.session_state[key] = shift[axis]

    def commit() -> None:
        session.turn(shift=(*shift[:axis], st.session_state[key], *shift[axis + 1 :]))

    st.slider(words.SHIFT_AXIS.format(name=literal(name)), 0.0, 1.0, step=0.01, key=key, on_change=commit)


def _choice_or_default(label: str, name: str, value: str | None, choices: dict[str, str]) -> None:
    """A choice whose first option, "default", leaves it to the mechanism."""
    if hidden(name):
        return
    key, shown = f"dial_{name}", value or "default"
    if st.session_state.get(key) != shown:
        st.session_state[key] = shown

    def choose() -> None:
        chosen = st.session_state[key]
        session.turn(**{name: None if chosen == "default" else chosen})

    st.selectbox(label + _mark(session.kept(), name), list(choices), format_func=choices.get, key=key, on_change=choose)


def _number_or_default(default: str, label: str, name: str, value: Any, start: Any, **options: Any) -> None:
    """A checkbox for the default, and the number when it is off."""
    if hidden(name):
        return
    key = f"dial_{name}_default"
    if st.session_state.get(key) != (value is None):
        st.session_state[key] = value is None

    def choose() -> None:
        session.turn(**{name: None if st.session_state[key] else start})

    st.checkbox(default, key=key, on_change=choose, disabled=options.get("disabled", False))
    if value is not None:
        dial(st.number_input, label, name, value, **options)
