from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

from privcore import parameters as parameters_module
from privcore.accounting import (
    MOST_UNITS,
    Cost,
    round_down,
    round_up,
    solve_lambda,
    sum_up,
    tree_cost,
    tree_cost_published,
)
from privcore.errors import InvalidParametersError
from privcore.parameters import DEFAULT_GAMMA, Parameters, default_tree_share
from privcore.tree import UNIT
from tests.oracle.cost import exact_cost, log_probability, shapes, split_probability, worst_path

LN2 = math.log(2.0)
PUBLISHED = [
    (6, 6 * LN2, 0.401051),
    (3, 3 * LN2, 0.749648),
    (1.5, 1.5 * LN2, 1.343484),
    (6, 1.2, 0.757530),
    (6, 6, 0.360731),
]


def in_units(value: float) -> bool:
    return value * UNIT == math.floor(value * UNIT)


# The tree


@pytest.mark.parametrize(("lam", "delta", "value"), PUBLISHED)
def test_values_computed_elsewhere(lam: float, delta: float, value: float) -> None:
    assert tree_cost(lam, delta) == pytest.approx(value, abs=5e-7)


def test_the_published_bound() -> None:
    assert tree_cost_published(6, 6 * LN2) == pytest.approx(0.5, abs=1e-12)
    assert tree_cost_published(2.5, 2.5 * LN2) == pytest.approx(3 / 2.5, abs=1e-12)


@settings(max_examples=60)
@given(st.floats(0.05, 50.0), st.floats(0.02, 40.0))
def test_rounded_up_and_tight(lam: float, delta: float) -> None:
    """Never below 50 exact digits, and above them by rounding alone."""
    assume(lam / delta < 60)
    exact, cost = exact_cost(lam, delta), Decimal(tree_cost(lam, delta))
    assert cost >= exact
    assert cost <= exact * (1 + Decimal(10) ** -11)
    assert tree_cost_published(lam, delta) >= cost * (1 - Decimal("1e-12")) if delta >= 1e-9 else True


@given(st.floats(0.01, 1e4), st.floats(1e-3, 1e3))
def test_bounds_of_the_cost(lam: float, gamma: float) -> None:
    delta = lam * gamma
    assume(delta > 1e-2)
    cost = tree_cost(lam, delta)
    assert cost >= 1 / lam
    assert cost - 1 / lam >= LN2 / delta - 1e-9 * cost
    assert cost <= tree_cost_published(lam, delta) * (1 + 1e-12)


@given(st.sampled_from([0.1, LN2, DEFAULT_GAMMA, 1.0, 5.0]), st.floats(0.05, 100.0), st.floats(1.0001, 3.0))
def test_cost_falls_with_lambda_at_fixed_gamma(gamma: float, lam: float, factor: float) -> None:
    assert tree_cost(lam * factor, gamma * lam * factor) < tree_cost(lam, gamma * lam)


@given(st.floats(0.1, 50.0), st.floats(0.1, 50.0), st.floats(1.001, 3.0))
def test_cost_falls_with_lambda_at_fixed_delta(lam: float, delta: float, factor: float) -> None:
    assert tree_cost(lam * factor, delta) < tree_cost(lam, delta)


def test_there_are_26_small_trees() -> None:
    assert [len(shapes(depth)) for depth in range(4)] == [1, 2, 5, 26]


@pytest.mark.parametrize("theta", [-3.0, 0.0, 0.7, 2.0])
@pytest.mark.parametrize(("lam", "delta"), [(1.0, LN2), (0.5, 0.25), (2.0, 0.4), (3.0, 1.0), (1.0, 2.5)])
def test_every_tree_of_every_small_data_set(lam: float, delta: float, theta: float) -> None:
    """No log ratio over all neighbours and all 26 trees passes the cost; probabilities sum to one."""
    places = [(i + 0.5) / 8 for i in range(8)]
    largest_removed = largest_added = 0.0
    for size in range(4):
        for points in itertools.combinations_with_replacement(places, size):
            base = [log_probability(shape, list(points), theta, delta, lam, 3) for shape in shapes(3)]
            assert math.fsum(map(math.exp, base)) == pytest.approx(1.0, abs=1e-12)
            for x in places:
                more = [log_probability(shape, [*points, x], theta, delta, lam, 3) for shape in shapes(3)]
                ratios = np.subtract(more, base)
                largest_removed = max(largest_removed, float(ratios.max()))
                largest_added = max(largest_added, float(-ratios.min()))
    assert largest_removed <= tree_cost(lam, delta)
    assert largest_added <= 1 / lam + 1e-12
    assert largest_removed > 0


@pytest.mark.parametrize("delta", [0.25, 0.4, LN2, 1.0, 1.7, 4.0])
@pytest.mark.parametrize("lam", [0.5, 1.0, 3.0])
def test_the_worst_path_is_the_cost(lam: float, delta: float) -> None:
    """A dynamic programme over count paths comes close to the cost and never passes it, at any threshold."""
    cost = tree_cost(lam, delta)
    n = 40
    best_offset = (n - 1) % delta  # constant counts n then give margins that end at 1 modulo delta
    worst = [worst_path(lam, delta, theta, n) for theta in (*np.linspace(-2.0, 2.0, 5), 1 - delta, best_offset)]
    assert max(worst) <= cost
    assert worst[-1] >= cost * (1 - 1e-4)


def test_the_best_offset_reaches_the_cost() -> None:
    """Margins that end at 1 modulo delta: the supremum of the formula, reached up to the length of the path."""
    for lam, delta in [(1.0, 0.3), (1.0, LN2), (2.0, 1.0), (0.5, 3.0)]:
        offset = 1 - (math.ceil(1 / delta) - 1) * delta
        margins = [offset + i * delta for i in range(-1, 400)]
        ratios = [
            math.log(split_probability(max(y, -delta), lam)) - math.log(split_probability(max(y - 1, -delta), lam))
            for y in margins
        ]
        assert math.fsum(ratios) <= tree_cost(lam, delta)
        assert math.fsum(ratios) == pytest.approx(tree_cost(lam, delta), rel=1e-9)


@given(st.floats(max_value=0.0) | st.just(math.nan) | st.just(math.inf))
def test_scales_must_be_positive(value: float) -> None:
    for scales in ((value, 1.0), (1.0, value)):
        with pytest.raises(InvalidParametersError, match=str(value).replace("+", r"\+")):
            tree_cost(*scales)
        with pytest.raises(InvalidParametersError):
            tree_cost_published(*scales)


@given(st.floats(0.01, 5.0), st.sampled_from([0.5, 1.0, 2.0]))
def test_lambda_is_the_smallest_that_does(target: float, gamma: float) -> None:
    lam = solve_lambda(target, lambda lam: tree_cost(lam, gamma * lam))
    assert in_units(lam)
    assert tree_cost(lam, gamma * lam) <= target < tree_cost(lam - 1 / UNIT, gamma * (lam - 1 / UNIT))


@given(st.floats(0.001, 60.0), st.one_of(st.floats(0.05, 10.0), st.none()), st.floats(0.1, 1e4))
def test_lambda_is_found_in_few_steps_wherever_it_is(target: float, gamma: float | None, delta: float) -> None:
    seen = []

    def records(lam: float) -> float:
        seen.append(lam)
        return tree_cost(lam, delta if gamma is None else gamma * lam) + 1.0 / lam

    assume(gamma is not None or target > 1.01 * math.log(2.0) * math.ceil(1.0 / delta))
    lam = solve_lambda(target, records)
    assert len(seen) <= 70
    assert records(lam) <= target
    assert lam == 1 / UNIT or records(lam - 1 / UNIT) > target


def bisection(target: float, records: Callable[[float], float]) -> float:
    """What `solve_lambda` promises, without its short cuts: every step of the bisection of (0, 2^30] is computed."""
    low, high = 0, MOST_UNITS
    if records(high / UNIT) > target:
        raise InvalidParametersError("No lambda makes the tree cost so little.")
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if records(middle / UNIT) > target else (low, middle)
    return high / UNIT


def outcome(parameters: Parameters, d: int) -> Cost | str:
    """The cost, or the first words of why there is none."""
    try:
        return parameters.cost(d)
    except InvalidParametersError as error:
        return " ".join(str(error).split()[:3])


def check_against_bisection(parameters: Parameters, d: int) -> None:
    found = outcome(parameters, d)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(parameters_module, "solve_lambda", bisection)
        assert found == outcome(parameters, d)


EPSILONS = st.sampled_from([1e-6, 1e-5, 1.0, 1e3]) | st.floats(-6, 3).map(lambda power: min(10.0**power, 1e3))
SHARES = st.sampled_from([None, 0.01, 0.99]) | st.floats(0.01, 0.99)
RELATIONS = st.sampled_from(["add-remove", "replace-one"])


@settings(max_examples=60, deadline=None)
@given(EPSILONS, SHARES, st.sampled_from([None, 1e-3, 1e3]) | st.floats(1e-3, 1e3), RELATIONS, st.integers(1, 20))
def test_lambda_is_that_of_a_bisection_at_every_gamma(
    epsilon: float, share: float | None, gamma: float | None, neighbours: Any, d: int
) -> None:
    check_against_bisection(Parameters(epsilon, gamma=gamma, tree_share=share, neighbours=neighbours), d)


@settings(max_examples=5, deadline=None)
@given(EPSILONS, SHARES, st.floats(-10, 6), RELATIONS, st.integers(1, 20))
@example(1e-5, None, -3.3, "add-remove", 20)
@example(10.3, 0.99, -5.0, "add-remove", 1)
def test_lambda_is_that_of_a_bisection_at_every_delta(
    epsilon: float, share: float | None, power: float, neighbours: Any, d: int
) -> None:
    """delta down to a hair above ln 2 / budget: the cost is then so flat in lambda that rounding decides."""
    budget = Parameters(epsilon, tree_share=share).tree_budget(d)
    delta = min(LN2 / budget * (1 + 10**power), 2.0**31)
    check_against_bisection(Parameters(epsilon, delta=delta, tree_share=share, neighbours=neighbours), d)


def test_a_cost_that_no_lambda_meets_is_refused() -> None:
    with pytest.raises(InvalidParametersError, match=r"No lambda makes the tree cost 0\.5"):
        solve_lambda(0.5, lambda lam: 0.6 + 1.0 / lam)


@given(st.fractions(), st.integers(1, 2**40))
def test_rounding_is_towards_safety(value: Fraction, unit: int) -> None:
    assume(abs(value) < 1000)
    up, down = Fraction(round_up(value, 2**20)), Fraction(round_down(value, 2**20))
    assert down <= value <= up
    assert up - down <= Fraction(1, 2**20)


@given(st.lists(st.floats(0.0, 1e6), min_size=1, max_size=6))
def test_sums_round_up(costs: list[float]) -> None:
    exact = sum((Fraction(c) for c in costs), Fraction(0))
    assert Fraction(math.nextafter(sum_up(*costs), -math.inf)) < exact <= Fraction(sum_up(*costs)) or exact == 0


# Parameters


def check_cost(cost: Cost) -> None:
    assert all(in_units(v) for v in (cost.lam, cost.delta, cost.theta))
    assert all(v * 2**40 == math.floor(v * 2**40) for v in (cost.a, cost.b))
    assert cost.a > 0
    assert cost.b > 0
    assert cost.noise_sd > 0
    assert cost.theta >= -12 * cost.delta


@settings(max_examples=150)
@given(
    st.floats(1e-3, 50.0),
    st.floats(0.05, 0.9),
    st.one_of(st.none(), st.floats(0.05, 20.0)),
    st.integers(1, 6),
    st.sampled_from(["add-remove", "replace-one"]),
)
def test_tight_spends_epsilon_and_no_more(
    epsilon: float, share: float, gamma: float | None, d: int, neighbours: Any
) -> None:
    parameters = Parameters(epsilon, tree_share=share, gamma=gamma, neighbours=neighbours)
    cost = parameters.cost(d)
    check_cost(cost)
    assert cost.total <= epsilon
    assert cost.delta >= Fraction(DEFAULT_GAMMA if gamma is None else gamma) * Fraction(cost.lam)
    if neighbours == "add-remove":
        assert cost.total > epsilon - 1e-9
        assert Fraction(cost.tree) + Fraction(cost.a) <= Fraction(epsilon)
        assert 1 / Fraction(cost.lam) + Fraction(cost.b) <= Fraction(epsilon)
        assert Decimal(cost.tree) >= Decimal(tree_cost(cost.lam, cost.delta))
        assert cost.b > cost.a
    else:
        assert cost.a == cost.b
        exact = Fraction(tree_cost(cost.lam, cost.delta)) + 1 / Fraction(cost.lam) + 2 * Fraction(cost.a)
        assert exact <= Fraction(epsilon)
        assert cost.total > epsilon - 1e-9
        assert cost.noise_mean == 0


@settings(max_examples=60)
@given(st.floats(0.05, 20.0), st.floats(0.1, 0.9), st.floats(0.2, 5.0))
def test_delta_in_records(epsilon: float, share: float, factor: float) -> None:
    """lambda solves E(lambda, delta) = budget; below ln 2 / budget there is none, and the message says the number."""
    budget = share * epsilon
    delta = factor * LN2 / budget
    parameters = Parameters(epsilon, delta=delta, tree_share=share)
    if factor <= 1:
        assume(factor < 0.999 and delta * UNIT > 100)
        with pytest.raises(InvalidParametersError, match=f"{LN2 / budget:.6g}"):
            parameters.cost(2)
        return
    assume(factor > 1.01)
    cost = parameters.cost(2)
    check_cost(cost)
    assert 0 <= cost.delta - delta <= 1 / UNIT
    assert cost.tree <= budget < tree_cost(cost.lam - 1 / UNIT, cost.delta)
    assert epsilon - 1e-9 < cost.total <= epsilon


@given(st.floats(1e-2, 50.0), st.integers(1, 5))
def test_paper_mode(epsilon: float, d: int) -> None:
    cost = Parameters(epsilon, mode="paper").cost(d)
    check_cost(cost)
    assert 0 <= Fraction(cost.lam) - 6 / Fraction(epsilon) <= Fraction(1, UNIT)
    assert cost.delta >= cost.lam * LN2
    assert cost.delta - cost.lam * LN2 <= 3 / UNIT
    assert cost.a == cost.b == round_down(Fraction(epsilon) / 2)
    assert cost.published_total <= epsilon * (1 + 1e-12)
    assert cost.tree < cost.published_tree
    assert cost.total < epsilon
    replaced = Parameters(epsilon, mode="paper", neighbours="replace-one").cost(d)
    check_cost(replaced)
    assert 0 <= Fraction(replaced.lam) - 12 / Fraction(epsilon) <= Fraction(1, UNIT)
    assert replaced.a == replaced.b == round_down(Fraction(epsilon) / 4)
    assert replaced.published_total <= epsilon * (1 + 1e-12)
    assert replaced.total <= replaced.published_total


def test_numbers_of_the_default() -> None:
    cost = Parameters(1.0, mode="paper").cost(2)
    assert cost.tree == pytest.approx(0.401051, abs=1e-6)
    assert (cost.lam, cost.a) == (6.0, 0.5)
    assert cost.noise_sd**2 == pytest.approx(7.835, abs=1e-3)
    two_rate = Cost(1.0, 6.0, 6 * LN2, 0.0, 1 - 0.401051, 1 - 1 / 6, 0.4, 0.6, 1.0, 0.5, 1.0)
    assert two_rate.noise_sd**2 == pytest.approx(4.065, abs=1e-3)
    assert [default_tree_share(d) for d in (1, 2, 3)] == [0.3, 0.6, 0.6]


@given(st.floats(0.05, 3.0), st.floats(0.05, 3.0))
def test_moments_of_the_leaf_noise(a: float, b: float) -> None:
    cost = Cost(1.0, 6.0, 6.0, 0.0, a, b, 0.4, 0.5, 0.9, 0.5, 1.0)
    j = np.arange(4000)
    up, down = np.exp(-a * j) * -np.expm1(-a), np.exp(-b * j) * -np.expm1(-b)
    mean = (j * up).sum() - (j * down).sum()
    variance = (j**2 * up).sum() - (j * up).sum() ** 2 + (j**2 * down).sum() - (j * down).sum() ** 2
    assert cost.noise_mean == pytest.approx(mean, abs=1e-8)
    assert cost.noise_sd == pytest.approx(math.sqrt(variance), rel=1e-9)


@given(st.floats(0.05, 2.0), st.floats(0.05, 2.0))
def test_two_rate_noise_changes_by_its_rates(a: float, b: float) -> None:
    """P(o | c + 1) / P(o | c) lies between e^-b and e^a."""
    z = np.arange(-60, 61)
    p = np.array(
        [-np.expm1(-a) * -np.expm1(-b) / -np.expm1(-a - b) * math.exp(-(a * v if v >= 0 else -b * v)) for v in z]
    )
    ratio = np.log(p[:-1]) - np.log(p[1:])
    assert ratio.max() <= a + 1e-9
    assert ratio.min() >= -b - 1e-9


@pytest.mark.parametrize("theta", [-12.0, -1.0, 0.0, 3.5])
def test_theta_within_its_floor(theta: float) -> None:
    cost = Parameters(1.0).cost(2)
    assert Parameters(1.0, theta=theta * cost.delta if theta < 0 else theta).cost(2).lam == cost.lam
    with pytest.raises(InvalidParametersError, match=rf"theta is -1000.*-12 delta = {-12 * cost.delta:.6g}"):
        Parameters(1.0, theta=-1000.0).cost(2)


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"epsilon": 0.0}, "epsilon is 0"),
        ({"epsilon": -1}, "epsilon is -1"),
        ({"epsilon": 1e-7}, "1e-07"),
        ({"epsilon": 1001}, "1001"),
        ({"epsilon": math.nan}, "epsilon is nan"),
        ({"epsilon": "much"}, "epsilon is 'much'"),
        ({"epsilon": True}, "epsilon is True"),
        ({"epsilon": None}, "epsilon is None"),
        ({"theta": math.inf}, "theta is inf"),
        ({"theta": None}, "theta is None"),
        ({"theta": 2.0**32}, "theta is 4294967296"),
        ({"delta": 0}, "delta is 0"),
        ({"delta": -2}, "delta is -2"),
        ({"delta": 2.0**32}, "delta is 4294967296"),
        ({"gamma": 0}, "gamma is 0"),
        ({"gamma": 1e4}, "gamma is 10000"),
        ({"gamma": 1, "delta": 2}, "Both delta and gamma"),
        ({"tree_share": 0.0}, "tree_share is 0"),
        ({"tree_share": 1.0}, "tree_share is 1"),
        ({"total": 0}, "total is 0"),
        ({"total": -3}, "total is -3"),
        ({"total": 1e17}, "total is 1e\\+17"),
        ({"mode": "loose"}, "'loose'"),
        ({"neighbours": "friends"}, "'friends'"),
        ({"projection": "l1"}, "'l1'"),
        ({"representative": "mean"}, "'mean'"),
        ({"shift": "some"}, "'some'"),
        ({"shift": 3}, "shift is 3"),
        ({"shift": ()}, "shift is"),
        ({"shift": (0.5, 1.5)}, r"1\.5"),
        ({"shift": (math.nan,)}, "nan"),
        ({"max_depth": -1}, "max_depth is -1"),
        ({"max_depth": 2.5}, r"max_depth is 2\.5"),
        ({"mode": "paper", "theta": 1.0}, "theta can't be set"),
        ({"mode": "paper", "delta": 1.0}, "delta can't be set"),
        ({"mode": "paper", "gamma": 1.0}, "gamma can't be set"),
        ({"mode": "paper", "tree_share": 0.5}, "tree_share can't be set"),
        ({"neighbours": "replace-one", "total": 5}, "don't set `total`"),
    ],
)
def test_what_is_refused(changes: dict[str, Any], says: str) -> None:
    with pytest.raises(InvalidParametersError, match=says):
        Parameters(**({"epsilon": 1.0} | changes))


@pytest.mark.parametrize(
    ("changes", "d", "says"),
    [
        ({"max_depth": 105}, 2, "max_depth is 105.*104 levels"),
        ({"shift": (0.1,)}, 2, "1 numbers.*2 axes"),
        ({}, 0, "is 0"),
    ],
)
def test_what_a_dimension_refuses(changes: dict[str, Any], d: int, says: str) -> None:
    with pytest.raises(InvalidParametersError, match=says):
        Parameters(**({"epsilon": 1.0} | changes)).cost(d)


def test_parameters_are_frozen_and_read_back() -> None:
    parameters = Parameters(0.5, theta=1, delta=9, tree_share=0.5, shift=[0.25, 1], max_depth=7, total=100)  # type: ignore[arg-type]
    assert Parameters.from_dict(parameters.to_dict()) == parameters
    assert hash(parameters) == hash(Parameters.from_dict(parameters.to_dict()))
    with pytest.raises(AttributeError):
        parameters.epsilon = 2.0  # type: ignore[misc]
    with pytest.raises(InvalidParametersError, match="noise"):
        Parameters.from_dict(parameters.to_dict() | {"noise": 0})
    with pytest.raises(InvalidParametersError, match="theta"):
        Parameters.from_dict({k: v for k, v in parameters.to_dict().items() if k != "theta"})
    assert Parameters(1.0, mode="paper").method == "lipschitz"
    assert Parameters(1.0, mode="paper", projection="clip").method == "clip"


@pytest.mark.parametrize("lam", [2.0**-60, 1.0, 2.0**60])
@pytest.mark.parametrize("delta", [2.0**-60, 1.0, 2.0**60])
def test_the_extreme_scales_have_a_cost_and_those_beyond_are_refused(lam: float, delta: float) -> None:
    assert 0 < tree_cost(lam, delta) < math.inf
    assert 0 < tree_cost_published(lam, delta) < math.inf
    for beyond in (5e-324, 1e-30, 1e30, 8.98846567431158e307):
        for scales in ((beyond, delta), (lam, beyond)):
            with pytest.raises(InvalidParametersError, match="2\\^60"):
                tree_cost(*scales)


@settings(max_examples=40)
@given(st.integers(0, 40), st.floats(1e-3, 1e6))
def test_a_record_that_is_a_whole_number_of_steps(power: int, lam: float) -> None:
    """delta = 1/m: the sum telescopes, E = 1/lambda + m ln 2, whatever lambda / delta is (here up to 1e18)."""
    cost, exact = tree_cost(lam, 2.0**-power), 1 / Decimal(lam) + 2**power * Decimal(2).ln()
    tail = 1 / Decimal(lam) if 50 * lam * 2**power > 2**20 else 0  # what bounding the terms beyond 2^20 may add
    assert exact <= Decimal(cost) <= exact * (1 + Decimal("2e-13")) + tail


@settings(max_examples=25)
@given(st.floats(0.05, 50.0), st.floats(0.05, 30.0))
def test_the_margin_for_rounding_is_wide(lam: float, gamma: float) -> None:
    """float64 is off by less than a tenth of the 1e-13 that is added for it."""
    exact = exact_cost(lam, lam * gamma)
    error = Decimal(tree_cost(lam, lam * gamma)) / (exact * (1 + Decimal("1e-13"))) - 1
    assert abs(error) < Decimal("1e-14")


@settings(max_examples=25)
@given(
    st.floats(1e-3, 30.0),
    st.floats(0.1, 0.9),
    st.floats(0.1, 5.0),
    st.integers(1, 3),
    st.sampled_from(["tight", "paper"]),
    st.sampled_from(["add-remove", "replace-one"]),
)
def test_the_total_holds_in_exact_arithmetic(
    epsilon: float, share: float, gamma: float, d: int, mode: Any, neighbours: Any
) -> None:
    """To 60 digits from the rational lambda, delta, a, b that are used: both directions cost at most the total."""
    dials = {"tree_share": share, "gamma": gamma} if mode == "tight" else {}
    cost = Parameters(epsilon, mode=mode, neighbours=neighbours, **dials).cost(d)
    exact, added = exact_cost(cost.lam, cost.delta), 1 / Decimal(cost.lam)
    a, b, total = Decimal(cost.a), Decimal(cost.b), Decimal(cost.total)
    assert total <= Decimal(epsilon)
    if neighbours == "add-remove":
        assert exact + a <= total
        assert added + b <= total
        assert exact <= Decimal(cost.tree)
    else:
        assert exact + added + 2 * a <= total
        assert exact + added <= Decimal(cost.tree)


def test_a_delta_beyond_exact_arithmetic_is_refused_before_the_run() -> None:
    with pytest.raises(InvalidParametersError, match=r"delta comes to 2e\+11 records, but must be at most 2\.1.*e\+09"):
        Parameters(1e-6, tree_share=0.01, gamma=1000).cost(2)
    with pytest.raises(InvalidParametersError, match=r"at most 4\.2.*e\+08 in dimension 200"):
        Parameters(1e-6, gamma=1000).cost(200)
