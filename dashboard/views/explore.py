"""Explore: one picture, all dials. Everything on this page is a simulation, and says so."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import streamlit as st

from dashboard import compute
from dashboard.compute import Data, Distance
from dashboard.figures import dimension as dimension_figures
from dashboard.figures import error as error_figures
from dashboard.figures import loss as loss_figures
from dashboard.figures import noise as noise_figures
from dashboard.figures import partition as partition_figures
from dashboard.figures import plan as plan_figures
from dashboard.figures import privacy as privacy_figures
from dashboard.figures import tree as tree_figures
from dashboard.figures import trees as tree_size_figures
from dashboard.figures.selection import with_box
from dashboard.figures.style import Drawing
from dashboard.limits import limits
from dashboard.plot import plot, table
from dashboard.scrubbing import KEY, PICTURES, Look, Scrub, numbers, still_life
from dashboard.settings import Settings
from dashboard.text import explore as words
from dashboard.views import controls, look, pins, rolls, scrub, selection, session
from dashboard.views.distance import measured
from dashboard.views.panel import shown
from dashboard.views.toolbar import toolbar
from privcore.accounting import Cost
from privcore.arrays import Bools
from privcore.clouds import CLOUDS
from privcore.dimension import Dimension
from privcore.domain import Box
from privcore.parameters import Parameters
from privcore.simulation import Simulation
from privcore.transport import W1


def page() -> None:
    """The page, from the dials to the downloads."""
    settings, data = shown()
    if data is None:
        st.title(words.TITLE)
        st.info(words.UPLOAD_FIRST, icon=":material/upload_file:")
        st.caption(words.CHOOSE_AGAIN)
        return
    _show(settings, data, settings.parameters())


@dataclass(frozen=True)
class _View:
    """What the parts of the page look at: the dials, the data, and the run that comes of both."""

    settings: Settings
    data: Data
    parameters: Parameters
    kept: compute.KeptRun

    @property
    def run(self) -> Simulation:
        """The run, without what is kept of it."""
        return self.kept.run

    @property
    def axes(self) -> tuple[int, int]:
        """The axes that are drawn where one picture can't show them all."""
        return self.settings.axes if self.run.box.d > 1 else (0, 0)

    def draw(self, key: str, make: Callable[[], Drawing], keep: bool = True) -> None:
        """Draw a figure of the run; one that depends on nothing else is made once."""
        self.figure(key, self.drawing(key, make) if keep else make())

    def distance(self, name: Distance) -> W1 | None:
        """A distance of the run, measured once; with its plan if the part that draws it is open."""
        if name == "total" and session.display().part == "error":
            name = "moved"
        return self.kept.known(name) or measured(self.settings, self.data, name)

    def drawing(self, key: str, make: Callable[[], Drawing]) -> Drawing:
        """A figure of the run, made once."""
        return self.kept.once((key, self.axes), make)

    def figure(self, key: str, drawing: Drawing, **options: Any) -> None:
        """Put a figure on the page, with the table behind it."""
        named = {"key": f"figure_{key}", "name": key, "data_id": self.data.digest, "memo": drawing.messages}
        plot(drawing.spec, alt=drawing.alt, table=drawing.table, **named, **options)


def _show(settings: Settings, data: Data, parameters: Parameters) -> None:
    view = _View(settings, data, parameters, compute.kept_run(data, parameters, settings.seed))
    # What comes and goes does so inside one of these, so that whatever follows keeps its place, and figures their zoom.
    headline, present = st.container(), session.display().present
    if present:  # a projector shows the picture first
        stage = st.container()
    toolbar(data.digest if data.uploaded else "", look=lambda: look.pick(data.box.d))
    if not present:
        stage = st.container()
    chosen = look.picked(data.box.d, view.axes)
    with headline:
        frames = scrub.frames(settings, data, chosen)
        _headline(view, draggable=frames is not None and frames.covers(settings.epsilon))
        controls.say_problems()
    box = selection.chosen(data)
    with stage:
        _picture(view, chosen, frames, box)
    pins.pinned(data, measured)
    marked = None if box is None else compute.selected(view.run, box).leaves
    _parts(view, marked)


def _parts(view: _View, marked: Bools | None) -> None:
    """What is under the picture, one part at a time: a part that is not open costs nothing."""
    parts: dict[str, Callable[[], None]] = {
        "leaves": lambda: _leaves(view, marked),
        "noise": lambda: _noise(view),
        "error": lambda: _error(view, view.distance("total")),
        "dimension": lambda: _dimension(view),
        "trees": lambda: _trees(view),
        "privacy": lambda: _privacy(view),
        "take": lambda: _take(view),
    }
    opened = session.display().part
    if st.session_state.get("part") != opened:
        st.session_state.part = opened
    opens = {"key": "part", "on_change": lambda: session.show(part=st.session_state.part)}
    st.pills(words.LOOK_CLOSER, list(parts), format_func=words.PART_NAMES.get, required=True, **opens)
    parts[opened]()


def _headline(view: _View, draggable: bool) -> None:
    cloud, uploaded = view.settings.cloud, view.data.uploaded
    made_of = words.PEOPLE if cloud == "city" else words.POINTS
    who = words.ROWS if uploaded or CLOUDS[cloud].kind == "real" else made_of
    instruction = words.INSTRUCTION if draggable else words.INSTRUCTION_PANEL
    if controls.hidden("epsilon") or (session.display().present and not draggable):  # a projector shows no panel
        instruction = ""
    made_from = words.MADE_FROM_ONE if view.run.n == 1 else words.MADE_FROM.format(n=view.run.n, who=who)
    st.markdown(f"**{made_from}** {instruction}" if session.display().present else f"### {made_from}\n\n{instruction}")
    if uploaded:
        st.warning(words.UPLOAD_OWNER, icon=":material/visibility:")


def _numbers(view: _View) -> None:
    """The numbers of the run, where no slider shows them."""
    with st.container(horizontal=True, gap="medium"):
        for name, value in numbers(view.run, view.distance("total")):
            st.metric(name, value, help=words.NUMBERS[name], width="content")


def _cost(run: Simulation) -> str:
    odds = privacy_figures.odds_sentence(run.cost.total, run.parameters.neighbours == "replace-one")
    return f"{_cost_text(run.cost, run.parameters)} {odds} {words.SIMULATED}"


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


def _picture(view: _View, chosen: Look, frames: Scrub | None, box: Box | None) -> None:
    """Data and release side by side, the slider that moves both, their numbers and their cost, and the reader's box."""
    run, settings, data = view.run, view.settings, view.data
    if run.box.d > 3:
        st.caption(words.PAIRS.format(d=run.box.d))
        controls.axes_dial(settings, run.box.columns)
    drawn_axes = tuple(dict.fromkeys(view.axes))
    drawn = {key: view.kept.once((key, chosen), lambda make=make: make(run, chosen)) for key, make in PICTURES.items()}
    live = frames is not None and frames.covers(settings.epsilon)
    moved = _moved(view, frames) if frames is not None and live else {"scrubbed_by": KEY}  # of one size all the same
    above = session.display().present  # or a projector would show the slider and its numbers without the picture
    if above:
        said = scrub.slider(frames, settings, data, chosen)
    for place, (key, drawing) in zip(st.columns(2), drawn.items(), strict=True):
        with place:
            over = drawing if box is None else with_box(drawing, box, data.box, view.axes)
            selects = selection.on_select(data, drawn_axes) if run.box.d != 3 else False
            view.figure(key, over, on_select=selects, **moved)
    if not above:
        said = scrub.slider(frames, settings, data, chosen)
    if not live:
        _numbers(view)
    st.caption("\n\n".join([*said, _cost(run), selection.help_text(run.box.d)]))
    if run.box.d == 1 and run.n:
        view.draw("cdfs", lambda: partition_figures.cdfs(run.points, run.measure, run.box))
    selection.summary(run, data, box, tuple(range(3)) if run.box.d == 3 else drawn_axes)


def _moved(view: _View, frames: Scrub) -> dict[str, Any]:
    """What ties a picture to the slider; between two frames, its numbers are its own."""
    epsilon = view.settings.epsilon
    own = None if epsilon in frames.epsilons else still_life(view.run, epsilon, view.distance("total"))
    return {"scrubbed_by": KEY, "at": frames.nearest(epsilon), "own": own}


def _leaves(view: _View, marked: Bools | None) -> None:
    """The leaves, true and released, and the tree they belong to; the leaves of the reader's box light up in both."""
    run, keep = view.run, marked is None
    counts = run.true_counts, run.noisy_counts
    tree = {"private": False, "marked": marked, "epsilon": run.cost.total, "simulated": True}
    left, right = st.columns(2)
    with left:
        view.draw("scatter", lambda: noise_figures.leaf_scatter(*counts, run.tree.leaf_depth, marked), keep)
    with right:
        view.draw("icicle", lambda: tree_figures.icicle(run.tree, run.noisy_counts, **tree), keep)


def _noise(view: _View) -> None:
    """The noise against its law, where it fell and what it decided; the projection that takes the negatives away."""
    run, axes = view.run, view.axes
    counts, masses = (run.true_counts, run.noisy_counts), (run.noisy_masses, run.projection.masses)
    badge = {"epsilon": run.cost.total, "simulated": True}
    left, right = st.columns(2)
    with left:
        view.draw("law", lambda: noise_figures.noise_law(run.leaf_noise, run.cost.a, run.cost.b))
        view.draw("projection", lambda: noise_figures.projection(*masses, run.parameters.method, **badge))
    with right:
        view.draw("levels", lambda: _levels(run))
        view.draw("noise_map", lambda: noise_figures.noise_map(run.tree, run.box, *counts, axes=axes))


def _levels(run: Simulation) -> Drawing:
    seen, cost = run.visits, run.cost
    return tree_figures.levels(run.tree, seen.count, seen.noise, seen.split, cost.theta, cost.delta)


def _error(view: _View, total: W1 | None) -> None:
    """The error, its parts, its rulers and its bounds; the transport plan, and the leaves in which the error ends."""
    if total is None:
        st.info(words.NO_DATA)
        return
    if not total.exact:
        st.caption(words.NOT_FINISHED.format(seconds=limits().w1_seconds))
        st.button(words.AGAIN, icon=":material/refresh:", on_click=view.kept.measure_again, key="measure_again")
    data, parameters, seed = view.data, view.parameters, view.settings.seed
    rulers = compute.rulers(data, view.settings, words.RULER_NAMES)
    if not rulers:
        st.caption(words.RULERS_OFF.format(most=compute.MOST_RULER_POINTS))
    left, right = st.columns(2)
    theory = compute.theory(data, parameters, seed)
    run, axes = view.run, view.axes
    moved = total.plan, run.unit_points, run.measure

    def w1(others: list[float]) -> Drawing:
        def make() -> Drawing:
            return error_figures.w1(total, *parts, rulers, rolls=others)

        return make() if others else view.drawing("w1", make)

    with right:
        parts = view.distance("resolution"), view.distance("privacy")
    with left:
        rolls.w1_and_rolls(w1, data, parameters, seed)
        view.draw("plan", lambda: plan_figures.arrows(*moved, run.box, total.upper, axes=axes))
    with right:
        view.draw("bounds", lambda: error_figures.bounds(total, theory, *parts))
        table(theory, key="formulas", label=words.FORMULAS)
        view.draw("error_map", lambda: plan_figures.error_map(*moved, run.tree, run.box, axes=axes))
    if not total.exact:
        st.caption(words.MOVED_OFF)


def _dimension(view: _View) -> None:
    if not view.run.n:
        return
    st.caption(words.DIMENSION_HELP)
    found = view.kept.once("dimensions", lambda: _covered(view))
    if found is None:
        st.caption(words.DIMENSION_OFF.format(most=compute.MOST_DIMENSION_POINTS))
        return
    of_data, of_release = found
    badge = {"epsilon": view.run.cost.total, "simulated": True}
    left, right = st.columns(2)
    with left:
        view.draw("dimension", lambda: dimension_figures.dimension(of_data, private=True))
    with right:
        view.draw("dimension_release", lambda: dimension_figures.dimension(of_release, private=False, **badge))


def _covered(view: _View) -> tuple[Dimension, Dimension] | None:
    line = st.empty()
    line.caption(words.COVERING)
    found = compute.dimensions(view.data, view.parameters, view.settings.seed)
    line.empty()
    return found


def _trees(view: _View) -> None:
    """The three trees of the paper that are not private."""
    st.caption(words.TREES_HELP)
    sizes = view.kept.once("tree_sizes", lambda: compute.tree_sizes(view.run))
    if sizes is None:
        st.caption(words.NO_TREES)
        return
    left, right = st.columns(2)
    with left:
        view.draw("tree_leaves", lambda: tree_size_figures.leaves(sizes))
    with right:
        view.draw("tree_depth", lambda: tree_size_figures.depth(sizes))


def _privacy(view: _View) -> None:
    left, right = st.columns(2)
    with left:
        view.draw("budget", lambda: privacy_figures.budget(view.run.cost))
    with right:
        view.draw("odds", lambda: privacy_figures.odds(view.run.cost.total))
    if view.run.n:
        run = view.run
        view.draw("loss", lambda: loss_figures.realised(compute.losses(run), run.true_counts, run.cost.total))
        st.caption(words.LOSS_HELP)


def _take(view: _View) -> None:
    run, data = view.run, view.data
    st.caption(words.SIMULATED_FILES)
    first, second, third = st.columns(3, vertical_alignment="bottom")
    icon = ":material/download:"
    with first:
        st.download_button(
            words.LEAF_TABLE,
            lambda: compute.csv(run.to_frame()),
            "simulated-leaves.csv",
            "text/csv",
            icon=icon,
            on_click="ignore",
        )
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
                _held(data, view.parameters).text,
                "release.json",
                "application/json",
                icon=icon,
                help=words.RELEASE_HELP,
                on_click="ignore",
            )
    with st.expander(words.CODE):
        st.code(view.settings.code(words.CODE_UPLOAD.format(box=data.box) if data.uploaded else ""), language="python")


def _held(data: Data, parameters: Parameters) -> compute.HeldRelease:
    """The session's one release of these dials."""
    state = (data.digest, parameters)
    if st.session_state.get("held_of") != state:
        st.session_state.held_of, st.session_state.held = state, compute.HeldRelease(data, parameters)
    held: compute.HeldRelease = st.session_state.held
    return held
