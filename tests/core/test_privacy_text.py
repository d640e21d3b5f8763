"""PRIVACY.md: its lemmas as properties, one test a statement, and its table of tests. Its numbers are doctests."""

from __future__ import annotations

import ast
import itertools
import math
import re
import tomllib
from dataclasses import replace
from fractions import Fraction
from importlib.resources import files
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from privcore.accounting import tree_cost
from privcore.arrays import Floats
from privcore.loss import _path_law
from privcore.parameters import Parameters
from tests.oracle.cost import exact_cost, split_probability

ROOT = Path(__file__).parents[2]
TEXT = (ROOT / "privcore" / "PRIVACY.md").read_text(encoding="utf-8")

LAMBDA = st.floats(0.05, 50.0)
DELTA = st.one_of(st.floats(0.02, 60.0), st.sampled_from([1.0, 0.5, 1 / 3, 0.25, 1 + 1e-9, 0.5 - 1e-9, 0.5 + 1e-9]))
STEP = st.fractions(Fraction(1, 40), 4, max_denominator=60)
SHARE = st.fractions(0, 1, max_denominator=50)


def w(y: Floats, lam: float) -> Floats:
    """ln S without cancellation."""
    return np.minimum(y, 0) / lam + np.log1p(-np.expm1(-np.maximum(y, 0) / lam)) - math.log(2)


def h(z: Floats, lam: float, delta: float) -> Floats:
    return w(np.maximum(z, -delta), lam)


def slope(z: Floats, lam: float, delta: float) -> Floats:
    """(3.3) and (3.5)."""
    return np.where(z < -delta, 0.0, 1 / (lam * (2 * np.exp(np.clip(z / lam, 0, 600)) - 1)))


# Section 3


@given(LAMBDA, DELTA, st.lists(st.floats(-100, 300), min_size=2, max_size=30))
def test_one_decision(lam: float, delta: float, places: list[float]) -> None:
    y = np.sort(places)
    for value in places[:3]:
        if abs(value) < 600 * lam:
            assert w(np.array(value), lam) == pytest.approx(math.log(split_probability(value, lam)), abs=1e-10)  # (3.1)
        assert split_probability(value, lam) + split_probability(-value, lam) == pytest.approx(1, abs=1e-15)  # (3.2)
    change = np.diff(w(y, lam))  # (3.3): the mean value of the slope lies between its ends, since it never increases
    ends = slope(y, lam, math.inf)
    assert (change <= ends[:-1] * np.diff(y) + 1e-12).all()
    assert (change >= ends[1:] * np.diff(y) - 1e-12).all()
    grown = w(y + 1, lam) - w(y, lam)  # (3.4)
    assert (grown >= 0).all()
    assert (grown <= 1 / lam * (1 + 1e-12) + 1e-12).all()
    assert (np.diff(h(y, lam, delta)) >= 0).all()  # (3.5)
    assert (h(y[y <= -delta], lam, delta) == h(np.array(-delta), lam, delta)).all()


# Section 5


@st.composite
def spaced(draw: st.DrawFn, step: Fraction) -> list[Fraction]:
    """Numbers of which any two differ by at least `step`, often by exactly that."""
    gaps = draw(st.lists(st.one_of(st.just(Fraction(0)), st.fractions(0, 3, max_denominator=40)), max_size=25))
    first = draw(st.fractions(-3, 3, max_denominator=60))
    return list(itertools.accumulate((step + gap for gap in gaps), initial=first))


@settings(max_examples=60)
@given(LAMBDA, DELTA, st.data())
def test_the_integral(lam: float, delta: float, data: st.DataObject) -> None:
    """(5.1) by the midpoint rule on the pieces where N is constant."""
    points = np.array([float(z) for z in data.draw(spaced(Fraction(delta)))][:8])
    cuts = np.unique(np.concatenate([points, points - 1, [-delta, 0.0]]))
    inside = np.linspace(0, 1, 401)
    total = 0.0
    for left, right in itertools.pairwise(cuts):
        middle = left + (right - left) * (inside[:-1] + inside[1:]) / 2
        n = ((points > middle[0]) & (points <= middle[0] + 1)).sum()
        total += float(n * slope(middle, lam, delta).mean() * (right - left))
    direct = float((h(points, lam, delta) - h(points - 1, lam, delta)).sum())
    assert total == pytest.approx(direct, rel=1e-3, abs=1e-9)


@settings(max_examples=150)
@given(STEP, st.data(), st.fractions(-5, 30, max_denominator=60), SHARE)
def test_lemma_1(step: Fraction, data: st.DataObject, start: Fraction, share: Fraction) -> None:
    """In exact fractions; arithmetic progressions reach it."""
    points, k, t = data.draw(spaced(step)), math.ceil(1 / step) - 1, share * step
    f = 1 - k * step
    assert 0 < f <= step
    assert integral_of_n(points, start, t) <= k * t + min(t, f)
    densest = [start + f + i * step for i in range(k + 1)]
    assert integral_of_n(densest, start, t) == k * t + min(t, f)


def integral_of_n(points: list[Fraction], start: Fraction, t: Fraction) -> Fraction:
    """z is counted by N(s) for s in [z - 1, z)."""
    return sum((max(Fraction(0), min(z, start + t) - max(z - 1, start)) for z in points), Fraction(0))


@settings(max_examples=100)
@given(st.integers(1, 12), st.integers(0, 3), st.integers(1, 12), st.data())
def test_lemma_2(m: int, k: int, first: int, data: st.DataObject) -> None:
    """On windows of m pieces: any N >= 0 that obeys Lemma 1, any p that falls."""
    first = min(first, m)
    p = np.sort(data.draw(st.lists(st.floats(0, 10), min_size=m, max_size=m)))[::-1]
    most = np.array([k * (i + 1) + min(i + 1, first) for i in range(m)], dtype=float)
    wanted = np.array(data.draw(st.lists(st.floats(0, 2 * k + 2), min_size=m, max_size=m)))
    n, sums = np.zeros(m), 0.0
    for i in range(m):
        n[i] = min(wanted[i], most[i] - sums)
        sums += n[i]
    star = np.where(np.arange(m) < first, k + 1, k)
    assert (np.cumsum(n) <= most + 1e-9).all()
    assert p @ n <= p @ star + 1e-9


def largest_sum(lam: float, delta: float, pieces: int, offset: float) -> float:
    """The largest sum of r over points of a grid with gaps of at least delta: a dynamic programme misses none.

    The grid has `pieces` points a delta and starts at -delta + offset.
    """
    z = -delta + offset + delta / pieces * np.arange(math.ceil((45 * lam + 2 + delta) / delta * pieces))
    r = h(z, lam, delta) - h(z - 1, lam, delta)
    best = [0.0] * (len(z) + 1)
    for i, gain in enumerate(r.tolist()):
        best[i + 1] = max(best[i], gain + best[max(i + 1 - pieces, 0)])
    return best[-1]


@settings(max_examples=100)
@given(st.floats(0.05, 20.0), st.floats(0.02, 5.0), st.integers(3, 40), st.floats(0, 1))
def test_theorem_1(lam: float, gamma: float, pieces: int, share: float) -> None:
    """Never above E; and E, where the grid holds the offset 1 modulo delta."""
    delta = gamma * lam
    cost = tree_cost(lam, delta)
    assert largest_sum(lam, delta, pieces, share * delta / pieces) < cost
    f = 1 - (math.ceil(1 / Fraction(delta)) - 1) * Fraction(delta)
    assert largest_sum(lam, delta, pieces, float(f) % (delta / pieces)) == pytest.approx(cost, rel=1e-9)


@pytest.mark.parametrize("delta", [0.25, 0.4, 1.0, 1.7, 4.0])
@pytest.mark.parametrize("lam", [0.5, 3.0])
def test_sharp(lam: float, delta: float) -> None:
    """The progression of the text: its sum tends to E from below, and no better progression is at hand."""
    f, sums = 1 - (math.ceil(1 / delta) - 1) * delta, []
    for steps in (5, 20, 80, 400):
        z = f + delta * np.arange(-1, steps + 1)
        sums.append(float((h(z, lam, delta) - h(z - 1, lam, delta)).sum()))
    assert sums == sorted(sums)
    assert sums[-1] < tree_cost(lam, delta)
    assert sums[-1] == pytest.approx(tree_cost(lam, delta), rel=1e-9)
    for offset in np.linspace(0, delta, 30):
        z = offset + delta * np.arange(-2, 400)
        assert (h(z, lam, delta) - h(z - 1, lam, delta)).sum() <= tree_cost(lam, delta)


@given(st.floats(0.05, 20.0), st.floats(0.05, 5.0), st.integers(1, 40))
@settings(max_examples=25)
def test_the_tail(lam: float, gamma: float, terms: int) -> None:
    """(5.4): what is left out is at most either bound."""
    delta = gamma * lam
    k = math.ceil(1 / Fraction(delta)) - 1
    f = float(1 - k * Fraction(delta))
    start = np.arange(terms) * gamma
    kept = math.fsum(np.log((2 - np.exp(-(start + f / lam))) / (2 - np.exp(-start))))
    left = float(exact_cost(lam, delta)) - 1 / lam - k * math.log(2) - kept
    geometric = f / lam * math.exp(-terms * gamma) / -math.expm1(-gamma)
    telescoping = f / delta * (math.log(2) - math.log(2 - math.exp(-(terms - 1) * gamma)))
    assert left <= min(geometric, telescoping) + 1e-11


@given(st.floats(0.05, 20.0), st.floats(0.02, 5.0), st.floats(1.001, 2.0))
def test_the_cost_falls_with_lambda_at_least_as_fast_as_one_over_lambda(
    lam: float, gamma: float, factor: float
) -> None:
    """At a fixed delta: what solving for lambda relies on."""
    delta = gamma * lam
    more, less = tree_cost(lam, delta), tree_cost(factor * lam, delta)
    assert more - less >= (1 / lam - 1 / (factor * lam)) * (1 - 1e-9) - 1e-12 * more


# Sections 6 and 7


@given(st.fractions(Fraction(1, 20), Fraction(19, 20), max_denominator=40), st.integers(1, 30), st.integers(-12, 12))
def test_lemma_3(up: Fraction, other: int, z: int) -> None:
    """Exact fractions e^-a, e^-b: the double sum, its rest known exactly, against the closed form; and the ratios."""
    down, rest = Fraction(other, 31), 40

    def law(z: int) -> Fraction:
        return (1 - up) * (1 - down) / (1 - up * down) * up ** max(z, 0) * down ** max(-z, 0)

    pairs = [(max(z, 0) + i, max(-z, 0) + i) for i in range(rest)]
    summed = sum((1 - up) * up**j * (1 - down) * down**i for j, i in pairs)
    assert law(z) - summed == law(z) * (up * down) ** rest
    assert law(z) / law(z + 1) == (1 / up if z >= 0 else down)


def test_replace_one_is_sharp() -> None:
    """E + 1/lambda + 2r: a pile whose record leaves with the worst margins, for a heavy cell that then stops."""
    parameters = Parameters(1.0, neighbours="replace-one")
    cost = parameters.cost(1)
    depth, count = 400, 10_000
    f = 1 - (math.ceil(1 / cost.delta) - 1) * cost.delta
    dials = replace(cost, theta=count - f - (depth - 3) * cost.delta)
    leaving, _ = _path_law(np.full(depth + 1, count), 1, dials, added=False)  # apart from depth 1 on
    entering, _ = _path_law(np.full(depth + 1, count), 1, dials, added=True)
    assert leaving.max() + entering.max() <= cost.total
    assert leaving.max() + entering.max() > cost.total - 1e-6


@given(st.lists(st.integers(1, 12), min_size=1, max_size=6), st.fractions(0, 2), st.integers(1, 3))
def test_several_rows(weights: list[int], epsilon: Fraction, m: int) -> None:
    """Section 10: an average over a person's choices of numbers within e^(m eps) is within e^(m eps)."""
    e = 1 + epsilon  # any number above 1 in the place of e^eps
    without = Fraction(1, 7)
    extremes = [without * e ** (m if i % 2 else -m) for i in range(len(weights))]
    average = sum(weight * p for weight, p in zip(weights, extremes, strict=True)) / sum(weights)
    assert without * e**-m <= average <= without * e**m


# The text


def table() -> list[tuple[str, str, str]]:
    """(line, file, test) of section 13."""
    return re.findall(r"^\| (.+?) \| `(tests/\S+\.py)::(test_\w+)` \|$", TEXT, re.MULTILINE)


def test_every_test_of_the_table_is_there() -> None:
    rows = table()
    assert len(rows) == TEXT.split("## 13.")[1].split("## 14.")[0].count("\n| ") - 1
    for line, file, name in rows:
        tree = ast.parse((ROOT / file).read_text(encoding="utf-8"))
        assert name in {node.name for node in tree.body if isinstance(node, ast.FunctionDef)}, line


def test_every_statement_has_a_test() -> None:
    lines = " ".join(line for line, _, _ in table())
    statements = set(re.findall(r"\*\*((?:Lemma|Theorem) \d)\.\*\*", TEXT))
    assert statements == {"Lemma 1", "Lemma 2", "Lemma 3", "Theorem 1", "Theorem 2"}
    numbers = set(re.findall(r"\((\d\.[1-9])\)", TEXT.split("## 13.")[0]))
    covered = lines.replace("(3.1) to (3.5)", " ".join(f"(3.{i})" for i in range(1, 6)))
    assert not {name for name in statements if name not in covered}
    assert not {number for number in numbers if f"({number})" not in covered}


def test_it_is_plain_text_for_any_screen() -> None:
    assert not re.search(r"\$|\\[a-z]", TEXT)
    assert max(len(line) for line in TEXT.splitlines() if not line.startswith("|")) <= 120
    for block in re.findall(r"```text\n(.*?)```", TEXT, re.DOTALL):
        assert max(map(len, block.splitlines())) <= 88


def test_it_is_packaged_and_its_doctests_are_collected() -> None:
    assert (files("privcore") / "PRIVACY.md").is_file()
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]
    assert "privcore" in project["hatch"]["build"]["targets"]["wheel"]["packages"]
    assert "--doctest-glob=PRIVACY.md" in project["pytest"]["ini_options"]["addopts"]
    assert TEXT.count("\n>>> ") >= 10


def test_every_numbered_section_that_is_cited_is_there() -> None:
    sections = set(re.findall(r"^## (\d+)\.", TEXT, re.MULTILINE))
    assert set(re.findall(r"section (\d+)", TEXT)) <= sections
    assert sections == {str(i) for i in range(1, len(sections) + 1)}
