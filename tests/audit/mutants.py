"""Faults put into the real code, one at a time, while a test runs: no hook ships, and no mutant is a copy.

A mutant edits the source of a function of `privcore` and puts the compiled result in its place, wherever it is named.
If the code changes so that an edit no longer applies, that is an error: the mutant has to be written anew.
"""

from __future__ import annotations
import __future__

import importlib
import inspect
import sys
import textwrap
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from typing import Any
from unittest import mock


@dataclass(frozen=True)
class Edit:
    """In the function or method at `where`, the only place that reads `old` reads `new` instead."""

    where: str
    old: str
    new: str


@dataclass(frozen=True)
class Mutant:
    """A fault and the tests that must each catch it, the cheapest first; others may catch it too."""

    name: str
    tests: tuple[str, ...]
    edits: tuple[Edit, ...]

    def __str__(self) -> str:
        return self.name

    @contextmanager
    def at_work(self) -> Iterator[None]:
        """The fault is in `privcore` while this lasts."""
        with ExitStack() as stack:
            for where in dict.fromkeys(edit.where for edit in self.edits):
                for owner, name, faulty in _replacements(where, [e for e in self.edits if e.where == where]):
                    stack.enter_context(mock.patch.object(owner, name, faulty))
            yield


def _replacements(where: str, edits: list[Edit]) -> list[tuple[Any, str, Any]]:
    """The edited object, at every place of `privcore` that names the original."""
    owner, name = _owner(where)
    original = inspect.getattr_static(owner, name)
    function = _function(original)
    source = textwrap.dedent(inspect.getsource(function))
    for edit in edits:
        assert source.count(edit.old) == 1, f"{where} must read {edit.old!r} once; write the mutant anew."
        source = source.replace(edit.old, edit.new)
    place = f"mutant of {where}"
    code = compile(source, place, "exec", __future__.annotations.compiler_flag, True)
    made: dict[str, Any] = {}
    exec(code, vars(sys.modules[function.__module__]), made)
    faulty = made[name]
    if inspect.isclass(owner):
        if hasattr(faulty, "__set_name__"):
            faulty.__set_name__(owner, name)
        return [(owner, name, faulty)]
    modules = [module for path, module in sys.modules.items() if path.split(".")[0] == "privcore"]
    return [(module, alias, faulty) for module in modules for alias, it in vars(module).items() if it is original]


def _owner(where: str) -> tuple[Any, str]:
    """The module or class that holds what `where` names."""
    path, name = where.rsplit(".", 1)
    if path.rsplit(".", 1)[1][0].isupper():
        path, holder = path.rsplit(".", 1)
        return getattr(importlib.import_module(path), holder), name
    return importlib.import_module(path), name


def _function(thing: Any) -> Any:
    """The function below a property, a cached property or a class method."""
    for attribute in ("fget", "func", "__func__", "__wrapped__"):
        thing = getattr(thing, attribute, thing)
    return thing


RUN, GROW = "privcore.mechanism.run", "privcore.tree.privtree"
SPLIT = "privcore.noise.split_decisions"
COST = "privcore.parameters.Parameters._assemble"
RELEASE = "privcore.release.release"

DRAW = "noise = two_rate(cost.a, cost.b, len(growth.tree.leaves), source)"
NUMBERS = "rows = box.rows(points)"
DECIDE = "split_decisions(np.maximum(margin, -delta_units), lam_units, source)"
MARGIN = "cells.count * UNIT - cells.depth * delta_units - theta_units"
SCALES = "(_whole_units(v) for v in (theta, delta, lam))"
MADE = "return _made(Release, box, parameters, outcome.cost, outcome.growth.tree, outcome.noisy_counts, outcome.total)"
LEAVES = "growth.count[growth.tree.leaves]"


def _mutant(name: str, tests: str, *edits: tuple[str, str, str]) -> Mutant:
    return Mutant(name, tuple(tests.split()), tuple(Edit(*edit) for edit in edits))


def _published(change: str) -> tuple[str, str, str]:
    """An edit at the end of `release`, where `made` is what is returned and `outcome` the private run."""
    return (
        RELEASE,
        MADE,
        MADE.replace("return", "made =") + "\n" + textwrap.indent(change, "    ") + "\n    return made",
    )


MEANS = """
place = made.tree.leaf_of(box.to_unit(points))
for leaf in np.unique(place):
    made.tree.representatives.flags.writeable = True
    made.tree.representatives[leaf] = box.to_unit(points)[place == leaf].mean(axis=0)
"""

MUTANTS = [
    # The tree
    _mutant("lambda halved", "T3", (GROW, DECIDE, DECIDE.replace("lam_units", "lam_units // 2"))),
    _mutant(
        "lambda halved, delta with it",
        "T3",
        (GROW, SCALES, SCALES + "\n    delta_units, lam_units = delta_units // 2, lam_units // 2"),
    ),
    _mutant("delta = 0", "T3", (GROW, MARGIN, MARGIN.replace("cells.depth * delta_units", "0"))),
    _mutant("delta halved", "T3", (GROW, MARGIN, MARGIN.replace("delta_units", "delta_units // 2"))),
    _mutant("penalty one level late", "T3", (GROW, MARGIN, MARGIN.replace("cells.depth", "max(cells.depth - 1, 0)"))),
    _mutant("floor missing", "T3", (GROW, DECIDE, DECIDE.replace("np.maximum(margin, -delta_units)", "margin"))),
    _mutant("floor at -2 delta", "T3", (GROW, DECIDE, DECIDE.replace("-delta_units", "-2 * delta_units"))),
    _mutant("theta tied to n", "T3", (GROW, MARGIN, MARGIN + " - counts.n * UNIT // 8")),
    _mutant("theta ignored", "T3", (GROW, MARGIN, MARGIN.replace(" - theta_units", ""))),
    _mutant(
        "stop on the true count",
        "T3",
        (GROW, "return split, noise * lam", "return split & (cells.count > 0), noise * lam"),
    ),
    _mutant(
        "no data, no tree", "T3", (GROW, "return split, noise * lam", "return split & (counts.n > 0), noise * lam")
    ),
    _mutant(
        "one decision noise a level",
        "T3",
        (
            SPLIT,
            "words = source.words(2 * len(margin)).reshape(2, len(margin))",
            "words = np.repeat(source.words(2), len(margin)).reshape(2, len(margin))",
        ),
    ),
    _mutant("decision noise of one sign", "T6 T3", (SPLIT, "positive | ~beyond", "True")),
    _mutant("no fair coin below 0", "T6 T3", (SPLIT, "positive & beyond", "beyond")),
    _mutant("depth cap from the data", "T3", (RUN, "parameters.max_depth)", "max(1, len(rows).bit_length() - 1))")),
    _mutant(
        "depth cap passed by heavy cells",
        "T3",
        (
            "privcore.tree.grow",
            "if level.depth < cap else np.zeros(len(level), dtype=np.bool_)",
            "if level.depth < cap else (level.count > 5) & (level.depth < cap + 1)",
        ),
    ),
    _mutant(
        "bounds from the data",
        "T3",
        (
            "privcore.domain.Box.to_unit",
            "np.clip(rows, self.low, self.high) - self.low) / self.width",
            "rows - rows.min(axis=0, initial=9.0)) / (np.ptp(rows, axis=0) + 0.01 if len(rows) else 1.0)",
        ),
    ),
    _mutant(
        "publicly empty where the data is",
        "T3",
        (
            "privcore.cells.CellCounts.halve",
            "overlaps(index, cells.depth + 1, self.frame)",
            "overlaps(index, cells.depth + 1, self.frame) & (stop > start)",
        ),
    ),
    _mutant(
        "shift from the data",
        "T7 T9",
        (
            RUN,
            "shift = draw_shift(parameters, box.d, source)",
            "shift = draw_shift(parameters, box.d, source)\n    if parameters.shift == 'random':\n"
            "        shift = tuple(np.clip(box.to_unit(rows).mean(axis=0), 0, 1).tolist())",
        ),
    ),
    _mutant(
        "the better of two shifts",
        "T7",
        (
            RUN,
            "shift = draw_shift(parameters, box.d, source)",
            "shift = max((draw_shift(parameters, box.d, source) for _ in '12'),\n"
            "        key=lambda shift: 0 if shift is None else float(np.ptp((rows + np.array(shift)) % 1)))",
        ),
    ),
    _mutant(
        "records on a border counted twice",
        "T3",
        (
            "privcore.cells.CellCounts.halve",
            "start[1::2] = stop[::2] = np.clip(middle, cells.start, cells.stop)",
            "start[1::2] = np.clip(middle, cells.start, cells.stop)\n"
            "    middle = np.searchsorted(keys.sorted, cells.prefix | digit, side='right')\n"
            "    stop[::2] = np.clip(middle, cells.start, cells.stop)",
        ),
    ),
    _mutant("all rows of a person count", "T3 T8 T9", (RUN, "parameters.max_rows or 1", "len(rows)")),
    # The leaves
    _mutant("leaf scale halved", "T4 T8 T9", (RUN, DRAW, DRAW.replace("cost.a, cost.b", "2 * cost.a, 2 * cost.b"))),
    _mutant("leaf scale a third", "T4 T8 T9", (RUN, DRAW, DRAW.replace("cost.a, cost.b", "3 * cost.a, 3 * cost.b"))),
    _mutant("a and b swapped in the noise", "T4", (RUN, DRAW, DRAW.replace("cost.a, cost.b", "cost.b, cost.a"))),
    _mutant("noise clipped at 6", "T4", (RUN, DRAW, DRAW.replace("two_rate(", "np.clip(two_rate(")[:-1] + "), -6, 6)")),
    _mutant(
        "tree noise reused in the leaves",
        "T4",
        (RUN, DRAW, "noise = np.rint(np.nan_to_num(growth.noise[growth.tree.leaves])).astype(np.int64)"),
    ),
    _mutant(
        "words of the tree reused in the leaves",
        "T6",
        (RUN, "growth = privtree(", "again = __import__('copy').deepcopy(source)\n    growth = privtree("),
        (RUN, DRAW, DRAW.replace("source", "again")),
    ),
    _mutant(
        "noise used for two leaves",
        "T5",
        (
            RUN,
            DRAW,
            DRAW + "\n    noise = np.repeat(noise, 2)[: len(noise)]",
        ),
    ),
    _mutant("one noise for all leaves", "T5 T4", (RUN, DRAW, DRAW.replace("len(growth.tree.leaves)", "1"))),
    _mutant("large leaves skipped", "T4", (RUN, DRAW, DRAW + f"\n    noise[{LEAVES} > 9] = 0")),
    _mutant(
        "both sides of the noise from the same words",
        "T6 T4",
        (
            "privcore.noise.two_rate",
            "return geometric(up, count, source) - geometric(down, count, source)",
            "again = __import__('copy').deepcopy(source)\n"
            "    return geometric(up, count, source) - geometric(down, count, again)",
        ),
    ),
    _mutant("empty leaves skipped", "T4 T8 T9", (RUN, DRAW, DRAW + f"\n    noise[{LEAVES} == 0] = 0")),
    _mutant(
        "rounded float noise",
        "T4",
        (
            RUN,
            DRAW,
            "u = uniforms(len(growth.tree.leaves), source) - 0.5\n"
            "    noise = np.rint(-np.sign(u) * np.log1p(-2 * abs(u)) / cost.a).astype(np.int64)",
        ),
    ),
    _mutant(
        "float noise",
        "T4",
        (
            RUN,
            DRAW,
            "u = uniforms(len(growth.tree.leaves), source) - 0.5\n"
            "    noise = -np.sign(u) * np.log1p(-2 * abs(u)) / cost.a",
        ),
    ),
    _mutant(
        "drawn again until the total is positive",
        "T4",
        (RUN, DRAW, DRAW + f"\n    while ({LEAVES} + noise).sum() <= 0:\n        {DRAW}"),
    ),
    # The samplers
    _mutant("float decisions", "T6", ("privcore.noise._below_exponential", "np.flatnonzero(doubtful)", "[]")),
    _mutant("ties not settled", "T6", ("privcore.noise._below", "np.flatnonzero(words == np.uint64(threshold))", "[]")),
    _mutant("rare large noise left out", "T6", ("privcore.noise._add_overflow", "np.flatnonzero(words == 0)", "[]")),
    _mutant("the first digit of a draw doubled", "T6 T4", ("privcore.noise.geometric", "<< digit", "<< max(digit, 1)")),
    _mutant(
        "entropy of 32 bits",
        "T6",
        (
            "privcore.noise.SystemWords.words",
            "os.urandom(8 * count), dtype=np.uint64)",
            "os.urandom(4 * count), dtype=np.uint32).astype(np.uint64)",
        ),
    ),
    _mutant(
        "entropy used twice",
        "T6",
        ("privcore.noise.SystemWords.words", "os.urandom(8 * count)", "os.urandom(4 * count) * 2"),
    ),
    _mutant("a constant seed", "T7", (RELEASE, "SystemWords()", "__import__('privcore.noise').noise.SeededWords(0)")),
    # The budget
    _mutant(
        "budget not split",
        "T1 T2",
        (COST, "(epsilon - Fraction(tree)) / moves", "epsilon / moves"),
        (COST, "round_down(epsilon / (2 * moves))", "round_down(epsilon / moves)"),
        (COST, "total = sum_up(tree, *[a] * moves)", "total = self.epsilon"),
    ),
    _mutant("a and b swapped in the cost", "T1 T2", (COST, "theta, a, b, tree", "theta, b, a, tree")),
    _mutant("adding a record forgotten", "T1", (COST, "b = round_down(epsilon - Fraction(added))", "b = 2 * a")),
    _mutant("E a tenth too small", "T1", ("privcore.accounting.tree_cost", "(1.0 + 1e-13)", "0.9")),
    _mutant("E rounded down", "T1", ("privcore.accounting.tree_cost", "(1.0 + 1e-13)", "(1.0 - 1e-13)")),
    _mutant("k ln 2 left out of E", "T1", ("privcore.accounting.tree_cost", "k * _LN2", "0.0")),
    _mutant("E of the tree without 1/lambda", "T1", ("privcore.accounting.tree_cost", "1.0 / lam + k", "k")),
    _mutant("rates rounded up", "T1", ("privcore.accounting.round_down", "math.floor", "math.ceil")),
    _mutant(
        "replacing costs what removing does",
        "T1",
        ("privcore.parameters.Parameters._tree", "return removed if", "return removed if True or"),
    ),
    _mutant("one leaf of two counted", "T1 T2", (COST, '1 if self.neighbours == "add-remove" else 2', "1")),
    _mutant(
        "paper's lambda halved",
        "T1",
        ("privcore.parameters.Parameters._paper_scales", '6 if self.neighbours == "add-remove" else 12', "3"),
    ),
    # What is published
    _mutant("n leaked", "T7 T9", (RUN, "if public_rows else parameters.total", "")),
    _mutant("normaliser n", "T7", _published("made.__dict__['total'] = float(len(points))")),
    _mutant(
        "public n counts valid rows only",
        "T7",
        (RUN, "float(max(len(rows), 1))", "float(max(counts.n, 1))"),
        (
            "privcore.parameters.Parameters.invalid",
            '"corner" if self.neighbours == "replace-one" else "drop"',
            '"drop"',
        ),
    ),
    _mutant("representatives from the data", "T7 T9", _published(MEANS)),
    _mutant(
        "projection reads true counts",
        "T7",
        _published("made.__dict__['noisy_masses'] = np.where(outcome.true_counts > 0, made.noisy_masses, 0.0)"),
    ),
    _mutant(
        "scores released", "T7", _published("made.scores = (outcome.growth.count + outcome.growth.noise).tolist()")
    ),
    _mutant("no data, an error", "T7", (RUN, NUMBERS, NUMBERS + "\n    if not len(rows):\n        raise ValueError")),
    _mutant(
        "a warning tells n",
        "T7",
        (RUN, NUMBERS, NUMBERS + "\n    __import__('warnings').warn(f'{len(rows)} records', stacklevel=1)"),
    ),
    _mutant(
        "an error tells n",
        "T7",
        (
            "privcore.domain._public_shape",
            """f"({', '.join(['n', *map(str, array.shape[1:])])})\"""",
            "str(array.shape)",
        ),
    ),
]
