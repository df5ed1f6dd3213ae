"""Direct sums at sampled outputs, by numpy or cupy.

The phases are exact to about 1e-16: a coordinate is x = h + l with h a multiple of 2^-20, so that k.h has no rounding error,
and exp(i k.x) = exp(i k.h) exp(i k.l).
"""
import numpy as np

STEP = 2.0**20


def split(xp, coordinates):
    """[dim][points] high and low parts in f64."""
    wide = xp.stack([axis.astype(np.float64) for axis in coordinates])
    high = xp.rint(wide * STEP) / STEP
    return high, wide - high


def wave(xp, frequencies, high, low, sign):
    """exp(sign i sum over the axes of k x), k: [dim] numbers, x: [dim][points]."""
    rough = sum(k * part for k, part in zip(frequencies, high))
    fine = sum(k * part for k, part in zip(frequencies, low))
    return xp.exp(1j * sign * rough) * xp.exp(1j * sign * fine)


def frequencies_of(cell, position):
    """k of a mode by its place in memory; the first axis is contiguous."""
    found = []
    for _ in range(cell.dim):
        position, index = divmod(int(position), cell.size)
        found.append(float(index - cell.size // 2))
    return found


def sum_over_points(device, cell, points, strengths, sampled):
    xp = device.xp
    sums = np.zeros(len(sampled), np.complex128)
    for first in range(0, cell.points, device.chunk):
        part = slice(first, first + device.chunk)
        high, low = split(xp, [axis[part] for axis in points])
        values = strengths[part].astype(np.complex128)
        for place, position in enumerate(sampled):
            waves = wave(xp, frequencies_of(cell, position), high, low, cell.sign)
            sums[place] += complex((values * waves).sum())
    return sums


def sum_over_modes(device, cell, points, modes, sampled):
    xp = device.xp
    k = xp.arange(cell.size).astype(np.float64) - cell.size // 2
    places = xp.asarray(sampled)
    high, low = split(xp, [axis[places] for axis in points])
    rest = modes.astype(np.complex128).reshape([1] + [cell.size] * cell.dim)
    for axis in range(cell.dim):  # the first axis is the last of the array; [samples][..][size]
        waves = wave(xp, [k[None, :]], [high[axis][:, None]], [low[axis][:, None]], cell.sign)
        flat = rest.reshape(rest.shape[0], -1, cell.size)
        product = flat[0] @ waves.T if axis == 0 else xp.einsum("smk,sk->ms", flat, waves)
        rest = product.T.reshape([len(sampled)] + [cell.size] * (cell.dim - 1 - axis))
    return device.to_numpy(rest)


def direct_sum(device, cell, points, values, sampled):
    return (sum_over_points if cell.type == 1 else sum_over_modes)(device, cell, points, values, sampled)
