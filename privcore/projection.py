"""From noisy leaf masses to a probability vector: the paper's Algorithm 2 (exact), the simplex, clipping.

All of it is post-processing of noisy masses: it never sees the data and costs no privacy.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final, get_args

import numpy as np
from scipy.sparse import coo_array
from scipy.spatial import cKDTree

from privcore.arrays import Floats, Ints, frozen
from privcore.checks import as_floats, checked_choice
from privcore.domain import unit_points
from privcore.errors import InvalidMeasureError, InvalidPointsError
from privcore.parameters import Method

_FIRST_NEIGHBOURS: Final = 16
_LARGEST: Final = 1e100
_LOST: Final = 2.0**52
_GAP: Final = 1e-9  # certified: cost within this of a proved lower bound, relative to sqrt(d) times the mass shipped


@dataclass(frozen=True, slots=True)
class Plan:
    """Mass moved from a positive leaf to a negative one: `source`, `target` (k,) leaf numbers, `mass` (k,)."""

    source: Ints
    target: Ints
    mass: Floats

    @staticmethod
    def empty() -> Plan:
        """Return the plan that moves nothing."""
        return Plan(frozen([], np.int64), frozen([], np.int64), frozen([], np.float64))


@dataclass(frozen=True, slots=True)
class Projection:
    """Probability masses on the leaves and how they were found.

    masses: (m,), non-negative, sum 1. plan: the mass shipped between leaves ("lipschitz" only, else empty).
    cost: the optimum of the paper's objective, in mass times unit-cube length ("lipschitz" only, else nan).
    certified: whether the result is proved to be optimal for its own method ("lipschitz": its cost is within
    1e-9 sqrt(d) times the mass shipped of a proved lower bound).
    """

    masses: Floats
    plan: Plan
    cost: float
    certified: bool
    method: Method

    def __repr__(self) -> str:
        """Without the arrays."""
        moved = f", cost={self.cost:.6g}" if self.method == "lipschitz" else ""
        return f"Projection({self.method}, {len(self.masses)} masses{moved}, certified={self.certified})"


def project(points: Any, masses: Any, method: Method = "euclidean", volumes: Any = None) -> Projection:
    """Project noisy `masses` (m,) at `points` (m, d) of the unit cube onto the probability vectors.

    Masses may be negative and need not sum to 1. Methods:

    * "euclidean": the nearest probability vector in the Euclidean norm;
    * "lipschitz": the paper's Algorithm 2, a minimiser p of
      max { sum_i (p_i - masses_i) f_i : |f_i| <= sqrt(d), |f_i - f_j| <= |points_i - points_j| };
    * "clip": negative masses to 0, then renormalised; without any positive mass, proportional to `volumes`
      (m,), or equal if those are not given.

    Raises InvalidPointsError, InvalidMeasureError or InvalidParametersError.

    >>> project([[0.25], [0.75]], [1.25, -0.25], "lipschitz").masses.tolist()
    [1.0, 0.0]
    >>> project([[0.1], [0.2], [0.9]], [0.5, -0.25, 0.75], "lipschitz").masses.tolist()
    [0.25, 0.0, 0.75]
    """
    points, masses = _checked(points, masses)
    checked_choice("method", method, get_args(Method))
    if method == "lipschitz":
        return _lipschitz(points, masses)
    result = to_simplex(masses) if method == "euclidean" else _clip(masses, volumes)
    return Projection(frozen(result), Plan.empty(), float("nan"), True, method)


def to_simplex(masses: Floats) -> Floats:
    """Return the Euclidean projection of `masses` (m,) onto the probability vectors, exact, in O(m log m).

    The projection is max(masses - t, 0) with the t that makes the sum 1 (Held, Wolfe and Crowder 1974).

    >>> to_simplex(np.array([0.6, 0.6, -1.0])).tolist()
    [0.5, 0.5, 0.0]
    """
    # A common shift does not change the projection. Below the largest entry every active entry lies within 1,
    # so totals of any size lose no digits that matter.
    below = masses - masses.max()
    descending = np.sort(below[below > -1.0])[::-1]
    slack = 1.0 - np.cumsum(descending) + np.arange(1, descending.size + 1) * descending
    active = descending[: np.count_nonzero(slack > 0.0)]
    threshold = (active.sum() - 1.0) / active.size
    return _normalised(np.maximum(below - threshold, 0.0))


def cancel_in_tree(parent: Ints, leaves: Ints, masses: Floats) -> Floats:
    """Return probability masses by cancelling bottom-up in the tree: an APPROXIMATION to "lipschitz", in O(nodes).

    At every node what its two children have with opposite signs is cancelled, so mass moves inside the
    smallest cell that holds both. The objective at the result is an upper bound of the optimum.

    parent: (nodes,) of a tree in breadth-first order, -1 at the root. leaves: (m,) nodes that carry the masses.
    masses: (m,).

    >>> parent, leaves = np.array([-1, 0, 0, 1, 1]), np.array([2, 3, 4])
    >>> cancel_in_tree(parent, leaves, np.array([0.5, 0.75, -0.25])).tolist()
    [0.5, 0.5, 0.0]
    """
    levels = _levels(parent)
    net = np.zeros(parent.size)
    net[leaves] = masses
    for nodes in reversed(levels[1:]):
        np.add.at(net, parent[nodes], net[nodes])

    # Each node keeps the sign of its net mass; of the children only those with that sign survive, and they
    # share what is left in proportion. kept = the part of a node's own net that survives above it.
    survives = np.sign(net) == np.sign(net[parent])
    survives[0] = True
    surviving = np.bincount(parent[1:], weights=np.where(survives, net, 0.0)[1:], minlength=parent.size)
    kept = np.zeros(parent.size)
    kept[0] = 1.0
    for nodes in levels[1:]:
        staying = nodes[survives[nodes] & (net[nodes] != 0.0)]
        above = parent[staying]
        kept[staying] = kept[above] * (net[above] / surviving[above])
    return to_simplex(np.maximum(masses * kept[leaves], 0.0))


def _levels(parent: Ints) -> list[Ints]:
    """Return the nodes of each depth of a tree in breadth-first order."""
    levels = [np.zeros(1, dtype=np.int64)]
    start = 1
    while start < parent.size:
        # Children of a level follow it directly, so a level ends where the parent is no longer in the last one.
        stop = int(np.searchsorted(parent, start, side="left"))
        levels.append(np.arange(start, stop, dtype=np.int64))
        start = stop
    return levels


def _lipschitz(points: Floats, masses: Floats) -> Projection:
    # Why this is a minimiser. By duality the inner maximum is the cheapest way to turn `masses` into p when
    # shipping costs the distance, and creating or destroying costs sqrt(d) a unit. So minimise, over p and
    # such a plan together. Write P and N for the positive and negative mass, S = P - N.
    #
    # (1) No optimal plan both creates and destroys: a unit created at j and one destroyed at i, at 2 sqrt(d),
    #     is replaced by shipping it from i to j, at most sqrt(d). So exactly |1 - S| is created (S < 1) or
    #     destroyed (S > 1), at sqrt(d) |1 - S|, and where costs nothing.
    # (2) By the triangle inequality mass is shipped straight from positive to negative leaves, never on from a
    #     leaf. S >= 1: nothing is created, so all of N is shipped; S - 1 is then destroyed out of what is left.
    #     S < 1: at most 1 - S of the holes is filled by creation, so at least N - (1 - S) = P - 1 is shipped;
    #     if P <= 1 nothing is. Both are M = min(N, max(P - 1, 0)), and the cheapest plan for M is feasible.
    # (3) Let r be masses+ less what is shipped, 0 on the negative leaves; r >= 0.
    #     S > 1: sum r = S; p = r less any destruction 0 <= e <= r of total S - 1.
    #     S <= 1 < P: sum r = 1; p = r, all that is created goes into holes.
    #     P <= 1: sum r = P; the holes take N of the created 1 - S = N + (1 - P), p = r plus the rest anywhere.
    #     The Euclidean projection of r onto the simplex is max(r - t, 0), with t >= 0 if sum r >= 1 and t <= 0
    #     if sum r <= 1: it lies below r, equals r, or lies above r, just as each case asks. So it is a minimiser.
    root_d = float(np.sqrt(points.shape[1]))
    positive, negative = np.flatnonzero(masses > 0.0), np.flatnonzero(masses < 0.0)
    surplus, deficit = float(masses[positive].sum()), float(-masses[negative].sum())
    shipped = min(deficit, max(surplus - 1.0, 0.0))
    plan, shipping_cost, certified = Plan.empty(), 0.0, True
    if shipped > 0.0:
        plan, shipping_cost, certified = _ship(points, masses, positive, negative, shipped)
        certified &= surplus < _LOST  # what stays behind, a mass of 1, is otherwise gone in rounding
    rest = np.maximum(masses, 0.0)
    rest -= np.bincount(plan.source, weights=plan.mass, minlength=masses.size)
    result = to_simplex(np.maximum(rest, 0.0))
    cost = root_d * abs(1.0 - (surplus - deficit)) + shipping_cost
    return Projection(frozen(result), plan, cost, certified, "lipschitz")


def _ship(points: Floats, masses: Floats, positive: Ints, negative: Ints, shipped: float) -> tuple[Plan, float, bool]:
    """Ship the total `shipped` from positive to negative leaves at the least cost, with a proof of it."""
    supply, demand = np.minimum(masses[positive], shipped), -masses[negative]
    tree = cKDTree(points[positive])
    root_d = float(np.sqrt(points.shape[1]))
    neighbours = np.full(negative.size, min(_FIRST_NEIGHBOURS, positive.size))
    certified = False
    while True:
        source, target, distance, reach = _nearest(tree, points[negative], neighbours)
        problem = _Shipping(source, target, distance, supply, demand, shipped, root_d)
        flow, values = problem.solve()
        cost = float(flow @ distance)
        # A target connected to every source has no pair without an arc: its value may be anything.
        reach[neighbours == positive.size] = np.inf
        gap = cost - problem.lower_bound(np.minimum(values, reach))
        certified = max(gap / root_d, problem.imbalance(flow)) <= _GAP * shipped
        beyond = values > reach
        if certified or not beyond.any():
            break
        neighbours[beyond] = np.minimum(2 * neighbours[beyond], positive.size)
    used = flow > 0.0
    plan = Plan(frozen(positive[source[used]], np.int64), frozen(negative[target[used]], np.int64), frozen(flow[used]))
    return plan, cost, certified


def _nearest(tree: cKDTree, queries: Floats, neighbours: Ints) -> tuple[Ints, Ints, Floats, Floats]:
    """Return the arcs from the `neighbours[j]` nearest sources of each query j, and the farthest distance of each.

    Arcs are ordered by source, then target: dyadic centres tie, and the optimum among ties depends on the order.
    """
    sources, targets, distances = [], [], []
    reach = np.empty(neighbours.size)
    for k in np.unique(neighbours):
        rows = np.flatnonzero(neighbours == k)
        distance, index = tree.query(queries[rows], k=int(k))
        distance, index = np.reshape(distance, (rows.size, -1)), np.reshape(index, (rows.size, -1))
        reach[rows] = distance[:, -1]
        sources.append(index.ravel())
        targets.append(np.repeat(rows, int(k)))
        distances.append(distance.ravel())
    source, target, distance = np.concatenate(sources), np.concatenate(targets), np.concatenate(distances)
    order = np.lexsort((target, source))
    return source[order], target[order], distance[order], reach


@dataclass(frozen=True, slots=True)
class _Shipping:
    """Shipping over some arcs as a balanced transport problem that every set of arcs can satisfy.

    Three nodes are added. `keep` takes what a source does not ship, at no cost. `create` fills the part of the
    demand that is not shipped, at no cost (its price is constant, counted outside). `borrow` stands for sources
    that the arcs do not reach: it costs more than any distance, so the optimum over all arcs never uses it.

    source, target, distance: (arcs,). supply: (sources,), capped at `shipped`. demand: (targets,).
    """

    source: Ints
    target: Ints
    distance: Floats
    supply: Floats
    demand: Floats
    shipped: float
    root_d: float

    @property
    def created(self) -> float:
        return max(float(self.demand.sum()) - self.shipped, 0.0)

    def solve(self) -> tuple[Floats, Floats]:
        """Return the flow (arcs,) and the dual value of each target (targets,), with `keep` valued at 0."""
        import ot  # it brings scikit-learn, and only this projection needs it

        used, local = np.unique(self.source, return_inverse=True)
        sources, targets = used.size, self.demand.size
        create, borrow, keep = sources + 1, sources, targets
        rows = [local, np.arange(sources), np.full(targets + 1, borrow)]
        columns = [self.target, np.full(sources, keep), np.arange(targets + 1)]
        costs = [self.distance, np.zeros(sources), np.append(np.full(targets, 2.0 * self.root_d), 0.0)]
        left = np.append(self.supply[used], self.shipped)
        # Rounding decides whether nothing or 1e-17 is created; a node without mass has no meaning to the solver.
        if self.created > 1e-15 * self.shipped:
            rows.append(np.full(targets, create))
            columns.append(np.arange(targets))
            costs.append(np.zeros(targets))
            left = np.append(left, self.created)
        right = np.append(self.demand, left.sum() - self.demand.sum())
        scale = 1.0 / left.sum()
        network = coo_array(
            (np.concatenate(costs), (np.concatenate(rows), np.concatenate(columns))), shape=(left.size, right.size)
        )
        flow, log = ot.emd(left * scale, right * scale, network, numItermax=10**9, log=True, center_dual=False)
        return self._read(flow.tocoo(), used) / scale, log["v"][:targets] - log["v"][keep]

    def _read(self, flow: coo_array, used: Ints) -> Floats:
        """Return the flow on this problem's own arcs (arcs,)."""
        real = (flow.row < used.size) & (flow.col < self.demand.size)
        key = used[flow.row[real]] * self.demand.size + flow.col[real]
        result = np.zeros(self.source.size)
        # Arcs are ordered by source, then target, so their keys ascend.
        result[np.searchsorted(self.source * self.demand.size + self.target, key)] = flow.data[real]
        return result

    def lower_bound(self, values: Floats) -> float:
        """Return the dual objective at target `values`: below the cost of every plan over ALL pairs.

        The sources' values are the largest that the arcs allow, never above 0. A pair without an arc is then
        satisfied too, as long as the value of its target is at most the distance of its last neighbour.
        """
        reduced = np.zeros(self.supply.size)
        starts = np.flatnonzero(np.diff(self.source, prepend=-1))
        nearest = np.minimum.reduceat(self.distance - values[self.target], starts)
        reduced[self.source[starts]] = np.minimum(nearest, 0.0)
        created = -self.created * float(values.max())
        return float(self.supply @ reduced + self.demand @ values) + created

    def imbalance(self, flow: Floats) -> float:
        """Return the largest violation of the totals: of a source, a target, or of all that is to be shipped."""
        out = np.bincount(self.source, weights=flow, minlength=self.supply.size)
        into = np.bincount(self.target, weights=flow, minlength=self.demand.size)
        return max(
            float((out - self.supply).max()), float((into - self.demand).max()), abs(float(flow.sum()) - self.shipped)
        )


def _clip(masses: Floats, volumes: Any) -> Floats:
    result = np.maximum(masses, 0.0)
    if result.max() > 0.0:
        return _normalised(result)
    if volumes is None:
        return np.full(masses.size, 1.0 / masses.size)
    refusal = InvalidMeasureError(f"The volumes must be {masses.size} finite numbers >= 0, not all 0.")
    volumes = as_floats(volumes, refusal)
    if volumes.shape != masses.shape or not np.isfinite(volumes).all() or volumes.min() < 0.0 or volumes.max() <= 0.0:
        raise refusal
    return _normalised(volumes)


def _normalised(masses: Floats) -> Floats:
    scaled = masses / masses.max()
    return np.asarray(scaled / scaled.sum())


def _checked(points: Any, masses: Any) -> tuple[Floats, Floats]:
    masses = as_floats(masses, InvalidMeasureError("The masses are not all numbers. Give one number a point."))
    if masses.ndim != 1 or masses.size == 0:
        raise InvalidMeasureError(f"The masses must be a non-empty vector, but have shape {masses.shape}.")
    points = unit_points(points)
    if len(points) != masses.size:
        raise InvalidPointsError(f"The points must have shape ({masses.size}, d), but have {points.shape}.")
    if not np.abs(masses).max() <= _LARGEST:
        raise InvalidMeasureError(f"The masses must be finite and at most {_LARGEST:g} in size.")
    return points, masses
