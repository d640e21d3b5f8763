"""English: every word inside a figure. Templates take the numbers of the run by name."""

from __future__ import annotations

BANNER = "NOT PRIVATE: shows the data"
LABEL = "epsilon-DP"
LABEL_WITH_EPSILON = "epsilon-DP, ε = {epsilon}"
LABEL_SIMULATED = "epsilon-DP, ε = {epsilon}, simulated"

# The table behind a figure
TABLE = "Table"
READ_TABLE = "Read as a table"
TABLE_ROWS = "The first {most:,} of {rows:,} rows."

# Hover and table columns
LEAF = "leaf"
DEPTH = "depth"
TRUE_COUNT = "true count"
RELEASED_COUNT = "released count"
MASS = "mass"
NOISE = "noise"
LOSS = "privacy loss"
FROM = "{axis} from"
TO = "{axis} to"
DENSITY_BAR = "density, 1 = even"
DEPTH_BAR = "depth"
NOISE_BAR = "noise (records)"
COUNT_BAR = "records"
RASTER_HOVER = "density 2<sup>%{z}/8</sup> times uniform"
RASTER_DEPTH_HOVER = "depth %{z}"
RASTER_NOISE_HOVER = "about %{z} records"

# Said out loud when a figure does not draw everything
SOME_POINTS = "{drawn} of {total} points drawn"
SOME_BOXES = "the {drawn} fullest of {total} leaf boxes drawn"
SOME_LEAVES = "{drawn} of {total} leaves drawn"
BEYOND = "{leaves} leaves lie beyond the axes, up to {largest}"
BEYOND_ONE = "{leaves} leaf lies beyond the axes, at {largest}"
SOME_ATOMS = "the {drawn} heaviest of {total} atoms drawn"
SOME_NODES = "depths 0 to {depth}: {drawn} of {total} cells drawn"
RASTER_POINTS = "{total} points, drawn as a {size} × {size} raster"
RASTER_CELLS = "{total} leaves: hover shows density only"
NO_OUTLINES = "{total} leaves: outlines too fine to draw"
GRID_CDF = "curves drawn at {places} places; the area is exact"
PAIR = "{first} and {second}, 2 of {d} axes"
OWN_SCALES = "each axis in its own scale: too far apart for a square"
SHADOWS = "{first} and {second}, 2 of {d} axes: shadows of the leaves, they overlap"
MARGINAL = "{first} and {second}, 2 of {d} axes: the other axes added up"

# Partition
POINTS = "data points"
LEAVES = "leaf cells"
CENTRES = "leaf centres (hover)"
HISTOGRAM = "data"
LEAF_SHADOWS = "shadows of the leaf cells"
LINE_Y = "records per bin (1/{bins})"
RELEASED = "released"
PARTITION_TITLE = "The data and its adaptive cells"
PARTITION_ALT = (
    "Not private. {n} data points and the {leaves} leaf cells of the private tree over {axes}. "
    "Leaf depths run from {shallow} to {deep}; the fullest leaf holds {fullest} points, {empty} leaves hold none."
)

# CDFs, d = 1
CDF_TITLE = "W1 is the area between the curves"
CDF_Y = "mass to the left"
CDF_DATA = "data"
CDF_RELEASE = "release"
CDF_AREA = "difference, its area is W1"
CDF_NOTE_UNIT = "W1 = {unit}"
CDF_NOTE = "W1 = {unit} (unit interval), {user} in units of {axis}"
CDF_DIFFERENCE = "difference"
CDF_NOTE_EMPTY = "no data: the data has no distribution function"
CDF_ALT = (
    "Not private. Distribution functions of {n} data points and of the release over {axis}. "
    "The area between them is W1 = {user} in units of {axis}, {unit} in the unit interval."
)
CDF_ALT_EMPTY = (
    "Not private. Distribution function of the release over {axis}. There are no data points, so W1 is not defined."
)
CDF_COLUMNS = ("data", "release", "difference")

# Measure
MEASURE_CELLS_TITLE = "Released: mass of the cells"
MEASURE_ATOMS_TITLE = "Released: atoms"
MEASURE_SAMPLE_TITLE = "Released: made-up points"
CELLS = "released cells"
ATOMS = "atoms, area = mass"
SAMPLE = "sampled points"
STEMS = "atoms, height = mass"
SAMPLE_Y = "points per bin (1/{bins})"
MEASURE_Y = "mass per bin (1/{bins})"
ATOM_Y = "mass of an atom"
MEASURE_ALT = (
    "Epsilon-DP release over {axes}: {leaves} leaf cells, {atoms} atoms, {positive} of them with mass. "
    "The heaviest leaf holds {heaviest} of the mass, the densest is {densest} times as dense as uniform."
)
SIMULATED_ALT = " Simulated: the seed is known."
MEASURE_ALT_SAMPLE = (
    "{sampled} points sampled from the epsilon-DP release over {axes}. None of them is taken from the data."
)

# Noise
SCATTER_TITLE = "True and released leaf counts"
SCATTER_X = "true count (records)"
SCATTER_Y = "released count (records)"
SCATTER_LEAVES = "leaf"
SCATTER_NEGATIVE = "leaf released below zero"
SCATTER_DIAGONAL = "no noise"
SCATTER_HOVER = "true count: %{x:.4~g}<br>released count: %{y:.4~g}<br>"
SCATTER_ALT = (
    "Not private. True against released count of {leaves} leaves. The noise has mean {mean} and standard deviation "
    "{sd} records; the largest error is {worst} records, {negative} leaves were released below zero."
)
LAW_TITLE = "The noise and its exact law"
LAW_X = "noise (records)"
LAW_Y = "share of the leaves"
LAW_Y_BARS = "share of the leaves (bars of {step} records)"
LAW_SEEN = "this run"
LAW_EXACT = "exact law"
LAW_COLUMNS = ("noise (records)", "leaves", "share", "law")
LAW_NOTE = "rates {a} up, {b} down; mean {mean} taken off"
LAW_NOTE_SYMMETRIC = "rate {a} up and down"
LAW_HOVER = "%{x:.4~g} records: %{customdata} leaves, share %{y:.3~f}<extra></extra>"
LAW_EXACT_HOVER = "%{x:.4~g} records: probability %{y:.3~f}<extra></extra>"
LAW_ALT = (
    "Not private. Histogram of the noise of {leaves} leaves with the two-rate geometric law (rates {a} up, {b} down, "
    "its mean {mean} subtracted). Observed standard deviation {seen}, the law's {sd} records."
)
PROJECTION_TITLE = "Before and after the projection"
PROJECTION_X = "leaves, sorted by their noisy mass"
PROJECTION_Y = "mass"
PROJECTION_BEFORE = "noisy mass"
PROJECTION_NEGATIVE = "negative: impossible"
PROJECTION_AFTER = "after projection ({method})"
PROJECTION_HOVER = "{what}: %{{y:.4~g}}<extra></extra>"
PROJECTION_COLUMNS = ("noisy mass", "released mass", "change")
PROJECTION_NOTE = "{negative} of {leaves} leaves negative, {removed} of mass in all"
PROJECTION_ALT = (
    "Noisy mass of {leaves} leaves, sorted, before and after the {method} projection. Before: {negative} leaves are "
    "negative, {below} of mass in all, the sum is {sum_before}. After: the least is {least}, the sum {sum_after}."
)
NOISE_MAP_TITLE = "Where the noise fell"
NOISE_OF_LEAF = "noise of a leaf"
RASTER_NOISE_NOTE = "{total} leaves: hover shows whole records"
CENTRES_NOTE = "leaf centres on {first} and {second}, 2 of {d} axes"
NOISE_MAP_ALT = (
    "Not private. Noise of {leaves} leaves by place over {axes}: from {low} to {high} records, standard deviation {sd}."
)

# Error
W1_TITLE = "W1 error of the release"
W1_X = "W1 (unit cube)"
W1_TOTAL = "this release"
W1_RESOLUTION = "resolution: cells"
W1_PRIVACY = "privacy: noise"
W1_PARTS = "its two parts"
W1_BAND = "{rolls} rolls, {low} to {high}"
W1_ROLLS = "other rolls of the noise"
W1_RULERS = "rulers"
W1_INTERVAL = "{lower} to {upper}"
W1_MISSING = "not computed"
W1_NO_DATA = "No data points: W1 is not defined."
W1_METHOD = "W1 {how}"
W1_EXACT = "exact (method: {method})"
W1_CERTIFIED = "between the two ends of its bar (method: {method})"
W1_COLUMNS = ("what", "kind", "lower", "upper", "exact", "method")
W1_ALT = (
    "Not private. W1 between the data and the release is {total}, {how}. Resolution part {resolution}, "
    "privacy part {privacy}. Rulers: {rulers}."
)
W1_ALT_EMPTY = "There are no data points, so W1 is not defined."
BOUNDS_TITLE = "W1 and what the theory promises"
BOUNDS_X = "W1 (unit cube), log scale"
BOUNDS_MEASURED = "measured"
BOUNDS_PROVED = "proved for these dials"
BOUNDS_GREYED = "not proved for these dials"
BOUND_NAME = "{name}: {quantity}"
BOUND_EXPECTED = "{name}: {quantity}, on average"
QUANTITIES = {"resolution": "resolution part", "privacy": "privacy part", "total": "whole error"}
BOUNDS_ALT = "Not private. Measured W1 {total}. Proved bounds: {proved}. Not proved for these dials: {greyed}."
NONE = "none"

# Privacy
BUDGET_TITLE = "Where epsilon goes"
BUDGET_X = "epsilon"
BUDGET_EXACT = "exact cost"
BUDGET_REMOVED = "exact cost, one person removed"
BUDGET_ADDED = "exact cost, one person added"
BUDGET_PUBLISHED = "published bound"
BUDGET_TREE = "tree"
BUDGET_LEAVES = "leaf counts"
BUDGET_NOMINAL = "ε = {epsilon} asked for"
BUDGET_COLUMNS = ("accounting", "tree", "leaf counts", "total", "asked for")
BUDGET_ROW = "{}: tree {}, leaf counts {}"
BUDGET_ALT = (
    "Epsilon asked for: {epsilon}; {exact}; total {total}. "
    "By the published bound: tree {published_tree}, total {published_total}. {odds}"
)
ODDS = (
    "Somebody who must guess whether one given person is in the data is right at most {right} times in 100 "
    "(a coin: 50)."
)
ODDS_REPLACE = (
    "Somebody who must guess which of two values one given person has is right at most {right} times in 100 "
    "(a coin: 50)."
)
ODDS_SHORT = "best guess about one person: {right} in 100"
ODDS_TITLE = "Epsilon for one person"
ODDS_X = "← more private · epsilon · more accurate →"
ODDS_Y = "right guesses in 100"
ODDS_CURVE = "e<sup>ε</sup> / (1 + e<sup>ε</sup>)"
ODDS_HERE = "ε = {epsilon}"
ODDS_COIN = "a coin"
ODDS_COLUMNS = ("epsilon", "right guesses in 100, at most")

# Tree
ICICLE_TITLE = "The tree, root on top"
ICICLE_X = "each leaf is equally wide"
ICICLE_Y = "depth"
LEAVES_BELOW = "leaves below"
ICICLE_PRIVATE = "Not private. "
ICICLE_RELEASE = "Epsilon-DP. "
ICICLE_COLUMNS = ("depth", "parent", "leaves below", "leaf", "count")
ICICLE_ALT = (
    "{privacy}Tree of {nodes} cells, {leaves} of them leaves, root on top; depth up to {deep}. "
    "The root holds {root} records{note}."
)
LEVELS_TITLE = "Which cells were split"
LEVELS_X = "depth"
LEVELS_Y = "true count (records)"
LEVELS_SPLIT = "split"
LEVELS_LUCKY = "split by noise alone"
LEVELS_LEAF = "not split"
LEVELS_LINE = "threshold θ + depth · δ"
LEVELS_ALT = (
    "Not private. True count against depth of {nodes} cells with the threshold {theta} + {delta} per level. "
    "{split} cells were split, {lucky} of them by noise alone: their count is not above the threshold."
)
SOME_CELLS = "{drawn} of {total} cells drawn"
LEVELS_COLUMNS = ("depth", "true count", "threshold", "noise", "outcome")

# Dimension
DIMENSION_TITLE = "Balls that cover the data"
DIMENSION_TITLE_RELEASE = "Balls that cover the release"
DIMENSION_X = "1 / radius r (r in the unit cube)"
DIMENSION_Y = "balls N"
DIMENSION_UPPER = "N at most (a cover)"
DIMENSION_LOWER = "N at least (a packing)"
DIMENSION_CUT = "cut-off r*, N = {target}"
DIMENSION_SLOPE = "slope s = {s}"
DIMENSION_SLOPE_ONLY = "slope {s}, uncertain"
DIMENSION_BAND = "slopes {low} to {high}"
DIMENSION_CURVE = "N ≤ A / r<sup>s</sup>, A = {constant}"
DIMENSION_HOVER = "r = %{customdata:.3~g}: "
DIMENSION_COLUMNS = ("radius", "N at least", "N at most", "local slope")
DIMENSION_SAYS = {
    "tells": "s = {s}, between {low} and {high}",
    "one place": "all at one place: s = 0",
    "few scales": "too few scales to tell the dimension",
    "wide band": "too few points to tell: s is anywhere from {low} to {high}",
}
DIMENSION_ALT = (
    "{privacy}Balls needed to cover {distinct} different points, against 1 over their radius. The cut-off r*, where "
    "{target} balls are needed, is between {fine} and {coarse}. Dimension: {says}."
)
DIMENSION_PRIVATE = "Not private. "
DIMENSION_RELEASE = "Epsilon-DP. "

# The trees that are not private
TREES_LEAVES_TITLE = "Leaves of the trees without noise"
TREES_DEPTH_TITLE = "Depth of the trees without noise"
TREES_LEAVES_NOTE = "Dashed: measured. Dotted: never more, by the theory, which has no bound for the hard threshold."
TREES_DEPTH_NOTE = "Dashed: measured. Dotted: never more, by the theory or by the cap."
TREES_X = "threshold θ (records)"
TREES_LEAVES = "leaves"
TREES_DEPTH = "depth"
TREES_AT_MOST = "{unit} at most"
TREES_RULES = {"hard": "hard threshold", "capped": "capped", "soft": "soft threshold"}
TREES_BOUND = "{rule}: at most"
TREES_HOVER = "θ = %{{x:.3~g}}: {unit} %{{y:,.4~g}}"
TREES_COLUMNS = ("rule", "theta (records)")
TREES_ALT = (
    "Not private. {unit} of three trees grown without noise, for thresholds θ from {low} to {high} records. {rules}"
)
TREES_RULE_ALT = "{name}: {low} to {high}, {says}."
TREES_SHARE = "at most {share} % of its bound"
TREES_NO_BOUND = "no bound is known"

# The transport plan
ARROWS_TITLE = "How mass must move"
ARROWS_NOTE = "the {drawn} pieces with the most work, of {total}: {share} % of W1"
ARROWS_NOTE_ALL = "pieces that move: {drawn}, all of them drawn"
ARROWS_UNIT = "distances are in the unit cube"
ARROWS_ALT = (
    "Not private. An optimal transport plan from the data to the release costs W1 = {w1} in the unit cube. "
    "{drawn} of its {total} moving pieces are drawn, {share} % of the cost; the longest goes {longest}."
)
ARROW_COLUMNS = ("mass", "distance (unit cube)", "mass × distance")
ARROW_STEP = "moved {low} to {high}"
ARROW_FROM = "from the data"
ARROW_TO = "to the release"
ARROW_HOVER = "{name}<br>distance %{{customdata:.3~g}}<extra></extra>"
ERROR = "error that ends here"
ERROR_SHARE = "share of W1 (%)"
ERROR_BAR = "share of W1 (%)"
ERROR_TITLE = "Where the error ends up"
ERROR_NOTE = "{leaves} leaves, the worst tenth, hold {share} % of W1"
ERROR_NOTE_ONE = "the worst leaf holds {share} % of W1"
ERROR_ALT = (
    "Not private. The part of W1 = {w1} that ends in each of {all} leaves. The worst tenth, {leaves} leaves, holds "
    "{share} % of it, the worst leaf {worst} %."
)
RASTER_ERROR_HOVER = "%{z} hundredths of a percent of W1"
RASTER_ERROR_BAR = "share of W1 (hundredths of a percent)"
RASTER_ERROR_NOTE = "{total} leaves: hover and colours in hundredths of a percent"

# The reader's box
BOX = "your box"
MARKED = "leaves in your box"

# Realised privacy loss
LOSS_TITLE = "What it says about each person"
LOSS_NOTE = "mean {mean}, at most {worst} away from 0; the promise is ±{epsilon}"
LOSS_X = "realised privacy loss (nats)"
LOSS_Y = "records"
LOSS_RECORDS = "records"
LOSS_PROMISE = "the promise, ±ε"
LOSS_HOVER = "loss about %{x:.3~g}: %{y:,} records<extra></extra>"
LOSS_COLUMNS = ("leaf", "records", "privacy loss")
LOSS_ALT = (
    "Not private. Histogram of the realised privacy loss of {records} records: the log of how much likelier this "
    "output is with a record than without it. Mean {mean}, furthest from zero {worst}; the promise is {epsilon}."
)
