"""A basis of the contracted network simplex, and how it is carried to finer sources and targets."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from privcore.arrays import Bools, Floats, Ints
from privcore.transport import simplex

Edges = tuple[Ints, Ints]
"""Tails and heads: target or split node -> target."""


@dataclass
class Basis:
    """The state that `simplex.pivots` changes; see there. Sources (n,), tree nodes (2 m,)."""

    places: Floats
    supply: Ints
    targets: Floats
    demand: Ints
    home: Ints
    home_cost: Floats
    tree: NDArray[Any]
    owner: Ints
    degree: Ints
    pi: Floats
    free: Ints
    state: Ints

    @property
    def parent(self) -> Ints:
        """The parents of the nodes (2 m,), -1 at the root."""
        return np.asarray(self.tree["parent"])

    @property
    def flow(self) -> Ints:
        """The units on the edges to the parents (2 m,)."""
        return np.asarray(self.tree["flow"])

    @property
    def up(self) -> Bools:
        """Whether these edges lead to the parents (2 m,)."""
        return np.asarray(self.tree["up"])

    @property
    def m(self) -> int:
        """The number of targets."""
        return len(self.targets)

    @property
    def prices(self) -> Floats:
        """The prices g (m,) of the targets."""
        return self.pi[: self.m]

    @property
    def duals(self) -> Floats:
        """u (n,) of the sources: u_i + g_j = cost on every arc of the basis."""
        hangs = self.home >= 0
        u = np.empty(len(self.places))
        u[hangs] = self.home_cost[hangs] - self.pi[self.home[hangs]]
        u[~hangs] = -self.pi[-1 - self.home[~hangs]]
        return u

    @property
    def pivots(self) -> int:
        """The number of pivots so far."""
        return int(self.state[3])

    @property
    def split_nodes(self) -> Ints:
        """The tree's nodes that are split sources."""
        return self.m + np.flatnonzero(self.owner[self.m :] >= 0)

    def edges(self) -> Edges:
        """The tree's edges, sorted by their tails."""
        nodes = np.concatenate([np.arange(1, self.m), self.split_nodes])
        up, above = self.up[nodes], self.parent[nodes]
        tail = np.where(up, nodes, above)
        order = np.argsort(tail, kind="stable")
        return tail[order], np.where(up, above, nodes)[order]

    def cost_of_flow(self, total: int) -> float:
        """The cost of the basis, masses in units of 1 / total."""
        nodes = np.concatenate([np.arange(1, self.m), self.split_nodes])
        tree = np.sum(self.flow[nodes] / total * self.tree["cost"][nodes])
        hanging = np.where(self.home >= 0, self.supply, 0)
        return float(tree + np.sum(hanging / total * self.home_cost))


def distances(a: Floats, b: Floats) -> Floats:
    """|a - b| along the last axis."""
    step = a - b
    return np.asarray(np.sqrt(np.einsum("...i,...i", step, step)))


def assemble(
    places: Floats, supply: Ints, targets: Floats, demand: Ints, home: Ints, edges: Edges, owner: Ints, root: float
) -> Basis:
    """The basis with these homes, tree edges and owners of the split nodes m, m + 1, ...; root is the price of node 0.

    The flow is the only one that the tree allows; it must not be negative on an edge that leaves a source.
    """
    m, split, size = len(targets), len(owner), 2 * len(targets)
    hangs = home >= 0
    home_cost = np.zeros(len(places))
    home_cost[hangs] = distances(places[hangs], targets[home[hangs]])
    nodes_of = np.full(size, -1, dtype=np.int64)
    nodes_of[m : m + split] = owner
    free = np.zeros(size, dtype=np.int64)
    free[: size - m - split] = np.arange(size - 1, m + split - 1, -1)
    basis = Basis(
        places,
        supply,
        targets,
        demand,
        home,
        home_cost,
        tree=np.zeros(size, dtype=simplex.NODE),
        owner=nodes_of,
        degree=np.bincount(edges[0], minlength=size),
        pi=np.zeros(size),
        free=free,
        state=np.array([0, size - m - split, 2, 0, 0], dtype=np.int64),
    )
    basis.pi[0] = root
    ship(basis, edges, supply, demand)
    simplex.potentials(m, basis.tree, basis.owner, basis.pi)
    return basis


def ship(basis: Basis, edges: Edges, supply: Ints, demand: Ints) -> int:
    """Hang the tree on node 0 and fill its flow for these supplies; returns the units that would be negative."""
    m = basis.m
    split = basis.split_nodes
    spots = np.zeros((2 * m, basis.places.shape[1]))
    spots[:m] = basis.targets
    spots[split] = basis.places[basis.owner[split]]
    order = np.zeros(m + len(split), dtype=np.int64)
    cost = distances(spots[edges[0]], spots[edges[1]])
    simplex.rooted(m, edges[0], edges[1], cost, basis.tree, order)
    balance = np.zeros(2 * m, dtype=np.int64)
    balance[:m] = -demand
    balance[split] = supply[basis.owner[split]]
    hangs = basis.home >= 0
    np.add.at(balance, basis.home[hangs], supply[hangs])
    return int(simplex.tree_flows(m, order, balance, basis.tree))


def first_basis(places: Floats, supply: Ints, targets: Floats, demand: Ints) -> Basis:
    """Every source at its nearest target; a chain of relays carries the imbalance."""
    step = max(1, 2_000_000 // len(targets))
    home = np.concatenate(
        [
            distances(places[k : k + step, None], targets).argmin(axis=1).astype(np.int64)
            for k in range(0, len(places), step)
        ]
    )
    chain = np.arange(len(targets))
    return assemble(
        places, supply, targets, demand, home, (chain[:-1], chain[1:]), np.zeros(0, dtype=np.int64), root=0.0
    )


def refine_sources(basis: Basis, places: Floats, supply: Ints, starts: Ints) -> Basis:
    """The same basis on the parts of its sources: places[starts[s]:starts[s + 1]] are the parts of source s."""
    m = basis.m
    tail, head = basis.edges()
    flow = np.where(basis.parent[tail] == head, basis.flow[tail], basis.flow[head])
    home = np.full(len(places), -1, dtype=np.int64)
    new_tail = np.zeros(2 * m, dtype=np.int64)
    new_head = np.zeros(2 * m, dtype=np.int64)
    edges, nodes = simplex.split_sources(
        m, places, supply, starts, basis.targets, basis.prices, basis.home, tail, head, flow, basis.owner[tail],
        home, new_tail, new_head,
    )  # fmt: skip
    split = np.flatnonzero(home < 0)
    owner = np.zeros(nodes, dtype=np.int64)
    owner[-1 - home[split] - m] = split
    new_edges = (new_tail[:edges], new_head[:edges])
    return assemble(places, supply, basis.targets, basis.demand, home, new_edges, owner, float(basis.pi[0]))


def refine_targets(basis: Basis, targets: Floats, demand: Ints, starts: Ints, prices: Floats) -> Basis:
    """The same basis on the parts of its targets: targets[starts[t]:starts[t + 1]] are the parts of target t.

    What went to a target is shared among its parts, each taking what prefers it by distance minus `prices`.
    """
    m, fine = basis.m, len(targets)
    split, hangs = basis.split_nodes, np.flatnonzero(basis.home >= 0)
    owner = basis.owner[split]
    number = np.zeros(2 * m, dtype=np.int64)
    number[split] = fine + np.arange(len(split))
    tail, head = basis.edges()
    flow = np.where(basis.parent[tail] == head, basis.flow[tail], basis.flow[head])
    relay = tail < m
    number[:m] = starts[:-1]
    wanted = demand.copy()
    from_part = number[tail]
    from_part[relay] = _nearest_part(targets, starts, tail[relay], basis.targets[head[relay]])
    np.add.at(wanted, from_part[relay], flow[relay])
    spots = np.empty((len(tail), targets.shape[1]))
    spots[relay] = targets[from_part[relay]]
    spots[~relay] = basis.places[basis.owner[tail[~relay]]]
    to = np.concatenate([basis.home[hangs], head])
    order = np.argsort(to, kind="stable")
    source = np.concatenate([hangs, np.full(len(tail), -1)])[order]
    home = np.full(len(basis.home), -1, dtype=np.int64)
    home[owner] = -1 - number[split]
    new_tail, new_head, new_owner = (np.zeros(2 * fine, dtype=np.int64) for _ in range(3))
    edges, nodes = simplex.split_targets(
        starts, targets, wanted, prices, np.searchsorted(to[order], np.arange(m + 1)),
        np.concatenate([basis.places[hangs], spots])[order], np.concatenate([basis.supply[hangs], flow])[order],
        np.concatenate([np.full(len(hangs), -1), from_part])[order], source, fine + len(split),
        home, new_tail, new_head, new_owner,
    )  # fmt: skip
    by_tail = np.argsort(new_tail[:edges], kind="stable")
    new_edges = (new_tail[by_tail], new_head[by_tail])
    owner = np.concatenate([owner, new_owner[:nodes]])
    return assemble(basis.places, basis.supply, targets, demand, home, new_edges, owner, float(basis.pi[0]))


def _nearest_part(targets: Floats, starts: Ints, group: Ints, spots: Floats) -> Ints:
    """For each of the `spots` (k, d) the nearest of the parts of the target `group` (k,)."""
    counts = np.diff(starts)
    options = starts[group][:, None] + np.minimum(np.arange(int(counts.max())), counts[group][:, None] - 1)
    best = distances(spots[:, None], targets[options]).argmin(axis=1)
    return np.asarray(options[np.arange(len(options)), best])
