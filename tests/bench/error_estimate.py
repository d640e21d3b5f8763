"""How often the free error bar holds the true W1: python -m tests.bench.error_estimate [low-discrepancy [pickle]]

Random instances over every cloud, dimension, size, epsilon and the other dials, the same for both samplings. Prints
the coverage by stratum and the widening each would need; writes assets/error_estimate.csv.
"""

from __future__ import annotations

import sys
from multiprocessing import Pool
from pathlib import Path

import numpy as np
import pandas as pd

from privcore import Parameters, Simulation, error_estimate, simulate, wasserstein
from privcore.clouds import CLOUDS, box_of, make
from privcore.error_estimate import summary

ESTIMATE = sys.modules["privcore.error_estimate"]
SIZES = (50, 500, 2_000)
EPSILONS = (0.1, 0.5, 2.0)
DIMENSIONS = (1, 2, 3, 5, 10)
ROUNDS = 1
STRATA = ("cloud", "d", "n", "epsilon", "dials", "strength")


def instances() -> list[tuple[str, int, int, float, int]]:
    """Every cloud in its dimensions, at every size and epsilon, `ROUNDS` times."""
    return [
        (name, d, n, epsilon, seed)
        for seed in range(ROUNDS)
        for name, cloud in CLOUDS.items()
        for d in DIMENSIONS
        if cloud.dimensions[0] <= d <= cloud.dimensions[1]
        for n in SIZES
        for epsilon in EPSILONS
    ]


def measured(task: tuple[int, tuple[str, int, int, float, int], str]) -> dict[str, object]:
    number, (name, d, n, epsilon, _seed), sampling = task
    ESTIMATE.SAMPLING = sampling  # type: ignore[attr-defined]
    dials, parameters = DIALS[number % len(DIALS)]
    made = simulate(make(name, n, d, seed=number), box_of(name, d), Parameters(epsilon, **parameters), number)
    estimate = error_estimate(made, seed=number + 1, replicates=20 if n < 2_000 else 8)
    return {
        "cloud": name,
        "d": d,
        "n": n,
        "epsilon": epsilon,
        "dials": dials,
        "strength": min(5, int(np.log10(max(1.0, epsilon * made.total)))),
        "total": made.total,
        "leaves": len(made.tree.leaves),
        "truth": made.w1.value if n < 2_000 else truth(made),
        "errors": estimate.replicates,
    }


def truth(made: Simulation) -> float:
    return wasserstein(made.points, made.measure, box=made.box, tolerance=0.005).value


DIALS: tuple[tuple[str, dict[str, object]], ...] = (
    ("tight", {}),
    ("paper", {"mode": "paper"}),
    ("spread", {"representative": "spread"}),
    ("tight", {}),
    ("shift", {"shift": "random"}),
    ("replace-one", {"neighbours": "replace-one"}),
    ("lipschitz", {"projection": "lipschitz"}),
)


def main() -> None:
    sampling = sys.argv[1] if len(sys.argv) > 1 else "random"
    tasks = [(number, instance, sampling) for number, instance in enumerate(instances())]
    with Pool(2) as pool:
        rows = pd.DataFrame(pool.map(measured, tasks, chunksize=4))
    if len(sys.argv) > 2:
        rows.to_pickle(sys.argv[2])
    report(rows, sampling == "random" and len(sys.argv) < 3)


def report(rows: pd.DataFrame, write: bool) -> None:
    made = [summary(r.errors, r.d) for r in rows.itertuples()]
    rows["low"], rows["high"] = [e.low for e in made], [e.high for e in made]
    rows["median"] = [e.median for e in made]
    rows["covered"] = (rows.low <= rows.truth) & (rows.truth <= rows.high)
    rows["ratio"] = rows.truth / rows["median"]
    rows["width"] = rows.high / rows.low
    table = pd.concat([stratum(rows, name) for name in STRATA] + [line("all", "", rows)])
    print(table.round(3).to_string(index=False))
    if write:
        table.round(3).to_csv(Path(__file__).parents[2] / "assets" / "error_estimate.csv", index=False)


def stratum(rows: pd.DataFrame, name: str) -> pd.DataFrame:
    return pd.concat([line(name, value, part) for value, part in rows.groupby(name)])


def line(name: str, value: object, part: pd.DataFrame) -> pd.DataFrame:
    ratio = part.ratio.quantile([0.05, 0.5, 0.95]).to_numpy()
    return pd.DataFrame(
        {
            "stratum": [name],
            "value": [value],
            "runs": [len(part)],
            "coverage": [part.covered.mean()],
            "truth / median, 5 %": ratio[:1],
            "50 %": ratio[1:2],
            "95 %": ratio[2:],
            "high / low": [part.width.median()],
        }
    )


if __name__ == "__main__":
    main()
