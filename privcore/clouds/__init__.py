"""Point clouds of known dimension in public boxes, to learn and to measure on; none of them is about a person."""

from __future__ import annotations

from privcore.clouds.catalogue import CLOUDS, Cloud, box_of, make

__all__ = ["CLOUDS", "Cloud", "box_of", "make"]
