"""What one server lets its readers do: the start command chooses, through the environment of the server's process."""

from __future__ import annotations

import os
from dataclasses import dataclass

CLASSROOM = "PRIVCORE_CLASSROOM"
"""Set to 1 by ``python -m dashboard --classroom``."""


@dataclass(frozen=True)
class Limits:
    """Uploads on or off, the most points of a data set, and seconds that one certified distance may take."""

    uploads: bool = True
    points: int = 100_000
    w1_seconds: float = 10.0


OWN_MACHINE = Limits()
A_CLASS = Limits(uploads=False, points=20_000, w1_seconds=3.0)
"""For fifty readers on a hosted server: nothing is uploaded, and nobody can keep a core busy for long."""


def limits() -> Limits:
    """The limits of this server.

    >>> limits() == OWN_MACHINE
    True
    """
    return A_CLASS if os.environ.get(CLASSROOM) == "1" else OWN_MACHINE
