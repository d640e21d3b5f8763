"""How long it takes to read 100 MB: `python -m tests.bench.tables`.

Every case is about 100 MB of text with 5 columns of random numbers, but for what its name says. CPU seconds and
the peak of memory over the whole process, each case in a process of its own.
"""

from __future__ import annotations

import resource
import subprocess
import sys
import time

import numpy as np
import pandas as pd

from privcore.tables import read_table

ROWS = 1_060_000


def numbers(rows: int = ROWS) -> pd.DataFrame:
    return pd.DataFrame(np.random.default_rng(1).normal(size=(rows, 5)) * 100, columns=list("abcde"))


def with_missing(frame: pd.DataFrame) -> pd.DataFrame:
    return frame.mask(np.random.default_rng(2).random(frame.shape) < 0.01)


CASES = {
    "comma": lambda: numbers().to_csv(index=False),
    "decimal comma": lambda: numbers().to_csv(index=False, sep=";", decimal=","),
    "quoted": lambda: numbers().to_csv(index=False, quoting=1),
    "missing cells": lambda: with_missing(numbers()).to_csv(index=False),
    "NA": lambda: with_missing(numbers()).to_csv(index=False, na_rep="NA"),
    "one bad cell a column": lambda: numbers().to_csv(index=False) + "bad,bad,bad,bad,bad\n",
    "a ragged row in 100": lambda: "\n".join(
        line if number % 100 else line + ",1"
        for number, line in enumerate(numbers().to_csv(index=False).split("\n"), 1)
    ),
    "a text column": lambda: numbers().assign(e=[f"name {row}" for row in range(ROWS)]).to_csv(index=False),
    "three decimals": lambda: (1 + numbers().abs()).clip(upper=900).to_csv(index=False, float_format="%.3f"),
    "utf-16": lambda: numbers(ROWS // 2).to_csv(index=False).encode("utf-16"),
}


def run(case: str) -> None:
    text = CASES[case]()
    data = text if isinstance(text, bytes) else text.encode()
    del text
    before = time.process_time()
    table = read_table(data)
    seconds = time.process_time() - before
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    kinds = ",".join(sorted({column.kind for column in table.columns}))
    size = f"{len(data) / 1e6:6.0f} MB {len(table.frame):8} rows"
    print(f"{case:24} {size} {seconds:7.2f} s CPU  peak {peak:6.0f} MB  {kinds}")


if __name__ == "__main__":
    for name in sys.argv[1:] or CASES:
        if len(sys.argv) > 1:
            run(name)
        else:
            subprocess.run([sys.executable, "-m", "tests.bench.tables", name], check=True)
