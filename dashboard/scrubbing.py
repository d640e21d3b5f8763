"""The frames of the main pictures over a range of epsilon, all else equal: what the slider under them steps through."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import plotly.graph_objects as go

from dashboard.figures.shapes import MAX_BARS
from dashboard.figures.style import Drawing, number
from dashboard.plot import Frames, PackedFrames, pack_frames
from dashboard.text import explore as words
from privcore.simulation import Simulation

EPSILONS = (0.05, 0.06, 0.07, 0.085, 0.1, 0.12, 0.15, 0.2, 0.25, 0.3, 0.4, 0.5, 0.6, 0.7, 0.85)
EPSILONS += (1.0, 1.2, 1.5, 2.0, 2.5, 3.0, 4.0, 5.0, 7.0, 10.0)
MOST_LEAVES = MAX_BARS
"""Leaves of a frame: beyond it the frames stop, since they would be slow to draw and heavy to send."""
MOST_POINTS = 20_000
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


def scrub(
    simulated: Callable[[float], Simulation],
    draw: Callable[[Simulation], dict[str, Drawing]],
    measured: Callable[[Simulation], str],
    right_guesses: Callable[[float], float],
    progress: Callable[[float], None],
) -> Scrub | None:
    """Run the mechanism at each epsilon until a tree has more than `MOST_LEAVES` leaves; None if the first one has.

    `draw` gives the pictures by the key of their figure, `measured` the W1 of a run in words; `progress` is told the
    part that is done, and may raise to stop.
    """
    pictures: dict[str, list[go.Figure]] = {}
    notes, reached = [], []
    for step, epsilon in enumerate(EPSILONS):
        progress(step / len(EPSILONS))
        run = simulated(epsilon)
        if len(run.tree.leaves) > MOST_LEAVES:
            break
        for key, drawing in draw(run).items():
            pictures.setdefault(key, []).append(still(drawing.figure))
        guess = words.GUESS_VALUE.format(right=f"{right_guesses(run.cost.total):.0f}")
        notes.append(
            [(words.LEAVES, number(len(run.tree.leaves))), (words.W1, measured(run)), (words.GUESS_SHORT, guess)]
        )
        reached.append(epsilon)
    return _packed(pictures, reached, notes) if reached else None


def _packed(
    pictures: dict[str, list[go.Figure]], epsilons: Sequence[float], notes: Sequence[list[tuple[str, str]]]
) -> Scrub:
    labels = [f"ε = {epsilon:g}" for epsilon in epsilons]
    frames = Frames(pictures, labels, words.SCRUB, words.MORE_PRIVATE, words.MORE_ACCURATE, notes)
    return Scrub(pack_frames(frames, KEY), tuple(epsilons))


def still(figure: go.Figure) -> go.Figure:
    """A figure without what only a resting hand needs: the hover texts, a third of its bytes."""
    for trace in figure.data:
        if trace.type != "scatter" or trace.mode != "text":
            trace.customdata, trace.hovertemplate = None, None
            trace.hoverinfo = "skip"
    return figure
