"""How often the free error bar holds the true W1: python -m tests.bench.error_estimate PICKLE [COUNT]

With a count, random instances (every cloud, dimension, n, epsilon and setting of the dials) are added to the pickle.
Then the factors of each regime are fitted on all of them, and the coverage is measured by two-fold cross-validation:
each half, even and odd seeds, with the factors fitted on the other, which has not seen it; by regime, cloud, d, n,
epsilon, dials and epsilon x total. Prints both; writes assets/error_estimate.csv. The factors in
privcore/error_estimate.py are those of the last run.
"""

from __future__ import annotations

import itertools
import sys
from collections.abc import Iterable
from multiprocessing import Pool
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from privcore import Parameters, error_estimate, simulate, wasserstein
from privcore.clouds import CLOUDS, box_of, make
from privcore.error_estimate import HIDDEN, WIDEN, regime

DIMENSIONS = (1, 2, 3, 5, 10)
DIALS: dict[str, dict[str, Any]] = {
    "tight": {},
    "paper": {"mode": "paper"},
    "spread": {"representative": "spread"},
    "shift": {"shift": "random"},
    "replace-one": {"neighbours": "replace-one"},
    "lipschitz": {"projection": "lipschitz"},
}
MISS = 0.03
"""How often each end may miss in a regime as a whole, on the half that is fitted."""
MISS_OF_A_CLOUD = 0.05
"""And for each of its clouds, with the finite-sample rank of conformal prediction."""
Factors = dict[str, tuple[float, float]]


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
        "regime": regime(made, estimate.median),
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


def prepared(rows: pd.DataFrame) -> pd.DataFrame:
    """The rows with the quantiles of their reruns, and with everything in a few classes."""
    rows = rows[rows.truth > 0.0].copy()
    rows[["q05", "q95"]] = np.array([np.quantile(errors, [0.05, 0.95]) for errors in rows.errors])
    rows["strength"] = rows.epsilon * rows.total
    rows["hidden"] = rows.strength < HIDDEN
    rows["epsilon x total"] = banded(rows.strength, (10.0, 30.0, 100.0, 300.0, 1000.0))
    rows["epsilon band"] = banded(rows.epsilon, (0.15, 0.5, 1.5))
    rows["n band"] = banded(rows.n, (100, 300, 1000))
    return rows


def banded(values: pd.Series[Any], edges: tuple[float, ...]) -> pd.Series[Any]:
    labels = [f"below {edges[0]:g}", *(f"{a:g} to {b:g}" for a, b in itertools.pairwise(edges))]
    return pd.cut(values, [-np.inf, *edges, np.inf], right=False, labels=[*labels, f"from {edges[-1]:g}"])


def fitted(rows: pd.DataFrame) -> Factors:
    """For each regime the least factors with which few of the runs, and few of any cloud's, are missed."""
    factors = {}
    for name, part in rows.groupby("regime"):
        seen = part[~part.hidden]
        factors[str(name)] = (widest(seen, seen.q05 / seen.truth), widest(part, part.truth / part.q95))
    return factors


def widest(part: pd.DataFrame, needed: pd.Series[Any]) -> float:
    clouds = [conformal(group, 1.0 - MISS_OF_A_CLOUD) for _, group in needed.groupby(part.cloud) if len(group) >= 5]
    return float(np.ceil(100.0 * max(1.0, needed.quantile(1.0 - MISS), *clouds)) / 100.0)


def conformal(values: Iterable[float], level: float) -> float:
    ordered = np.sort(np.array(list(values)))
    return float(ordered[min(len(ordered), int(np.ceil((len(ordered) + 1) * level))) - 1])


def judged(rows: pd.DataFrame, factors: Factors) -> pd.DataFrame:
    """The rows with whether these factors cover the truth, and how wide the bar is."""
    down, up = np.array([factors[name] for name in rows.regime]).T
    low = np.where(rows.hidden, 0.0, rows.q05 / down)
    high = np.minimum(rows.q95 * up, np.sqrt(rows.d))
    covered = (low <= rows.truth) & (rows.truth <= high)
    return rows.assign(covered=covered, width=np.where(low > 0.0, high / np.maximum(low, 1e-300), np.inf))


def report(rows: pd.DataFrame) -> pd.DataFrame:
    """The coverage of judged rows, stratum by stratum."""
    strata = ("regime", "cloud", "d", "n band", "epsilon band", "dials", "epsilon x total")
    parts = [line(name, str(value), part) for name in strata for value, part in rows.groupby(name, observed=True)]
    return pd.DataFrame([*parts, line("all", "", rows)])


def line(name: str, value: str, part: pd.DataFrame) -> dict[str, object]:
    coverage = part.covered.mean()
    error = np.sqrt(max(coverage * (1 - coverage), 0.09) / len(part))
    return {
        "stratum": name, "value": value, "runs": len(part), "coverage": round(coverage, 3),
        "standard error": round(error, 3), "median high / low": round(part.width.median(), 2),
    }  # fmt: skip


def main() -> None:
    path = Path(sys.argv[1])
    if len(sys.argv) > 2:
        collect(path, int(sys.argv[2]))
    rows = prepared(pd.read_pickle(path))
    even, odd = rows[rows.seed % 2 == 0], rows[rows.seed % 2 == 1]
    print(f"{len(rows)} runs. Fitted factors:\n{fitted(rows)}\nin use:\n{WIDEN}")
    table = report(pd.concat([judged(even, fitted(odd)), judged(odd, fitted(even))]))
    print(table.to_string(index=False))
    table.to_csv(Path(__file__).parents[2] / "assets" / "error_estimate.csv", index=False)


if __name__ == "__main__":
    main()
