"""Direct sums in double precision, what the drop-ins are compared with."""

import numpy as np


def mode_numbers(n, order=0):
    """The modes -N/2 .. (N-1)/2, or with order 1 in the order of numpy.fft."""
    modes = np.arange(n) - n // 2
    return np.fft.ifftshift(modes) if order else modes


def phases(points, n_modes, sign, order=0):
    """exp(sign i k.x), of shape [*n_modes, points]."""
    result = np.ones((*n_modes, points[0].size), complex)
    for axis, (x, n) in enumerate(zip(points, n_modes)):
        one = np.exp(sign * 1j * np.outer(mode_numbers(n, order), np.asarray(x, float)))
        result *= one.reshape([n if a == axis else 1 for a in range(len(n_modes))] + [-1])
    return result


def type1(points, c, n_modes, sign=1, order=0):
    return np.einsum("...j,tj->t...", phases(points, n_modes, sign, order), np.atleast_2d(c))


def type2(points, f, sign=-1, order=0):
    """f has the shape [transforms, *n_modes]."""
    return f.reshape(len(f), -1) @ phases(points, f.shape[1:], sign, order).reshape(-1, points[0].size)


def type3(points, c, targets, sign=1):
    angle = sum(np.outer(np.asarray(s, float), np.asarray(x, float)) for x, s in zip(points, targets))
    return np.einsum("kj,tj->tk", np.exp(sign * 1j * angle), np.atleast_2d(c))


def error(got, wanted):
    """The relative l2 error."""
    got, wanted = np.asarray(got).ravel(), np.asarray(wanted).ravel()
    return np.linalg.norm(got - wanted) / np.linalg.norm(wanted)
