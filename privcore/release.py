"""Release: what may be published, and the one way to make it."""

from __future__ import annotations

import json
import math
from dataclasses import asdict, fields
from fractions import Fraction
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
import pandas as pd

from privcore import strict_json
from privcore.accounting import Cost, tree_cost
from privcore.arrays import Floats, Ints, frozen
from privcore.domain import Box
from privcore.errors import InvalidReleaseError, PrivcoreError
from privcore.measure import DiscreteMeasure, leaf_measure, spread_measure
from privcore.mechanism import run
from privcore.noise import SystemWords
from privcore.parameters import Parameters
from privcore.projection import Projection, project
from privcore.tree import UNIT, Tree, depth_cap


class Published:
    """The differentially private outcome of a run and its post-processing: no data, no true count.

    `counts` (leaves,) are the noisy integers as drawn; everything else is a function of what is public.
    """

    def __init__(self, box: Box, parameters: Parameters, cost: Cost, tree: Tree, counts: Ints, total: float | None):
        self.box, self.parameters, self.cost, self.tree = box, parameters, cost, tree
        self.counts: Ints = frozen(counts, np.int64)
        self.public_total = total

    @property
    def unit_epsilon(self) -> Fraction:
        """What the release cost the unit of protection, exactly: cost.total, times `max_rows` for a person."""
        return (self.parameters.max_rows or 1) * Fraction(self.cost.total)

    @cached_property
    def noisy_counts(self) -> Floats:
        """The leaves' noisy counts, (leaves,), their public mean noise subtracted: unbiased."""
        return np.asarray(frozen(self.counts - self.cost.noise_mean))

    @cached_property
    def total(self) -> float:
        """The normaliser: the public number of records, or max(1, sum of the noisy counts)."""
        return self.public_total if self.public_total is not None else max(1.0, float(self.noisy_counts.sum()))

    @cached_property
    def noisy_masses(self) -> Floats:
        """noisy_counts / total, (leaves,): real numbers that may be negative and need not sum to 1."""
        return np.asarray(frozen(self.noisy_counts / self.total))

    @cached_property
    def projection(self) -> Projection:
        """The projection of the noisy masses onto probability measures, at the leaves' centres."""
        tree = self.tree
        return project(tree.representatives, self.noisy_masses, self.parameters.method, tree.leaf_volumes)

    @cached_property
    def projected_measure(self) -> DiscreteMeasure:
        """The released masses at the leaves' centres."""
        return leaf_measure(self.box, self.tree, self.projection.masses, self.leaf_sd)

    @cached_property
    def measure(self) -> DiscreteMeasure:
        """The released measure: atoms at the centres, or spread inside the cells."""
        if self.parameters.representative == "centre":
            return self.projected_measure
        return spread_measure(self.box, self.tree, self.projection.masses, self.leaf_sd)

    @property
    def leaf_sd(self) -> float:
        """The standard deviation of a leaf's noisy mass."""
        return self.cost.noise_sd / self.total

    def to_frame(self) -> pd.DataFrame:
        """The leaf table: one row a leaf with its cell, depth, noisy count and released mass."""
        lower, upper = self.box.from_unit(self.tree.leaf_lower), self.box.from_unit(self.tree.leaf_upper)
        columns: dict[str, Any] = {}
        for axis, name in enumerate(self.box.columns):
            columns[f"{name} from"], columns[f"{name} to"] = lower[:, axis], upper[:, axis]
        numbers = {"depth": self.tree.leaf_depth, "noisy count": self.noisy_counts, "mass": self.projection.masses}
        return pd.DataFrame(columns | numbers)


class Release(Published):
    """A differentially private synthetic measure: everything in it may be published.

    Made by `release` (operating-system entropy, no seed) or read back by `from_json`; there is no other way.
    `box`, `parameters`, `cost`, `tree`, `noisy_counts` (leaves,), `total`, `projection`, `measure`.

    >>> made = release([[0.2], [0.4]], Box.unit(1), Parameters(epsilon=1.0))
    >>> Release.from_json(made.to_json()).to_json() == made.to_json()
    True
    """

    FORMAT: ClassVar[str] = "privcore-release"
    VERSION: ClassVar[int] = 2

    def __init__(self, *_: Any, **__: Any) -> None:
        raise TypeError("A Release is made by privcore.release(...) or read by Release.from_json(...).")

    def __repr__(self) -> str:
        epsilon, rows = f"epsilon={self.parameters.epsilon:g}", self.parameters.max_rows
        epsilon += "" if rows is None else f" a row, {rows * self.parameters.epsilon:g} a person"
        return f"Release({epsilon}, {len(self.tree.leaves)} leaves, d={self.box.d})"

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickled and copied as its public text alone, which is checked again when it is read."""
        return Release.from_json, (self.to_json(),)

    def to_json(self) -> str:
        """The release as text: versioned, complete, exact; floats are written so that they read back unchanged."""
        content = {
            "format": self.FORMAT,
            "version": self.VERSION,
            "box": {"low": self.box.low, "high": self.box.high, "names": self.box.names},
            "parameters": self.parameters.to_dict(),
            "cost": asdict(self.cost),
            "total": self.public_total,
            "shift": None if self.tree.shift is None else self.tree.shift.tolist(),
            "splits": "".join("1" if split else "0" for split in self.tree.splits),
            "counts": self.counts.tolist(),
        }
        return json.dumps(content, allow_nan=False)

    @classmethod
    def from_json(cls, text: str | bytes) -> Release:
        """Read what `to_json` wrote, now or in version 1; raises `InvalidReleaseError` that names what is wrong."""
        if not isinstance(text, str | bytes | bytearray):
            raise InvalidReleaseError(
                f"A release is of type {type(text).__name__}. Give the text that `to_json` wrote."
            )
        try:
            content = strict_json.loads(text)
        except ValueError as error:
            raise InvalidReleaseError(f"The text is not a release: {error}. Use a file that privcore wrote.") from None
        try:
            content = _upgraded(content)
            made = _made(cls, *_parsed(content))
            _check_form(content, made)
            return made
        except InvalidReleaseError:
            raise
        except (PrivcoreError, KeyError, TypeError, ValueError, OverflowError, AttributeError) as error:
            raise InvalidReleaseError(f"The release can't be read: {error}. Use a file that privcore wrote.") from None


def release(points: Any, box: Box, parameters: Parameters, persons: Any = None) -> Release:
    """Release a differentially private measure of the points: this spends `parameters.unit_epsilon(box.d)`.

    `points`: (n, d) in the units of `box`, an array or a frame with the box's columns; values outside the box are
    clamped, rows with NaN or infinities dropped (replace-one: moved to the lower corner). The guarantee is
    epsilon-differential privacy under `parameters.neighbours`, with operating-system entropy. With `persons`, a label
    a row, and `parameters.max_rows` = m, at most m rows of each person count, chosen at random, and the guarantee is
    m epsilon for adding or removing one person with all their rows. To keep count of several releases, use `Ledger`.
    Raises `InvalidPointsError`, `InvalidParametersError`. Source: the paper, sections 3, 5 and 6.

    >>> release(np.full((100, 2), 0.3), Box.unit(2), Parameters(epsilon=1.0)).measure.d
    2
    """
    outcome = run(points, box, parameters, SystemWords(), persons)
    return _made(Release, box, parameters, outcome.cost, outcome.growth.tree, outcome.noisy_counts, outcome.total)


def _made(
    cls: type[Release], box: Box, parameters: Parameters, cost: Cost, tree: Tree, counts: Ints, total: float | None
) -> Release:
    made = object.__new__(cls)
    Published.__init__(made, box, parameters, cost, tree, counts, total)
    return made


def _upgraded(content: Any) -> Any:
    """The content of a file of version 1 as version 2 writes it: version 1 knew no persons."""
    if not isinstance(content, dict) or content.get("version") != 1 or type(content["version"]) is not int:
        return content
    if "max_rows" in content["parameters"]:
        raise InvalidReleaseError("The release has version 1, which has no max_rows.")
    return content | {"version": 2, "parameters": content["parameters"] | {"max_rows": None}}


def _parsed(content: Any) -> tuple[Box, Parameters, Cost, Tree, Ints, float | None]:
    expected = {"format", "version", "box", "parameters", "cost", "total", "shift", "splits", "counts"}
    if not isinstance(content, dict) or set(content) != expected:
        raise InvalidReleaseError("The text is not a release: its fields are not those that privcore writes.")
    if content["format"] != Release.FORMAT or content["version"] != Release.VERSION:
        raise InvalidReleaseError(
            f"The release has version {content['version']!r}, but this privcore reads versions 1 to {Release.VERSION}."
        )
    if set(content["box"]) != {"low", "high", "names"}:
        raise InvalidReleaseError("The release's box is incomplete.")
    box = Box(**content["box"])
    parameters = Parameters.from_dict(content["parameters"])
    cost = _parsed_cost(content["cost"], parameters.cost(box.d))
    shift = content["shift"]
    if set(content["splits"]) - {"0", "1"}:
        raise InvalidReleaseError("The split flags must be a text of 0 and 1.")
    flags = np.array([flag == "1" for flag in content["splits"]], dtype=np.bool_)
    tree = Tree.from_splits(flags, box.d, None if shift is None else tuple(float(u) for u in shift))
    counts = content["counts"]
    if not all(type(count) is int and abs(count) < 2**53 for count in counts) or len(counts) != len(tree.leaves):
        raise InvalidReleaseError(f"There must be {len(tree.leaves)} whole noisy counts, one a leaf.")
    total = content["total"]
    if total is not None and not (type(total) in (int, float) and 0 < total < math.inf):
        raise InvalidReleaseError("The total must be a positive number, or null.")
    _check_choices(parameters, tree, total)
    return box, parameters, cost, tree, np.array(counts, dtype=np.int64), None if total is None else float(total)


def _parsed_cost(values: Any, expected: Cost) -> Cost:
    if set(values) != {field.name for field in fields(Cost)} or not all(
        type(v) in (int, float) for v in values.values()
    ):
        raise InvalidReleaseError("The release's cost is incomplete.")
    cost = Cost(**{name: float(value) for name, value in values.items()})
    if not (cost.a > 0 and cost.b > 0) or tree_cost(cost.lam, cost.delta) > cost.tree * (1 + 1e-9):
        raise InvalidReleaseError("The release states a lower cost than its own lambda and delta have.")
    # Not equality: another machine's logarithm may move lambda by its last unit.
    for name, value in asdict(expected).items():
        exact = name in ("epsilon", "theta")
        if not math.isclose(values[name], value, rel_tol=0.0 if exact else 1e-5, abs_tol=0.0 if exact else 2 / UNIT):
            raise InvalidReleaseError(f"The release's cost says {name} = {values[name]}, its parameters {value}.")
    return cost


def _check_choices(parameters: Parameters, tree: Tree, total: float | None) -> None:
    """The tree and the total are such as these parameters give."""
    chosen, shift = parameters.shift, tree.frame.shift
    if (shift is None) != (chosen == "none") or (isinstance(chosen, tuple) and chosen != shift):
        raise InvalidReleaseError(f"The release's shift is {shift}, but its parameters say {chosen!r}.")
    cap = depth_cap(tree.d, parameters.max_depth)
    if tree.depth[-1] > cap:
        raise InvalidReleaseError(f"The release's tree has depth {tree.depth[-1]}, but its parameters cap it at {cap}.")
    if parameters.neighbours == "replace-one":
        right = total is not None and total == math.floor(total)
    else:
        right = total == parameters.total
    if not right:
        raise InvalidReleaseError(f"The release's total is {total}, which its parameters don't allow.")


def _check_form(content: Any, made: Release) -> None:
    """Writing the release again gives the same values of the same types: nothing was converted on the way."""
    changed = strict_json.changed_field(content, made.to_json())
    if changed is not None:
        raise InvalidReleaseError(f"The release's field {changed!r} isn't as privcore writes it.")
