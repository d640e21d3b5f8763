"""Every bound and rate of the paper, one function each, and `bounds(run)`: all of them for one run.

`resolution`: any tree. `trees`: each growth rule. `privacy`: the noise. `rates`: no explicit constants.
"""

from privcore.theory.sizes import tree_sizes as tree_sizes
from privcore.theory.table import bounds as bounds
from privcore.theory.table import tree_bounds as tree_bounds
