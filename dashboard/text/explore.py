"""What the Explore page says."""

from __future__ import annotations

TITLE = "Explore a private picture"
MADE_FROM = "This picture was made from {n:,} {who}. None of them is in it."
MADE_FROM_ONE = "This picture was made from one record. It is not in it."
INSTRUCTION = "Drag ε: a small budget blurs, a large one shows more."
INSTRUCTION_PANEL = "Turn ε in the panel: a small budget blurs, a large one shows more."
TURN = "Turn ε in the panel"
TURN_PRESENT = "Leave projector mode and turn ε in the panel"
PEOPLE = "people"
POINTS = "points"
ROWS = "rows"

SOURCE = "Data"
GENERATED = "Generated"
UPLOADED = "My table"
CLOUD = "Scenario"
N = "How many"
D = "Dimension d"
DATA_SEED = "Seed of the data"
ONLY_ROWS = "This table has {n:,} rows, and all of them are used."

UPLOAD = "A table: CSV, TSV, Excel or Parquet"
UPLOAD_HELP = "It stays in this session and is shown to you alone. The link never holds anything of it."
UPLOAD_OWNER = (
    "This view shows your data: it is for the data's owner. Everything marked NOT PRIVATE must not be passed on."
)
UPLOAD_KEPT = "My table, kept for later"
UPLOAD_FIRST = "Choose a table, its columns and their bounds in the panel. Nothing of it is drawn but what you choose."
COLUMNS = "Columns to use as axes"
LOW = "{name}: lowest possible value"
HIGH = "{name}: highest possible value"
BOUNDS_HELP = (
    "A promise, not a measurement: bounds that are taken from the data give away its outermost person. "
    "Type what is possible for anybody. Values outside are moved to the bound."
)
BOUNDS_MISSING = "Type the bounds of {names}: they must be known beforehand and never come from the data."
NO_NUMBERS = "No column of this table holds numbers, so there is nothing to place on an axis."
NO_COLUMNS = "Choose at least one column."
DROPPED = "{dropped:,} of {n:,} rows have an empty or infinite cell in these columns and are left out."
CORNERED = "{dropped:,} of {n:,} rows have an empty or infinite cell and count as rows at the lower corner."
CHOOSE_AGAIN = "The link holds the dials but never a table: choose the file again after a reload."

EPSILON = "Privacy budget ε"
EPSILON_HELP = "Smaller is more private, larger is more accurate. Only ε times n matters."
EPSILON_ENDS = "← more private · more accurate →"
THETA = "Threshold θ (records)"
THETA_HELP = "A cell is split when its noisy count, less the depth penalty, is above θ. θ costs no privacy."
DELTA_BY = "Depth penalty δ"
DELTA_BY_HELP = (
    "Every level takes δ records off a cell's count. This is the paper's depth penalty, not the δ of (ε, δ)-privacy: "
    "the release is pure ε-differential privacy."
)
DELTA_CHOICES = {"default": "Default", "gamma": "As δ/λ", "delta": "In records"}
GAMMA = "δ/λ"
DELTA = "δ (records)"
DELTA_COST = "δ = {delta:.3g} records = {gamma:.3g} λ, λ = {lam:.3g}: the tree costs {tree:.4f} of ε = {epsilon:g}."
SHIFT = "Shift of the grid"
SHIFT_CHOICES = {"none": "None", "random": "Random", "hand": "By hand"}
SHIFT_HELP = "A public translation of the grid, drawn without looking at the data. It costs no privacy."
SHIFT_AXIS = "Shift of {name}"
SHARE = "Tree's share of ε"
SHARE_HELP = "The rest pays for the counts of the leaves. Default: 0.3 for d = 1, 0.6 otherwise."
DEFAULT_SHARE = "Default share ({share:g})"
MODE = "Mode"
MODE_CHOICES = {"tight": "Tight: exact accounting", "paper": "The paper's constants"}
NEIGHBOURS = "Neighbour relation"
NEIGHBOURS_HELP = (
    "What the promise is about. Add or remove one: nobody learns whether a person is in the data, and n stays private. "
    "Replace one: nobody learns which values a person has, and n is public."
)
MODE_HELP = (
    "Tight computes what the noise costs exactly and spends all of ε. The paper's constants fix θ, δ and the share, "
    "and cost less than they say."
)
REPRESENTATIVE_HELP = "Where the mass of a cell is put when W1 is measured. It costs no privacy."
NEIGHBOUR_CHOICES = {"add-remove": "Add or remove one", "replace-one": "Replace one"}
PROJECTION = "Projection"
PROJECTION_CHOICES = {
    "default": "Default of the mode",
    "euclidean": "Euclidean, on the simplex",
    "lipschitz": "Lipschitz (the paper's)",
    "clip": "Clip and rescale",
}
REPRESENTATIVE = "Atoms"
REPRESENTATIVE_CHOICES = {"centre": "At the cells' centres", "spread": "Spread in the cells"}
CAP = "Depth cap"
DEFAULT_CAP = "Default depth cap ({cap})"
SEED = "Seed of the noise"
AXES = "Axes shown"
CHANGED = "Changed: {names}"
MORE = "More dials"
COST_REMOVE_ADD = (
    "Spends ε = {total:.6g}. Removing a record: tree {tree:.4f} + leaf counts {a:.4f}; adding one: tree {added:.4f} + "
    "leaf counts {b:.4f}; the larger sum counts. The published bounds would charge {published:.4f}."
)
COST_REPLACE = (
    "Spends ε = {total:.6g} (replacing a record): tree {tree:.4f} + leaf counts {leaves:.4f}. "
    "The published bounds would charge {published:.4f}."
)
SIMULATED = "A simulation: the noise has a seed, so nothing shown here is a release."

LEAVES, W1, GUESS, COST = "Leaves", "W1 error", "Best guess about one person", "Privacy spent"
NUMBERS = {
    LEAVES: "Cells that were not split further.",
    W1: (
        "How far mass must move on average to turn the data into the release (1-Wasserstein distance, Euclidean), "
        "where every axis of the declared box is 1 long: 0.01 is a hundredth of its side."
    ),
    GUESS: "How often somebody who must guess whether one given person is in the data can be right at most.",
    COST: "What the current dials truly cost, rounded up.",
}
"""The numbers of a run, in the order they are shown in, each with what it means."""
GUESS_VALUE = "{right} of 100"

LOOK_CLOSER = "Look closer"
PART_NAMES = {
    "leaves": "Leaves and tree",
    "noise": "Noise and projection",
    "error": "W1 error",
    "dimension": "Dimension",
    "trees": "Trees without noise",
    "privacy": "Where ε goes",
    "take": "Take it with you",
}
MOVED_OFF = "W1 is not exact here: the plan that is drawn costs its upper end."

VIEW = "View"
COLOUR = "Colour the cells by"
COLOUR_CHOICES = {"none": "Nothing", "density": "True density", "depth": "Depth"}
KIND = "Show the measure as"
KIND_CHOICES = {"cells": "Cells", "atoms": "Atoms", "sample": "Sampled points"}
KIND_CHOICES_3D = {"atoms": "Atoms", "sample": "Sampled points"}
PAIRS = "There are {d} axes: two are shown. A leaf's outline is its shadow on them, not a slice."

SCRUB = "Drag ε"
MORE_PRIVATE = "← more private"
MORE_ACCURATE = "more accurate →"
SCRUB_BUILDING = "Running the mechanism at {of} values of ε, so that it can be dragged…"
SCRUB_OFFER = "Make ε draggable"
SCRUB_OFFER_HELP = "Runs the mechanism with these dials at {of} values of ε and keeps the pictures in the browser."
SCRUB_OFF_POINTS = "ε can't be dragged here: that takes at most {most:,} points. {turn}, or choose a smaller n."
SCRUB_OFF_LEAVES = (
    "ε can't be dragged with these dials: even at ε = {least:g} the tree has more than {most:,} leaves, too many to "
    "redraw while a hand moves. {turn}, or choose a larger θ or δ."
)
SCRUB_OFF_HERE = (
    "ε can't be dragged here: at ε = {epsilon:g} the tree has {leaves:,} leaves, and up to {most:,} can be redrawn "
    "while a hand moves. {turn}, or choose a smaller one, a smaller n or a larger θ or δ."
)
SCRUB_BEYOND = "ε = {epsilon:g} is outside what can be dragged, {least:g} to {last:g}{why}. {turn}."
SCRUB_WHY_LEAVES = ": beyond it the tree has more than {most:,} leaves, too many to redraw while a hand moves"
SCRUB_ENDS = (
    "Dragging ends at ε = {last:g}: beyond it the tree has more than {most:,} leaves, too many to redraw while a hand "
    "moves. {turn} to go further."
)

UNDO, REDO, RESET = "Undo", "Redo", "Reset"
ROLL = "Roll new noise"
PIN = "Pin"
PIN_HELP = "Keep these settings to compare with others, at most {most}."
LINK = "Link"
LINK_HELP = "This page, with every dial and pin. Opening it shows the same."
LINK_PLAYER = "This page, with every dial and pin. The address of the page in your browser has the step as well."
LINK_UPLOAD = "The link holds the dials, but nothing of your table."
CLASS_LINK = "For a class: hide these dials"
CLASS_PROJECTOR = "In projector mode"
PROJECTOR, LEAVE_PROJECTOR = "Projector", "Leave projector mode"
PROJECTOR_HELP = "Large type, no panel; the arrow keys turn ε."
KEYS = "Keys: ← → turn ε, N rolls new noise, U undoes, P pins."

PINS = "Pinned"
PIN_NAME = "Pin {number}"
PIN_DEFAULT = "everything at its default"
PIN_TAKE = "Go to these settings"
PIN_REMOVE = "Remove"
PIN_TABLE = "Compare the pins as a table"
PIN_COLUMNS = ("settings", "privacy spent ε", "leaves", "W1 from", "W1 to")

SELECT_HELP = (
    "Drag a box over the data or the release to count what is in it: both pictures show it, and its leaves light up in "
    "their chart and in the tree. A double click takes it away."
)
SELECT_HELP_3D = "Type a box to count what is in it: its leaves light up in their chart and in the tree."
SELECT_TYPE = "Type a box"
SELECT_LOW, SELECT_HIGH = "{name} from", "{name} to"
SELECT_CLEAR = "Take the box away"
SELECT_TRUE = "In the box: the data"
SELECT_RELEASED = "In the box: the release"
SELECT_ERROR = "Error of the box"
SELECT_TRUE_HELP = "NOT PRIVATE: the true number of records in the box."
SELECT_RELEASED_HELP = "A cell that is partly in the box counts by the share of its volume."
SELECT_ERROR_HELP = "Released less true count. One standard error of the leaf noise is {error} records."
SELECT_LEAVES = "The box meets {some:,} of {all:,} leaves."
SELECT_EMPTY = "The box is empty: each upper end must be above its lower end."

NO_UPLOADS = "Uploads are off on this server."

WAITING = (
    "W1 waits for its turn, {before} before you. Until then only this is sure: it is at most {most} (cells and masses "
    "alone say so)."
)
MEASURING = "Measuring W1… (the very first time on a machine, its code is compiled: some seconds)"
MEASURED_SO_FAR = "W1 ({what}) is between {lower:.5f} and {upper:.5f} …"
PARTS = {
    "moved": "data to release",
    "total": "data to release",
    "resolution": "data to tree",
    "privacy": "tree to release",
}
AGAIN = "Measure again"
NOT_FINISHED = (
    "W1 was stopped after {seconds:g} s: the interval shown is proved to contain it. A server that was busy then may "
    "do better now."
)
NO_DATA = "No row of the data is valid, so there is no error to measure. The release exists all the same."
RULER_NAMES = ("another sample", "uniform", "everyone at the mean")
RULERS_OFF = "The rulers are left out above {most:,} rows."
ROLLS = "Roll the noise 20 times"
ROLLS_HELP = "Measures W1 for 20 other seeds on the same data. Choosing the best of them would cost all of them."
ROLLING = "{done} of {of} rolls"
ROLL_WAITS = "The next roll waits for its turn, {before} before it."
STOP = "Stop rolling"
FORMULAS = "Why? Each bound with this run's numbers"

TREES_HELP = (
    "The paper's three trees that see the data without noise: a cell is split above a threshold θ (hard), the heaviest "
    "cells first until there are as many leaves as this run has (capped), or above a threshold that grows by this "
    "run's depth penalty δ a level (soft). None is private. For each θ: how large the tree becomes, beside what is "
    "proved."
)
NO_TREES = "With fewer than two rows there is no threshold to try."
LOSS_HELP = (
    "How much likelier this very output is with one person in the data than without, as a logarithm: 0 says nothing, "
    "ε is the most that any output can say about anybody. Only the owner can compute it, and it must not be published."
)
DIMENSION_HELP = (
    "How fast the number N of balls of radius r that cover the data grows as r shrinks: its slope s is the dimension. "
    "A curve has 1 in any number of axes. A release sees no detail finer than the cut-off r*, where N is ε n or, "
    "if that is less, half the different points; so its error follows s more than d. The figure of the release costs "
    "nothing more."
)
DIMENSION_OFF = "The dimension is left out above {most:,} rows."
COVERING = "Covering the data with balls… (the very first time on a machine, its code is compiled: some seconds)"

LEAF_TABLE = "Leaf table (CSV)"
SAMPLE = "Sample (CSV)"
SAMPLE_SIZE = "Points in the sample"
RELEASE = "Release (JSON)"
RELEASE_HELP = (
    "Made by release(): new noise from the operating system, no seed. It is made at the first click and held: "
    "a second click gives the same file and spends nothing more."
)
RELEASE_COST = "A click spends ε = {total:.6g} on this data set, once."
RELEASE_UPLOAD = (
    "A release of your own table is not made here: this page shows the truth beside it. Use the command line."
)
SIMULATED_FILES = "The leaf table and the sample come from the simulation: its seed is known, so they are not private."
CODE = "The code that computes this page"
CODE_UPLOAD = (
    'import pandas as pd\n\nfrom privcore import Box\n\npoints = pd.read_csv("data.csv")  # your table\nbox = {box!r}'
)
