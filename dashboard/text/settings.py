"""What the reader is told about a link or a dial that could not be taken as it stood."""

from __future__ import annotations

import re

NEWER = "This link was made by another version of the dashboard (v={value}); what this version knows of it is used."
UNKNOWN = "The link has a part that the dashboard does not know, “{key}”; it is left out."
NOT_A_NUMBER = "{dial}: “{value}” is not a number; {used} is used."
NOT_WHOLE = "{dial}: {value} is not a whole number; {used} is used."
NOT_A_CHOICE = "{dial}: “{value}” is none of {choices}; {used} is used."
OUT_OF_RANGE = "{dial}: {value} is outside {low} to {high}; {used} is used."
CLOUD_DIMENSION = "{dial}: {value} is not a dimension of {cloud}, which has {low} to {high}; {used} is used."
SHIFT = "Shift: “{value}” is not “none”, “random” or {d} numbers from 0 to 1; {used} is used."
AXES = "Axes: “{value}” does not name two different axes from 1 to {d}; {used} is used."
DELTA_TOO_SMALL = (
    "Depth penalty δ: {value} records is too little for the tree's share of ε, whatever the noise; {used} is used."
)
THETA_TOO_LOW = "Threshold θ: {value} is below −12 δ, where the tree would grow without data; {used} is used."
RESET = "These dials cannot be used together ({reason}); those of the mechanism are set back."

NOT_A_DIAL = "The link hides “{name}”, which is none of its dials."
NOT_PRESENT = "The link says present={value}; projector mode is 1, the ordinary page 0."
NOT_A_PART = "The link opens the part “{value}”, which is none of {parts}."
IN_A_PIN = "In a pin of the link: {message}"
PINS_LEFT_OUT = "The link pins more than {most} settings; the first {most} are kept."

PAPER_FIXES = "Fixed by the paper's mode."
DELTA_REPLACES_GAMMA = "Not used while δ is given in records."
ONE_PICTURE = "One picture shows every axis."
SYMMETRIC = "With “replace one” the leaf noise is symmetric, so the tight mode saves on the tree only."

DIALS = {
    "cloud": "Scenario",
    "n": "How many",
    "d": "Dimension d",
    "data_seed": "Seed of the data",
    "epsilon": "ε",
    "theta": "Threshold θ",
    "gamma": "Depth penalty δ/λ",
    "delta": "Depth penalty δ",
    "shift": "Shift",
    "tree_share": "Tree's share of ε",
    "mode": "Mode",
    "neighbours": "Neighbour relation",
    "max_depth": "Depth cap",
    "projection": "Projection",
    "representative": "Representative",
    "seed": "Seed of the noise",
    "axes": "Axes",
}


def short(text: object, most: int = 40) -> str:
    """Text of a stranger, safe to show: short, and without anything that Markdown would act on."""
    shown = "".join(c if c.isprintable() and c not in "`*_[]<>$\\" else " " for c in str(text)[: most + 1])
    return shown if len(shown) <= most else shown[: most - 1] + "…"


def literal(text: str) -> str:
    """The name of a column, where Markdown is understood: it shows as it is.

    >>> print(literal("*a* [b]"), literal("body_mass"))
    \\*a\\* \\[b\\] body_mass
    """
    return re.sub(r"([\\\\`*\[\]$~:#|])|(?<!\w)(_)|(_)(?!\w)", lambda found: "\\" + found[0], text)
