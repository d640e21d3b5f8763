"""What the paper proves for each rule that grows a tree: its resolution error, its leaves, its depth.

theta, delta and sigma are masses: the rule's records over n. K is the public depth cap; without one, None.
Resolution errors are in units of the unit cube, for representatives at the centres of the leaves.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from privcore.arrays import Floats, Ints
from privcore.theory.resolution import not_negative, positive


class Minimised(NamedTuple):
    """The least value of a bound that holds for every t, the t it takes, and the scale of the cells there.

    value: 2 sqrt(d) (scale + the chance of a stop too early), at most sqrt(d).
    """

    value: float
    t: float
    scale: float


def hard(theta: float, d: int, max_depth: int | None = None) -> float:
    """W1 <= 2 sqrt(d) (theta + 2^-K)^(1/d) for the hard threshold theta >= 0; no second term without a cap.

    Source: the paper, section 4.1.

    >>> hard(0.25, d=2)
    1.4142135623730951
    """
    not_negative(theta=theta)
    return float(2.0 * np.sqrt(d) * (theta + _cap(max_depth)) ** (1.0 / d))


def hard_dimension(theta: float, d: int, s: float, constant: float) -> float:
    """W1 of the hard threshold for data with N_k <= A 2^(s k / d) occupied cells at depth k, A = `constant`.

    The growth is needed down to the first k with A 2^(s k / d) >= 1 / theta. With x = A theta <= 1:
    C x for s < 1, C x (1 + ln(1/x)) for s = 1, C x^(1/s) for s > 1, C = 4 sqrt(d) {1/(1-s), 1, max(1, 1/(s-1))};
    sqrt(d), which always holds, for x > 1. Source: the paper, section 4.2.

    >>> hard_dimension(1e-4, d=4, s=2.0, constant=1.0)
    0.08
    """
    positive(theta=theta, s=s, constant=constant)
    x, root_d = constant * theta, float(np.sqrt(d))
    if x > 1.0:
        return root_d
    if s < 1.0:
        return 4.0 * root_d * x / (1.0 - s)
    if s == 1.0:
        return float(4.0 * root_d * x * (1.0 - np.log(x)))
    return float(4.0 * root_d * max(1.0, 1.0 / (s - 1.0)) * x ** (1.0 / s))


def soft(theta: float, delta: float, d: int, max_depth: int | None = None) -> float:
    """W1 <= 2 sqrt(d) [theta + delta (L + 2) + 2^-K]^(1/d), L = max(0, ceil(log2(1/theta))), for theta > 0.

    Source: the paper, section 5.1.

    >>> soft(0.25, 0.0625, d=1)
    1.0
    """
    positive(theta=theta, delta=delta)
    return float(2.0 * np.sqrt(d) * _mean_volume(theta, delta, max_depth) ** (1.0 / d))


def soft_leaves(theta: float, delta: float) -> float:
    """Leaves of the soft threshold <= 1 + 1/theta + ln(1/theta)/delta, for 0 < theta <= 1; 1 above that.

    Source: the paper, section 5.1.

    >>> soft_leaves(1.0, 0.5)
    2.0
    """
    positive(theta=theta, delta=delta)
    return 1.0 if theta > 1.0 else float(1.0 + 1.0 / theta + np.log(1.0 / theta) / delta)


def soft_leaves_by_level(theta: float, delta: float) -> float:
    """Leaves of the soft threshold <= 1 + sum_(k < depth bound) min(2^k, 1/(theta + k delta)), for theta >= 0.

    Sharper than `soft_leaves`, and finite at theta = 0. Source: the paper, section 5.1.

    >>> soft_leaves_by_level(0.0, 0.25)
    7.333333333333333
    """
    depths = np.arange(soft_depth(theta, delta))
    with np.errstate(divide="ignore"):
        cells = np.minimum(np.exp2(np.minimum(depths, 1000)), 1.0 / (theta + delta * depths))
    return float(1.0 + cells.sum())


def soft_depth(theta: float, delta: float) -> int:
    """Depth of the soft threshold <= max(0, ceil((1 - theta)/delta)): there the threshold has reached 1.

    Source: the paper, section 5.1.

    >>> soft_depth(0.25, 0.25)
    3
    """
    positive(delta=delta)
    not_negative(theta=theta)
    return max(0, int(np.ceil((1.0 - theta) / delta)))


def privtree(theta: float, delta: float, sigma: float, d: int, max_depth: int | None = None) -> Minimised:
    """E W1 <= 2 sqrt(d) { [theta + t + delta (L + 2) + 2^-K]^(1/d) + (1 + 1/delta) exp(-t/sigma) / 2 } of PrivTree.

    For every t > 0 with theta + t > 0, L = max(0, ceil(log2(1/(theta + t)))); the least over t, and at most
    sqrt(d). The mean is over the noise of the tree. sigma: the Laplace scale lambda/n. Source: the paper,
    section 5.2; the term 2^-K as for the soft threshold, since a cap shortens paths at depth K only.

    >>> privtree(0.0, 1e-6, 1e-6, d=1).value < 1e-3 < privtree(0.0, 1e-4, 1e-4, d=1).value
    True
    """
    positive(delta=delta, sigma=sigma)
    root_d = float(np.sqrt(d))
    lowest, highest = max(0.0, -theta), 1.0 - theta
    if highest <= lowest:
        return Minimised(root_d, highest, 1.0)

    def scale(t: Floats) -> Floats:
        return np.asarray(_mean_volume(theta + t, delta, max_depth) ** (1.0 / d))

    def values(t: Floats) -> Floats:
        return np.asarray(2.0 * root_d * (scale(t) + _stopped_early(t, delta, sigma)))

    # Any t gives a bound: a grid near the minimum loses nothing but sharpness. Above 1 - theta it exceeds sqrt(d).
    t = lowest + (highest - lowest) * np.logspace(-15.0, 0.0, 1501)
    best = int(np.argmin(values(t)))
    t = np.linspace(t[max(best - 1, 0)], t[min(best + 1, t.size - 1)], 201)
    at = values(t)
    best = int(np.argmin(at))
    return Minimised(min(root_d, float(at[best])), float(t[best]), float(scale(t[best])))


def privtree_heavy(masses: Floats, depths: Ints, theta: float, delta: float, sigma: float, d: int) -> Minimised:
    """E W1 of PrivTree on this data <= 2 sqrt(d) { (1-alpha) sum_k alpha^k F_t(k) + (1+1/delta) exp(-t/sigma)/2 }.

    F_t(k) is the mass of the cells at depth k < K of at most theta + t + k delta, and 1 from the cap K on. So the
    sum is 1 - (1 - alpha) sum alpha^depth p over the heavier cells, and the least over t is taken where a cell
    stops being heavy. At most sqrt(d). masses, depths: (cells,), the cells above the cap heavier than
    max(theta, 0) + depth delta: what the soft threshold splits. Source: the paper, section 5.3, first line of the
    proof, with its bound min(1, (t + k delta) N_k) on F_t(k) left out.

    >>> round(privtree_heavy(np.array([1.0, 1.0]), np.array([0, 1]), 0.0, 1e-3, 1e-3, d=1).value, 9)
    0.5
    """
    positive(delta=delta, sigma=sigma)
    alpha, root_d = 2.0 ** (-1.0 / d), float(np.sqrt(d))
    margins = masses - theta - delta * depths
    order = np.argsort(-margins)
    order = order[margins[order] > max(0.0, -theta)]
    if order.size == 0:
        return Minimised(root_d, float("nan"), 1.0)
    scale = 1.0 - (1.0 - alpha) * np.cumsum(masses[order] * alpha ** depths[order])
    scale += order.size * np.finfo(np.float64).eps  # what rounding may have taken away
    # Cells with the same margin are heavy together; the last of them has the whole sum.
    at = 2.0 * root_d * (scale + _stopped_early(margins[order], delta, sigma))
    best = int(np.argmin(at))
    return Minimised(min(root_d, float(at[best])), float(margins[order[best]]), float(scale[best]))


def privtree_leaves(delta: float, sigma: float) -> float:
    """E leaves of PrivTree <= (4 + 1/delta) (1 - e^(-delta/sigma)/2) / (1 - e^(-delta/sigma)), for theta = 0 only.

    At delta = sigma ln 2 and sigma = 6/(epsilon n), the paper's choice, it is 6 + epsilon n / (4 ln 2).
    Source: the paper, section 5.2.

    >>> round(privtree_leaves(float(np.log(2)) * 6 / 100, 6 / 100) - float(100 / (4 * np.log(2))), 9)
    6.0
    """
    positive(delta=delta, sigma=sigma)
    survives = np.exp(-delta / sigma)
    return float((4.0 + 1.0 / delta) * (1.0 - survives / 2.0) / -np.expm1(-delta / sigma))


def levels(theta: float) -> int:
    """L = max(0, ceil(log2(1/theta))): at depth L there are as many cells as can be heavier than theta.

    >>> levels(0.25), levels(0.3), levels(2.0)
    (2, 2, 0)
    """
    return max(0, int(np.ceil(-np.log2(theta))))


def _mean_volume(theta: float | Floats, delta: float, max_depth: int | None) -> Floats:
    """theta + delta (L + 2) + 2^-K, the bound on the mean volume of a leaf under a soft threshold."""
    halvings = np.maximum(0.0, np.ceil(-np.log2(theta)))
    return np.asarray(theta + delta * (halvings + 2.0) + _cap(max_depth))


def _stopped_early(t: Floats, delta: float, sigma: float) -> Floats:
    """The chance that noise below -t stops a path before its cells are light: at most 1 + 1/delta decisions."""
    return np.asarray(0.5 * (1.0 + 1.0 / delta) * np.exp(-t / sigma))


def _cap(max_depth: int | None) -> float:
    return 0.0 if max_depth is None else 2.0**-max_depth
