"""Points and input of a cell, on its device.

    rand     uniform in [-pi, pi)^d
    cluster  uniform in [0, 8 h]^d, h the step of the grid with sigma = 2
    quad     a polar (2D) or spherical (3D) grid of Gauss-Legendre nodes in the ball of radius pi, in random order: of M points
             sqrt(M) radii by sqrt(M) angles, or with m = M^(1/3) m/2 radii by m heights by 2 m angles
"""
import math

import numpy as np


def gauss_legendre(count):
    """The nodes in (-1, 1), by Newton's method on the recurrence; numpy's own takes count^3 operations."""
    nodes = np.cos(np.pi * (np.arange(1, count + 1) - 0.25) / (count + 0.5))
    for _ in range(4):
        before, value = np.ones_like(nodes), nodes.copy()
        for k in range(2, count + 1):
            before, value = value, ((2 * k - 1) * nodes * value - (k - 1) * before) / k
        slope = count * (nodes * value - before) / (nodes**2 - 1)
        nodes = nodes - value / slope
    return nodes


def quadrature(xp, random, count, dim):
    """[dim][count] coordinates."""
    sizes = [math.ceil(math.sqrt(count))] * 2
    if dim == 3:
        third = math.ceil(count ** (1 / 3))
        sizes = [math.ceil(third / 2), third, 2 * third]
    order = xp.argsort(random.random(math.prod(sizes)))[:count]  # cupy's generators have no permutation
    radius = xp.asarray(np.pi * (1 + gauss_legendre(sizes[0])) / 2)[order // math.prod(sizes[1:])]
    angle = (order % sizes[-1]) * (2 * np.pi / sizes[-1])
    if dim == 2:
        return [radius * xp.cos(angle), radius * xp.sin(angle)]
    height = xp.asarray(gauss_legendre(sizes[1]))[order // sizes[2] % sizes[1]]
    across = radius * xp.sqrt(1 - height**2)
    return [across * xp.cos(angle), across * xp.sin(angle), radius * height]


def uniform(xp, random, count, low, high, real):
    values = random.random(count, dtype=real)
    values *= real(high - low)
    values += real(low)
    return values


def make_points(xp, cell, real):
    random = xp.random.default_rng(cell.dim + 10 * len(cell.set))
    if cell.set == "quad":
        return [axis.astype(real) for axis in quadrature(xp, random, cell.points, cell.dim)]
    low, high = (-np.pi, np.pi) if cell.set == "rand" else (0, 16 * np.pi / cell.cells_per_axis)
    return [uniform(xp, random, cell.points, low, high, real) for _ in range(cell.dim)]


def make_input(xp, count, real):
    """Complex numbers in [-1, 1] + i [-1, 1]."""
    return uniform(xp, xp.random.default_rng(7), 2 * count, -1, 1, real).view(np.result_type(real, np.complex64))
