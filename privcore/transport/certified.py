"""W1 at any size: the contracted network simplex, coarse to fine, with a lower bound over all pairs.

Every source may use a few arcs, to the targets that look cheapest, and targets are joined by relays. A plan of this
sparse problem is feasible, so its cost is an upper bound. With the duals u of the sources and
g_j = min_i |x_i - y_j| - u_i over ALL sources (a search in a kd-tree), sum a u + sum b g is a lower bound. The pairs
where g_j is below the price of the basis become new arcs, until there are none: then both bounds agree.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from privcore.arrays import Floats, Ints
from privcore.kdtree import Found, SearchTree, kd_order, levels, search, search_tree
from privcore.transport import simplex
from privcore.transport.basis import Basis, first_basis, refine_sources, refine_targets, ship
from privcore.transport.certificate import EPS, Solution, rounding_slack
from privcore.transport.plans import Flow, couple, direct, fitted
from privcore.transport.problem import TOTAL, Balanced
from privcore.transport.pyramid import Layer, halvings, pyramid
from privcore.transport.watch import Stop, Watch

ARCS = 8
"""Arcs of a source at a time."""
RELAYS = 8
"""Nearest targets that a target has relays to."""
NEW_ARCS = 8
"""The most arcs that one round adds for a target."""
COARSEST = 32
"""Targets of the coarsest problem, at least."""
COARSE_GAP = 1e-2
"""The relative gap at which a coarse problem is left."""
PREVIEW = 50_000
"""Points of a problem whose interval is worth looking at before the end, if somebody waits for it."""
PREVIEWS = frozenset(2**k for k in range(2, 24))
"""After so many slices of one stage such a look is taken."""
SLICE = 4_000_000
"""Steps of the simplex between two looks at the clock."""

Arcs = Found
"""For each row its arcs' ends, -1 where there is none, and their lengths."""


@dataclass
class Stage:
    """One size of the problem: the layers it is about, its basis, the search tree of its sources, its sparse arcs."""

    source: Layer
    target: Layer
    basis: Basis
    tree: SearchTree
    arcs: Arcs
    relays: Arcs

    @property
    def moved(self) -> float:
        """What merging the points into these layers may have cost, as a part of W1."""
        return (self.source.moved + self.target.moved) / TOTAL

    def pivot(self, threshold: float) -> bool:
        """Some steps of the simplex; True when no arc gains more than `threshold`."""
        b, steps = self.basis, SLICE + 8 * len(self.basis.supply)
        done = simplex.pivots(
            b.m, b.supply, b.home, b.home_cost, *self.arcs, *self.relays, b.tree, b.owner, b.degree, b.pi, b.free,
            b.state, threshold, steps,
        )  # fmt: skip
        return bool(done)


def solve_certified(problem: Balanced, tolerance: float, watch: Watch, plan: bool) -> Solution:
    """An interval for the cost, exact unless stopped; with its proofs if a plan is asked for."""
    if len(problem.supply) < len(problem.demand):
        return solve_certified(problem.swapped(), tolerance, watch, plan).of_swapped()
    descent = Descent(problem, tolerance, watch)
    method = "certified"
    try:
        descent.run()
    except Stop:
        method = "certified, stopped"
    solution = Solution(watch.lower, watch.upper, method)
    return descent.with_proofs(solution) if plan else solution


class Descent:
    """The way from the coarsest problem to the whole one; it can be stopped anywhere."""

    def __init__(self, problem: Balanced, tolerance: float, watch: Watch) -> None:
        self.problem, self.tolerance, self.watch = problem, tolerance, watch
        self.source_order = kd_order(problem.sources, levels(len(problem.supply), 2))
        self.target_order = kd_order(problem.targets, levels(len(problem.demand), 1))
        self.places, self.supply = problem.sources[self.source_order], problem.supply[self.source_order]
        self.targets, self.demand = problem.targets[self.target_order], problem.demand[self.target_order]
        self.span = _span(self.places, self.targets)
        # a small mass is scaled up, so that the perturbation is small beside it too
        self.factor = TOTAL // int(self.supply.sum())
        self.perturbed = _perturbed(self.demand * self.factor)
        self.noise = 4.0 * len(self.demand) / TOTAL / self.factor * self.span
        self.finest = Layer.finest(self.places, self.supply), Layer.finest(self.targets, self.demand)
        self.previews = watch.observed and len(self.supply) >= PREVIEW
        self.stage: Stage | None = None
        self.prices = np.zeros(len(self.targets))

    def is_whole(self, stage: Stage) -> bool:
        """Whether this is the whole problem."""
        return len(stage.source.units) == len(self.supply) and len(stage.target.units) == len(self.demand)

    def run(self) -> None:
        """Solve coarse to fine; raises `Stop`."""
        self.watch.narrow(*self.first_bounds())
        self.preview_lower(np.zeros(len(self.targets)))
        schedule = list(self.schedule())
        for at, (source, target) in enumerate(schedule):
            self.watch.check()
            self.stage, self.prices = self.stage_at(source, target)
            self.solve(self.stage)
            if at < len(schedule) - 2:  # the last stage begins with the same bounds
                self.preview(solved=True)
        assert self.stage is not None
        self.watch.narrow(0.0, self.true_cost(self.stage.basis))

    def first_bounds(self) -> tuple[float, float]:
        """The distance of the means, and the diagonal of the bounding box."""
        pull = self.supply / TOTAL @ (self.places - self.targets[0])
        pull -= self.demand / TOTAL @ (self.targets - self.targets[0])
        worst = self.problem.fraction * self.span
        return float(np.linalg.norm(pull)) - 1e-9 * worst, worst * (1.0 + 1e-9)

    def schedule(self) -> Iterator[tuple[Layer, Layer]]:
        """The layers to solve, one step finer at a time; the last are the points and atoms themselves."""
        sources = pyramid(self.places, self.supply, COARSEST)
        at = 0
        for target in pyramid(self.targets, self.demand, COARSEST):
            while len(sources[at].units) < len(target.units):
                at += 1
            yield sources[at], target
        for source in sources[at + 1 :]:
            yield source, target

    def stage_at(self, source: Layer, target: Layer) -> tuple[Stage, Floats]:
        """Carry the basis to these layers and choose arcs there; also the prices by which they were chosen."""
        basis, prices = self.carried(source, target)
        arcs, duals = self.candidates(basis.places, basis.targets, prices, ARCS)
        (ends, lengths), _ = self.candidates(basis.targets, basis.targets, np.zeros(basis.m), RELAYS + 1)
        relays = np.ascontiguousarray(ends[:, 1:]), np.ascontiguousarray(lengths[:, 1:])
        stage = Stage(source, target, basis, search_tree(basis.places), arcs, relays)
        upper = basis.cost_of_flow(TOTAL * self.factor) + self.noise
        lower = self.dual_value(source, target, duals, prices, upper)
        self.watch.narrow(lower - stage.moved, upper + stage.moved)
        return stage, prices

    def carried(self, source: Layer, target: Layer) -> tuple[Basis, Floats]:
        """The basis and the prices at these layers, from those of the present stage."""
        demand = np.add.reduceat(self.perturbed, target.starts[:-1])
        supply = source.units * self.factor
        if self.stage is None:
            basis = first_basis(source.places, supply, target.places, demand)
            return basis, np.zeros(basis.m)
        basis, prices = self.stage.basis, self.prices
        if target is not self.stage.target:
            prices = _tight_prices(target.places, self.stage.tree, basis.duals)
        # sources first: the finer they are, the better the parts of a target can share them
        if source is not self.stage.source:
            starts = np.searchsorted(source.starts, self.stage.source.starts)
            basis = refine_sources(basis, source.places, supply, starts)
        starts = self.stage.target.starts
        for layer in halvings(starts, target):
            parts = np.searchsorted(layer.starts, starts)
            demand = np.add.reduceat(self.perturbed, layer.starts[:-1])
            guide = prices if layer is target else np.zeros(len(demand))
            basis, starts = refine_targets(basis, layer.places, demand, parts, guide), layer.starts
        return basis, prices

    def candidates(self, places: Floats, targets: Floats, prices: Floats, wanted: int) -> tuple[Arcs, Floats]:
        """The `wanted` cheapest targets of each place by distance minus price, and the smallest such value."""
        value = np.full((len(places), wanted), np.inf)
        target, value = search(places, search_tree(targets), prices, value, self.watch.check)
        least = value[:, 0].copy()
        value += np.where(target >= 0, prices[target], 0.0)
        return (target, value), least

    def solve(self, stage: Stage) -> None:
        """Pivot and add arcs until the stage is solved; every better interval goes to the watch."""
        goal = self.tolerance if self.is_whole(stage) else COARSE_GAP
        first, total, slices = True, TOTAL * self.factor, 0
        # never needed so far; the bounds hold wherever the simplex stops
        most = 1_000_000 + 200 * (len(stage.source.units) + len(stage.target.units))
        while True:
            scale = (stage.basis.cost_of_flow(total) + stage.moved) / self.problem.fraction
            threshold = max(0.1 * goal * scale, 16.0 * EPS * self.span)
            before = stage.basis.pivots
            while stage.basis.pivots < before + most and not stage.pivot(threshold):
                self.watch.narrow(0.0, stage.basis.cost_of_flow(total) + stage.moved + self.noise)
                slices += 1
                if slices in PREVIEWS:
                    self.preview(solved=False)
            upper = stage.basis.cost_of_flow(total) + self.noise
            lower, new = self.price(stage, threshold, upper)
            self.watch.narrow(lower - stage.moved, upper + stage.moved)
            solved = upper - lower <= goal * (upper + stage.moved)
            stuck = stage.basis.pivots == before and not first
            if solved or stuck or len(new[0]) == 0:
                return
            simplex.insert_arcs(*new, stage.basis.prices, stage.basis.duals, *stage.arcs)
            first = False

    def preview(self, solved: bool) -> None:
        """The bounds that a coarse stage gives for the whole problem.

        Its basis, carried to the points and atoms, is a plan; once it is solved, its duals give prices of the atoms,
        if it is about the atoms themselves (prices of merged ones were worse than none). What a stage knows of its
        own coarse sides is worth less: all that merging moved is in doubt.
        """
        assert self.stage is not None
        near = 5 * self.stage.basis.m >= len(self.targets)
        if self.previews and near and not self.is_whole(self.stage):
            upper = self.carried(*self.finest)[0].cost_of_flow(TOTAL * self.factor) + self.noise
            self.watch.narrow(0.0, upper)
            if solved and self.stage.basis.m == len(self.targets):
                self.preview_lower(_tight_prices(self.targets, self.stage.tree, self.stage.basis.duals))

    def preview_lower(self, prices: Floats) -> None:
        """A lower bound from any prices (m,) of the atoms, with the best duals of all points for them."""
        if self.previews:
            value = np.full((len(self.places), 1), np.inf)
            duals = search(self.places, search_tree(self.targets), prices, value, self.watch.check)[1][:, 0]
            upper = self.problem.fraction * self.span
            self.watch.narrow(self.dual_value(*self.finest, duals, prices, upper), np.inf)

    def price(self, stage: Stage, threshold: float, upper: float) -> tuple[float, tuple[Any, Any, Floats]]:
        """The lower bound of the stage, less its rounding, and the arcs (source, target, g_j) that are missing."""
        basis = stage.basis
        duals, prices = basis.duals, basis.prices
        value = np.repeat(prices[:, None], NEW_ARCS, axis=1)
        source, value = search(basis.targets, stage.tree, duals, value, self.watch.check)
        self.prices = np.where(source[:, 0] >= 0, value[:, 0], prices)
        lower = self.dual_value(stage.source, stage.target, duals, self.prices, upper)
        violated = (source >= 0) & (value < prices[:, None] - threshold)
        target, rank = np.nonzero(violated)
        return lower, (source[target, rank], target, value[target, rank])

    def dual_value(self, source: Layer, target: Layer, duals: Floats, prices: Floats, upper: float) -> float:
        """sum a u + sum b g for these layers, less what rounding may have added to distances of mean `upper`."""
        supply, demand = source.units / TOTAL, target.units / TOTAL
        middle = float(np.median(prices))
        u, g = duals + middle, prices - middle
        size = upper + supply @ np.abs(u) + demand @ np.abs(g) + self.problem.fraction * np.abs(u).max()
        slack = rounding_slack(self.places.shape[1], len(u)) * size
        return float(supply @ u + demand @ g - slack)

    def true_cost(self, basis: Basis) -> float:
        """The cost of the basis for the demands as they are, not perturbed."""
        units = ship(basis, basis.edges(), self.supply, self.demand)
        slack = rounding_slack(basis.places.shape[1], len(self.supply))
        return (basis.cost_of_flow(TOTAL) + units / TOTAL * self.span) * (1.0 + slack)

    def with_proofs(self, solution: Solution) -> Solution:
        """Add a feasible plan, the best at hand, and prices."""
        prices = np.zeros(len(self.demand))
        if self.stage is None:
            flow = couple(self.supply, self.demand)
        else:
            prices[:] = np.repeat(self.prices, np.diff(self.stage.target.starts))
            flow = _flow(self.carried(*self.finest)[0], self.supply, self.demand)
        given = np.empty(len(prices))
        given[self.target_order] = prices
        source, target, units = flow
        return solution.with_plan((self.source_order[source], self.target_order[target], units), given)


def _flow(basis: Basis, supply: Ints, demand: Ints) -> Flow:
    """The plan of a basis on the whole problem, its relays replaced by what goes over them."""
    ship(basis, basis.edges(), supply, demand)
    tail, head = basis.edges()
    units = np.where(basis.parent[tail] == head, basis.flow[tail], basis.flow[head])
    relay = tail < basis.m
    hangs = np.flatnonzero(basis.home >= 0)
    pieces = (
        np.concatenate([hangs, basis.owner[tail[~relay]]]),
        np.concatenate([basis.home[hangs], head[~relay]]),
        np.concatenate([supply[hangs], units[~relay]]),
    )
    return fitted(direct(pieces, (tail[relay], head[relay], units[relay]), basis.m), supply, demand)


def _tight_prices(targets: Floats, sources: SearchTree, duals: Floats) -> Floats:
    """g_j = min_i |x_i - y_j| - u_i, the largest prices that the duals allow."""
    return search(targets, sources, duals, np.full((len(targets), 1), np.inf))[1][:, 0]


def _perturbed(demand: Ints) -> Ints:
    """A few units less everywhere and more at the root, so that no flow is 0 where the true masses would tie."""
    less = 1 + (np.arange(len(demand)) * 2654435761 >> 7) % 4
    less[0] = -less[1:].sum()
    return demand - less


def _span(places: Floats, targets: Floats) -> float:
    """The diagonal of the bounding box of both sides."""
    low = np.minimum(places.min(axis=0), targets.min(axis=0))
    high = np.maximum(places.max(axis=0), targets.max(axis=0))
    return float(np.linalg.norm(high - low))
