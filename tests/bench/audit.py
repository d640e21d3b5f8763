"""Which test of the audit catches which fault, and how often: python -m tests.bench.audit

The right mechanism takes all nine tests twenty times with fresh seeds, then every fault of tests/audit/mutants.py ten
times. Prints the table and writes assets/audit.csv after each round: in how many repeats each test caught the fault.
T1 and T2 use no random numbers, so they run once. About six CPU seconds a fault and repeat.
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


def table_of(said: dict[str, list[dict[str, str]]]) -> pd.DataFrame:
    """One row a fault: in how many of its repeats each test caught it."""
    rows = []
    for fault, repeats in said.items():
        often = {name: sum(name in each for each in repeats) for name in TESTS}
        often |= {name: len(repeats) * often[name] for name in ON_PARAMETERS}
        rows.append({"fault": fault, "repeats": len(repeats)} | often)
    return pd.DataFrame(rows)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seed", type=int, default=secrets.randbits(32))
    parser.add_argument("--repeats", type=int, default=10)
    parser.add_argument("--right", type=int, default=20)
    parser.add_argument("--jobs", type=int, default=2)
    options = parser.parse_args()
    print(f"The same again: --seed {options.seed}", flush=True)
    said: dict[str, list[dict[str, str]]] = {RIGHT: []} | {mutant.name: [] for mutant in MUTANTS}
    with ProcessPoolExecutor(options.jobs) as pool:
        said[RIGHT] = list(pool.map(caught, [(-1, options.seed + 1000 * i, i == 0) for i in range(options.right)]))
        alarms = [text for each in said[RIGHT] for text in each.values()]
        print(f"The right mechanism, {options.right} times: {len(alarms)} false alarms", *alarms, sep="\n", flush=True)
        for i in range(options.repeats):
            tasks = [(place, options.seed + 1000 * i, i == 0) for place in range(len(MUTANTS))]
            for mutant, each in zip(MUTANTS, pool.map(caught, tasks), strict=True):
                said[mutant.name].append(each)
            table = table_of(said)
            table.to_csv(FILE, index=False)
            print(f"\nAfter {i + 1} of {options.repeats} repeats", table.to_string(index=False), sep="\n", flush=True)
    faults = table[table["fault"] != RIGHT]
    alive = faults[(faults[list(TESTS)].max(axis=1) < faults["repeats"])]["fault"].tolist()
    print(f"\n{len(MUTANTS)} faults; not caught in every repeat by any one test: {alive or 'none'}")


if __name__ == "__main__":
    main()
