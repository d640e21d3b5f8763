"""What can go wrong, each error named after the mistake; the message says what, where and what to do."""

from __future__ import annotations


class PrivcoreError(ValueError):
    """Any mistake that privcore reports."""


class InvalidBoxError(PrivcoreError):
    """The declared bounds are not a box."""


class InvalidPointsError(PrivcoreError):
    """The points are not an (n, d) array of numbers that fits the box."""


class InvalidParametersError(PrivcoreError):
    """A parameter is out of its range, or contradicts another one."""


class InvalidMeasureError(PrivcoreError):
    """The atoms and masses are not a measure."""


class TooLargeError(PrivcoreError):
    """The input is larger than the method can take; the message says which size would do."""


class InvalidReleaseError(PrivcoreError):
    """The text is not a release that privcore wrote."""


class LedgerError(PrivcoreError):
    """The ledger is missing, foreign, damaged or in use, or counts something else."""


class OverBudgetError(LedgerError):
    """Less of the budget remains than is asked."""
