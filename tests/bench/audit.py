"""Which test of the audit catches which fault, and how often: python -m tests.bench.audit

Every fault of tests/audit/mutants.py is put into the code and all nine tests run, ten times with fresh seeds; then the
right mechanism runs twenty times. Prints the table and writes assets/audit.csv: how many of the repeats each test
caught. T1 and T2 use no random numbers, so they run once. `--seed` repeats a run, `--jobs` uses more processes.
"""

from __future__ import annotations

import argparse
import secrets
import warnings
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import pandas as pd

from tests.audit.mutants import MUTANTS
from tests.audit.suite import ON_PARAMETERS, TESTS, findings

FILE = Path(__file__).parents[2] / "assets" / "audit.csv"
RIGHT = "none: the mechanism as it is"


def caught(task: tuple[int, int, bool]) -> dict[str, str]:
    """What the tests say of a fault (by its place; -1: none) with a seed; T1 and T2 if `exact`."""
    place, seed, exact = task
    tests = [name for name in TESTS if exact or name not in ON_PARAMETERS]
    warnings.simplefilter("ignore")  # one fault warns
    if place < 0:
        return dict(findings(seed, tests))
    with MUTANTS[place].at_work():
        return dict(findings(seed, tests))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seed", type=int, default=secrets.randbits(32))
    parser.add_argument("--repeats", type=int, default=10)
    parser.add_argument("--right", type=int, default=20)
    parser.add_argument("--jobs", type=int, default=2)
    options = parser.parse_args()
    print(f"seed {options.seed}: repeat with --seed {options.seed}", flush=True)
    rows = []
    with ProcessPoolExecutor(options.jobs) as pool:
        for place in (-1, *range(len(MUTANTS))):
            repeats = options.right if place < 0 else options.repeats
            tasks = [(place, options.seed + 1000 * i, i == 0) for i in range(repeats)]
            said = list(pool.map(caught, tasks))
            often = {name: sum(name in each for each in said) for name in TESTS}
            for name in ON_PARAMETERS:
                often[name] *= repeats
            rows.append({"fault": RIGHT if place < 0 else MUTANTS[place].name, "repeats": repeats} | often)
            print(f"{rows[-1]['fault']:42s}" + "".join(f"{often[name]:>6}" for name in TESTS), flush=True)
            if place < 0:
                print(*(f"FALSE ALARM, repeat {i}: {text}" for i, each in enumerate(said) for text in each.values()))
    table = pd.DataFrame(rows)
    table.to_csv(FILE, index=False)
    alive = table[(table[list(TESTS)] < table[["repeats"]].to_numpy()).all(axis=1) & (table["fault"] != RIGHT)]
    print(f"{len(MUTANTS)} faults, {len(alive)} not always caught by any one test {alive['fault'].tolist()}")
    print(f"false alarms in {options.right} runs of the right mechanism: {int(table.loc[0, list(TESTS)].sum())}")


if __name__ == "__main__":
    main()
