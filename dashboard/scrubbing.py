"""The frames of the main pictures over a range of epsilon, all else equal: what the slider under them steps through."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from dashboard.figures.error import interval
from dashboard.figures.measure import Kind, measure, sample
from dashboard.figures.partition import partition
from dashboard.figures.privacy import right_text
from dashboard.figures.shapes import MAX_BARS
from dashboard.figures.style import Drawing, number
from dashboard.plot import Frames, Notes, PackedFrames, Spec, Standing, pack_frames
from dashboard.text import explore as words
from privcore.loss import realised_loss
from privcore.simulation import Simulation
from privcore.transport import W1

EPSILONS = (0.05, 0.06, 0.07, 0.085, 0.1, 0.12, 0.15, 0.2, 0.25, 0.3, 0.4, 0.5, 0.6, 0.7, 0.85)
EPSILONS += (1.0, 1.2, 1.5, 2.0, 2.5, 3.0, 4.0, 5.0, 7.0, 10.0)
MOST_LEAVES = MAX_BARS
"""Leaves of a frame: beyond it the frames stop, since they would be slow to draw and heavy to send."""
MOST_POINTS = 20_000
MOST_SAMPLED = 2000
KEY = "scrub_epsilon"


@dataclass(frozen=True)
class Scrub:
    """What `plot.scrubber` draws, and the epsilon of each of its frames."""

    frames: PackedFrames
    epsilons: tuple[float, ...]

    def nearest(self, epsilon: float) -> int:
        """The frame that stands for an epsilon."""
        return min(range(len(self.epsilons)), key=lambda i: abs(self.epsilons[i] - epsilon))

    def covers(self, epsilon: float) -> bool:
        """Whether an epsilon is in the range that can be scrubbed."""
        return self.epsilons[0] <= epsilon <= self.epsilons[-1]


@dataclass(frozen=True)
class Look:
    """What the main pictures depend on beside the run: the axes, the colour of the cells, the kind of the measure."""

    axes: tuple[int, int] = (0, 1)
    colour: str = "none"
    kind: str = "cells"


def data_picture(run: Simulation, look: Look) -> Drawing:
    """The data with its cells; private."""
    leaves = run.true_counts, run.noisy_counts, run.projection.masses, realised_loss(run).removed.total
    return partition(run.points, run.tree, run.box, *leaves, axes=look.axes, colour=look.colour)


def release_picture(run: Simulation, look: Look) -> Drawing:
    """The released measure."""
    badge = {"axes": look.axes, "epsilon": run.cost.total, "simulated": True}
    if look.kind == "sample":
        return sample(run.measure.sample(min(max(run.n, 1), MOST_SAMPLED), seed=run.seed), run.box, **badge)
    kind: Kind = "atoms" if look.kind == "atoms" else "cells"
    return measure(run.measure, run.tree, run.box, run.noisy_counts, kind=kind, **badge)


PICTURES: dict[str, Callable[[Simulation, Look], Drawing]] = {"partition": data_picture, "measure": release_picture}
"""The main pictures by name."""


def scrub(
    simulated: Callable[[float], Simulation],
    measured: Callable[[Simulation], W1],
    look: Look,
    progress: Callable[[float], None],
) -> Scrub | None:
    """Run the mechanism at each epsilon until a tree has more than `MOST_LEAVES` leaves; None if the first one has.

    `measured` gives the W1 of a run; `progress` is told the part that is done, and may raise to stop.
    """
    frames: dict[str, list[Spec]] = {}
    notes, reached = [], []
    for step, epsilon in enumerate(EPSILONS):
        progress(step / len(EPSILONS))
        run = simulated(epsilon)
        if len(run.tree.leaves) > MOST_LEAVES:
            break
        for name, make in PICTURES.items():
            frames.setdefault(f"figure_{name}", []).append(still(make(run, look).spec))
        notes.append(numbers(run, measured(run)))
        reached.append(epsilon)
    return _packed(frames, reached, notes) if reached else None


def _packed(figures: dict[str, list[Spec]], epsilons: Sequence[float], notes: Sequence[Notes]) -> Scrub:
    labels = [_label(epsilon) for epsilon in epsilons]
    frames = Frames(figures, labels, words.SCRUB, words.MORE_PRIVATE, words.MORE_ACCURATE, notes, words.NUMBERS)
    return Scrub(pack_frames(frames, KEY), tuple(epsilons))


def _label(epsilon: float) -> str:
    return f"ε = {epsilon:g}"


def numbers(run: Simulation, w1: W1 | None) -> Notes:
    """The numbers of a run, by name."""
    distance = "–" if w1 is None else interval(w1)
    guess, cost = words.GUESS_VALUE.format(right=right_text(run.cost.total)), _label(float(f"{run.cost.total:.4g}"))
    return list(zip(words.NUMBERS, (number(len(run.tree.leaves)), distance, guess, cost), strict=True))


def still_life(run: Simulation, epsilon: float, w1: W1 | None) -> Standing:
    """What the slider says while it rests on a run between two frames."""
    return Standing(_label(epsilon), numbers(run, w1))


def still(spec: Spec) -> Spec:
    """A figure without what only a resting hand needs: the hover texts, a third of its bytes."""
    resting = {"customdata", "hovertemplate"}
    return spec | {
        "data": [{k: v for k, v in trace.items() if k not in resting} | {"hoverinfo": "skip"} for trace in spec["data"]]
    }
