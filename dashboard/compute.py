"""The cached calls into privcore: the only caches of the dashboard, keyed on a digest and never on an array.

Generated data is shared by all sessions; what comes from an upload stays in the session that made it.
"""

from __future__ import annotations

import gc
import hashlib
import io
import threading
from collections.abc import Callable, Hashable
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, Literal, TypeVar, get_args

import numpy as np
import pandas as pd
import streamlit as st

from dashboard import scrubbing
from dashboard.limits import limits
from dashboard.line import Line, places
from dashboard.plot import install
from dashboard.scrubbing import Look, Scrub
from dashboard.settings import Settings
from privcore.arrays import Bools, Floats, frozen
from privcore.cells import CellCounts
from privcore.clouds import box_of, make
from privcore.dimension import Dimension, dimension
from privcore.domain import Box
from privcore.loss import realised_loss
from privcore.measure import DiscreteMeasure
from privcore.parameters import Parameters
from privcore.release import release
from privcore.simulation import Simulation, simulate
from privcore.tables import Table, read_table
from privcore.theory import bounds
from privcore.theory import tree_sizes as theory_sizes
from privcore.transport import W1, wasserstein

MOST_RUNS = 48
"""Runs of generated data that a server keeps, with their pictures: some 3 MB each."""
QUICK_POINTS = 5000
"""Up to so many points a distance takes a fraction of a second, and waits for nobody."""
LINE = Line(places())
"""In front of every longer distance of this server."""
EVEN_POINTS = 2000
"""Points of the ruler that stands for the uniform measure."""
RULER_SEED = 1_000_003
"""Added to the seed of the data for the independent sample that the rulers compare with."""
MOST_RULER_POINTS = 20_000
THRESHOLDS = 13
"""Thresholds at which the trees without noise are grown."""
MOST_DIMENSION_POINTS = 100_000


KEYS = {Parameters: repr}
"""How Streamlit's caches read a key: parameters as their text, which names every one of them, and costs little."""


@dataclass(frozen=True)
class Data:
    """Points in their declared box, and the digest that stands for both in every cache."""

    points: Floats = field(repr=False)
    box: Box
    digest: str
    uploaded: bool = False


@dataclass(frozen=True)
class Selected:
    """A box: its true count, its released count with the standard error of the leaf noise, and the leaves it meets."""

    true_count: int
    released_count: float
    standard_error: float
    leaves: Bools

    @property
    def error(self) -> float:
        """Released less true count."""
        return self.released_count - self.true_count


Made = TypeVar("Made")
Distance = Literal["moved", "total", "resolution", "privacy"]
"""W1 between data and release, with its transport plan ("moved") or without ("total"), and its two parts."""
Progress = Callable[[Distance, float, float], bool]
"""Called with what is measured and the interval so far; returning False stops."""
Waiting = Callable[[int], object]
"""Called with the number of computations before this one; raising leaves the line."""


def generated(settings: Settings) -> Data:
    """The data set that the dials describe, made once a server."""
    return _generated(settings.cloud, settings.n, settings.d, settings.data_seed)


@lru_cache(32)  # every rerun looks here, and Streamlit's own cache spells out its key anew each time
def _generated(cloud: str, n: int, d: int, seed: int) -> Data:
    points, box = frozen(make(cloud, n, d, seed)), box_of(cloud, d)
    return Data(points, box, _digest(points, box))


def uploaded(points: Any, box: Box) -> Data:
    """A data set of the reader's own; it is kept by the session alone."""
    array = frozen(points)
    return Data(array, box, _digest(array, box), uploaded=True)


@st.cache_resource(max_entries=2, show_spinner=False, scope="session")
def table(content_digest: str, _content: bytes, name: str) -> Table:
    """Read an uploaded file, once a session."""
    return read_table(_content, name)


def content_digest(content: bytes) -> str:
    """Name a file's content."""
    return hashlib.blake2b(content, digest_size=16).hexdigest()


def simulation(data: Data, parameters: Parameters, seed: int) -> Simulation:
    """The seeded run of these dials on this data."""
    return kept_run(data, parameters, seed).run


def fresh_simulation(data: Data, parameters: Parameters, seed: int) -> Simulation:
    """One of many runs that are looked at once: it is not kept, so it pushes nothing out of the cache."""
    return simulate(data.points, data.box, parameters, seed)


def distance(
    name: Distance, data: Data, parameters: Parameters, seed: int, progress: Progress, waiting: Waiting
) -> W1 | None:
    """A distance of the run in the unit cube, exact or a certified interval, measured once; None without data."""
    kept = kept_run(data, parameters, seed)
    run = kept.run
    if not run.n:
        return None
    found = kept.known(name)
    if found is None:
        with kept.line.turn(waiting):  # another session may be measuring the same run
            found = kept.known(name)
            if found is None:
                with _turn(run.n, waiting):
                    found = kept.distances[name] = _measured(run, name, progress)
    return found


def _turn(points: int, waiting: Waiting) -> AbstractContextManager[None]:
    return LINE.turn(waiting) if points > QUICK_POINTS else nullcontext()


@dataclass
class KeptRun:
    """A run, and what is made of it: outside Streamlit's cache, since what shows progress can't be replayed from it."""

    run: Simulation
    distances: dict[Distance, W1] = field(default_factory=dict)
    line: Line = field(default_factory=lambda: Line(1))
    made: dict[Hashable, Any] = field(default_factory=dict)

    def known(self, name: Distance) -> W1 | None:
        """A distance that has been measured: one with its plan is also the one without."""
        return self.distances.get(name) or (self.distances.get("moved") if name == "total" else None)

    def measure_again(self) -> None:
        """Forget the distances: one ran into its deadline, perhaps because the server was busy."""
        self.distances.clear()
        self.made.clear()

    def once(self, name: Hashable, make: Callable[[], Made]) -> Made:
        """A picture or a table of this run, made once; `name` says all that it depends on beside the run."""
        if name not in self.made:
            self.made[name] = make()
        return self.made[name]


def kept_run(data: Data, parameters: Parameters, seed: int) -> KeptRun:
    """A run with what is made of it: with the server for generated data, with the session for an upload."""
    return (_own_run if data.uploaded else _shared_run)(data.digest, parameters, seed, data)


@st.cache_resource(max_entries=MOST_RUNS, show_spinner=False, hash_funcs=KEYS)
def _shared_run(digest: str, parameters: Parameters, seed: int, _data: Data) -> KeptRun:
    return KeptRun(fresh_simulation(_data, parameters, seed))


@st.cache_resource(max_entries=8, show_spinner=False, scope="session", hash_funcs=KEYS)
def _own_run(digest: str, parameters: Parameters, seed: int, _data: Data) -> KeptRun:
    return KeptRun(fresh_simulation(_data, parameters, seed))


def _measured(run: Simulation, name: Distance, progress: Progress) -> W1:
    oracle = run.oracle_measure
    total = run.points, run.measure, None
    points, measure, weights = {
        "moved": total,
        "total": total,
        "resolution": (run.points, oracle, None),
        "privacy": (oracle.points, run.projected_measure, oracle.masses),
    }[name]

    def report(lower: float, upper: float) -> bool:
        return progress(name, lower, upper)

    options = {"deadline": limits().w1_seconds, "progress": report, "plan": name == "moved"}
    return wasserstein(points, measure, weights=weights, box=run.box, **options)


def roll(data: Data, parameters: Parameters, seed: int, waiting: Waiting) -> float:
    """W1 of one more roll of the noise on the same data."""
    run = fresh_simulation(data, parameters, seed)
    with _turn(run.n, waiting):
        return total_error(run).value


def total_error(run: Simulation) -> W1:
    """W1 between data and release alone, exact or a certified interval."""
    return wasserstein(run.points, run.measure, box=run.box, deadline=limits().w1_seconds)


class Kept:
    """Results of functions that show progress, which Streamlit's own caches would replay; the oldest go first."""

    def __init__(self, most: int) -> None:
        self._most, self._values, self._lines = most, dict[Hashable, Any](), dict[Hashable, Line]()
        self._lock = threading.Lock()

    def __contains__(self, key: Hashable) -> bool:
        return key in self._values

    def get(self, key: Hashable, make: Callable[[], Any], waiting: Waiting) -> Any:
        """The kept value; made first if there is none, once, however many sessions ask for it."""
        with self._lock:
            line = self._lines.setdefault(key, Line(1))
        with line.turn(waiting):
            if key not in self._values:
                self._keep(key, make())
            return self._values[key]

    def _keep(self, key: Hashable, value: Any) -> None:
        with self._lock:
            self._values[key] = value
            while len(self._values) > self._most:
                oldest = next(iter(self._values))
                del self._values[oldest], self._lines[oldest]


def has_scrub(settings: Settings, data: Data, look: Look) -> bool:
    """Whether the frames over epsilon are there already."""
    return _scrub_key(settings, data, look) in _scrubs(data)


def scrub(
    settings: Settings, data: Data, look: Look, progress: Callable[[float], None], waiting: Waiting
) -> Scrub | None:
    """The frames of the main pictures over epsilon; None if there would be too many leaves at the least of them."""

    def at(epsilon: float) -> Simulation:
        turned, _ = settings.replace(epsilon=epsilon).repaired()
        return fresh_simulation(data, turned.parameters(), settings.seed)

    def make() -> Scrub | None:
        return scrubbing.scrub(at, total_error, look, progress)

    found: Scrub | None = _scrubs(data).get(_scrub_key(settings, data, look), make, waiting)
    return found


def _scrub_key(settings: Settings, data: Data, look: Look) -> Hashable:
    return data.digest, settings.replace(epsilon=1.0, axes=(0, 1)), look


def _scrubs(data: Data) -> Kept:
    return _own_scrubs() if data.uploaded else _shared_scrubs()


@st.cache_resource(show_spinner=False)
def _shared_scrubs() -> Kept:
    return Kept(64)


@st.cache_resource(show_spinner=False, scope="session")
def _own_scrubs() -> Kept:
    return Kept(4)


def tree_sizes(run: Simulation) -> pd.DataFrame | None:
    """Leaves and depth of the three trees without noise, at thresholds from one record to half of them.

    The capped tree may have as many leaves as the run has. None with fewer than two records.
    """
    if run.n < 2:
        return None
    thetas = np.unique(np.geomspace(1.0, run.n / 2, THRESHOLDS).round(2))
    counts = CellCounts(run.points, run.box)
    return theory_sizes(counts, thetas.tolist(), run.cost.delta, len(run.tree.leaves), run.parameters.max_depth)


def losses(run: Simulation) -> Floats:
    """The realised privacy loss of a record of each leaf, (leaves,), NaN where there is none."""
    return realised_loss(run).removed.total


def selected(run: Simulation, chosen: Box) -> Selected:
    """What the data and the release hold in a box."""
    mass, error = run.measure.mass_in(chosen)
    inside = run.projected_measure.overlap(chosen) > 0
    return Selected(run.records_in(chosen), mass * run.total, error * run.total, inside)


def theory(data: Data, parameters: Parameters, seed: int) -> pd.DataFrame:
    """Every bound of the theory for the run."""
    cached = _own_theory if data.uploaded else _shared_theory
    return cached(data.digest, parameters, seed, simulation(data, parameters, seed))


@st.cache_data(max_entries=64, show_spinner=False, hash_funcs=KEYS)
def _shared_theory(digest: str, parameters: Parameters, seed: int, _run: Simulation) -> pd.DataFrame:
    return bounds(_run)


@st.cache_data(max_entries=8, show_spinner=False, scope="session", hash_funcs=KEYS)
def _own_theory(digest: str, parameters: Parameters, seed: int, _run: Simulation) -> pd.DataFrame:
    return bounds(_run)


def rulers(data: Data, settings: Settings, names: tuple[str, str, str]) -> dict[str, float | W1 | None]:
    """What an error can be held against: another sample of the same cloud, the uniform measure, everyone at the mean.

    `names` are their names, in that order. An uploaded table has no other sample.
    """
    rows = len(data.points)
    if not rows or rows > MOST_RULER_POINTS:
        return {}
    cached = _own_rulers if data.uploaded else _shared_rulers
    other, flat, mean = cached(data.digest, settings.cloud, settings.n, settings.data_seed, data)
    found = {names[0]: other, names[1]: flat, names[2]: mean}
    return {name: value for name, value in found.items() if value is not None}


@st.cache_resource(max_entries=32, show_spinner=False)
def _shared_rulers(digest: str, cloud: str, n: int, seed: int, _data: Data) -> tuple[W1 | None, W1, W1]:
    return _rulers(_data, make(cloud, n, _data.box.d, seed + RULER_SEED))


@st.cache_resource(max_entries=4, show_spinner=False, scope="session")
def _own_rulers(digest: str, cloud: str, n: int, seed: int, _data: Data) -> tuple[W1 | None, W1, W1]:
    return _rulers(_data, None)


def _rulers(data: Data, other: Floats | None) -> tuple[W1 | None, W1, W1]:
    unit = data.box.to_unit(data.points)
    cube = DiscreteMeasure([[0.5] * data.box.d], [1.0], None, [[0.0] * data.box.d], [[1.0] * data.box.d])
    flat = cube.sample(EVEN_POINTS, seed=0)  # however few the records: they are held against an even spread
    another = None if other is None else wasserstein(unit, data.box.to_unit(other), deadline=limits().w1_seconds)
    return (
        another,
        wasserstein(unit, flat, deadline=limits().w1_seconds),
        wasserstein(unit, unit.mean(axis=0, keepdims=True), deadline=limits().w1_seconds),
    )


def dimensions(data: Data, parameters: Parameters, seed: int) -> tuple[Dimension, Dimension] | None:
    """The dimension of the data and of the run's released measure, at the scales that a release sees.

    None without data, and above `MOST_DIMENSION_POINTS` rows.
    """
    run = simulation(data, parameters, seed)
    if not 0 < run.n <= MOST_DIMENSION_POINTS:
        return None
    of_data, of_release = _own_dimensions if data.uploaded else _shared_dimensions
    found = of_data(data.digest, parameters.epsilon, parameters.neighbours, run)
    return found, of_release(data.digest, parameters, seed, run)


def _dimension(run: Simulation) -> Dimension:
    return dimension(run.points, run.box, run.parameters.epsilon * run.n)


def _released_dimension(run: Simulation) -> Dimension:
    """Of public numbers alone; a noisy total may be below one record."""
    measure = run.projected_measure
    size = run.parameters.epsilon * max(run.total, 1.0)
    return dimension(measure.points, run.box, size, weights=measure.masses)


@st.cache_resource(max_entries=32, show_spinner=False)
def _shared_dimension(digest: str, epsilon: float, neighbours: str, _run: Simulation) -> Dimension:
    return _dimension(_run)


@st.cache_resource(max_entries=4, show_spinner=False, scope="session")
def _own_dimension(digest: str, epsilon: float, neighbours: str, _run: Simulation) -> Dimension:
    return _dimension(_run)


@st.cache_resource(max_entries=64, show_spinner=False, hash_funcs=KEYS)
def _shared_released_dimension(digest: str, parameters: Parameters, seed: int, _run: Simulation) -> Dimension:
    return _released_dimension(_run)


@st.cache_resource(max_entries=8, show_spinner=False, scope="session", hash_funcs=KEYS)
def _own_released_dimension(digest: str, parameters: Parameters, seed: int, _run: Simulation) -> Dimension:
    return _released_dimension(_run)


_shared_dimensions = _shared_dimension, _shared_released_dimension
_own_dimensions = _own_dimension, _own_released_dimension


class HeldRelease:
    """One real release, made at the first click and held: a second click gives the same bytes and spends nothing.

    Called outside the page's script, so it touches nothing of Streamlit.
    """

    def __init__(self, data: Data, parameters: Parameters) -> None:
        self._data, self._parameters, self._text = data, parameters, ""
        self._lock = threading.Lock()

    def text(self) -> str:
        """The release as JSON."""
        with self._lock:
            if not self._text:
                self._text = release(self._data.points, self._data.box, self._parameters).to_json()
            return self._text


def csv(frame: pd.DataFrame) -> bytes:
    """A table as CSV."""
    text = io.StringIO()
    frame.to_csv(text, index=False)
    return text.getvalue().encode()


def synthetic(run: Simulation, n: int) -> bytes:
    """A low-discrepancy sample of the simulated measure, as CSV."""
    return csv(pd.DataFrame(run.measure.sample(n, seed=run.seed), columns=list(run.box.columns)))


def _digest(points: Floats, box: Box) -> str:
    digest = hashlib.blake2b(points.tobytes(), digest_size=16)
    digest.update(repr((points.shape, str(points.dtype), box)).encode())
    return digest.hexdigest()


@st.cache_resource(show_spinner=False)
def ready() -> bool:
    """Once a server: make the first view, then keep the collector from walking over it all again and again."""
    warm()
    gc.collect()
    gc.freeze()
    return install()


def warm() -> None:
    """Compute what the first view needs, before the first reader comes."""
    settings = Settings()
    data, parameters = generated(settings), settings.parameters()
    for name in get_args(Distance):
        distance(name, data, parameters, settings.seed, lambda *_: True, lambda _: None)
    theory(data, parameters, settings.seed)
    rulers(data, settings, ("", "", ""))
    dimensions(data, parameters, settings.seed)
    scrub(settings, data, Look(), lambda _: None, lambda _: None)
