"""privcore: differentially private synthetic measures of point clouds.

`release` makes what may be published; `simulate` is its seeded twin for teaching, and is not private.
"""

from privcore.accounting import Cost, tree_cost, tree_cost_published
from privcore.domain import Box
from privcore.error_estimate import ErrorEstimate, error_estimate
from privcore.errors import PrivcoreError
from privcore.ledger import Ledger
from privcore.measure import DiscreteMeasure
from privcore.parameters import Parameters
from privcore.projection import project
from privcore.release import Release, release
from privcore.simulation import Simulation, simulate
from privcore.tables import read_table
from privcore.transport import W1, wasserstein
from privcore.tree import Tree

__all__ = [
    "W1",
    "Box",
    "Cost",
    "DiscreteMeasure",
    "ErrorEstimate",
    "Ledger",
    "Parameters",
    "PrivcoreError",
    "Release",
    "Simulation",
    "Tree",
    "error_estimate",
    "project",
    "read_table",
    "release",
    "simulate",
    "tree_cost",
    "tree_cost_published",
    "wasserstein",
]
