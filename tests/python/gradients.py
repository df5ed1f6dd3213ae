"""The small problems whose derivatives are checked, in f64, for torch and for jax."""

import oracle

SHAPES = {1: (6,), 2: (4, 5), 3: (3, 4, 2)}
TOL = 1e-13


def targets(kind, random, dim, count=6):
    """Of a type 3, off the centre. Products of points and targets stay small: the finite differences of the checks need it."""
    return [kind.of(0.5 * s + axis + 1) for axis, s in enumerate(oracle.random_points(random, dim, count))]


def arrays(kind, random, dim, count=7, lead=()):
    """Points, strengths and modes; lead: the axes of a batch."""
    points = [kind.of(x) for x in oracle.random_points(random, dim, count)]
    strengths = kind.of(oracle.random_complex(random, lead + (count,)))
    return points, strengths, kind.of(oracle.random_complex(random, lead + SHAPES[dim]))
