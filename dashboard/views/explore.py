"""Explore: one picture, all dials. Everything on this page is a simulation, and says so."""

from __future__ import annotations

from typing import Any

import streamlit as st

from dashboard import compute
from dashboard.compute import Data, Errors
from dashboard.figures import dimension as dimension_figures
from dashboard.figures import error as error_figures
from dashboard.figures import noise as noise_figures
from dashboard.figures import partition as partition_figures
from dashboard.figures import plan as plan_figures
from dashboard.figures import privacy as privacy_figures
from dashboard.figures import tree as tree_figures
from dashboard.figures.selection import with_box
from dashboard.figures.style import Drawing
from dashboard.limits import limits
from dashboard.plot import plot, table
from dashboard.scrubbing import KEY, Look, pictures
from dashboard.settings import Settings
from dashboard.text import explore as words
from dashboard.views import controls, pins, rolls, scrub, selection, session, upload
from dashboard.views.toolbar import toolbar
from privcore.accounting import Cost
from privcore.arrays import Bools
from privcore.clouds import CLOUDS
from privcore.domain import Box
from privcore.parameters import Parameters
from privcore.simulation import Simulation


def page() -> None:
    """The page, from the dials to the downloads."""
    settings = session.current()
    own = False
    with st.sidebar:
        if limits().uploads:
            sources = [words.GENERATED, words.UPLOADED]
            chosen = st.segmented_control(words.SOURCE, sources, default=sources[0], required=True, key="source")
            own = chosen == words.UPLOADED
        data = upload.panel(settings) if own else None
        if not own:
            controls.data_dials(settings)
            data = compute.generated(settings)
        if own and data is not None:
            settings = upload.fitted(settings, data)
    if data is None:
        st.title(words.TITLE)
        st.info(words.UPLOAD_FIRST, icon=":material/upload_file:")
        st.caption(words.CHOOSE_AGAIN)
        return
    parameters = settings.parameters()
    with st.sidebar:
        controls.main_dials(settings, data.box.columns, parameters.cost(data.box.d))
        with st.expander(words.MORE):
            controls.more_dials(settings, generated=not own)
        controls.footer(settings)
        if not limits().uploads:
            st.caption(words.NO_UPLOADS)
    if not own:
        session.mirror(settings)
    _show(settings, data, parameters)


def _show(settings: Settings, data: Data, parameters: Parameters) -> None:
    run = compute.simulation(data, parameters, settings.seed)
    headline = st.container()
    toolbar(settings, data.digest if data.uploaded else "")
    controls.say_problems()
    numbers = st.container()
    box = selection.chosen(data)
    draggable = _picture(run, settings, data, box)
    _cost(run)
    with headline:
        _headline(run, settings, data, draggable)
    found = _measured(settings, data)
    with numbers:
        _numbers(run, found)
    marked = None if box is None else compute.selected(run, box).leaves
    _noise(run, settings, data, marked)
    _error(found, run, settings, data, parameters)
    dimension = st.container()
    _privacy(run, data)
    _tree(run, data, marked)
    pins.pinned(data, _measured)
    _take(run, settings, data, parameters)
    with dimension:  # last, because many axes take seconds
        _dimension(run, settings, data, parameters)


def _headline(run: Simulation, settings: Settings, data: Data, draggable: bool) -> None:
    st.header(words.TITLE)
    made_of = words.PEOPLE if settings.cloud == "city" else words.POINTS
    who = words.ROWS if data.uploaded or CLOUDS[settings.cloud].kind == "real" else made_of
    instruction = words.INSTRUCTION if draggable else words.INSTRUCTION_PANEL
    st.markdown(f"**{words.MADE_FROM.format(n=run.n, who=who)}** {instruction}")
    if data.uploaded:
        st.warning(words.UPLOAD_OWNER, icon=":material/visibility:")


def _numbers(run: Simulation, found: Errors | None) -> None:
    leaves, w1, guess, cost = st.columns(4)
    leaves.metric(words.LEAVES, f"{len(run.tree.leaves):,}", help=words.LEAVES_HELP)
    w1.metric(words.W1, _w1_text(found), help=words.W1_HELP)
    right = privacy_figures.right_guesses(run.cost.total)
    guess.metric(words.GUESS, words.GUESS_VALUE.format(right=f"{right:.0f}"), help=words.GUESS_HELP)
    cost.metric(words.COST, f"ε = {run.cost.total:.4g}", help=words.COST_HELP)


def _cost(run: Simulation) -> None:
    sentences = _cost_text(run.cost, run.parameters), privacy_figures.odds_sentence(run.cost.total), words.SIMULATED
    st.caption(" ".join(sentences))


def _cost_text(cost: Cost, parameters: Parameters) -> str:
    sentence = words.COST_REPLACE if parameters.neighbours == "replace-one" else words.COST_REMOVE_ADD
    return sentence.format(
        total=cost.total,
        tree=cost.tree,
        leaves=cost.leaves,
        a=cost.a,
        b=cost.b,
        added=cost.tree_added,
        published=cost.published_total,
    )


def _w1_text(found: Errors | None) -> str:
    return "–" if found is None else error_figures.interval(found.total)


def _picture(run: Simulation, settings: Settings, data: Data, box: Box | None) -> bool:
    """Data and release side by side, the slider that moves both, the reader's box; whether epsilon can be dragged."""
    if run.box.d > 3:
        st.caption(words.PAIRS.format(d=run.box.d))
        controls.axes_dial(settings, run.box.columns)
    axes = settings.axes if run.box.d > 1 else (0, 0)
    left, right = st.columns(2)
    with left:
        colour = _pick(words.COLOUR, words.COLOUR_CHOICES, "colour") if run.box.d == 2 else Look().colour
    with right:
        kind = _pick(words.KIND, words.KIND_CHOICES, "kind")

    look = Look(axes, colour, kind)
    frames = scrub.frames(settings, data, look)
    live = frames is not None and frames.covers(settings.epsilon)
    moved = {"scrubbed_by": KEY, "at": frames.nearest(settings.epsilon)} if frames is not None and live else {}
    shown = tuple(dict.fromkeys(axes))
    drawn = pictures(run, look)
    for place, (key, drawing) in zip((left, right), drawn.items(), strict=True):
        with place:
            over = drawing if box is None else with_box(drawing, box, data.box, axes)
            selects = selection.on_select(data, shown) if run.box.d != 3 else False
            _figure(over, key.removeprefix("figure_"), data, on_select=selects, **moved)
    scrub.slider(frames, settings.epsilon)
    for place, (key, drawing) in zip(st.columns(2), drawn.items(), strict=True):
        with place:
            table(drawing.table, key=f"table_{key.removeprefix('figure_')}")
    if run.box.d == 1 and run.n:
        _draw(partition_figures.cdfs(run.points, run.measure, run.box), "cdfs", data)
    selection.summary(run, data, box, tuple(range(3)) if run.box.d == 3 else shown)
    return live


def _pick(label: str, choices: dict[str, str], key: str) -> str:
    first = next(iter(choices))
    chosen = st.segmented_control(label, list(choices), format_func=choices.get, default=first, required=True, key=key)
    return str(chosen)


def _measured(settings: Settings, data: Data) -> Errors | None:
    """W1 and its parts; the interval narrows on screen while it is being measured."""
    line = st.empty()

    def progress(what: str, lower: float, upper: float) -> bool:
        line.caption(words.MEASURED_SO_FAR.format(what=words.PARTS[what], lower=lower, upper=upper))
        return True

    def waiting(before: int) -> None:
        line.caption(words.WAITING.format(before=before))

    line.caption(words.MEASURING)
    found = compute.errors(data, settings.parameters(), settings.seed, progress, waiting)
    line.empty()
    return found


def _noise(run: Simulation, settings: Settings, data: Data, marked: Bools | None) -> None:
    st.subheader(words.NOISE)
    axes = settings.axes if run.box.d > 1 else (0, 0)
    left, right = st.columns(2)
    with left:
        _draw(
            noise_figures.leaf_scatter(run.true_counts, run.noisy_counts, run.tree.leaf_depth, marked), "scatter", data
        )
        masses, method = run.projection.masses, run.parameters.method
        after = noise_figures.projection(run.noisy_masses, masses, method, epsilon=run.cost.total, simulated=True)
        _draw(after, "projection", data)
    with right:
        _draw(noise_figures.noise_law(run.leaf_noise, run.cost.a, run.cost.b), "law", data)
        place = noise_figures.noise_map(run.tree, run.box, run.true_counts, run.noisy_counts, axes=axes)
        _draw(place, "noise_map", data)


def _error(found: Errors | None, run: Simulation, settings: Settings, data: Data, parameters: Parameters) -> None:
    st.subheader(words.ERROR)
    if found is None:
        st.info(words.NO_DATA)
        return
    if not found.total.exact:
        st.caption(words.NOT_FINISHED.format(seconds=limits().w1_seconds))
    rulers = compute.rulers(data, settings, words.RULER_NAMES)
    if not rulers:
        st.caption(words.RULERS_OFF.format(most=compute.MOST_RULER_POINTS))
    theory = compute.theory(data, parameters, settings.seed)
    left, right = st.columns(2)
    with left:
        rolls.w1_and_rolls(found, rulers, data, parameters, settings.seed)
    with right:
        drawn = error_figures.bounds(found.total, theory, found.resolution, found.privacy)
        _draw(drawn, "bounds", data)
    table(theory, key="formulas", label=words.FORMULAS)
    _moved(found, run, settings, data)


def _moved(found: Errors, run: Simulation, settings: Settings, data: Data) -> None:
    """The transport plan, and the leaves in which the error ends."""
    plan = found.total.plan
    if plan is None:
        return
    if not found.total.exact:
        st.caption(words.MOVED_OFF)
    axes = settings.axes if run.box.d > 1 else (0, 0)
    left, right = st.columns(2)
    with left:
        arrows = plan_figures.arrows(plan, run.unit_points, run.measure, run.box, found.total.upper, axes=axes)
        _draw(arrows, "plan", data)
    with right:
        _draw(
            plan_figures.error_map(plan, run.unit_points, run.measure, run.tree, run.box, axes=axes), "error_map", data
        )


def _dimension(run: Simulation, settings: Settings, data: Data, parameters: Parameters) -> None:
    if not run.n:
        return
    st.subheader(words.DIMENSION)
    st.caption(words.DIMENSION_HELP)
    line = st.empty()
    line.caption(words.COVERING)
    found = compute.dimensions(data, parameters, settings.seed)
    line.empty()
    if found is None:
        st.caption(words.DIMENSION_OFF.format(most=compute.MOST_DIMENSION_POINTS))
        return
    of_data, of_release = found
    left, right = st.columns(2)
    with left:
        _draw(dimension_figures.dimension(of_data, private=True), "dimension", data)
    with right:
        epsilon = run.cost.total
        drawn = dimension_figures.dimension(of_release, private=False, epsilon=epsilon, simulated=True)
        _draw(drawn, "dimension_release", data)


def _privacy(run: Simulation, data: Data) -> None:
    st.subheader(words.PRIVACY)
    left, right = st.columns(2)
    with left:
        _draw(privacy_figures.budget(run.cost), "budget", data)
    with right:
        _draw(privacy_figures.odds(run.cost.total), "odds", data)


def _tree(run: Simulation, data: Data, marked: Bools | None) -> None:
    st.subheader(words.TREE)
    visits = run.visits
    left, right = st.columns(2)
    with left:
        badge = {"epsilon": run.cost.total, "simulated": True}
        icicle = tree_figures.icicle(run.tree, run.noisy_counts, private=False, marked=marked, **badge)
        _draw(icicle, "icicle", data)
    with right:
        levels = tree_figures.levels(run.tree, visits.count, visits.noise, visits.split, run.cost.theta, run.cost.delta)
        _draw(levels, "levels", data)


def _take(run: Simulation, settings: Settings, data: Data, parameters: Parameters) -> None:
    st.subheader(words.TAKE)
    st.caption(words.SIMULATED_FILES)
    first, second, third = st.columns(3, vertical_alignment="bottom")
    icon = ":material/download:"
    with first:
        leaves = compute.csv(run.to_frame())
        st.download_button(words.LEAF_TABLE, leaves, "simulated-leaves.csv", "text/csv", icon=icon, on_click="ignore")
    with second:
        size = st.number_input(words.SAMPLE_SIZE, min_value=1, max_value=1_000_000, value=1000, step=100)
        st.download_button(
            words.SAMPLE,
            lambda: compute.synthetic(run, int(size)),
            "simulated-sample.csv",
            "text/csv",
            icon=icon,
            on_click="ignore",
        )
    with third:
        if data.uploaded:
            st.info(words.RELEASE_UPLOAD)
        else:
            st.caption(words.RELEASE_COST.format(total=run.cost.total))
            st.download_button(
                words.RELEASE,
                _held(data, parameters).text,
                "release.json",
                "application/json",
                icon=icon,
                help=words.RELEASE_HELP,
                on_click="ignore",
            )
    with st.expander(words.CODE):
        st.code(settings.code(words.CODE_UPLOAD.format(box=data.box) if data.uploaded else ""), language="python")


def _held(data: Data, parameters: Parameters) -> compute.HeldRelease:
    """The session's one release of these dials."""
    state = (data.digest, parameters)
    if st.session_state.get("held_of") != state:
        st.session_state.held_of, st.session_state.held = state, compute.HeldRelease(data, parameters)
    held: compute.HeldRelease = st.session_state.held
    return held


def _draw(drawing: Drawing, key: str, data: Data) -> None:
    _figure(drawing, key, data)
    table(drawing.table, key=f"table_{key}")


def _figure(drawing: Drawing, key: str, data: Data, **options: Any) -> None:
    plot(drawing.figure, key=f"figure_{key}", alt=drawing.alt, data_id=data.digest, name=key, **options)


page()
