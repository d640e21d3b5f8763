"""How many cells and balls a data set needs at each scale, and the dimension that this says it has."""

from __future__ import annotations

from privcore.dimension.cells import OccupiedCells, occupied_cells
from privcore.dimension.covering import CoveringNumbers, covering_numbers
from privcore.dimension.estimate import Dimension, dimension

__all__ = ["CoveringNumbers", "Dimension", "OccupiedCells", "covering_numbers", "dimension", "occupied_cells"]
