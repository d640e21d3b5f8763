"""Parameters: every public choice of a run, validated once, and what they cost."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from fractions import Fraction
from typing import Any, Literal, cast, get_args

from privcore.accounting import Cost, round_down, round_up, solve_lambda, sum_up, tree_cost, tree_cost_published
from privcore.checks import checked_choice, checked_whole
from privcore.domain import AXIS_DIGITS, Invalid
from privcore.errors import InvalidParametersError
from privcore.tree import UNIT

Mode = Literal["tight", "paper"]
Neighbours = Literal["add-remove", "replace-one"]
Method = Literal["euclidean", "lipschitz", "clip"]
Representative = Literal["centre", "spread"]

DEFAULT_GAMMA = 25 / 36
"""delta / lambda in tight mode: the rational just above ln 2, at which PrivTree's bound is the paper's 3/lambda."""
EPSILON_RANGE = (1e-6, 1e3)
THETA_FLOOR = -12
"""theta is at least this many delta: below, the tree grows without data (5,280 leaves on empty data at -12)."""

MOST_DELTA = 2.0**31
"""The largest delta, in records: margins, in units of 2^-20 records, then stay below 2^63 at every depth."""

_CHOICES: dict[str, tuple[Any, ...]] = {
    "mode": get_args(Mode),
    "neighbours": get_args(Neighbours),
    "projection": (None, *get_args(Method)),
    "representative": get_args(Representative),
}


@dataclass(frozen=True)
class Parameters:
    """Every public choice of a run: frozen, validated, free of data.

    `epsilon`: the privacy budget. `theta`: the split threshold, in records. `delta`: the paper's depth penalty, in
    records (not the delta of (epsilon, delta)-privacy); or `gamma` = delta / lambda. `tree_share`: the part of epsilon
    that the tree may cost. `mode`: "tight" spends epsilon to within 1e-9; "paper" uses the paper's constants.
    `neighbours`: "add-remove" (n is private) or "replace-one" (n is public). `total`: a public number of records that
    is not derived from the data. `shift`: "none", "random" or d numbers in [0, 1]. `max_depth`: the public depth cap.
    `projection`: "euclidean", "lipschitz" (the paper's Algorithm 2) or "clip". `representative`: "centre" or "spread".
    `max_rows`: the most rows of one person that count; it makes the unit of protection one person with all their rows
    (the argument `persons` of `release` tells them apart), and epsilon, which stays that of one row, costs a person
    max_rows times as much. None takes the mode's default, and for `max_rows` the unit of one row. Raises
    `InvalidParametersError`.
    Source: the paper, sections 3 and 5.

    >>> cost = Parameters(epsilon=1.0).cost(d=2)
    >>> 1 - 1e-9 <= cost.total <= 1
    True
    """

    epsilon: float
    theta: float = 0.0
    delta: float | None = None
    gamma: float | None = None
    tree_share: float | None = None
    mode: Mode = "tight"
    neighbours: Neighbours = "add-remove"
    total: float | None = None
    shift: Literal["none", "random"] | tuple[float, ...] = "none"
    max_depth: int | None = None
    projection: Method | None = None
    representative: Representative = "centre"
    max_rows: int | None = None

    def __post_init__(self) -> None:
        for name in ("epsilon", "theta", "delta", "gamma", "tree_share", "total"):
            object.__setattr__(self, name, _number(name, getattr(self, name)))
        object.__setattr__(self, "shift", _shift(self.shift))
        for name, least in (("max_depth", 0), ("max_rows", 1)):
            if getattr(self, name) is not None:
                object.__setattr__(self, name, checked_whole(name, getattr(self, name), least))
        for name, allowed in _CHOICES.items():
            checked_choice(name, getattr(self, name), allowed)
        _check_ranges(self)
        _check_mode(self)

    @property
    def method(self) -> Method:
        """The projection that is used: the choice, or the mode's default.

        >>> Parameters(1.0).method, Parameters(1.0, mode="paper").method
        ('euclidean', 'lipschitz')
        """
        return self.projection or ("euclidean" if self.mode == "tight" else "lipschitz")

    @property
    def invalid(self) -> Invalid:
        """What becomes of a row that is not finite: dropped, or at the lower corner where the number of rows is public.

        >>> Parameters(1.0).invalid, Parameters(1.0, neighbours="replace-one").invalid
        ('drop', 'corner')
        """
        return "corner" if self.neighbours == "replace-one" else "drop"

    @property
    def relation(self) -> str:
        """What two neighbouring tables differ in, in words: what the guarantee is about.

        >>> Parameters(1.0).relation
        'adding or removing one row'
        """
        if self.max_rows is not None:
            count = "1 counts" if self.max_rows == 1 else f"{self.max_rows} count"
            return f"adding or removing one person with all their rows, of which at most {count}"
        return "adding or removing one row" if self.neighbours == "add-remove" else "replacing one row"

    def unit_epsilon(self, d: int) -> Fraction:
        """What one release costs the unit of protection, exactly: cost(d).total, times `max_rows` for a person.

        >>> Parameters(1.0, max_rows=3).unit_epsilon(2) == 3 * Parameters(1.0).unit_epsilon(2)
        True
        """
        return (self.max_rows or 1) * Fraction(self.cost(d).total)

    def cost(self, d: int) -> Cost:
        """What these parameters spend on one row in dimension d; raises `InvalidParametersError` if they can't be met.

        Tight, add/remove: E(lambda, delta) = share x epsilon, a = epsilon - E, b = epsilon - 1/lambda. Replace one:
        E + 1/lambda = share x epsilon, and the symmetric rate takes half of the rest. Paper: lambda = 6/epsilon,
        rate epsilon/2 (12/epsilon and epsilon/4 for replace one).

        >>> paper = Parameters(1.0, mode="paper").cost(2)
        >>> round(paper.tree, 3), paper.published_tree <= 0.5, round(paper.total, 3)
        (0.401, True, 0.901)
        """
        d = checked_whole("The dimension", d, least=1)
        if self.max_depth is not None and self.max_depth > AXIS_DIGITS * d:
            raise InvalidParametersError(
                f"max_depth is {self.max_depth}, but float64 can tell apart {AXIS_DIGITS * d} levels in dimension {d}."
            )
        if isinstance(self.shift, tuple) and len(self.shift) != d:
            raise InvalidParametersError(f"The shift has {len(self.shift)} numbers, but there are {d} axes.")
        lam, delta = self._paper_scales() if self.mode == "paper" else self._tight_scales(d)
        theta = round(Fraction(self.theta) * UNIT) / UNIT
        if theta < THETA_FLOOR * delta:
            raise InvalidParametersError(
                f"theta is {self.theta}, but must be at least {THETA_FLOOR} delta = {THETA_FLOOR * delta:.6g} records: "
                "below that the tree grows without any data. Raise theta or delta."
            )
        most = min(MOST_DELTA, 2.0**42 / (AXIS_DIGITS * d))
        if delta > most:
            raise InvalidParametersError(
                f"delta comes to {delta:.6g} records, but must be at most {most:.6g} in dimension {d}, so that every "
                "split is decided in exact 64-bit arithmetic. Lower gamma, or raise epsilon or the tree's share."
            )
        return self._assemble(lam, delta, theta)

    def tree_budget(self, d: int) -> float:
        """The part of epsilon that the tree may cost: share x epsilon; the default share depends on d alone.

        >>> Parameters(2.0, tree_share=0.25).tree_budget(2)
        0.5
        """
        share = self.tree_share if self.tree_share is not None else default_tree_share(d)
        return share * self.epsilon

    def to_dict(self) -> dict[str, Any]:
        """The parameters as plain values, for a file.

        >>> Parameters.from_dict(Parameters(0.5, shift=(0.25,)).to_dict()) == Parameters(0.5, shift=(0.25,))
        True
        """
        return {k: list(v) if isinstance(v, tuple) else v for k, v in asdict(self).items()}

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> Parameters:
        """The parameters that `to_dict` wrote; raises `InvalidParametersError` for an unknown or missing name."""
        known = {field.name for field in fields(cls)}
        if set(values) != known:
            wrong = ", ".join(sorted(set(values) ^ known))
            raise InvalidParametersError(f"Parameters are missing or unknown: {wrong}.")
        return cls(**values)

    def _paper_scales(self) -> tuple[float, float]:
        lam = round_up(Fraction(6 if self.neighbours == "add-remove" else 12) / Fraction(self.epsilon))
        return lam, _times_ln2(lam)

    def _tight_scales(self, d: int) -> tuple[float, float]:
        budget = self.tree_budget(d)
        if self.delta is not None:
            delta = round_up(self.delta)
            if not delta > math.log(2.0) / budget:
                raise InvalidParametersError(
                    f"delta is {self.delta} records, but a tree that costs {budget:.6g} needs "
                    f"delta > ln 2 / {budget:.6g} = {math.log(2.0) / budget:.6g}. "
                    "Raise delta, epsilon or the tree's share."
                )
            return solve_lambda(budget, lambda lam: self._tree(lam, delta)), delta
        gamma = Fraction(DEFAULT_GAMMA if self.gamma is None else self.gamma)

        def delta_of(lam: float) -> float:
            return round_up(gamma * Fraction(lam))

        lam = solve_lambda(budget, lambda lam: self._tree(lam, delta_of(lam)))
        return lam, delta_of(lam)

    def _tree(self, lam: float, delta: float) -> float:
        """What the tree costs under this neighbour relation: replacing is removing one record and adding another."""
        removed = tree_cost(lam, delta)
        return removed if self.neighbours == "add-remove" else sum_up(removed, 1.0 / lam * (1 + 1e-15))

    def _assemble(self, lam: float, delta: float, theta: float) -> Cost:
        epsilon, tree, added = Fraction(self.epsilon), self._tree(lam, delta), 1.0 / lam * (1 + 1e-15)
        moves = 1 if self.neighbours == "add-remove" else 2
        if self.mode == "paper":
            a = b = round_down(epsilon / (2 * moves))
        else:
            a = b = round_down((epsilon - Fraction(tree)) / moves)
            if self.neighbours == "add-remove":
                b = round_down(epsilon - Fraction(added))
        if a <= 0:
            raise InvalidParametersError(
                f"The tree costs {tree:.6g} of epsilon = {self.epsilon:.6g}: nothing is left for the leaf counts. "
                "Lower the tree's share."
            )
        total = sum_up(tree, *[a] * moves)
        if self.mode == "tight" and moves == 1:
            total = max(total, sum_up(added, b))
        published_tree = tree_cost_published(lam, delta) * moves
        published_total = sum_up(published_tree, *[max(a, b)] * moves)
        leaves = max(a, b) if moves == 1 else 2 * a
        return Cost(self.epsilon, lam, delta, theta, a, b, tree, leaves, total, published_tree, published_total)


def checked_parameters(parameters: Any) -> Parameters:
    """The parameters; raises `InvalidParametersError` for anything else, such as an epsilon alone.

    >>> checked_parameters(1.0)
    Traceback (most recent call last):
    privcore.errors.InvalidParametersError: The parameters are of type float. Give Parameters, such as \
Parameters(epsilon=1.0).
    """
    if not isinstance(parameters, Parameters):
        raise InvalidParametersError(
            f"The parameters are of type {type(parameters).__name__}. Give Parameters, such as Parameters(epsilon=1.0)."
        )
    return parameters


def default_tree_share(d: int) -> float:
    """The public share of epsilon for the tree when none is given: a function of d alone.

    >>> default_tree_share(1), default_tree_share(2)
    (0.3, 0.6)
    """
    return 0.3 if d == 1 else 0.6


def _times_ln2(lam: float) -> float:
    """lambda ln 2, rounded up to a multiple of 2^-20: the float ln 2 is below the number, so one unit is added."""
    ln2_above = Fraction(math.nextafter(math.log(2.0), 1.0))
    return round_up(ln2_above * Fraction(lam))


def _number(name: str, value: Any) -> float | None:
    if value is None:
        return None
    try:
        number = float(value)
    except (TypeError, ValueError, OverflowError):
        number = math.nan
    if isinstance(value, bool) or not math.isfinite(number):
        raise InvalidParametersError(f"{name} is {value!r}, but must be a finite number.")
    return number


def _shift(value: Any) -> Literal["none", "random"] | tuple[float, ...]:
    if isinstance(value, str):
        if value not in ("none", "random"):
            raise InvalidParametersError(f"shift is {value!r}, but must be 'none', 'random' or numbers in [0, 1].")
        return cast(Literal["none", "random"], value)
    try:
        numbers = tuple(float(u) for u in cast(Sequence[float], value))
    except (TypeError, ValueError, OverflowError):
        raise InvalidParametersError(
            f"shift is {value!r}, but must be 'none', 'random' or numbers in [0, 1]."
        ) from None
    if not numbers or not all(0.0 <= u <= 1.0 for u in numbers):
        raise InvalidParametersError(f"shift is {numbers}, but each number must be between 0 and 1, one an axis.")
    return numbers


def _check_ranges(p: Parameters) -> None:
    low, high = EPSILON_RANGE
    if p.epsilon is None or not (low <= p.epsilon <= high):
        raise InvalidParametersError(f"epsilon is {p.epsilon}, but must be between {low:g} and {high:g}.")
    if p.theta is None or abs(p.theta) > 2.0**31:
        raise InvalidParametersError(f"theta is {p.theta} records, but must be between -2^31 and 2^31.")
    if p.delta is not None and not (0 < p.delta <= MOST_DELTA):
        raise InvalidParametersError(f"delta is {p.delta} records, but must be positive and at most 2^31.")
    if p.gamma is not None and not (1e-3 <= p.gamma <= 1e3):
        raise InvalidParametersError(f"gamma is {p.gamma}, but must be between 0.001 and 1000 (it is delta / lambda).")
    if p.delta is not None and p.gamma is not None:
        raise InvalidParametersError(
            "Both delta and gamma are set. Give one: delta in records, or gamma = delta/lambda."
        )
    if p.tree_share is not None and not (0.01 <= p.tree_share <= 0.99):
        raise InvalidParametersError(f"tree_share is {p.tree_share}, but must be between 0.01 and 0.99.")
    if p.total is not None and not (1 <= p.total <= 2.0**53):
        raise InvalidParametersError(f"total is {p.total}, but must be a public number of records from 1 to 2^53.")
    if p.max_rows is not None and p.max_rows > 2**20:
        raise InvalidParametersError(f"max_rows is {p.max_rows}, but must be at most 2^20.")


def _check_mode(p: Parameters) -> None:
    fixed = [name for name in ("delta", "gamma", "tree_share") if getattr(p, name) is not None]
    if p.mode == "paper" and (fixed or p.theta != 0.0):
        name = fixed[0] if fixed else "theta"
        raise InvalidParametersError(f"Paper mode uses the paper's constants: {name} can't be set. Use mode='tight'.")
    if p.neighbours == "replace-one" and p.total is not None:
        raise InvalidParametersError("With replace-one the total is the public number of rows: don't set `total`.")
    if p.neighbours == "replace-one" and p.max_rows is not None:
        raise InvalidParametersError(
            "With replace-one the number of rows is public, but a person changes it: max_rows needs 'add-remove'."
        )
