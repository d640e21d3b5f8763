"""How the main pictures look: choices that are no dials, kept by the session and offered behind a button."""

from __future__ import annotations

import streamlit as st

from dashboard.scrubbing import Look
from dashboard.text import explore as words
from dashboard.views import session


def picked(d: int, axes: tuple[int, int]) -> Look:
    """The look that the reader has picked, in as far as there is a choice in dimension d."""
    return Look(axes, **{name: _choice(name, choices) for name, (_, choices) in _choices(d).items()})


def pick(d: int) -> None:
    """Let the reader pick it."""
    for name, (label, choices) in _choices(d).items():
        _pick(name, label, choices)


def _pick(name: str, label: str, choices: dict[str, str]) -> None:
    def commit() -> None:
        session.kept().picks[name] = st.session_state[name]

    st.session_state[name] = _choice(name, choices)
    st.segmented_control(label, list(choices), format_func=choices.get, required=True, key=name, on_change=commit)


def _choices(d: int) -> dict[str, tuple[str, dict[str, str]]]:
    """The choices by name, each with its label."""
    kinds = words.KIND_CHOICES if d != 3 else words.KIND_CHOICES_3D
    colours = {"colour": (words.COLOUR, words.COLOUR_CHOICES)} if d == 2 else {}
    return colours | {"kind": (words.KIND, kinds)}


def _choice(name: str, choices: dict[str, str]) -> str:
    """What the session keeps, or the first one if that is nothing or does not exist here."""
    kept = session.kept().picks.get(name)
    return kept if kept in choices else next(iter(choices))
