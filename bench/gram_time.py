#!/usr/bin/env python3
"""Times an application of the Gram operator against the pair of transforms that it stands for.

    PYTHONPATH=build/release/python python3 bench/gram_time.py                    # on the CPU, by numpy
    PYTHONPATH=build/cuda/python python3 bench/gram_time.py --library torch       # or cupy: on the GPU
    ... bench/gram_time.py --shapes 256x256,64x64x64 --density 4 --tol 1e-3 --dtype complex64 --coils 8

Each line is one shape: M = density x modes random points; milliseconds of the convolution, of the pair (two executes of one
plan) and their ratio, and what gram="auto" takes. The best of several rounds, in turn; on a GPU by events of its stream.
"""
import argparse
import time

import numpy as np
import offgrid

SHAPES = "4096,100000,64x64,256x256,512x512,1024x1024,32x32x32,64x64x64,128x128x128"


class Cpu:
    name = "numpy"

    def array(self, values):
        return values

    def milliseconds(self, call, repeats):
        start = time.perf_counter()
        for _ in range(repeats):
            call()
        return 1e3 * (time.perf_counter() - start) / repeats


class Gpu(Cpu):
    """One of the two libraries: both have arrays, streams and events."""

    def __init__(self, name):
        self.name = name
        if name == "torch":
            import torch
            self.array = lambda values: torch.from_numpy(values).cuda()
            self.event = lambda: torch.cuda.Event(enable_timing=True)
            self.elapsed = lambda first, last: first.elapsed_time(last)
            self.wait = torch.cuda.synchronize
        else:
            import cupy
            self.array = cupy.asarray
            self.event = cupy.cuda.Event
            self.elapsed = cupy.cuda.get_elapsed_time
            self.wait = cupy.cuda.runtime.deviceSynchronize

    def milliseconds(self, call, repeats):
        first, last = self.event(), self.event()
        first.record()
        for _ in range(repeats):
            call()
        last.record()
        self.wait()
        return self.elapsed(first, last) / repeats


def best(where, calls, rounds, budget):
    """The least time of each call, in milliseconds; they take turns, so that all meet the same machine."""
    repeats = []
    for call in calls:
        call()
        call()
        repeats.append(max(1, int(budget / max(where.milliseconds(call, 3), 1e-3))))
    times = [[where.milliseconds(call, n) for call, n in zip(calls, repeats)] for _ in range(rounds)]
    return [min(column) for column in zip(*times)]


def measure(where, shape, chosen):
    random = np.random.default_rng(1)
    real = "float32" if chosen.dtype == "complex64" else "float64"
    count = int(chosen.density * np.prod(shape))
    points = tuple(where.array(random.uniform(-np.pi, np.pi, count).astype(real)) for _ in shape)
    modes = random.normal(size=(2, chosen.coils, *shape))
    f = where.array((modes[0] + 1j * modes[1]).astype(chosen.dtype))
    h, values = f * 0, where.array(np.zeros((chosen.coils, count), chosen.dtype))
    settings = dict(tol=chosen.tol, transforms=chosen.coils)
    convolution = offgrid.gram(points, shape, gram="convolution", **settings)
    picked = offgrid.gram(points, shape, **settings)
    plan = offgrid.Plan(2, shape, dtype=chosen.dtype, **settings)
    plan.set_points(points)

    def pair():
        plan.execute(f, values)
        plan.adjoint(values, h)

    one, two = best(where, [lambda: convolution(f, h), pair], chosen.rounds, chosen.budget)
    took = "convolution" if picked.get("convolution") else "pair"
    words = "x".join(map(str, shape))
    print(f"{words:>14} {count:>10} {one:12.4f} {two:12.4f} {one / two:8.3f}   {took}", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--shapes", default=SHAPES)
    parser.add_argument("--density", type=float, default=4, help="points for each mode")
    parser.add_argument("--tol", type=float, default=1e-3)
    parser.add_argument("--dtype", choices=["complex64", "complex128"], default="complex64")
    parser.add_argument("--coils", type=int, default=1, help="vectors of a call")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--budget", type=float, default=50, help="milliseconds of a round for each")
    parser.add_argument("--library", choices=["numpy", "torch", "cupy"], default="numpy")
    chosen = parser.parse_args()
    where = Cpu() if chosen.library == "numpy" else Gpu(chosen.library)
    print(f"{chosen.library}, {chosen.dtype}, tolerance {chosen.tol:g}, {chosen.coils} vectors; milliseconds")
    print(f"{'modes':>14} {'points':>10} {'convolution':>12} {'pair':>12} {'ratio':>8}   auto takes")
    for words in chosen.shapes.split(","):
        measure(where, tuple(int(n) for n in words.split("x")), chosen)


if __name__ == "__main__":
    main()
