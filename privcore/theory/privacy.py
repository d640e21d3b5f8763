"""The privacy error of the Lipschitz projection: noise on the leaf masses, measured by the Laplacian complexity.

FALSE for the Euclidean projection and for clipping: on an even tree with half its leaves empty the error of the
Euclidean projection outgrows it.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from privcore.arrays import Floats
from privcore.theory.resolution import positive


class Complexity(NamedTuple):
    """A bound on E sup_F (1/m) sum_i Z_i f(z_i), and the number of levels J that makes it least."""

    value: float
    levels: int


def effective_cells(points: Floats, level: int) -> float:
    """N_eff = (sum over cells of sqrt(share of the points))^2 for the cubes of side 2^-level: between 1 and m.

    points: (m, d) in the unit cube. Source: the paper, section 3.2.

    >>> round(effective_cells(np.array([[0.1], [0.2], [0.6], [0.7]]), 1), 9)
    2.0
    """
    # Below 2^-52 float64 tells every two points of the cube apart as it is.
    cells = points if level > 52 else np.minimum(np.floor(points * 2.0**level), 2.0**level - 1.0)
    order = np.lexsort(cells.T)
    cells = cells[order]
    starts = np.flatnonzero(np.concatenate([[True], (cells[1:] != cells[:-1]).any(axis=1)]))
    counts = np.diff(np.append(starts, len(cells)))
    return float(np.sqrt(counts / len(cells)).sum() ** 2)


def laplacian_complexity(points: Floats, sd: float = 2.0**0.5, mean_absolute: float = 1.0) -> Complexity:
    """L(F; Z) <= sqrt(2d/m) (1 + sum_(j = 1..J) 2^-(j-1) sqrt(N_eff(j))) + sqrt(d) 2^-J, the least over J.

    For independent centred noise of any law the first two terms carry `sd`/sqrt(2) and the last `mean_absolute`
    = E|Z| (1 and 1 for Laplace noise of scale 1). F: the 1-Lipschitz functions on the cube with |f| <= sqrt(d).
    points: (m, d) in the unit cube. Source: the paper, section 3.2.

    >>> round(laplacian_complexity(np.array([[0.5]])).value, 6)
    2.414214
    """
    m, d = points.shape
    # E|sum of N draws| <= sd sqrt(N): sd sqrt(d/m) for the root, times 2^-(j-1) sqrt(N_eff(j)) for level j.
    root_d, unit = float(np.sqrt(d)), sd * float(np.sqrt(d / m))
    chained, level = unit, 0
    # One more level adds unit 2^-level sqrt(N_eff) and takes mean_absolute sqrt(d) 2^-level / 2 off the tail. N_eff
    # grows with the level, so the first level that does not pay is the last one to look at.
    while level < 1000:
        spread = float(np.sqrt(effective_cells(points, level + 1)))
        if unit * spread >= mean_absolute * root_d / 2.0:
            break
        chained += unit * 2.0**-level * spread
        level += 1
    return Complexity(chained + mean_absolute * root_d * 2.0**-level, level)


def privacy(points: Floats, total: float, sd: float = 2.0**0.5, mean_absolute: float = 1.0) -> Complexity:
    """E W1(oracle, projected) <= 2 (m/total) L(F; Z), given the tree, for the Lipschitz projection only.

    points: (m, d), the representatives in the unit cube. sd, mean_absolute: of the leaf noise in records, centred;
    total: what noisy counts are divided by, if it is the true number of records. If it is the total of the noisy
    counts, it bounds E[total W1] / total: the noise's own total then only recentres f within F.
    Source: the paper, section 3.1.

    >>> round(privacy(np.array([[0.5]]), total=100.0).value, 6)
    0.048284
    """
    positive(total=total)
    complexity = laplacian_complexity(points, sd, mean_absolute)
    return Complexity(2.0 * len(points) * complexity.value / total, complexity.levels)


def two_rate_moments(up: float, down: float) -> tuple[float, float]:
    """Return the standard deviation and E|Z - E Z| of Z = G(up) - G(down), G(r) geometric, P(G = k) ~ e^(-rk).

    In closed form. Equal rates: sd <= sqrt(2)/rate and E|Z| <= 1/rate, so Laplace noise of scale 1/rate is worse.

    >>> sd, mean_absolute = two_rate_moments(1.0, 1.0)
    >>> round(mean_absolute - float(1 / np.sinh(1.0)), 12)
    0.0
    """
    positive(up=up, down=down)
    if up > down:  # mirrored: the mean of Z is then at least 0, on the side of the rate `up`
        up, down = down, up
    a, b = float(np.exp(-up)), float(np.exp(-down))
    one_a, one_b = float(-np.expm1(-up)), float(-np.expm1(-down))
    mean = a / one_a - b / one_b
    variance = a / one_a**2 + b / one_b**2
    # E|Z - mean| = 2 E(Z - mean)+, and P(Z = z) = c a^z for z >= 0.
    c = one_a * one_b / (one_a + a * one_b)
    first = float(np.floor(mean)) + 1.0
    above = a**first * ((first - mean) / one_a + a / one_a**2)
    return float(np.sqrt(variance)), 2.0 * c * above
