"""W1 between weighted points and a discrete measure: exact where it can be, a certified interval everywhere."""

from privcore.transport.result import W1, Plan
from privcore.transport.solve import wasserstein

__all__ = ["W1", "Plan", "wasserstein"]
