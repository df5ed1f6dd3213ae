#!/usr/bin/env python3
"""SENSE: one image from the samples of several receiver coils, by conjugate gradients on the Gram operator.

Coil c sees the image times its sensitivity, s_c = A (S_c f), at the points of a radial trajectory with fewer spokes than one
coil would need. The image solves  sum over c of conj(S_c) A* W A (S_c f) = sum over c of conj(S_c) A* W s_c.  In each step
the coils go through the Gram operator A* W A as one batch.

    python3 examples/sense.py                       # numpy; writes offgrid-sense.png
    python3 examples/sense.py --library torch       # or cupy: on a GPU, all steps as one CUDA graph, timed by events

The picture: the phantom, the coils' images combined without solving anything, and the solution; below them what one coil
sees, and the errors, five times as bright.
"""
import argparse
import sys
import time

import needs

with needs.packages("numpy", "scipy", "offgrid"):
    import numpy as np
    import offgrid
    from mri import error, phantom, radial, scaled, window

import picture


def sensitivities(coils, n):
    """Smooth maps of coils around the head, (coils, n, n); their squares add up to 1."""
    y, x = np.meshgrid(*[np.linspace(-1, 1, n, endpoint=False)] * 2, indexing="ij")
    angles = 2 * np.pi * np.arange(coils)[:, None, None] / coils
    distance = np.hypot(x - 1.2 * np.cos(angles), y - 1.2 * np.sin(angles))
    maps = np.exp(-distance**2) * np.exp(1j * (angles + x * np.cos(angles) - y * np.sin(angles)))
    return maps / np.linalg.norm(maps, axis=0)


class Scan:
    """What is set up once for a trajectory: transforms, operator and maps. reconstruct() is the work for one image."""

    def __init__(self, to_device, points, weights, coils, tol):
        shape = coils.shape[1:]
        points = tuple(to_device(axis.astype("float32")) for axis in points)
        self.coils = to_device(coils.astype("complex64"))
        self.conjugate = to_device(coils.conj().astype("complex64"))
        self.weights = to_device(weights.astype("float32"))
        self.plan = offgrid.Plan(2, shape, tol, dtype="complex64", transforms=len(coils), sign=-1)
        self.plan.set_points(points)
        self.gram = offgrid.gram(points, shape, self.weights, tol, transforms=len(coils), sign=-1)

    def combine(self, images):
        return (self.conjugate * images).sum(0)

    def adjoint(self, samples):
        return self.combine(self.plan.adjoint(samples * self.weights))

    def normal(self, image):
        return self.combine(self.gram(self.coils * image))

    def reconstruct(self, samples, steps):
        """Nothing waits for the GPU: rtol=0 and no callback."""
        return offgrid.conjugate_gradients(self.normal, self.adjoint(samples), steps, rtol=0)


class Numpy:
    """Where the work is done: arrays there and back, and the work again with its time in milliseconds."""

    def to_device(self, array):
        return array

    def to_host(self, array):
        return array

    def timed(self, work, repeats):
        best = np.inf
        for _ in range(repeats):
            start = time.perf_counter()
            result = work()
            best = min(best, 1e3 * (time.perf_counter() - start))
        return result, best


class Torch(Numpy):
    def __init__(self):
        with needs.packages("torch"):
            import torch
        self.torch = torch

    def to_device(self, array):
        return self.torch.from_numpy(array).cuda()

    def to_host(self, array):
        return array.cpu().numpy()

    def timed(self, work, repeats):
        torch = self.torch
        beside = torch.cuda.Stream()
        beside.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(beside):  # as torch asks for: once before the capture, on a stream of its own
            work()
            work()
        torch.cuda.current_stream().wait_stream(beside)
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            result = work()
        best = np.inf
        for _ in range(repeats):
            first, last = (torch.cuda.Event(enable_timing=True) for _ in range(2))
            first.record()
            graph.replay()
            last.record()
            torch.cuda.synchronize()
            best = min(best, first.elapsed_time(last))
        return result, best


class Cupy(Numpy):
    def __init__(self):
        with needs.packages("cupy"):
            import cupy
        self.cupy = cupy

    def to_device(self, array):
        return self.cupy.asarray(array)

    def to_host(self, array):
        return self.cupy.asnumpy(array)

    def timed(self, work, repeats):
        cupy = self.cupy
        cupy.cuda.runtime.deviceSynchronize()
        stream = cupy.cuda.Stream(non_blocking=True)
        with stream:
            work()  # kernels are compiled, and memory is there for the capture
            work()
            stream.begin_capture()
            result = work()
            graph = stream.end_capture()
            best = np.inf
            for _ in range(repeats):
                first, last = cupy.cuda.Event(), cupy.cuda.Event()
                first.record(stream)
                graph.launch(stream)
                last.record(stream)
                stream.synchronize()
                best = min(best, cupy.cuda.get_elapsed_time(first, last))
        return result, best


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pixels", type=int, default=256)
    parser.add_argument("--coils", type=int, default=8)
    parser.add_argument("--spokes", type=int, default=0, help="0: half as many as pixels")
    parser.add_argument("--steps", type=int, default=10)
    parser.add_argument("--tol", type=float, default=1e-3)
    parser.add_argument("--repeats", type=int, default=20, help="of the timing")
    parser.add_argument("--library", choices=["numpy", "torch", "cupy"], default="numpy")
    parser.add_argument("--output", default="offgrid-sense.png")
    chosen = parser.parse_args()
    n, where = chosen.pixels, {"numpy": Numpy, "torch": Torch, "cupy": Cupy}[chosen.library]()
    truth, coils = phantom(n), sensitivities(chosen.coils, n)
    points, weights = radial(chosen.spokes or n // 2, 2 * n)
    samples = offgrid.nufft2(points, coils * truth, tol=1e-9, sign=-1).astype("complex64")
    scan = Scan(where.to_device, points, weights, coils, chosen.tol)
    given = where.to_device(samples)
    gridded = where.to_host(scan.adjoint(given)).real
    solved, milliseconds = where.timed(lambda: scan.reconstruct(given, chosen.steps), chosen.repeats)
    solved = where.to_host(solved).real
    print(scan.gram.describe(), end="")
    print(f"{n} x {n} pixels, {chosen.coils} coils, {points[0].size} points, {chosen.steps} steps in complex64 at "
          f"{chosen.tol:g}: {milliseconds:.3f} ms on {chosen.library}")
    print(f"relative error: combined adjoint {error(gridded, truth):.3f}, solved {error(solved, truth):.3f}")
    shown = truth, scaled(gridded, truth), solved
    errors = (5 * np.abs(image - truth) for image in shown[1:])
    picture.save(chosen.output, [[window(image) for image in images]
                                 for images in (shown, (np.abs(coils[0] * truth), *errors))])
    print(f"wrote {chosen.output}: the phantom, the combined adjoint, the solution; one coil's view and the errors")
    return 0 if error(solved, truth) < 0.6 * error(gridded, truth) else 1


if __name__ == "__main__":
    sys.exit(main())
