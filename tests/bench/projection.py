"""Time, memory and certificate of the Lipschitz projection. Run by hand: `python -m tests.bench.projection`."""

from __future__ import annotations

import multiprocessing
import time
from pathlib import Path

import numpy as np

from privcore.arrays import Floats
from privcore.cells import CellCounts
from privcore.domain import Box
from privcore.noise import SeededWords
from privcore.projection import cancel_in_tree, project
from privcore.tree import Growth, privtree

CASES = [
    ("blobs", 2, 150_000),
    ("blobs", 5, 150_000),
    ("sheet", 10, 150_000),
    ("blobs", 2, 1_600_000),
    ("sheet", 3, 1_600_000),
    ("sheet", 10, 800_000),
    ("sheet", 10, 2_500_000),
]


def cloud(name: str, d: int, n: int, rng: np.random.Generator) -> Floats:
    if name == "blobs":
        centres = rng.uniform(0.2, 0.8, (6, d))
        return np.clip(centres[rng.integers(0, 6, n)] + rng.normal(0.0, 0.05, (n, d)), 0.0, 1.0)
    basis, _ = np.linalg.qr(rng.normal(size=(d, 2)))
    return np.clip(0.5 + rng.uniform(-0.5, 0.5, (n, 2)) @ basis.T, 0.0, 1.0)


def grown(name: str, d: int, n: int, rng: np.random.Generator) -> Growth:
    counts = CellCounts(cloud(name, d, n, rng), Box.unit(d))
    return privtree(counts, 0.0, 4.25, 6.0, SeededWords(1))


def peak() -> float:
    """Return the largest memory this process has held so far, in MB."""
    status = dict(line.split(":", 1) for line in Path("/proc/self/status").read_text().splitlines())
    return int(status["VmHWM"].split()[0]) / 1024


def measured(points: Floats, masses: Floats) -> tuple[float, float, bool, float]:
    project(points[:300], masses[:300], "lipschitz")
    before, start = peak(), time.perf_counter()
    result = project(points, masses, "lipschitz")
    return time.perf_counter() - start, peak() - before, result.certified, result.cost


def main() -> None:
    print("cloud   d        n   leaves negative  seconds  more MB  certified      cost  cancelled in a tree")
    for name, d, n in CASES:
        rng = np.random.default_rng(0)
        growth = grown(name, d, n, rng)
        tree, m = growth.tree, growth.tree.leaves.size
        noisy = growth.count[tree.leaves] + rng.geometric(0.39, m) - rng.geometric(0.39, m)
        masses = noisy / noisy.sum()
        with multiprocessing.get_context("spawn").Pool(1) as pool:
            seconds, more, certified, cost = pool.apply(measured, (tree.representatives.copy(), masses))
        start = time.perf_counter()
        cancel_in_tree(tree.parent, tree.leaves, masses)
        print(
            f"{name:6s} {d:2d} {n:8d} {m:8d} {int((masses < 0).sum()):8d} {seconds:8.2f} {more:8.0f}  "
            f"{certified!s:9s} {cost:9.3g}  {time.perf_counter() - start:.3f} s",
            flush=True,
        )


if __name__ == "__main__":
    main()
