#!/usr/bin/env python3
"""Slices through a 3D density that is known by particles: both transforms, from particles to any plane.

A transform of type 1 takes the particles to the modes of their density; a Gaussian filter in Fourier space gives each its
size; a transform of type 2 then evaluates the density on planes that lie anywhere, here turning about an axis.

    python3 examples/density_slices.py      # writes offgrid-density.png: planes from flat to upright
"""
import argparse
import sys

import needs

with needs.packages("numpy", "offgrid"):
    import numpy as np
    import offgrid

import picture


def spiral(count, random):
    """Particles of a galaxy: a bulge and two arms, thin along the first axis."""
    arm = random.integers(0, 2, count)
    radius = 2.4 * np.sqrt(random.uniform(0.01, 1, count))
    angle = 2.2 * radius + np.pi * arm + random.normal(0, 0.25, count)
    bulge = random.uniform(size=count) < 0.25
    radius = np.where(bulge, random.rayleigh(0.3, count), radius)
    angle = np.where(bulge, random.uniform(0, 2 * np.pi, count), angle)
    height = random.normal(0, np.where(bulge, 0.3, 0.08))
    return height, radius * np.sin(angle), radius * np.cos(angle)


def density_modes(particles, n, size):
    """Modes of the density of Gaussian blobs of a given size, (n, n, n)."""
    count = particles[0].size
    modes = offgrid.nufft1(particles, np.full(count, 1 / count, complex), (n, n, n), tol=1e-5)
    k = np.arange(n) - n // 2
    blur = np.exp(-0.5 * (size * k) ** 2)
    return modes * blur[:, None, None] * blur[:, None] * blur / (2 * np.pi) ** 3


def plane(tilt, pixels):
    """Points of a square plane through the centre: flat for tilt 0, upright for pi / 2."""
    u, v = np.meshgrid(*[np.linspace(-2.8, 2.8, pixels)] * 2, indexing="ij")
    return tuple(x.ravel() for x in (u * np.sin(tilt), u * np.cos(tilt), v))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--particles", type=int, default=400_000)
    parser.add_argument("--modes", type=int, default=96, help="along each axis")
    parser.add_argument("--pixels", type=int, default=200)
    parser.add_argument("--output", default="offgrid-density.png")
    chosen = parser.parse_args()
    particles = spiral(chosen.particles, np.random.default_rng(1))
    modes = density_modes(particles, chosen.modes, size=6 / chosen.modes)
    tilts = np.radians([0, 10, 30, 90])
    slices = [offgrid.nufft2(plane(tilt, chosen.pixels), modes, tol=1e-5).real.reshape((chosen.pixels,) * 2)
              for tilt in tilts]
    picture.save(chosen.output, [[np.sqrt(np.maximum(image, 0)) for image in slices]])
    for tilt, image in zip(tilts, slices):
        print(f"tilt {np.degrees(tilt):4.0f} degrees: densest {image.max():.3f}")
    print(f"wrote {chosen.output}: the density on planes from flat to upright")
    middle = [image[chosen.pixels // 2].max() for image in slices]  # the axis that all the planes share
    return 0 if np.ptp(middle) < 0.05 * max(middle) else 1


if __name__ == "__main__":
    sys.exit(main())
