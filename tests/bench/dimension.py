"""Seconds for covering numbers, occupied cells and the dimension, and how often the band holds the known dimension.

Run by hand: `python -m tests.bench.dimension`, and `python -m tests.bench.dimension bands` for the second table.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable
from time import perf_counter

from privcore.clouds import CLOUDS, box_of, make
from privcore.dimension import covering_numbers, dimension, occupied_cells


def seconds(work: Callable[[], object]) -> float:
    start = perf_counter()
    work()
    return perf_counter() - start


def times() -> None:
    covering_numbers(make("uniform", 100, 2))  # compile
    print("cloud        d        n  make  cover to n/2  cells  dimension")
    settings = [("city", 2, 100_000), ("curve", 10, 100_000), ("sheet", 5, 100_000), ("uniform", 3, 100_000)]
    settings += [("uniform", 10, 100_000), ("city", 2, 1_000_000), ("sheet", 3, 1_000_000)]
    for name, d, n in settings:
        points = make(name, n, d)
        row = (
            seconds(lambda name=name, n=n, d=d: make(name, n, d)),
            seconds(lambda points=points, n=n: covering_numbers(points, enough=n / 2)),
            seconds(lambda points=points: occupied_cells(points)),
            seconds(lambda points=points, name=name, d=d, n=n: dimension(points, box_of(name, d), float(n))),
        )
        print(f"{name:10s} {d:3d} {n:8d} {row[0]:5.2f} {row[1]:13.2f} {row[2]:6.2f} {row[3]:10.2f}")


def bands() -> None:
    print("     n  eps  verdict     inside  outside  (by cloud and d, most missing)")
    for n, epsilon, seeds in ((1000, 1.0, 5), (2000, 1.0, 5), (20_000, 1.0, 3), (100_000, 1.0, 1)):
        inside: Counter[str] = Counter()
        outside: Counter[str] = Counter()
        where: Counter[str] = Counter()
        for name, d, known in _known():
            for seed in range(seeds):
                finest = 2e-3 if name == "cluster" else 0.0
                found = dimension(make(name, n, d, seed), box_of(name, d), epsilon * n, finest=finest)
                verdict = "tells" if found.tells else found.verdict
                holds = found.band[0] <= known <= found.band[1]
                (inside if holds else outside)[verdict] += 1
                if found.tells and not holds:
                    gap = max(found.band[0] - known, known - found.band[1])
                    where[f"{name} {d}"] = max(where[f"{name} {d}"], round(1000 * gap))
        for verdict in sorted({*inside, *outside}):
            missing = ", ".join(f"{key}: {gap / 1000}" for key, gap in where.most_common(4))
            shown = missing if verdict == "tells" else ""
            print(f"{n:6d} {epsilon:4.1f}  {verdict:10s} {inside[verdict]:7d} {outside[verdict]:8d}  {shown}")


def _known() -> list[tuple[str, int, float]]:
    found = []
    for name, cloud in CLOUDS.items():
        for d in (1, 2, 3, 5):
            known = cloud.intrinsic(d)
            if cloud.dimensions[0] <= d <= cloud.dimensions[1] and known is not None:
                found.append((name, d, known))
    return found


if __name__ == "__main__":
    bands() if sys.argv[1:] == ["bands"] else times()
