"""Every colour of the dashboard, as tokens that the browser resolves for the theme that is on.

A figure names a colour by its role: ``line={"color": palette.RELEASE}``. The token is a CSS variable, which Plotly's
validators let through; ``plot.js`` puts in the value of the light or the dark theme, so that a theme switch needs no
rerun. ``fade(token, percent)`` is the same colour, translucent. Hues are Okabe and Ito's, darkened or lightened until
text has a contrast of 4.5:1 and marks of 3:1 on the page.
"""

from __future__ import annotations

import re
from typing import Any

# role: (light theme, dark theme)
COLOURS: dict[str, tuple[str, str]] = {
    "text": ("#1a1a1a", "#f2f2f2"),
    "muted": ("#595959", "#b3b3b3"),
    "background": ("#ffffff", "#121417"),
    "panel": ("#f3f5f7", "#1d2126"),
    "grid": ("#dde1e6", "#343a42"),
    "edge": ("#828790", "#7d8590"),
    "release": ("#0072b2", "#56b4e9"),
    "private": ("#b34a00", "#f0a73a"),
    "green": ("#00795a", "#2fbf95"),
    "pink": ("#a8487e", "#de8fbb"),
    "sky": ("#2b7fb8", "#7cc4ee"),
    "yellow": ("#8a7a00", "#f0e442"),
    "black": ("#000000", "#ffffff"),
}

_TOKEN = re.compile(r"^var\(--pc-([a-z]+)(?:/(\d{1,3}))?\)$")


def token(role: str) -> str:
    """Return the token of a role.

    >>> token("release")
    'var(--pc-release)'
    """
    if role not in COLOURS:
        raise KeyError(f"no colour has the role {role!r}; the roles are {', '.join(COLOURS)}")
    return f"var(--pc-{role})"


def fade(colour: str, percent: int) -> str:
    """Return the token with an opacity in percent.

    >>> fade(RELEASE, 20)
    'var(--pc-release/20)'
    """
    return f"{colour[:-1]}/{percent})"


def resolve(value: Any, theme: str = "light") -> Any:
    """Return `value` (a colour, or nested dicts and lists of them) with the tokens replaced by a theme's colours.

    For figures that leave the dashboard, such as a report.

    >>> resolve({"color": fade(PRIVATE, 50)}, theme="light")
    {'color': 'rgba(179,74,0,0.5)'}
    """
    if isinstance(value, str):
        match = _TOKEN.match(value)
        return _rgba(match[1], match[2], theme) if match else value
    if isinstance(value, dict):
        return {key: resolve(item, theme) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [resolve(item, theme) for item in value]
    return value


def stylesheet() -> str:
    """Return the CSS that defines the tokens for both themes."""
    light = "".join(f"--pc-{role}:{pair[0]};" for role, pair in COLOURS.items())
    dark = "".join(f"--pc-{role}:{pair[1]};" for role, pair in COLOURS.items())
    return f".pc-plot{{{light}}}.pc-plot.pc-dark{{{dark}}}"


def contrast(first: str, second: str) -> float:
    """Return the WCAG contrast ratio of two hexadecimal colours, from 1 to 21.

    >>> contrast("#000000", "#ffffff")
    21.0
    """
    bright, dim = sorted((_luminance(first), _luminance(second)), reverse=True)
    return (bright + 0.05) / (dim + 0.05)


def _rgba(role: str, percent: str | None, theme: str) -> str:
    colour = COLOURS[role][theme == "dark"]
    if percent is None:
        return colour
    red, green, blue = (int(colour[i : i + 2], 16) for i in (1, 3, 5))
    return f"rgba({red},{green},{blue},{int(percent) / 100:g})"


def _luminance(colour: str) -> float:
    parts = (int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5))
    red, green, blue = (p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


TEXT, MUTED, BACKGROUND, PANEL, GRID, EDGE = map(token, ("text", "muted", "background", "panel", "grid", "edge"))
RELEASE, PRIVATE = token("release"), token("private")
COLORWAY = [token(role) for role in ("release", "private", "green", "pink", "sky", "yellow")]
