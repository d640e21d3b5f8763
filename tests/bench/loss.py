"""The realised privacy loss of 100,000 runs over hostile data: python -m tests.bench.loss [runs]."""

from __future__ import annotations

import sys

import numpy as np

from privcore import Box, Parameters, simulate
from tests.core.test_loss import CASES, ROUNDING, hostile, largest


def main(runs: int) -> None:
    random = np.random.default_rng()
    worst = dict.fromkeys(map(str, CASES), 0.0)
    for count in range(runs):
        chosen = CASES[count % len(CASES)]
        n, d = int(random.choice([0, 1, 2, 7, 40, 300])), int(random.integers(1, 4))
        case = chosen | ({"shift": (0.25,) * d} if isinstance(chosen.get("shift"), tuple) else {})
        epsilon, seed = float(np.exp(random.uniform(np.log(0.01), np.log(20)))), int(random.integers(2**62))
        points = hostile(int(random.integers(5)), n, d, seed)
        run = simulate(points, Box.unit(d), Parameters(epsilon, **case), seed)
        share = largest(run) / epsilon
        if share > 1 + ROUNDING:
            raise SystemExit(f"{share:.15f} of epsilon: {case}, n={n}, d={d}, epsilon={epsilon!r}, seed={seed}")
        worst[str(chosen)] = max(worst[str(chosen)], share)
    print(f"{runs} runs; the largest loss over epsilon, by dials:")
    for name, share in worst.items():
        print(f"{share:.12f}  {name}")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 100_000)
