"""The contracted network simplex: a spanning tree over the targets and the few sources that ship to several.

A basis is a tree. Its nodes are the m targets (0, ..., m - 1; 0 is the root) and at most m - 1 split sources
(m, ..., 2 m - 2); every other source hangs on one target and is no node, so moving a whole source never touches
the tree. Edges are source -> target, or target -> target (relays; by the triangle inequality a plan without them
costs no more). Edge data is kept at the child: `flow` >= 0, `up` (towards the parent) and `cost`.
The potential of a node satisfies pi_b = pi_a + cost along every edge a -> b; at a target it is its price g.
"""

from __future__ import annotations

import numpy as np
from numba import njit

NODE = np.dtype(
    [("parent", np.int32), ("mark", np.int32), ("flow", np.int64), ("cost", np.float64), ("up", np.bool_)], align=True
)
"""A node of the tree, 32 bytes: a walk along a path touches one cache line a node."""

# State of the sources: home (n,), the target, or -1 - node of a split source; home_cost (n,), the distance to it.
# State of the tree: tree (2 m,) of NODE, owner (2 m,) the source of a split node, -1 if it is free, degree (2 m,).


# Kernels have no types, and mypy is told so: numba's decorator has none, and a kernel is compiled for what it is given.
@njit(cache=True, nogil=True)
def potentials(m, tree, owner, pi):  # type: ignore[no-untyped-def]
    """Fill pi (2 m,) down from the root, whose potential is kept."""
    done = np.zeros(2 * m, np.bool_)
    done[0] = True
    stack = np.empty(2 * m, np.int64)
    for start in range(2 * m):
        if start >= m and owner[start] < 0:
            continue
        v, top = start, 0
        while not done[v]:
            stack[top] = v
            top += 1
            v = tree[v].parent
        while top > 0:
            top -= 1
            v = stack[top]
            pi[v] = pi[tree[v].parent] - tree[v].cost if tree[v].up else pi[tree[v].parent] + tree[v].cost
            done[v] = True


@njit(cache=True, nogil=True)
def pivots(  # type: ignore[no-untyped-def]
    m, supply, home, home_cost, arc, arc_cost, link, link_cost,
    tree, owner, degree, pi, free, state, threshold, work,
):  # fmt: skip
    """Pivot until a whole pass finds no arc below -threshold, or about `work` steps are done; True at the end.

    Arcs are priced in batches with potentials computed once a batch; each candidate is then priced again along
    its cycle, so stale potentials cost time and never correctness. That makes a pivot cost its cycle's length:
    nothing is kept about the subtree that moves. Ties keep the tree strongly feasible, against cycling.
    Where rounding alone makes candidates, none is taken: the end is a pass without a pivot, not one without candidates.
    state: [where pricing goes on, number of free nodes, last mark, number of pivots, priced since the last pivot].
    """
    batch = min(max(256, m // 32), 1024)  # the more targets, the dearer their potentials
    steps = 0
    n, wanted = arc.shape
    links = link.shape[1]
    total = n + m
    who = np.empty(batch, np.int64)
    to = np.empty(batch, np.int64)
    gain = np.empty(batch, np.float64)
    price = np.empty(batch, np.float64)
    stale = np.zeros(1 << 12, np.int64)
    climbed = np.empty(2 * m, np.float64)
    # sources are priced in chunks that jump about, so that the candidates of a batch seldom share a cycle
    chunks = (total + 15) // 16
    stride = int(chunks * 0.6180339887) | 1
    while np.gcd(stride, chunks) != 1:
        stride += 2
    while True:
        potentials(m, tree, owner, pi)
        count = scanned = 0
        while scanned < 16 * chunks and count < batch:
            at = state[0] + scanned % 16
            if scanned % 16 == 15:
                state[0] = 16 * ((state[0] // 16 + stride) % chunks)
            scanned += 1
            if at >= total:
                continue
            best, best_to, best_price = threshold, -1, 0.0
            if at < n:
                here = home[at]
                have = pi[here] - home_cost[at] if here >= 0 else pi[-1 - here]
                for k in range(wanted):
                    j = arc[at, k]
                    if j < 0:
                        break
                    better = pi[j] - have - arc_cost[at, k]
                    if better > best:
                        best, best_to, best_price = better, j, arc_cost[at, k]
            else:
                have = pi[at - n]
                for k in range(links):
                    j = link[at - n, k]
                    if j < 0:
                        break
                    better = pi[j] - have - link_cost[at - n, k]
                    if better > best:
                        best, best_to, best_price = better, j, link_cost[at - n, k]
            if best_to >= 0:
                who[count], to[count], gain[count], price[count] = at, best_to, best, best_price
                count += 1
        state[0] = 16 * ((state[0] // 16 + (stride if scanned % 16 else 0)) % chunks)
        steps += scanned // 4 + 2 * m
        state[4] += scanned
        if count == 0:
            state[4] = 0
            return True
        stale[:] = -1
        by_gain = np.argsort(-gain[:count])
        for c in range(count):
            i, k, c_new = who[by_gain[c]], to[by_gain[c]], price[by_gain[c]]
            hangs = False
            c_old = 0.0
            if i >= n:
                start = i - n
            elif home[i] >= 0:
                hangs = True
                start, c_old = home[i], home_cost[i]
            else:
                start = -1 - home[i]
            if start == k:
                continue
            pair = start * (2 * m) + k
            slot = pair * 2654435761 >> 8 & 4095
            if stale[slot] == pair:
                continue
            # the lowest common ancestor, climbing from both ends in turn; the cycle's cost adds up on the way
            state[2] += 2
            mine, other = state[2], state[2] + 1
            a, b = k, start
            tree[a].mark, tree[b].mark = mine, other
            from_a, from_b = c_new, -c_old
            climbed[a], climbed[b] = from_a, from_b
            join = -1
            while join < 0:
                if a != 0:
                    from_a += tree[a].cost if tree[a].up else -tree[a].cost
                    a = tree[a].parent
                    if tree[a].mark == other:
                        join = a
                        from_b = climbed[a]
                    else:
                        tree[a].mark = mine
                        climbed[a] = from_a
                if join < 0 and b != 0:
                    from_b += -tree[b].cost if tree[b].up else tree[b].cost
                    b = tree[b].parent
                    if tree[b].mark == mine:
                        join = b
                        from_a = climbed[b]
                    else:
                        tree[b].mark = other
                        climbed[b] = from_b
                steps += 2
            reduced = from_a + from_b
            if reduced >= -threshold:
                stale[slot] = pair
                continue
            state[3] += 1
            state[4] = 0
            # the bottleneck: the last blocking edge, from the join along the cycle
            theta = supply[i] if hangs else np.int64(2**62)
            leave, side = -1, 0
            v = start
            while v != join:
                if tree[v].up and tree[v].flow < theta:
                    theta, leave, side = tree[v].flow, v, 2
                v = tree[v].parent
                steps += 1
            v = k
            while v != join:
                if not tree[v].up and tree[v].flow <= theta:
                    theta, leave, side = tree[v].flow, v, 1
                v = tree[v].parent
                steps += 1
            v = start
            while v != join:
                tree[v].flow += -theta if tree[v].up else theta
                v = tree[v].parent
            v = k
            while v != join:
                tree[v].flow += theta if tree[v].up else -theta
                v = tree[v].parent
            if side == 0:
                home[i], home_cost[i] = k, c_new
                continue
            # the basis changes: a hanging source becomes a node, the loose part is hung on again by its end
            node = start
            if i < n:
                if hangs:
                    state[1] -= 1
                    node = free[state[1]]
                    owner[node] = i
                    degree[node] = 1
                    home[i] = -1 - node
                degree[node] += 1
            ends = (np.int64(leave), np.int64(tree[leave].parent))
            if side == 1:
                v, p, f, u, w = k, node, theta, False, c_new
                if hangs:
                    tree[node].parent, tree[node].flow, tree[node].up, tree[node].cost = (
                        start,
                        supply[i] - theta,
                        True,
                        c_old,
                    )
            elif hangs:
                v, p, f, u, w = start, node, supply[i] - theta, False, c_old
                tree[node].parent, tree[node].flow, tree[node].up, tree[node].cost = k, theta, True, c_new
            else:
                v, p, f, u, w = start, k, theta, True, c_new
            while True:
                old_p, old_f, old_u, old_w = tree[v].parent, tree[v].flow, tree[v].up, tree[v].cost
                tree[v].parent, tree[v].flow, tree[v].up, tree[v].cost = p, f, u, w
                steps += 1
                if v == leave:
                    break
                p, f, u, w = v, old_f, not old_u, old_w
                v = old_p
            for v in ends:
                if v >= m:
                    degree[v] -= 1
                    if degree[v] == 1:
                        home[owner[v]], home_cost[owner[v]] = tree[v].parent, tree[v].cost
                        owner[v] = -1
                        free[state[1]] = v
                        state[1] += 1
        if state[4] >= 16 * chunks:
            state[4] = 0
            return True
        if steps > work:
            return False


@njit(cache=True, nogil=True)
def rooted(m, tail, head, edge_cost, tree, order):  # type: ignore[no-untyped-def]
    """Hang the tree with the edges tail -> head on node 0; order (edges + 1,) gets its nodes, parents first."""
    edges = len(tail)
    first = np.full(2 * m, -1, np.int64)
    after = np.empty(2 * edges, np.int64)
    for e in range(edges):
        after[2 * e], first[tail[e]] = first[tail[e]], 2 * e
        after[2 * e + 1], first[head[e]] = first[head[e]], 2 * e + 1
    order[0] = 0
    tree[0].parent = -1
    known = 1
    for k in range(edges + 1):
        v = order[k]
        at = first[v]
        while at >= 0:
            e = at // 2
            w = head[e] if at % 2 == 0 else tail[e]
            if w != tree[v].parent:
                tree[w].parent, tree[w].cost, tree[w].up = v, edge_cost[e], at % 2 == 1
                order[known] = w
                known += 1
            at = after[at]


@njit(cache=True, nogil=True)
def tree_flows(m, order, balance, tree):  # type: ignore[no-untyped-def]
    """The only flow that ships balance (2 m,), supply minus demand, over the tree; relays turn to be >= 0.

    Returns the units by which edges source -> target would have to be negative (0 in a feasible basis).
    """
    wrong = 0
    for k in range(len(order) - 1, 0, -1):
        v = order[k]
        p = tree[v].parent
        balance[p] += balance[v]
        units = balance[v]
        if v < m and p < m:
            if units != 0:
                tree[v].up = units > 0
            tree[v].flow = abs(units)
        else:
            tree[v].flow = units if tree[v].up else -units
            if tree[v].flow < 0:
                wrong -= tree[v].flow
                tree[v].flow = 0
    return wrong


@njit(cache=True, nogil=True)
def split_sources(  # type: ignore[no-untyped-def]
    m, places, supply, starts, targets, prices, home, tail, head, edge_flow, edge_owner, new_home, new_tail, new_head,
):  # fmt: skip
    """Replace every source by its parts, places[starts[s]:starts[s + 1]], and map the basis edges tail -> head.

    The parts of a hanging source hang where it did. A source split over r targets fills them in turn with the
    parts that prefer them most; the r - 1 parts at the boundaries become the new split nodes, so that flows stay
    feasible and the tree stays a tree. Edges must be sorted by tail; edge_owner is the source of a split tail.
    Returns (edges, split nodes); home is -1 - node at the new split nodes.
    """
    n, d = places.shape
    old = len(starts) - 1
    left = supply.copy()
    node = np.full(n, -1, np.int64)
    edges = 0
    nodes = 0
    for s in range(old):
        if home[s] >= 0:
            for i in range(starts[s], starts[s + 1]):
                new_home[i] = home[s]
    e = 0
    while e < len(tail):
        if tail[e] < m:
            new_tail[edges], new_head[edges] = tail[e], head[e]
            edges += 1
            e += 1
            continue
        stop = e
        while stop < len(tail) and tail[stop] == tail[e]:
            stop += 1
        s = edge_owner[e]
        lo, hi = starts[s], starts[s + 1]
        r = stop - e
        wish = np.empty((hi - lo, r))
        for i in range(lo, hi):
            for t in range(r):
                square = 0.0
                for a in range(d):
                    step = places[i, a] - targets[head[e + t], a]
                    square += step * step
                wish[i - lo, t] = np.sqrt(square) - prices[head[e + t]]
        for t in range(r):
            j = head[e + t]
            need = edge_flow[e + t]
            if t == r - 1:
                for i in range(lo, hi):
                    if left[i] > 0:
                        if node[i] < 0:
                            new_home[i] = j
                        else:
                            new_tail[edges], new_head[edges] = node[i], j
                            edges += 1
                        left[i] = 0
                break
            key = np.empty(hi - lo)
            for i in range(hi - lo):
                rest = wish[i, t + 1]
                for t_next in range(t + 2, r):
                    rest = min(rest, wish[i, t_next])
                key[i] = wish[i, t] - rest
            ranks = np.argsort(key)
            found = False
            for rank in ranks:
                i = lo + rank
                if left[i] == 0:
                    continue
                given = min(left[i], need)
                left[i] -= given
                need -= given
                if need == 0:
                    # the boundary: this part also goes on to later targets, with flow 0 if nothing is left of it
                    if node[i] < 0:
                        node[i] = m + nodes
                        nodes += 1
                    new_tail[edges], new_head[edges] = node[i], j
                    edges += 1
                    if left[i] == 0:
                        new_tail[edges], new_head[edges] = node[i], head[e + t + 1]
                        edges += 1
                    found = True
                    break
                if node[i] < 0:
                    new_home[i] = j
                else:
                    new_tail[edges], new_head[edges] = node[i], j
                    edges += 1
            if not found:
                # nothing is left for the targets from here on: relays without flow keep the tree connected
                new_tail[edges], new_head[edges] = j, head[e + t + 1]
                edges += 1
        e = stop
    for i in range(n):
        if node[i] >= 0:
            new_home[i] = -1 - node[i]
    return edges, nodes


@njit(cache=True, nogil=True)
def split_targets(  # type: ignore[no-untyped-def]
    starts, targets, wanted, prices, first, spot, units, node, source, fresh, home, new_tail, new_head, new_owner,
):  # fmt: skip
    """Replace every target by its parts, targets[starts[t]:starts[t + 1]], and share what arrives among them.

    What arrives at target t is first[t]:first[t + 1] of: `spot` (k, d) where it comes from, `units`, `node` the tail
    of its edge or -1 for the hanging `source`. The parts are filled in turn, each with what prefers it most, up to
    their `wanted` units; what crosses from a part to the next joins the two, so the tree stays a tree.
    `fresh` is the number of the first new split node. Returns (edges, new split nodes).
    """
    d = targets.shape[1]
    edges = 0
    nodes = 0
    for t in range(len(starts) - 1):
        lo, hi = first[t], first[t + 1]
        q, r = starts[t], starts[t + 1] - starts[t]
        wish = np.empty((hi - lo, r))
        for i in range(hi - lo):
            for k in range(r):
                square = 0.0
                for a in range(d):
                    step = spot[lo + i, a] - targets[q + k, a]
                    square += step * step
                wish[i, k] = np.sqrt(square) - prices[q + k]
        left = units[lo:hi].copy()
        before = np.full(hi - lo, -1, np.int64)  # the part that a hanging source has so far
        done = np.zeros(hi - lo, np.bool_)
        for k in range(r):
            need = wanted[q + k]
            key = np.zeros(hi - lo)
            if k < r - 1:
                for i in range(hi - lo):
                    rest = wish[i, k + 1]
                    for later in range(k + 2, r):
                        rest = min(rest, wish[i, later])
                    key[i] = wish[i, k] - rest
            crossed = k == r - 1
            for i in np.argsort(key):
                if done[i]:
                    continue
                given = min(left[i], need)
                left[i] -= given
                need -= given
                at = lo + i
                if node[at] >= 0:
                    new_tail[edges], new_head[edges] = node[at], q + k
                    edges += 1
                elif before[i] < 0:
                    before[i] = q + k
                    home[source[at]] = q + k
                else:
                    node[at] = fresh + nodes
                    new_owner[nodes] = source[at]
                    home[source[at]] = -1 - node[at]
                    nodes += 1
                    new_tail[edges], new_head[edges] = node[at], before[i]
                    new_tail[edges + 1], new_head[edges + 1] = node[at], q + k
                    edges += 2
                if k < r - 1 and need == 0:
                    # it also goes on to a later part, with flow 0 if nothing is left of it
                    crossed = True
                    break
                done[i] = True
            if not crossed:
                # nothing is left for the parts from here on: relays without flow keep the tree connected
                new_tail[edges], new_head[edges] = q + k, q + k + 1
                edges += 1
    return edges, nodes


@njit(cache=True, nogil=True)
def insert_arcs(source, target, value, prices, duals, arc, arc_cost):  # type: ignore[no-untyped-def]
    """Put arcs source -> target of cost value + duals[source] in place of the dearest arcs of their sources."""
    for e in range(len(source)):
        i, j = source[e], target[e]
        worst, worst_cost = -1, -np.inf
        for k in range(arc.shape[1]):
            if arc[i, k] == j:
                worst = -1
                break
            reduced = np.inf if arc[i, k] < 0 else arc_cost[i, k] - prices[arc[i, k]]
            if reduced > worst_cost:
                worst, worst_cost = k, reduced
        if worst >= 0:
            arc[i, worst], arc_cost[i, worst] = j, value[e] + duals[i]
