#!/usr/bin/env python3
"""How far a transform of the outermost mode alone exceeds the tolerance, the exception of docs/accuracy.md.

Type 2 whose modes are all zero but the one at the corner of the band, k = (-N/2, ..), where the kernel's error is
largest. Prints, for every width of the kernel that some tolerance leads to, the largest error over tolerance: in the
relative l2 norm over random points, and at the worst of them.

    PYTHONPATH=build/release/python python3 bench/outermost_mode.py
"""
import numpy as np

import offgrid

POINTS = 1000
SIZES = {1: (1000, 20_000), 2: (64, 500), 3: (20,)}
HINTS = (1, 10_000_000)  # few points make for a coarse grid and a wide kernel


def ratios(size, dim, tolerance, hint, points):
    modes = np.zeros((size,) * dim, complex)
    modes[(0,) * dim] = 1
    with offgrid.Plan(2, modes.shape, tol=tolerance, points_hint=hint, threads=1, device="cpu") as plan:
        plan.set_points(points)
        error = np.abs(plan.execute(modes) - np.exp(-1j * (size // 2) * sum(points)))
        return int(plan.get("width")), np.sqrt(np.mean(error**2)) / tolerance, error.max() / tolerance


def main():
    random = np.random.default_rng(5)
    print("dim width   l2 norm   worst point")
    for dim, sizes in SIZES.items():
        most = {}
        for size in sizes:
            points = tuple(random.uniform(-np.pi, np.pi, (dim, POINTS)))
            for hint in HINTS:
                for digits in np.arange(1, 12.5, 0.25):
                    width, norm, worst = ratios(size, dim, 10.0**-digits, hint, points)
                    before = most.get(width, (0, 0))
                    most[width] = (max(before[0], norm), max(before[1], worst))
        for width in sorted(most):
            print(f"{dim:3} {width:5} {most[width][0]:9.2f} {most[width][1]:13.2f}")


if __name__ == "__main__":
    main()
