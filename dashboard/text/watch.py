"""What the Watch page says. Templates with {names} that end up in the browser are filled there, step by step."""

from __future__ import annotations

TITLE = "Watch it work"
INTRO = "The run of Explore, one cell after the other; then the leaf noise and what is done with it."
UPLOAD_FIRST = "Choose a table, its columns and their bounds in the panel."
TOO_MANY = (
    "This tree has {leaves:,} leaves. Up to {most:,} can be followed step by step: turn down ε or the number of "
    "points, or raise the threshold θ."
)
PAIRS = (
    "There are {d} axes, so the tree is the main picture. Beside it is the shadow that the current cell casts on two "
    "of them, where other cells overlap it."
)

PROJECTOR_KEYS = "Keys: N rolls new noise, U undoes, P pins."

# ---- the player ------------------------------------------------------------------------------------------------------

SPEEDS = (1, 2, 5, 10, 30, 100)
"""Steps a second."""
PLAYER = {
    "player": "The mechanism, step by step",
    "stages": "Stages",
    "play": "Play",
    "pause": "Pause",
    "step": "Step",
    "back": "Back",
    "next": "Next split that only noise made",
    "speed": "Speed",
    "rate": "{speed} a second",
    "position": "Step",
    "where": "{step} of {steps}",
    "verdict": "verdict",
    "knows": "The release knows: {known}.",
    "cells": "Cells: up and down arrow go from one to the next, Enter goes to its decision.",
    "no_step": "The link asks for step {asked}; this run has steps 0 to {last}, and step {used} is shown.",
    "no_stage": "The link asks for step “{asked}”, which is neither a number nor a stage; the start is shown.",
    "failed": "This page could not be loaded from the server. Reload it to try again.",
    "keys": (
        "Keys: ← back, → step, space play or pause, Shift → next split that only noise made; in the player Home "
        "and End. Pointing at a cell, or ↑ ↓ in a picture of cells, says its numbers; a click, or Enter, goes to its "
        "decision."
    ),
}
STAGES = ("Start", "Grow the tree", "The tree", "Leaf noise", "Negatives", "Projection", "Release", "Sample")

# ---- sentences -------------------------------------------------------------------------------------------------------

START = (
    "The declared box holds {n} records. PrivTree asks one cell after the other, level by level: is there enough in "
    "it, noise included, to split it? Press Play, or the right arrow key."
)
ASKED = "Depth {depth}: a count of {count}, less the depth penalty {depth} × δ = {penalty}, is {less}."
FLOORED = " It is raised to the floor θ − δ = {floor}."
SPLIT = " Noise {noise} makes {score}, above θ = {theta}: the cell is split."
LUCKY = " Noise {noise} makes {score}, above θ = {theta}: split by noise alone, since {base} is not above θ."
LEAF = " Noise {noise} makes {score}, not above θ = {theta}: the cell becomes a leaf."
KEPT = " Noise {noise} makes {score}, not above θ = {theta}: a leaf by noise alone, since {base} is above θ."
CAPPED = "Depth {depth} is the depth cap: the cell, with a count of {count}, becomes a leaf without being asked."
VERDICTS = {
    "split": "split",
    "lucky": "split by noise alone",
    "leaf": "leaf",
    "kept": "leaf by noise alone",
    "capped": "leaf at the cap",
}
COUNT = "true count c"
PENALTY = "penalty k δ"
BASE = "max(c − k δ, floor)"
NOISE = "noise"
SCORE = "noisy score"
THETA = "threshold θ"
TIP_ASKED = (
    "Step {{step}}, depth {{depth}}: {verdict}. True count {{count}}, noisy score {{score}}, threshold θ {{theta}}."
)
TIP_CAPPED = "Step {{step}}, depth {{depth}}, the cap: {verdict}. True count {{count}}."
TIP_WAITING = "Depth {depth}, not asked yet. True count {count}."
KNOWN_SPLIT = "a cell at depth {depth} that was split, and no count of it"
KNOWN_LEAF = "a leaf at depth {depth}, noisy count {noisy}, after the projection {released}"
CELL = "{name} from {{from_{axis}}} to {{to_{axis}}}"

TREE = (
    "The tree is finished: {splits} splits, {lucky} of them made by noise alone, and {leaves} leaves. Only the splits "
    "leave this stage, no count and no score. {cost}"
)
TREE_COST = "They cost ε = {tree}."
TREE_COST_SIDES = "They cost ε = {tree} if a person is removed, {added} if one is added."
LEAF_NOISE = (
    "Every leaf count gets noise, those of empty leaves ({empty}) too: from {low} to {high} records this time. "
    "{n} records became {noisy}. {cost}"
)
NOISE_COST = "This costs ε = {leaves}, which makes {total} with the tree."
NOISE_COST_SIDES = "This costs ε = {a} if a person is removed, {b} if one is added: {total} with the tree either way."
NEGATIVES = (
    "{negative} of {leaves} noisy counts are below zero, by {below} records in all: no measure can have that. "
    "From here on nothing looks at the data again, so whatever is done costs no privacy."
)
NO_NEGATIVES = (
    "None of the {leaves} noisy counts is below zero this time. From here on nothing looks at the data again, so "
    "whatever is done costs no privacy."
)
EUCLIDEAN = (
    "The Euclidean projection {does} the same {each} records {at} every leaf and stops at zero: {zero} leaves end "
    "there. Nothing is carried from one place to another, so there are no arrows; the Lipschitz projection has some."
)
EUCLIDEAN_STILL = "The noisy counts are a measure already, so the Euclidean projection changes nothing this time."
TAKES, GIVES = ("takes", "from"), ("gives", "to")
CLIP = (
    "Clipping sets the negative counts to zero and multiplies all others by {factor}. Nothing is carried from one "
    "place to another, so there are no arrows; the Lipschitz projection has some."
)
CLIP_NOTHING = "No leaf has a positive count, so clipping spreads the mass evenly over the box."
LIPSCHITZ = (
    "The Lipschitz projection fills the negative leaves at the least cost in distance: {moved} records are moved along "
    "{arrows} arrows.{drawn}"
)
STRONGEST = " The {drawn} strongest are drawn."
LIPSCHITZ_STILL = "The Lipschitz projection has nothing to move this time."
RELEASE = (
    "This is the release: the tree and {leaves} masses of at least zero that sum to one. Anybody may see it; "
    "ε = {cost} is what it cost."
)
SAMPLE = (
    "{points} made-up points, drawn inside the released cells. None of them is a record, and they cost nothing more."
)

LEAVES_NOTE = "leaves"
LUCKY_NOTE = "split by noise alone"
COST_NOTE = "ε spent"
TOTAL_NOTE = "noisy total"
NEGATIVE_NOTE = "negative leaves"
ZERO_NOTE = "leaves at zero"
POINTS_NOTE = "points"

# ---- figures ---------------------------------------------------------------------------------------------------------

MAP_TITLE = "The cells in their place"
MAP_TITLE_SHADOW = "The current cell's shadow"
SHADOW = "{first} and {second}, 2 of {d} axes: a shadow, not a slice"
TREE_TITLE = "The tree, root on top"
TREE_X = "each leaf is equally wide"
TREE_Y = "depth"
BARS_Y = "records"
LINE_Y = "records per bin (1/{bins})"
NEGATIVES_TITLE = "Counts below zero"
PROJECTION_TITLE = "What the projection changes"
DECISION_TITLE = "One decision"
DECISION_X = "records (asinh scale around θ)"
ROW_COUNT = "true count c"
ROW_BASE = "max(c − k δ, θ − δ)"
ROW_SCORE = "with noise"
SIDE_LEAF = "← leaf"
SIDE_SPLIT = "split →"

POINTS = "data points"
HISTOGRAM = "data"
WAITING = "waiting"
CURRENT = "asked now"
INSIDE = "its records"
SPLIT_CELL = "split"
LUCKY_CELL = "split by noise"
LEAF_CELL = "leaf"
EMPTY_CELL = "publicly empty"
TRUE_BAR = "true count"
NOISY_BAR = "noisy count"
NEGATIVE_BAR = "below zero"
BEFORE_BAR = "before"
AFTER_BAR = "after"
RELEASED_BAR = "released count"
CHANGE_BAR = "change (records)"
CHANGE = "change"
POSITIVE_LEAF = "at or above zero"
NEGATIVE_LEAF = "below zero"
ARROWS = "mass moved"

MAP_ALT = "Not private. {n} records over {axes} and the cells that the mechanism has asked so far."
TREE_ALT = (
    "Not private. The tree as it grows, up to {leaves} leaves and depth {deep}, with the true count of each leaf."
)
TREE_NOISE_ALT = "Not private. The tree with the true and the noisy count of {leaves} leaves."
TREE_NEGATIVE_ALT = "Epsilon-DP. The tree with the noisy counts of {leaves} leaves, {negative} of them below zero."
TREE_PROJECTION_ALT = "Epsilon-DP. The tree with the counts of {leaves} leaves before and after the projection."
TREE_RELEASE_ALT = "Epsilon-DP. The tree with the released counts of {leaves} leaves, {zero} of them zero."
NEGATIVE_ALT = "Epsilon-DP. The noisy counts of {leaves} leaves over {axes}, {negative} of them below zero."
PROJECTION_ALT = "Epsilon-DP. What the projection changes in {leaves} leaves over {axes}, from {low} to {high} records."
DECISION_ALT = (
    "Not private. The decision of the cell that is asked: its count, the penalty, the noise and the threshold."
)

TABLE = ("step", "depth", "true count", "penalty", "without noise", "noise", "with noise", "threshold", "outcome")
