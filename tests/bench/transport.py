"""W1 against POT in the same run, and large problems alone: `python -m tests.bench.transport [--large]`.

Points with the leaves of a cyclic dyadic partition of about 20 points a leaf, noisy masses projected on the simplex.
"""

from __future__ import annotations

import resource
import sys
import time

import numpy as np

from privcore.arrays import Floats
from privcore.transport import wasserstein
from tests.oracle.transport import w1_by_pot

AGAINST_POT = [(500, 200, 2), (2000, 800, 2), (5000, 2000, 2), (5000, 2000, 5), (20000, 5000, 2)]
ALONE = [(100_000, 5000, 2), (100_000, 5000, 3), (100_000, 5000, 10)]
GAPS = (0.3, 1e-2, 1e-6)
LARGE = [(1_000_000, 30_000, 2), (1_000_000, 30_000, 3)]


def instance(n: int, leaves: int, d: int, seed: int = 0) -> tuple[Floats, Floats, Floats]:
    """Points of eight blobs, and about `leaves` leaf centres with their released masses."""
    rng = np.random.default_rng(seed)
    spread = 0.07 if d <= 3 else 0.02
    points = np.clip(rng.random((8, d))[rng.integers(0, 8, n)] + spread * rng.normal(size=(n, d)), 0, 1)
    centres, counts = partition(points, 1.4 * n / leaves)
    noisy = counts + 2.0 * rng.laplace(size=len(counts))
    ordered = np.sort(noisy)[::-1]
    levels = (np.cumsum(ordered) - n) / np.arange(1, len(noisy) + 1)
    masses = np.maximum(noisy - levels[np.flatnonzero(ordered > levels)[-1]], 0.0)
    return points, centres[masses > 0], masses[masses > 0] / masses.sum()


def partition(points: Floats, most: float) -> tuple[Floats, Floats]:
    """Halve cells across their axes in turn while they hold more than `most` points."""
    d = points.shape[1]
    stack = [(np.arange(len(points)), np.zeros(d), np.ones(d), 0)]
    centres, counts = [], []
    while stack:
        rows, low, high, depth = stack.pop()
        centre = (low + high) / 2
        if len(rows) <= most or depth > 40:
            centres.append(centre)
            counts.append(float(len(rows)))
            continue
        axis = depth % d
        below = points[rows, axis] < centre[axis]
        for side, edge in ((below, high), (~below, low)):
            other = edge.copy()
            other[axis] = centre[axis]
            cell = (low, other) if edge is high else (other, high)
            stack.append((rows[side], *cell, depth + 1))
    return np.array(centres), np.array(counts)


def main() -> None:
    """Print one line a problem: the times at which the gap was 30 %, 1 % and 1e-6; the ratios of seconds and of CPU."""
    warm = instance(3000, 300, 2)
    start = time.perf_counter()
    wasserstein(warm[0], warm[1], measure_weights=warm[2])
    print(f"first call, with compiling or loading the compiled code: {time.perf_counter() - start:.1f} s")
    print("   points   atoms   d  seconds     cpu    30 %     1 %    1e-6      gap      POT  ratio   (cpu)")
    with_pot = AGAINST_POT if "--alone" not in sys.argv else []
    for n, leaves, d in with_pot + ALONE + (LARGE if "--large" in sys.argv else []):
        line(n, leaves, d, (n, leaves, d) in with_pot)
    print(f"peak memory {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6:.2f} GB")


def line(n: int, leaves: int, d: int, pot: bool) -> None:
    points, atoms, masses = instance(n, leaves, d)
    reached: dict[float, float] = {}

    def progress(lower: float, upper: float) -> None:
        for gap in GAPS:
            if upper - lower <= gap * upper:
                reached.setdefault(gap, time.perf_counter() - start)

    cpu, start = time.process_time(), time.perf_counter()
    result = wasserstein(points, atoms, measure_weights=masses, progress=progress)
    seconds, cpu = time.perf_counter() - start, time.process_time() - cpu
    gap = (result.upper - result.lower) / result.upper
    at = " ".join(f"{reached.get(g, seconds):7.2f}" for g in GAPS)
    text = f"{n:9} {len(atoms):7} {d:3} {seconds:8.2f} {cpu:7.2f} {at} {gap:8.0e}"
    if pot:
        start, other_cpu = time.perf_counter(), time.process_time()
        truth = w1_by_pot(points, np.full(n, 1.0 / n), atoms, masses)
        other, other_cpu = time.perf_counter() - start, time.process_time() - other_cpu
        assert abs(truth - result.value) <= 1e-9 * truth
        text += f" {other:8.2f} {other / seconds:6.1f} {other_cpu / cpu:7.1f}"
    print(text, flush=True)


if __name__ == "__main__":
    main()
