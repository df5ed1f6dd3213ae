#!/usr/bin/env python3
"""MRI in small: an image from radial samples of its Fourier transform, by the conjugate gradients of scipy.

The samples are s = A f with A a transform of type 2 at the points of the trajectory. Once the image is the weighted
adjoint (gridding), once the solution of A* W A f = A* W s, with weights W for the density of the samples.

    python3 examples/mri.py            # writes offgrid-mri.png: the phantom, gridding, conjugate gradients
"""
import argparse
import sys

import needs

with needs.packages("numpy", "scipy", "offgrid"):
    import numpy as np
    import offgrid
    from scipy.sparse.linalg import cg

import picture

# Ellipses: brightness, half axes, centre, angle in degrees; in units of half the field of view.
ELLIPSES = [(1.0, 0.69, 0.92, 0, 0, 0), (-0.8, 0.66, 0.87, 0, -0.02, 0), (-0.2, 0.11, 0.31, 0.22, 0, -18),
            (-0.2, 0.16, 0.41, -0.22, 0, 18), (0.1, 0.21, 0.25, 0, 0.35, 0), (0.15, 0.05, 0.05, 0, 0.1, 0),
            (0.15, 0.05, 0.05, 0, -0.1, 0), (0.2, 0.05, 0.02, -0.08, -0.6, 0), (0.2, 0.03, 0.03, 0, -0.6, 0)]


def phantom(n):
    """A head, n x n; the first axis points down."""
    y, x = np.meshgrid(*[np.linspace(-1, 1, n, endpoint=False)] * 2, indexing="ij")
    image = np.zeros((n, n))
    for value, a, b, x0, y0, angle in ELLIPSES:
        c, s = np.cos(np.radians(angle)), np.sin(np.radians(angle))
        u, v = (x - x0) * c + (-y - y0) * s, -(x - x0) * s + (-y - y0) * c
        image[(u / a) ** 2 + (v / b) ** 2 <= 1] += value
    return image


def radial(spokes, samples):
    """Golden angle spokes through the centre, and the density's weights: a sample stands for a ring's share."""
    angles = np.arange(spokes) * np.pi * (np.sqrt(5) - 1) / 2
    radius = np.linspace(-np.pi, np.pi, samples, endpoint=False)
    points = (np.outer(np.sin(angles), radius).ravel(), np.outer(np.cos(angles), radius).ravel())
    weights = np.tile(np.abs(radius) + np.pi / samples / 2, spokes)
    return points, weights / weights.sum()


def reconstruct(shape, points, weights, samples, steps):
    """The image by gridding, and by conjugate gradients."""
    plan = offgrid.Plan(2, shape, tol=1e-7, sign=-1)
    plan.set_points(points)
    A = offgrid.LinearOperator(plan)
    normal = offgrid.LinearOperator(offgrid.gram(points, shape, weights, tol=1e-7, sign=-1))  # A* W A
    right = A.H @ (weights * samples)
    image, _ = cg(normal, right, maxiter=steps)
    return right.reshape(shape).real, image.reshape(shape).real


def scaled(image, truth):
    """Times the factor that brings it nearest to the truth: gridding has no scale of its own."""
    return image * (np.vdot(image, truth) / np.vdot(image, image))


def error(image, truth):
    return np.linalg.norm(scaled(image, truth) - truth) / np.linalg.norm(truth)


def window(image):
    """For a picture: the inside of the head has 0.2 to 0.4, and the skull, 1, may be white."""
    return np.clip(image, 0, 0.5)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pixels", type=int, default=192)
    parser.add_argument("--spokes", type=int, default=0, help="0: as many as pixels")
    parser.add_argument("--steps", type=int, default=30)
    parser.add_argument("--output", default="offgrid-mri.png")
    chosen = parser.parse_args()
    n = chosen.pixels
    truth = phantom(n)
    points, weights = radial(chosen.spokes or n, 2 * n)
    noise = np.random.default_rng(1).normal(size=(2, points[0].size))
    samples = offgrid.nufft2(points, truth.astype(complex), tol=1e-9, sign=-1)
    samples += 0.002 * np.abs(samples).max() / np.sqrt(n) * (noise[0] + 1j * noise[1])
    gridded, solved = reconstruct((n, n), points, weights, samples, chosen.steps)
    print(f"relative error: gridding {error(gridded, truth):.3f}, conjugate gradients {error(solved, truth):.3f}")
    picture.save(chosen.output, [[window(image) for image in (truth, scaled(gridded, truth), solved)]])
    print(f"wrote {chosen.output}: the phantom, gridding, conjugate gradients")
    return 0 if error(solved, truth) < 0.8 * error(gridded, truth) else 1


if __name__ == "__main__":
    sys.exit(main())
