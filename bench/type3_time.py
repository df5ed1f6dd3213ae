#!/usr/bin/env python3
"""Times type 3 on a GPU, cell by cell, against a table of another library's times.

Every repeat makes a plan without any hint, sets sources and targets, executes and executes again, through ctypes on the C
interface. Errors are relative l2 over sampled targets, against direct sums whose phases are exact to 1e-16. A cell is named
figure/DIMd3/precision/X half-width of the sources/S of the targets/M sources/K targets/tolerance/xVECTORS; sources lie around
0.3, targets around 1.7, -0.5, 0.9.

    python3 bench/type3_time.py --baseline type3.csv --csv times.csv

Needs cupy, and liboffgrid.so (./dev build).
"""
import argparse
import csv
import ctypes
import math
import os
import pathlib
import re
import statistics
import time

import cupy as cp
import numpy as np

void_p, int64, double = ctypes.c_void_p, ctypes.c_int64, ctypes.c_double
SOURCE_CENTRE = 0.3
TARGET_CENTRES = (1.7, -0.5, 0.9)

DIRECT = r"""
extern "C" __global__ void direct(const REAL* x, const REAL* s, const REAL* c, long long m, long long k, int dim,
                                  const long long* sampled, double* sums) {
  __shared__ double real[256], imag[256];
  const long long target = sampled[blockIdx.x];
  double sum_real = 0, sum_imag = 0;
  for (long long j = threadIdx.x; j < m; j += blockDim.x) {
    double turns = 0;
    for (int axis = 0; axis < dim; ++axis) {
      const double a = s[axis * k + target], b = x[axis * m + j], p = a * b, low = fma(a, b, -p);
      const double high = 0x1.45f306dc9c883p-3, rest = -0x1.6b01ec5417056p-57, t = p * high;
      turns += (t - rint(t)) + (fma(p, high, -t) + fma(p, rest, low * high));
    }
    double sine, cosine;
    sincospi(2 * (turns - rint(turns)), &sine, &cosine);
    const double re = c[2 * j], im = c[2 * j + 1];
    sum_real += re * cosine - im * sine, sum_imag += re * sine + im * cosine;
  }
  real[threadIdx.x] = sum_real, imag[threadIdx.x] = sum_imag;
  __syncthreads();
  if (threadIdx.x == 0) {
    for (int i = 1; i < blockDim.x; ++i) sum_real += real[i], sum_imag += imag[i];
    sums[2 * blockIdx.x] = sum_real, sums[2 * blockIdx.x + 1] = sum_imag;
  }
}
"""


class Cell:
    def __init__(self, name):
        self.name = name
        number = r"([0-9.e+-]+)"
        found = re.fullmatch(rf"\w+/(\d)d3/(f32|f64)/X{number}/S{number}/M{number}/K{number}/{number}/x(\d+)", name)
        if not found:
            raise ValueError(f"{name} is not the name of a cell")
        self.dim, self.vectors = int(found[1]), int(found[8])
        self.real = np.float32 if found[2] == "f32" else np.float64
        self.x, self.s = float(found[3]), float(found[4])
        if found[3] == "3.14":
            self.x = math.pi
        self.sources, self.targets = int(float(found[5])), int(float(found[6]))
        self.tolerance = float(found[7])


def load(path):
    library = ctypes.CDLL(path)
    library.offgrid_last_error.restype = library.offgrid_plan_describe.restype = ctypes.c_char_p
    library.offgrid_plan_describe.argtypes = [void_p]
    library.offgrid_options_set.argtypes = [void_p, ctypes.c_char_p, double]
    library.offgrid_plan_create.argtypes = [void_p, ctypes.c_int, ctypes.c_int, void_p, double, ctypes.c_int, void_p]
    library.offgrid_set_points_and_targets.argtypes = [void_p, int64, void_p, int64, void_p, void_p]
    library.offgrid_execute.argtypes = [void_p] * 4
    library.offgrid_plan_destroy.argtypes = library.offgrid_options_destroy.argtypes = [void_p]
    return library


class Bench:
    def __init__(self, library, samples, words=()):
        self.library, self.samples, self.words = library, samples, words

    def check(self, status):
        if status != 0:
            raise RuntimeError(self.library.offgrid_last_error().decode())

    def plan(self, cell):
        options, plan = void_p(), void_p()
        self.check(self.library.offgrid_options_create(ctypes.byref(options)))
        self.check(self.library.offgrid_options_set_text(options, b"device", b"cuda"))
        self.check(self.library.offgrid_options_set(options, b"transforms", cell.vectors))
        for name, word in self.words:
            self.check(self.library.offgrid_options_set_text(options, name.encode(), word.encode()))
        status = self.library.offgrid_plan_create(ctypes.byref(plan), 3, cell.dim, None, cell.tolerance,
                                                  int(cell.real == np.float64), options)
        self.library.offgrid_options_destroy(options)
        self.check(status)
        return plan

    def run(self, cell, repeats):
        random = cp.random.default_rng(1)
        x = random.uniform(-cell.x, cell.x, (cell.dim, cell.sources))
        s = random.uniform(-cell.s, cell.s, (cell.dim, cell.targets))
        x = (x + SOURCE_CENTRE).astype(cell.real)
        s = (s + cp.asarray(TARGET_CENTRES[:cell.dim])[:, None]).astype(cell.real)
        c = random.uniform(-1, 1, (cell.vectors, cell.sources, 2)).astype(cell.real)
        f = cp.full((cell.vectors, cell.targets, 2), np.nan, cell.real)
        pointers = [(void_p * cell.dim)(*[row.data.ptr for row in points]) for points in (x, s)]
        times = {name: [] for name in ("plan", "set", "first", "later")}
        start, end = cp.cuda.Event(), cp.cuda.Event()

        def execute(plan):
            start.record()
            self.check(self.library.offgrid_execute(plan, c.data.ptr, f.data.ptr, None))
            end.record()
            end.synchronize()
            return cp.cuda.get_elapsed_time(start, end)

        for repeat in range(repeats + 1):
            cp.cuda.Device().synchronize()
            begin = time.perf_counter()
            plan = self.plan(cell)
            made = time.perf_counter()
            self.check(self.library.offgrid_set_points_and_targets(plan, cell.sources, pointers[0], cell.targets,
                                                                   pointers[1], None))
            cp.cuda.Device().synchronize()
            done = time.perf_counter()
            first = execute(plan)
            later = [execute(plan) for _ in range(3)]
            words = self.library.offgrid_plan_describe(plan).decode()
            self.library.offgrid_plan_destroy(plan)
            if repeat > 0:
                times["plan"].append(1e3 * (made - begin))
                times["set"].append(1e3 * (done - made))
                times["first"].append(first)
                times["later"] += later
        result = {name: statistics.median(values) for name, values in times.items()}
        result["error"] = self.error(cell, x, s, c[-1], f[-1])
        result["words"] = words
        return result

    def error(self, cell, x, s, c, f):
        picked = cp.random.default_rng(2).integers(0, cell.targets, self.samples)
        sums = cp.zeros((self.samples, 2))
        source = DIRECT.replace("REAL", "float" if cell.real == np.float32 else "double")
        cp.RawKernel(source, "direct")((self.samples,), (256,), (x, s, cp.ascontiguousarray(c), np.int64(cell.sources),
                                                                np.int64(cell.targets), np.int32(cell.dim), picked,
                                                                sums))
        return float(cp.linalg.norm(f[picked] - sums) / cp.linalg.norm(sums))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    default = pathlib.Path(__file__).parents[1] / "build/release/src/api/liboffgrid.so"
    parser.add_argument("--library", default=os.environ.get("OFFGRID_LIBRARY", str(default)), help="liboffgrid.so")
    parser.add_argument("--baseline", required=True, help="CSV: cell, best_setpts_ms, best_exec_ms")
    parser.add_argument("--cells", default="", help="regular expression that a name must contain")
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--samples", type=int, default=64)
    parser.add_argument("--option", action="append", default=[], help="of the plans, in words: method=sweep")
    parser.add_argument("--describe", action="store_true", help="say what was chosen")
    parser.add_argument("--csv", help="write the rows to this file")
    arguments = parser.parse_args()
    words = [option.split("=", 1) for option in arguments.option]
    bench = Bench(load(arguments.library), arguments.samples, words)
    rows, logs = [], []
    print(f"{'cell (ms)':58} {'plan':>7} {'set':>8} {'first':>8} {'later':>8} {'error/tol':>9} "
          f"{'x set':>7} {'x exec':>7} {'x both':>7}")
    with open(arguments.baseline, newline="") as file:
        peers = list(csv.DictReader(file))
    for peer in peers:
        if not re.search(arguments.cells, peer["cell"]):
            continue
        cell = Cell(peer["cell"])
        try:
            own = bench.run(cell, arguments.repeats)
        except RuntimeError as error:
            print(f"{cell.name:58} {error}")
            continue
        finally:
            cp.get_default_memory_pool().free_all_blocks()
        ratios = []
        if peer["best_exec_ms"]:
            set_ms, exec_ms = float(peer["best_setpts_ms"]), float(peer["best_exec_ms"])
            ratios = [set_ms / own["set"], exec_ms / own["later"], (set_ms + exec_ms) / (own["set"] + own["first"])]
            logs.append((cell, [math.log(ratio) for ratio in ratios]))
        print(f"{cell.name:58} {own['plan']:7.3f} {own['set']:8.3f} {own['first']:8.3f} {own['later']:8.3f} "
              f"{own['error'] / cell.tolerance:9.2f} " + " ".join(f"{ratio:7.2f}" for ratio in ratios), flush=True)
        if arguments.describe:
            print(own["words"])
        rows.append({"cell": cell.name, **{k: own[k] for k in ("plan", "set", "first", "later", "error")}})

    def mean(which, chosen):
        values = [log[which] for cell, log in logs if chosen(cell)]
        return math.exp(sum(values) / len(values)) if values else math.nan

    for title, chosen in (("all", lambda cell: True), ("3D f64", lambda cell: cell.dim == 3 and cell.real == np.float64)):
        print(f"{title}: geometric means: set {mean(0, chosen):.2f}, exec {mean(1, chosen):.2f}, "
              f"set + first exec {mean(2, chosen):.2f}")
    if logs:
        print("least: " + ", ".join(f"{name} {math.exp(min(log[i] for _, log in logs)):.2f}"
                                    for i, name in enumerate(("set", "exec", "both"))))
    if arguments.csv:
        with open(arguments.csv, "w", newline="") as file:
            writer = csv.DictWriter(file, list(rows[0]))
            writer.writeheader()
            writer.writerows(rows)


if __name__ == "__main__":
    main()
