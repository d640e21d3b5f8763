"""The interval so far, and when to stop."""

from __future__ import annotations

import math
import time
from collections.abc import Callable

Progress = Callable[[float, float], bool | None]


class Stop(Exception):  # noqa: N818 - it is no error
    """The deadline has passed, or the caller has cancelled."""


class Watch:
    """Keeps the best bounds, reports them as they narrow, and raises `Stop`.

    `unit` turns a solver's numbers into the caller's; `slack` (caller's units) is what rounding may add.
    """

    def __init__(self, until: float | None, progress: Progress | None, unit: float, slack: float) -> None:
        self.lower, self.upper = 0.0, math.inf
        self._until, self._progress, self._unit, self._slack = until, progress, unit, slack

    @property
    def observed(self) -> bool:
        """Whether anybody may see the interval before the end."""
        return self._until is not None or self._progress is not None

    def narrow(self, lower: float, upper: float) -> None:
        """Take new bounds into account; report them if they are better."""
        if lower <= self.lower and upper >= self.upper:
            self.check()
            return
        self.lower, self.upper = max(self.lower, lower), min(self.upper, upper)
        if self._progress is not None:
            low = max(0.0, self.lower * self._unit - self._slack)
            if self._progress(low, self.upper * self._unit + self._slack) is False:
                raise Stop
        self.check()

    def check(self) -> None:
        """Raise `Stop` after the deadline."""
        if self._until is not None and time.perf_counter() >= self._until:
            raise Stop
