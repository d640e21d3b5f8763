"""CPU seconds of a release from points to masses, and its peak memory: python -m tests.bench.speed"""

from __future__ import annotations

import resource
import subprocess
import sys
import time

import numpy as np

from privcore import Box, Parameters, release

SIZES = (1_000_000, 10_000_000)


def one(n: int) -> None:
    points = np.random.default_rng(0).random((n, 2))
    _ = release(points[:1000], Box.unit(2), Parameters(1.0)).projection  # imports and tables are not counted
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    start = time.process_time()
    made = release(points, Box.unit(2), Parameters(1.0))
    masses = made.projection.masses
    seconds = time.process_time() - start
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
    per_row = peak * 1024 / n
    print(
        f"{n:>10,} points, d = 2, epsilon = 1: {seconds:6.2f} CPU s, {len(masses):>8,} leaves, "
        f"{peak / 1024:7.1f} MB above the input ({per_row:.1f} bytes a row)"
    )


if __name__ == "__main__":
    if len(sys.argv) > 1:
        one(int(sys.argv[1]))
    else:
        for size in SIZES:
            subprocess.run([sys.executable, "-m", "tests.bench.speed", str(size)], check=True)
