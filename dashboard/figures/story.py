"""What plays step by step, as data: scenes, layers of elements that come and go, and what is said at each step."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Place:
    """A coordinate that the browser computes from a column: asinh((column - centre) / scale)."""

    column: str
    centre: float
    scale: float


@dataclass(frozen=True)
class Boxes:
    """Rectangles of one look, drawn as one path; `look` is a Plotly shape without its path.

    The corners are arrays (elements,), one number for all, or a `Place`. `born`, `gone`: steps, (elements,) or one
    number for all. `rows`: the elements that belong to the layer; all if None, and then `born` is an array. `leads`:
    steps (elements,) from which on a click on the element goes to the step at which it is born.
    """

    x0: Any
    y0: Any
    x1: Any
    y1: Any
    born: Any
    gone: Any
    look: Mapping[str, Any]
    rows: Any = None
    leads: Any = None


@dataclass(frozen=True)
class Dots:
    """Diamonds of one look, drawn as one path: at step k those numbered start[k - 1], ..., stop[k - 1] - 1.

    `x`, `y`: (dots,), one number for all, or a `Place`; `start`, `stop` (elements,): none at
    other steps; `size`: half the width and height of a diamond.
    """

    x: Any
    y: Any
    start: Any
    stop: Any
    size: tuple[float, float]
    look: Mapping[str, Any]


@dataclass(frozen=True)
class Scene:
    """The figure that is shown from a step on, as plain data and layout, and its alternative text."""

    start: int
    figure: dict[str, Any]
    alt: str


@dataclass(frozen=True)
class Picture:
    """One of the figures that play together: its scenes, in order from step 0, and the layers over them.

    It stands in the left (0) or the right column (1) of a wide page, and is there up to the step `until`. Elements of
    layers with `leads` say their numbers to whoever points at them, before the step `silent`.
    """

    key: str
    scenes: Sequence[Scene]
    layers: Sequence[Boxes | Dots] = ()
    column: int = 0
    until: int | None = None
    silent: int | None = None


@dataclass(frozen=True)
class Telling:
    """What is said at a step: templates with {names} of columns, a verdict, and (label, template) pairs of numbers.

    `place` says which cell it is about; `public`: whether it says only what anybody may know. To whoever points at the
    element of the step, `tip` says its numbers, while they may be shown, and `known` what anybody may know of it.
    """

    text: str
    notes: Sequence[tuple[str, str]] = ()
    verdict: str = ""
    tone: str = ""
    place: str = ""
    public: bool = False
    tip: str = ""
    known: str = ""


@dataclass(frozen=True)
class Column:
    """The numbers of one name: an array (elements,), whose element k is for step k + 1, or a number for all steps.

    Or, of other columns, the sum with the given factors (`total`) or the greatest (`most`). `digits` after the point;
    None for four significant digits.
    """

    values: Any = 0
    digits: int | None = None
    signed: bool = False
    total: Mapping[str, float] | None = None
    most: Sequence[str] | None = None


@dataclass(frozen=True)
class Story:
    """Everything that plays.

    `telling` (steps,) numbers the `tellings`; `stages` are (name, first step), and `keys` what a link calls them;
    `marks` are steps to leap to, ascending; `label` is the badge of what anybody may see; `waiting` is the `tip` of an
    element whose step has not come.
    """

    pictures: Sequence[Picture]
    tellings: Sequence[Telling]
    telling: Any
    columns: Mapping[str, Column]
    stages: Sequence[tuple[str, int]]
    marks: Any
    label: str
    keys: Sequence[str] = ()
    waiting: str = ""

    @property
    def steps(self) -> int:
        """The number of steps."""
        return len(self.telling)
