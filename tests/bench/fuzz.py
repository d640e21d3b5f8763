"""Random hostile instances against independent references, for as long as you like.

    nice -n 19 python -m tests.bench.fuzz --minutes 60 --log /tmp/fuzz.log
    python -m tests.bench.fuzz --only transport --again 12345

Every instance is a function of its kind and its number, so a find is one line that can be run again. What is found
becomes a test of its kind.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import tempfile
import time
import traceback
import warnings
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any, get_args

import numpy as np
import pandas as pd

from privcore import Box, Parameters, Release, cli, release, simulate, wasserstein
from privcore.parameters import Method
from privcore.projection import project
from privcore.tables import read_table
from privcore.transport import certified, solve
from tests.oracle.hostile import MASSES, POINTS, hostile_masses, hostile_points
from tests.oracle.projection import discrepancy, optimum
from tests.oracle.transport import check_proofs, w1_by_linear_program, w1_by_pot

Generator = np.random.Generator
SCALES = (1.0, 1.0, 1.0, 2.0**-1000, 2.0**-100, 2.0**-30, 2.0**30, 2.0**500, 2.0**1000)
"""Powers of 2, so that scaling the points is exact."""


def points(rng: Generator, count: int, d: int) -> np.ndarray[Any, np.dtype[np.float64]]:
    return hostile_points(str(rng.choice(POINTS)), rng, count, d)


def transport(rng: Generator) -> None:
    """The certified and the dense method: proofs, POT, the linear program, and runs that are stopped."""
    d = int(rng.choice([1, 2, 2, 3, 3, 4, 5, 7, 10]))
    most = int(rng.choice([5, 12, 60, 300, 1000], p=[0.2, 0.2, 0.3, 0.2, 0.1]))
    n, m = (int(k) for k in rng.integers(1, most + 1, 2))
    left, right = points(rng, n, d), points(rng, m, d)
    if rng.random() < 0.15:  # the same places on both sides
        right = rng.permutation(np.concatenate([left, right]))[:m]
    weights, masses = (hostile_masses(str(rng.choice(MASSES)), rng, count) for count in (n, m))
    scale = float(rng.choice(SCALES))
    solve.DENSE_PAIRS = int(rng.choice([0, 0, 10**9]))
    certified.PREVIEW, certified.COARSEST = int(rng.choice([0, 50_000])), int(rng.choice([2, 32]))
    result = wasserstein(scale * left, scale * right, weights=weights, measure_weights=masses, plan=True)
    extent = float(np.ptp(np.concatenate([left, right]), axis=0).max())
    rounding = 1e-13 * extent * scale
    assert 0.0 <= result.lower <= result.upper
    assert result.exact or result.upper - result.lower <= rounding, result
    if scale == 1.0:
        check_proofs(result, left, weights, right, masses)
    # POT has an absolute tolerance, so it gets costs about 1; the value of any plan is above W1
    truth = w1_by_pot(left, weights, right, masses) * scale
    assert result.lower <= truth * (1 + 1e-12) + rounding, (result, truth)
    assert result.upper >= truth * (1 - 1e-9) - 10 * rounding, (result, truth)
    if n * m <= 150:
        program = w1_by_linear_program(left, weights, right, masses) * scale
        assert abs(program - result.value) <= 1e-7 * (extent * scale), (result, program)
    reports = int(rng.integers(1, 12))

    def progress(lower: float, upper: float) -> bool:
        nonlocal reports
        reports -= 1
        return reports > 0

    given = {"weights": weights, "measure_weights": masses}
    stopped = wasserstein(scale * left, scale * right, **given, progress=progress, plan=True)
    assert stopped.lower <= result.upper + rounding, (stopped, result)
    assert stopped.upper >= result.lower - rounding, (stopped, result)
    assert stopped.plan is not None
    assert np.abs(np.bincount(stopped.plan.target, stopped.plan.mass, m) - masses).max() <= 1e-13
    loose = wasserstein(scale * left, scale * right, **given, tolerance=0.05)
    assert loose.lower <= result.upper + rounding, (loose, result)
    assert loose.upper >= result.lower - rounding, (loose, result)
    back = wasserstein(scale * right, scale * left, weights=masses, measure_weights=weights)
    assert abs(back.value - result.value) <= 1e-9 * result.value + rounding, (back, result)


def projection(rng: Generator) -> None:
    """Algorithm 2 against the plain linear program, and the invariants of every method."""
    d, m = int(rng.choice([1, 2, 3, 5])), int(rng.integers(1, 22))
    places = points(rng, m, d)
    places = (places - places.min()) / max(float(np.ptp(places)), 1e-300)
    masses = rng.normal(rng.choice([-0.3, 0.0, 0.1, 0.5]), 1.0, m) * 10.0 ** rng.uniform(-6.0, 3.0)
    kind = rng.integers(5)
    if kind == 0:
        masses = np.round(masses)
    elif kind == 1:
        masses = masses * 10.0 ** rng.uniform(-12.0, 0.0, m)
    elif kind == 2 and abs(masses.sum()) > 1e-3:
        masses = masses / masses.sum()
    for method in get_args(Method):
        result = project(places, masses, method)
        assert result.masses.min() >= 0.0
        assert abs(result.masses.sum() - 1.0) <= 1e-12
        assert result.certified, (method, result)
    result = project(places, masses, "lipschitz")
    best, size = optimum(places, masses), 1.0 + float(np.abs(masses).sum())
    assert abs(result.cost - best) <= 1e-8 * size, (result.cost, best)
    assert discrepancy(places, result.masses - masses) <= best + 1e-8 * size


def tables(rng: Generator) -> None:
    """Broken text, and files with a few bytes changed: problems, never an exception; good files keep their numbers."""
    frame = pd.DataFrame(
        rng.normal(size=(int(rng.integers(1, 9)), 2)) * 10.0 ** rng.integers(-9, 10), columns=["a", "b"]
    )
    kind = rng.choice(["csv", "excel", "parquet", "letters"])
    buffer = io.BytesIO()
    if kind == "csv":
        decimal, delimiter = str(rng.choice([".", ","])), str(rng.choice([",", ";", "\t", "|"]))
        encoding = str(rng.choice(["utf-8", "utf-8-sig", "utf-16", "cp1252"]))
        data = frame.to_csv(index=False, sep=delimiter, decimal=decimal).encode(encoding)
        table = read_table(data)
        if table.ok:
            assert np.array_equal(table.points(["a", "b"]), frame.to_numpy()), table.problems
    elif kind == "excel":
        frame.to_excel(buffer, index=False)
        data = buffer.getvalue()
    elif kind == "parquet":
        frame.to_parquet(buffer)
        data = buffer.getvalue()
    else:
        letters = list('xy,;\t|\n\r"#. 1250-NAe+\u2212\ufeff\x00é')
        data = "".join(rng.choice(letters, int(rng.integers(0, 400)))).encode(str(rng.choice(["utf-8", "utf-16"])))
    damaged = bytearray(data)
    for _ in range(int(rng.integers(0, 6))):
        if damaged:
            damaged[int(rng.integers(len(damaged)))] = int(rng.integers(256))
    if rng.random() < 0.3:
        damaged = damaged[: int(rng.integers(len(damaged) + 1))]
    table = read_table(bytes(damaged))
    assert table.problems or not table.frame.empty
    assert len(table.columns) == table.frame.shape[1]
    assert len(table.lines) == len(table.frame)
    assert table.numeric.dtypes.eq(np.float64).all()


def dials(rng: Generator, d: int) -> dict[str, Any]:
    """Parameters as a caller may give them, often ones that must be refused."""
    choices: dict[str, list[Any]] = {
        "epsilon": [1e-6, 0.01, 0.5, 1.0, 3.0, 50.0, 1e3],
        "theta": [0.0, 0.0, -1.0, 2.5, 1e6],
        "delta": [None, None, 0.3, 5.0, 1e9],
        "gamma": [None, None, 0.1, 3.0],
        "tree_share": [None, None, 1e-6, 0.5, 0.999],
        "mode": ["tight", "tight", "paper"],
        "neighbours": ["add-remove", "replace-one"],
        "total": [None, None, 1.0, 1e-9, 1e12],
        "shift": ["none", "random"],
        "max_depth": [None, None, 0, 1, 7, 32 * d],
        "projection": [None, "euclidean", "lipschitz", "clip"],
        "representative": ["centre", "spread"],
    }
    return {name: values[int(rng.integers(len(values)))] for name, values in choices.items()}


def mechanism(rng: Generator) -> None:
    """The whole path on hostile points, and the parts of its error; only the package's own errors are allowed."""
    from privcore.errors import PrivcoreError

    d, n = int(rng.choice([1, 2, 3, 6])), int(rng.choice([0, 1, 2, 30, 300]))
    rows = points(rng, max(n, 1), d)[:n]
    rows[rng.random(rows.shape) < 0.02] = rng.choice([np.nan, np.inf, -np.inf, 1e308, 5e-324])
    low = rng.normal(size=d)
    box = Box(low, low + 10.0 ** rng.uniform(-6.0, 6.0, d))
    try:
        parameters = Parameters(**dials(rng, d))
        run = simulate(rows, box, parameters, int(rng.integers(2**31)))
        made = release(rows, box, parameters)
    except PrivcoreError:
        return
    assert Release.from_json(made.to_json()).to_json() == made.to_json()
    for measure in (run.measure, made.measure):
        assert abs(measure.masses.sum() - 1.0) <= 1e-9
        assert (measure.points >= box.low).all()
        assert (measure.points <= box.high).all()
    assert run.true_counts.sum() == run.n
    if not run.n or len(run.tree.leaves) > 3000:
        return
    total, resolution, privacy, spread = run.w1, run.w1_resolution, run.w1_privacy, run.w1_spread
    assert total.lower <= (resolution.upper + privacy.upper + spread.upper) * (1 + 1e-9) + 1e-12
    assert privacy.lower <= (run.w1_noise.upper + run.w1_projection.upper) * (1 + 1e-9) + 1e-12


def command_line(rng: Generator) -> None:
    """Any arguments and any file: exit code 0, 1 or 2, one line on stderr, and a file only when it went well."""
    with tempfile.TemporaryDirectory() as folder:
        file, out = Path(folder) / "data.csv", Path(folder) / "out.json"
        frame = pd.DataFrame(points(rng, int(rng.integers(1, 40)), 2), columns=["x", "y"])
        text = frame.to_csv(index=False, sep=str(rng.choice([",", ";"])))
        cells = ["", "NA", "1,5", "text", '"', "\x00", "1e400", "-0"]
        file.write_text(text.replace("0", str(rng.choice(cells)), int(rng.choice([0, 0, 1, 3]))))
        command = str(rng.choice(["release", "simulate", "check"]))
        arguments = [command, str(file), "--columns", "x", str(rng.choice(["y", "y", "z"]))]
        if command != "check":
            arguments += ["--low", "0", str(rng.choice(["0", "-1e3", "nan", "x"])), "--high", "1", "1e6"]
            arguments += ["--epsilon", str(rng.choice(["1", "0.1", "0", "-1", "1e9"]))]
        if command == "release":
            arguments += ["--out", str(out)]
        extra = [["--mode", "paper"], ["--theta", "-3"], ["--shift", "random"], ["--nonsense"], ["--decimal", ","], []]
        arguments += extra[int(rng.integers(len(extra)))]
        said, told = io.StringIO(), io.StringIO()
        code: Any = None
        with contextlib.redirect_stdout(said), contextlib.redirect_stderr(told):
            try:
                cli.main(arguments)
            except SystemExit as stop:
                code = stop.code
        errors = told.getvalue()
        assert code in (0, 1, 2), (arguments, code, errors)
        assert "Internal error" not in errors, (arguments, errors)
        assert "Traceback" not in errors, (arguments, errors)
        assert out.exists() == (code == 0 and command == "release"), (arguments, code)
        assert sorted(path.name for path in Path(folder).iterdir()) in (["data.csv"], ["data.csv", "out.json"])
        assert code == 0 or errors.startswith("privcore: ") or command != "release", (arguments, errors)


KINDS: dict[str, Callable[[Generator], None]] = {
    "transport": transport,
    "projection": projection,
    "tables": tables,
    "mechanism": mechanism,
    "command line": command_line,
}


def attempt(kind: str, number: int) -> str:
    """Run one instance; the error it gives, or nothing."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            KINDS[kind](np.random.default_rng([list(KINDS).index(kind), number]))
    except Exception:
        return traceback.format_exc(limit=-3)
    return ""


def main() -> None:
    """Run until the time is up; print one line a minute, and every find."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--minutes", type=float, default=60.0)
    parser.add_argument("--first", type=int, default=0, help="the number of the first instance of each kind")
    parser.add_argument("--only", choices=list(KINDS))
    parser.add_argument("--again", type=int, help="run only this number of --only")
    parser.add_argument("--log", type=Path, help="write there instead of to the terminal")
    given = parser.parse_args()
    out = given.log.open("a") if given.log else None
    if given.again is not None:
        print(attempt(given.only, given.again) or "nothing wrong", file=out)
        return
    kinds = [given.only] if given.only else list(KINDS)
    ran: Counter[str] = Counter()
    spent: Counter[str] = Counter()
    found = 0
    start = told = time.monotonic()
    while time.monotonic() < start + 60.0 * given.minutes:
        kind = min(kinds, key=lambda name: spent[name])  # every kind gets the same time
        began = time.monotonic()
        error = attempt(kind, given.first + ran[kind])
        spent[kind] += time.monotonic() - began  # type: ignore[assignment]
        if error:
            found += 1
            print(f"FOUND {kind} {given.first + ran[kind]}\n{error}", file=out, flush=True)
        ran[kind] += 1
        if time.monotonic() > told + 60.0:
            told = time.monotonic()
            print(f"{(told - start) / 60:.0f} min: {dict(ran)}, {found} found", file=out, flush=True)
    print(f"{(time.monotonic() - start) / 60:.1f} min: {dict(ran)}, {found} found", file=out, flush=True)


if __name__ == "__main__":
    main()
