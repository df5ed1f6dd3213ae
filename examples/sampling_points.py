#!/usr/bin/env python3
"""Gradient descent on sampling points: where to measure an image's Fourier transform, learnt through the transforms.

The image comes back from M samples as A* A f / M. Points at random give aliasing; their gradient, which offgrid has for
torch and for jax, moves them to where the image's energy is and spreads them there.

    python3 examples/sampling_points.py     # writes offgrid-points.png: points and images before and after

Takes torch if it is installed, else jax.
"""
import argparse
import sys

import needs

with needs.packages("numpy", "scipy", "offgrid"):
    import numpy as np
    import offgrid  # noqa: F401, with its gradients below
    from mri import phantom

import picture


def loss_of(library):
    """The misfit of the image that comes back; the same words for both libraries."""
    def loss(x, y, image):
        samples = library.nufft2((x, y), image, tol=1e-6, sign=-1)
        back = library.nufft1((x, y), samples, tuple(image.shape), tol=1e-6, sign=1) / x.shape[0]
        return (abs(back - image) ** 2).sum() / (abs(image) ** 2).sum(), back
    return loss


def with_torch():
    import torch

    import offgrid.torch as library
    loss = loss_of(library)

    def evaluate(x, y, image):
        points = [torch.from_numpy(axis.copy()).requires_grad_() for axis in (x, y)]
        value, back = loss(*points, torch.from_numpy(image))
        value.backward()
        return value.item(), [axis.grad.numpy() for axis in points], back.detach().numpy().real
    return evaluate


def with_jax():
    import jax

    import offgrid.jax as library
    jax.config.update("jax_enable_x64", True)
    gradient = jax.value_and_grad(loss_of(library), argnums=(0, 1), has_aux=True)

    def evaluate(x, y, image):
        (value, back), of_points = gradient(*map(jax.numpy.asarray, (x, y, image)))
        return float(value), [np.asarray(axis) for axis in of_points], np.asarray(back).real
    return evaluate


def pick_library(name):
    for wanted, make in (("torch", with_torch), ("jax", with_jax)):
        try:
            if name in ("", wanted):
                return wanted, make()
        except ImportError:
            pass
    return None, None


def descend(evaluate, points, image, steps, rate):
    """Adam; returns the points and, for the first and the last step, the value and the image that came back."""
    mean, power = np.zeros_like(points), np.zeros_like(points)
    seen = []
    for step in range(1, steps + 1):
        value, gradient, back = evaluate(*points, image)
        seen.append((value, back))
        mean = 0.9 * mean + 0.1 * np.stack(gradient)
        power = 0.99 * power + 0.01 * np.stack(gradient) ** 2
        points = points - rate * (mean / (1 - 0.9**step)) / (np.sqrt(power / (1 - 0.99**step)) + 1e-12)
        if step == 1 or step % 20 == 0:
            print(f"step {step:4d}: misfit {value:.4f}", flush=True)
    return points, seen[0], seen[-1]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pixels", type=int, default=64)
    parser.add_argument("--points", type=int, default=3000)
    parser.add_argument("--steps", type=int, default=200)
    parser.add_argument("--library", choices=["", "torch", "jax"], default="")
    parser.add_argument("--output", default="offgrid-points.png")
    chosen = parser.parse_args()
    name, evaluate = pick_library(chosen.library)
    if evaluate is None:
        needs.stop(chosen.library or "torch or jax", "pip install " + (chosen.library or "jax"))
    image = phantom(chosen.pixels).astype(complex)
    image -= image.mean()
    start = np.random.default_rng(1).uniform(-np.pi, np.pi, (2, chosen.points))
    end, first, last = descend(evaluate, start, image, chosen.steps, rate=0.02)
    folded = (end + np.pi) % (2 * np.pi) - np.pi
    size = 4 * chosen.pixels
    grow = np.ones((4, 4))
    picture.save(chosen.output, [[picture.scatter(*start, size), np.kron(first[1], grow)],
                                 [picture.scatter(*folded, size), np.kron(last[1], grow)]])
    print(f"{name}: misfit from {first[0]:.4f} to {last[0]:.4f}; wrote {chosen.output}: points and image, before and after")
    return 0 if last[0] < 0.7 * first[0] else 1


if __name__ == "__main__":
    sys.exit(main())
