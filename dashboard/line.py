"""A line in front of long computations, so that fifty readers cannot freeze one server."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

PATIENCE = 0.25
"""Seconds between two words to somebody who waits."""


class Line:
    """At most `places` computations at once; whoever waits is told how many stand before, and may leave.

    >>> line = Line(1)
    >>> with line.turn(print):
    ...     line.inside
    1
    """

    def __init__(self, places: int) -> None:
        self.places, self.inside = places, 0
        self._line: list[object] = []
        self._changed = threading.Condition()

    @contextmanager
    def turn(self, told: Callable[[int], object]) -> Iterator[None]:
        """Wait for a place, first come first served; `told` gets the number before, and leaves by raising."""
        me = object()
        with self._changed:
            self._line.append(me)
        try:
            self._wait(me, told)
        except BaseException:
            with self._changed:
                self._line.remove(me)
                self._changed.notify_all()
            raise
        try:
            yield
        finally:
            with self._changed:
                self.inside -= 1
                self._changed.notify_all()

    def _wait(self, me: object, told: Callable[[int], object]) -> None:
        while True:
            with self._changed:
                before = self._line.index(me)
                if before == 0 and self.inside < self.places:
                    self._line.remove(me)
                    self.inside += 1
                    return
                self._changed.wait(PATIENCE)
            told(before + self.inside)


def places() -> int:
    """Computations at once on this machine: one core is left to the readers."""
    return max(1, (os.cpu_count() or 2) - 1)
