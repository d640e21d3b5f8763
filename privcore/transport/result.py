"""What a computation of W1 returns."""

from __future__ import annotations

from dataclasses import dataclass

from privcore.arrays import Floats, Ints


@dataclass(frozen=True)
class Plan:
    """A sparse transport plan: `mass[k]` goes from point `source[k]` to atom `target[k]`; each array has shape (k,)."""

    source: Ints
    target: Ints
    mass: Floats


@dataclass(frozen=True)
class W1:
    """An interval that is proved to contain the 1-Wasserstein distance, in the units of the coordinates compared.

    `exact` says that upper - lower <= tolerance * upper, no more: rounding is part of the interval, so a distance that
    is tiny beside the diameter of the points can be fully solved and not exact. `method` names what was run;
    `seconds` is the wall time. `plan` (on request) has cost `upper`, up to rounding, when the method is exact.
    `potentials` (on request) are f (n,) at the points and g (m,) at the atoms with f_i + g_j <= |x_i - y_j|, so that
    sum_i w_i f_i + sum_j q_j g_j is a lower bound (Kantorovich duality).

    >>> W1(0.25, 0.25, True, "line", 0.0).value
    0.25
    """

    lower: float
    upper: float
    exact: bool
    method: str
    seconds: float
    plan: Plan | None = None
    potentials: tuple[Floats, Floats] | None = None

    @property
    def value(self) -> float:
        """The distance if it is exact, else the middle of the interval."""
        return self.upper if self.exact else 0.5 * (self.lower + self.upper)

    def __repr__(self) -> str:
        """Without the arrays."""
        return (
            f"W1(lower={self.lower!r}, upper={self.upper!r}, exact={self.exact}, "
            f"method={self.method!r}, seconds={self.seconds:.3g})"
        )
