"""A picture that plays in the browser: one message holds every step, and no step needs the server.

The message holds whole figures for the scenes of a story, and over them layers of elements that come and go: element i
is there at step k if born[i] <= k < gone[i]. What is said at a step is a template that the browser fills with the
numbers of that step. The browser's half is `browser/player.js`, which draws through `browser/plot.js`.
"""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any

import numpy as np
import streamlit as st

from dashboard import plot
from dashboard.figures.story import Boxes, Dots, Picture, Place, Story
from dashboard.settings import VERSION
from dashboard.text import figures as badges
from dashboard.text import watch as words

_component = plot.component("privcore_player", "plot.css", "player.css")


def play(
    story: Story, *, key: str, data_id: str, linked: bool = True, memo: dict[Hashable, bytes] | None = None
) -> None:
    """Draw the player. The step it stands at belongs to the browser; nothing is sent back.

    `data_id` is the digest of the data set: zoom is kept as long as it stays the same. `linked`: whether the browser
    keeps the step in the address of the page, and opens at the one that it finds there. `memo` keeps the message for
    the next time; it belongs to the story.
    """
    scale = float(st.session_state.get(plot.SCALE, 1.0))
    memo = {} if memo is None else memo
    options = {**plot.urls("player.js"), "plot": plot.urls()["module"], "key": key, "data_id": data_id, "scale": scale}
    options |= {"linked": linked, "version": VERSION}
    name = tuple(options.items())
    if name not in memo:
        memo[name] = pack(story, options)
    _component(key=key, data=memo[name])


def pack(story: Story, options: dict[str, Any]) -> bytes:
    """The message of a story; `plot.unpack_all` reads it back."""
    head = {
        **options,
        "words": words.PLAYER | {"private": badges.BANNER, "public": story.label},
        "speeds": words.SPEEDS,
        "pictures": [_picture(picture) for picture in story.pictures],
        "tellings": [vars(telling) for telling in story.tellings],
        "telling": np.asarray(story.telling, dtype=np.uint8),
        "columns": {name: vars(column) for name, column in story.columns.items()},
        "stages": [{"name": name, "step": step} for name, step in story.stages],
        "keys": list(story.keys),
        "waiting": story.waiting,
        "marks": np.asarray(story.marks, dtype=np.int32),
    }
    return plot.pack_all(head)


def _picture(picture: Picture) -> dict[str, Any]:
    scenes = [vars(scene) | {"height": scene.figure["layout"]["height"]} for scene in picture.scenes]
    return vars(picture) | {"scenes": scenes, "layers": [_layer(layer) for layer in picture.layers]}


def _layer(layer: Boxes | Dots) -> dict[str, Any]:
    parts = {name: vars(value) if isinstance(value, Place) else value for name, value in vars(layer).items()}
    return {"kind": type(layer).__name__.lower(), **parts}
