"""Fits the constant of each worst-case rate on uniform data: python -m tests.bench.rates

Paper mode (Lipschitz projection), epsilon = 1, five rolls for each n; the constant is the geometric mean of
W1 / rate. It describes these runs and bounds nothing. Writes assets/rates.csv.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd

from privcore import Parameters, simulate
from privcore.clouds import box_of, make
from privcore.theory.rates import worst_case

SIZES = (1_000, 4_000, 16_000, 64_000)
DIMENSIONS = (1, 2, 3, 4, 5, 10)
ROLLS = 5


def main() -> None:
    rows = []
    for d in DIMENSIONS:
        for n in SIZES:
            points = make("uniform", n, d, seed=n)
            for seed in range(ROLLS):
                run = simulate(points, box_of("uniform", d), Parameters(1.0, mode="paper"), seed)
                rows.append((d, n, seed, run.w1.value, run.w1.value / worst_case(n, d)))
    table = pd.DataFrame(rows, columns=["d", "epsilon n", "seed", "W1", "ratio"])
    ratio = table.groupby(["d", "epsilon n"])["ratio"].agg(lambda r: float(np.exp(np.log(r).mean()))).unstack()
    ratio["constant"] = table.groupby("d")["ratio"].agg(lambda r: float(np.exp(np.log(r).mean())))
    print(ratio.round(3).to_string())
    ratio.round(4).to_csv(Path(__file__).parents[2] / "assets" / "rates.csv")


if __name__ == "__main__":
    main()
