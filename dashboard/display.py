"""How a page is shown, apart from its dials: the parts of a link that hide dials and choose the projector mode."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from dashboard.settings import Problem
from dashboard.text import settings as words

HIDE, PRESENT, PART = "hide", "present", "part"
PARTS = ("leaves", "noise", "error", "dimension", "trees", "privacy", "take")
"""The parts of Explore under its picture; the first is open unless the link says otherwise."""


@dataclass(frozen=True)
class Display:
    """`hide` names the dials that are not drawn, `present` is projector mode, `part` the part of Explore that is open.

    >>> display, problems = Display.from_query({"hide": "theta,shift", "present": "1"})
    >>> sorted(display.hide), display.present, problems
    (['shift', 'theta'], True, ())
    >>> display.to_query()
    {'hide': 'shift,theta', 'present': '1'}
    """

    hide: frozenset[str] = frozenset()
    present: bool = False
    part: str = PARTS[0]

    @classmethod
    def from_query(cls, query: Mapping[str, Any]) -> tuple[Display, tuple[Problem, ...]]:
        """Read a link; a name that is no dial is answered with a sentence. Never raises."""
        named = {name.strip() for name in str(query.get(HIDE, "")).split(",")[:100]} - {""}
        known = named & set(words.DIALS)
        present = str(query.get(PRESENT, "0"))
        problems = [Problem(HIDE, words.NOT_A_DIAL.format(name=words.short(name))) for name in sorted(named - known)]
        if present not in ("0", "1"):
            problems.append(Problem(PRESENT, words.NOT_PRESENT.format(value=words.short(present))))
        part = str(query.get(PART, PARTS[0]))
        if part not in PARTS:
            listed = ", ".join(PARTS)
            problems.append(Problem(PART, words.NOT_A_PART.format(value=words.short(part), parts=listed)))
            part = PARTS[0]
        return cls(frozenset(known), present == "1", part), tuple(problems)

    def to_query(self) -> dict[str, str]:
        """Write it into a link; nothing for the ordinary page."""
        hidden = {HIDE: ",".join(sorted(self.hide))} if self.hide else {}
        opened = {PART: self.part} if self.part != PARTS[0] else {}
        return hidden | ({PRESENT: "1"} if self.present else {}) | opened
