#!/usr/bin/env python3
"""Times the sweep against the owners on a GPU, by kernel width and points per cell: what owner.cpp and sweep.cpp of
src/cuda/method are fitted to.

Each number is the median of seven executes of one vector in microseconds, FFT included, on a grid of fixed size that every width
gets, so that nothing but the method differs.

    python3 bench/method_density.py                       # 3D, 216 x 216 x 216 cells
    python3 bench/method_density.py --dim 2 --cells 1920 --vectors 4

Needs cupy, and liboffgrid.so (./dev build).
"""
import argparse
import ctypes
import os
import pathlib
import statistics

import cupy as cp
import numpy as np

void_p, int64, double = ctypes.c_void_p, ctypes.c_int64, ctypes.c_double
SIGMA = 1.8
DENSITIES = (0.05, 0.1, 0.2, 0.4, 0.8)


class Library:
    def __init__(self, path):
        self.functions = ctypes.CDLL(path)
        self.functions.offgrid_last_error.restype = ctypes.c_char_p
        self.functions.offgrid_options_set.argtypes = [void_p, ctypes.c_char_p, double]
        self.functions.offgrid_options_set_text.argtypes = [void_p, ctypes.c_char_p, ctypes.c_char_p]
        self.functions.offgrid_plan_create.argtypes = [void_p, ctypes.c_int, ctypes.c_int, void_p, double, ctypes.c_int, void_p]
        self.functions.offgrid_set_points.argtypes = [void_p, int64] + [void_p] * 4
        self.functions.offgrid_execute.argtypes = [void_p] * 4
        self.functions.offgrid_plan_destroy.argtypes = self.functions.offgrid_options_destroy.argtypes = [void_p]

    def __call__(self, name, *arguments):
        if getattr(self.functions, "offgrid_" + name)(*arguments) != 0:
            raise RuntimeError(self.functions.offgrid_last_error().decode())

    def plan(self, kind, dim, modes, real, words, numbers):
        options, plan = void_p(), void_p()
        self("options_create", ctypes.byref(options))
        for name, word in words.items():
            self("options_set_text", options, name.encode(), word.encode())
        for name, number in numbers.items():
            self("options_set", options, name.encode(), number)
        # A tolerance that f32 sums hold and one that they do not; the width is given.
        tolerance = 1e-6 if real == np.float64 else 1e-3
        self("plan_create", ctypes.byref(plan), kind, dim, (int64 * 3)(*[modes] * 3), tolerance, int(real == np.float64), options)
        self.functions.offgrid_options_destroy(options)
        return plan


def microseconds(library, kind, dim, cells, count, real, width, method, vectors):
    modes = round(cells / SIGMA)
    numbers = {"transforms": vectors, "width": width, "upsampling": cells / modes}
    plan = library.plan(kind, dim, modes, real, {"device": "cuda", "method": method}, numbers)
    random = cp.random.default_rng(1)
    points = [random.uniform(-np.pi, np.pi, count).astype(real) for _ in range(dim)]
    library("set_points", plan, count, *[axis.data.ptr for axis in points], *[None] * (4 - dim))
    strengths = random.uniform(-1, 1, (vectors, count, 2)).astype(real)
    uniform = random.uniform(-1, 1, (vectors, modes**dim, 2)).astype(real)
    start, end, times = cp.cuda.Event(), cp.cuda.Event(), []
    for repeat in range(10):
        start.record()
        library("execute", plan, strengths.data.ptr, uniform.data.ptr, None)
        end.record()
        end.synchronize()
        if repeat >= 3:
            times.append(1e3 * cp.cuda.get_elapsed_time(start, end))
    library.functions.offgrid_plan_destroy(plan)
    return statistics.median(times)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    default = pathlib.Path(__file__).parents[1] / "build/release/src/api/liboffgrid.so"
    parser.add_argument("--library", default=os.environ.get("OFFGRID_LIBRARY", str(default)), help="liboffgrid.so")
    parser.add_argument("--dim", type=int, default=3)
    parser.add_argument("--cells", type=int, default=216, help="along each axis")
    parser.add_argument("--vectors", type=int, default=1)
    arguments = parser.parse_args()
    library = Library(arguments.library)
    print("sweep / owner, microseconds; points per cell: " + ", ".join(map(str, DENSITIES)))
    for real, widths in ((np.float64, range(3, 17)), (np.float32, range(3, 11))):
        for kind in (1, 2):
            for width in widths:
                row = [[microseconds(library, kind, arguments.dim, arguments.cells, int(density * arguments.cells**arguments.dim),
                                     real, width, method, arguments.vectors) for method in ("sweep", "owner")]
                       for density in DENSITIES]
                print(f"type {kind} {np.dtype(real).name} width {width:2}  " +
                      "  ".join(f"{sweep:6.0f} /{owner:6.0f}" for sweep, owner in row), flush=True)


if __name__ == "__main__":
    main()
