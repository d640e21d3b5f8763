"""How often the free error bar holds the true W1: python -m tests.bench.error_estimate [collect PICKLE [COUNT]]

`collect` runs random instances (every cloud, dimension, n, epsilon and setting of the dials) and adds them to the
pickle; without it the pickle's instances are split in halves by their seeds.
"""

from __future__ import annotations

import sys
from multiprocessing import Pool
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from privcore import Parameters, error_estimate, simulate, wasserstein
from privcore.clouds import CLOUDS, box_of, make

DIMENSIONS = (1, 2, 3, 5, 10)
DIALS: dict[str, dict[str, Any]] = {
    "tight": {},
    "paper": {"mode": "paper"},
    "spread": {"representative": "spread"},
    "shift": {"shift": "random"},
    "replace-one": {"neighbours": "replace-one"},
    "lipschitz": {"projection": "lipschitz"},
}


def measured(seed: int) -> dict[str, object]:
    """One instance, a function of its seed: the truth, and the errors of the reruns."""
    rng = np.random.default_rng(seed)
    name = str(rng.choice(list(CLOUDS)))
    low, high = CLOUDS[name].dimensions
    d = int(rng.choice([d for d in DIMENSIONS if low <= d <= high]))
    n, epsilon = int(30 * 100 ** rng.random()), float(0.05 * 100 ** rng.random())
    dials = str(rng.choice(list(DIALS)))
    made = simulate(make(name, n, d, seed=seed), box_of(name, d), Parameters(epsilon, **DIALS[dials]), seed)
    estimate = error_estimate(made, seed=seed + 1, replicates=20)
    return {
        "seed": seed,
        "cloud": name,
        "d": d,
        "n": made.n,
        "epsilon": epsilon,
        "dials": dials,
        "total": made.total,
        "leaves": len(made.tree.leaves),
        "truth": wasserstein(made.points, made.measure, box=made.box, tolerance=0.001).value,
        "errors": estimate.replicates,
    }


def collect(path: Path, count: int) -> None:
    """Add `count` instances to the pickle."""
    rows = pd.read_pickle(path) if path.exists() else pd.DataFrame()
    done = len(rows)
    with Pool(2) as pool:
        for start in range(done, done + count, 64):
            rows = pd.concat([rows, pd.DataFrame(pool.map(measured, range(start, start + 64), chunksize=2))])
            rows.reset_index(drop=True).to_pickle(path)


if __name__ == "__main__":
    collect(Path(sys.argv[2]), int(sys.argv[3]))
