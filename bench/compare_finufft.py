#!/usr/bin/env python3
"""Times offgrid and FINUFFT (the PyPI package `finufft`) side by side in one process, on the same arrays.

Both are called through ctypes on their C interfaces, so neither pays for a Python wrapper. Every repeat makes a plan
without any hint, sets points (and targets), executes and executes again, first with one library and then with the
other, so that a change in the machine's load meets both, each after a pause and a turn to wake up. "x set" compares
the first set_points, "x exec" a later execute, "x total" plan, first set_points and first execute together. Times are
medians, errors relative l2 over sampled outputs against direct sums.

    python3 bench/compare_finufft.py --quick
    python3 bench/compare_finufft.py --threads 1,2 --csv compare.csv
    python3 bench/compare_finufft.py --cells '3d1/f64' --peer-library /path/to/a/native/libfinufft.so

Needs numpy and finufft from PyPI, and liboffgrid.so (./dev build).
"""
import argparse
import csv
import ctypes
import dataclasses
import math
import os
import pathlib
import re
import statistics
import sys
import time

import numpy as np

void_p, int64, double = ctypes.c_void_p, ctypes.c_int64, ctypes.c_double


# --- the two libraries, behind the same four methods ----------------------------------------------------------------
class Offgrid:
    """A plan of offgrid; points and values are numpy arrays, used in place."""

    name = "offgrid"

    def __init__(self, library, cell, threads):
        self.library = library
        options, self.plan = void_p(), void_p()
        self.check(library.offgrid_options_create(ctypes.byref(options)))
        for name, value in (("threads", threads), ("transforms", cell.batch)):
            self.check(library.offgrid_options_set(options, name.encode(), double(value)))
        modes = (int64 * cell.dim)(*cell.modes)
        status = library.offgrid_plan_create(ctypes.byref(self.plan), cell.type, cell.dim, modes,
                                             double(cell.tolerance), int(cell.precision == "f64"), options)
        library.offgrid_options_destroy(options)
        self.check(status)

    def check(self, status):
        if status != 0:
            raise RuntimeError(f"offgrid: {self.library.offgrid_last_error().decode()}")

    def set_points(self, count, pointers, targets=None):
        """Targets, of type 3, are as many as the points."""
        if targets is None:
            self.check(self.library.offgrid_set_points(self.plan, count, *pointers, None))
            return
        self.check(self.library.offgrid_set_points_and_targets(self.plan, count, (void_p * 3)(*pointers), count,
                                                               (void_p * 3)(*targets), None))

    def execute(self, strengths, modes):
        self.check(self.library.offgrid_execute(self.plan, strengths, modes, None))

    def destroy(self):
        self.library.offgrid_plan_destroy(self.plan)

    @staticmethod
    def load(path):
        library = ctypes.CDLL(path)
        library.offgrid_last_error.restype = ctypes.c_char_p
        library.offgrid_options_set.argtypes = [void_p, ctypes.c_char_p, double]
        library.offgrid_plan_create.argtypes = [void_p, ctypes.c_int, ctypes.c_int, void_p, double, ctypes.c_int,
                                                void_p]
        library.offgrid_set_points.argtypes = [void_p, int64, void_p, void_p, void_p, void_p]
        library.offgrid_set_points_and_targets.argtypes = [void_p, int64, void_p, int64, void_p, void_p]
        library.offgrid_execute.argtypes = [void_p] * 4
        library.offgrid_options_destroy.argtypes = library.offgrid_plan_destroy.argtypes = [void_p]
        return library


class Finufft:
    """A plan of FINUFFT with its defaults, but for the number of threads."""

    name = "finufft"

    def __init__(self, library, cell, threads):
        from finufft import _finufft
        options, self.plan = _finufft.FinufftOpts(), void_p()
        library.finufft_default_opts(ctypes.byref(options))
        options.nthreads, options.showwarn = threads, 0
        prefix = "finufft" if cell.precision == "f64" else "finufftf"
        names = ("makeplan", "setpts", "execute", "destroy")
        self.calls = {name: getattr(library, f"{prefix}_{name}") for name in names}
        self.calls["setpts"].argtypes = [void_p, int64, void_p, void_p, void_p, int64, void_p, void_p, void_p]
        self.calls["execute"].argtypes = [void_p] * 3
        self.calls["destroy"].argtypes = [void_p]
        tolerance = double(cell.tolerance) if cell.precision == "f64" else ctypes.c_float(cell.tolerance)
        self.check(self.calls["makeplan"](cell.type, cell.dim, (int64 * cell.dim)(*cell.modes), cell.sign, cell.batch,
                                          tolerance, ctypes.byref(self.plan), ctypes.byref(options)))

    @staticmethod
    def check(status):
        if status > 1:  # 1 warns that the tolerance may be out of reach
            raise RuntimeError(f"finufft: error {status}")

    def set_points(self, count, pointers, targets=None):
        others = (0, None, None, None) if targets is None else (count, *targets)
        self.check(self.calls["setpts"](self.plan, count, *pointers, *others))

    def execute(self, strengths, modes):
        self.check(self.calls["execute"](self.plan, strengths, modes))

    def destroy(self):
        self.calls["destroy"](self.plan)

    @staticmethod
    def load(path):
        if path:
            return ctypes.CDLL(path)
        from finufft import _finufft
        return ctypes.CDLL(_finufft.lib._name)


# --- what is compared -----------------------------------------------------------------------------------------------
@dataclasses.dataclass(frozen=True)
class Cell:
    kind: str
    dim: int
    type: int
    precision: str
    size: int  # modes per axis; of type 3, the targets lie between -size/2 and size/2
    points: int  # of type 3, also the targets
    set: str
    tolerance: float
    batch: int = 1

    @property
    def modes(self):
        return [self.size] * self.dim

    @property
    def sign(self):
        return -1 if self.type == 1 else 1

    @property
    def name(self):
        return (f"{self.kind}/{self.dim}d{self.type}/{self.precision}/N{self.size}/M{self.points:.3g}/{self.set}/"
                f"{self.tolerance:.0e}/x{self.batch}")

    def same_data(self):
        """Cells with the same key differ in the tolerance only and share arrays and direct sums."""
        return dataclasses.replace(self, tolerance=0)


TOLERANCES = {"f32": (1e-2, 1e-4, 1e-5), "f64": (1e-2, 1e-4, 1e-6, 1e-9, 1e-12)}
TYPICAL = {"f32": (1e-4,), "f64": (1e-9,)}


def all_cells(quick):
    tolerances, sets = (TYPICAL, ("rand",)) if quick else (TOLERANCES, ("rand", "cluster"))
    cells = []
    for dim, size in ((1, 100_000), (2, 500), (3, 64)):
        for kind in (1, 2):
            for points in sets:
                for precision in ("f32", "f64"):
                    cells += [Cell("main", dim, kind, precision, size, 1_000_000, points, tolerance)
                              for tolerance in tolerances[precision]]
    for dim, size, points in ((1, 10_000, 100_000), (2, 200, 100_000), (3, 32, 100_000)):
        for kind in (1, 2):
            cells += [Cell("batch", dim, kind, precision, size, points, "rand", TYPICAL[precision][0], 16)
                      for precision in ("f32", "f64")]
    for dim, size in ((1, 100_000), (2, 500), (3, 64)):
        cells += [Cell("type3", dim, 3, precision, size, 1_000_000, "rand", tolerance)
                  for precision in ("f32", "f64") for tolerance in tolerances[precision]]
    for dim, size in ((1, 32), (2, 16), (3, 8)):
        for kind in (1, 2):
            cells += [Cell("tiny", dim, kind, precision, size, 1000, "rand", TYPICAL[precision][0])
                      for precision in ("f32", "f64")]
    return cells


# --- data and direct sums -------------------------------------------------------------------------------------------
class Data:
    """Points, input, output and the direct sum of the last vector at sampled outputs."""

    def __init__(self, cell):
        self.cell = cell
        random = np.random.default_rng(12345)
        real = np.float32 if cell.precision == "f32" else np.float64
        low, high = (-np.pi, np.pi) if cell.set == "rand" else (0, 8 * np.pi / cell.size)
        self.points = [random.uniform(low, high, cell.points).astype(real) for _ in range(cell.dim)]
        half = cell.size / 2
        self.targets = []
        if cell.type == 3:
            self.targets = [random.uniform(-half, half, cell.points).astype(real) for _ in self.points]
        shape_points = (cell.batch, cell.points)
        shape_modes = (cell.batch, cell.points if cell.type == 3 else cell.size**cell.dim)
        complex_values = np.complex64 if cell.precision == "f32" else np.complex128
        shapes = (shape_modes, shape_points) if cell.type == 2 else (shape_points, shape_modes)
        self.input = (random.uniform(-1, 1, shapes[0]) + 1j * random.uniform(-1, 1, shapes[0])).astype(complex_values)
        self.output = np.empty(shapes[1], complex_values)
        samples = 16 if cell.type != 2 and cell.points > 200_000 else 200  # sums over many points take long
        self.sampled = random.integers(0, shapes[1][1], samples)
        self.turns = [x.astype(np.longdouble) / (2 * LONG_PI) for x in self.points]
        self.expected = self.direct_sum()

    def pointers(self):
        """Addresses of the points and, of type 3, those of the targets."""
        nothing = [None] * (3 - self.cell.dim)
        return [[x.ctypes.data for x in axes] + nothing for axes in (self.points, self.targets) if axes]

    def values(self):
        """Addresses of the strengths and of the modes, or of the values at the targets."""
        return (self.input.ctypes.data, self.output.ctypes.data)[:: -1 if self.cell.type == 2 else 1]

    def waves(self, frequencies, turns):
        """exp(sign 2 pi i k t) with the product reduced in extended precision before it is rounded to double."""
        product = frequencies * turns
        return np.exp(2j * np.pi * self.cell.sign * (product - np.rint(product)).astype(np.float64))

    def frequencies(self):
        return np.arange(self.cell.size).astype(np.longdouble) - self.cell.size // 2

    def direct_sum(self):
        values = self.input[-1].astype(np.complex128)
        sum_at = {1: self.mode, 2: self.point, 3: self.target}[self.cell.type]
        return np.array([sum_at(values, i) for i in self.sampled])

    def mode(self, strengths, position):
        wave = strengths.copy()
        for turns in self.turns:
            position, index = divmod(int(position), self.cell.size)
            wave *= self.waves(np.longdouble(index - self.cell.size // 2), turns)
        return wave.sum()

    def target(self, strengths, k):
        wave = strengths.copy()
        for turns, frequencies in zip(self.turns, self.targets):
            wave *= self.waves(frequencies[k].astype(np.longdouble), turns)
        return wave.sum()

    def point(self, modes, j):
        rest = modes.reshape([self.cell.size] * self.cell.dim)
        for turns in self.turns:  # the first axis is the last of the array
            rest = rest @ self.waves(self.frequencies(), turns[j])
        return rest

    def error(self):
        found = self.output[-1][self.sampled].astype(np.complex128)
        return float(np.linalg.norm(found - self.expected) / np.linalg.norm(self.expected))


LONG_PI = np.longdouble("3.14159265358979323846264338327950288")


# --- measuring ------------------------------------------------------------------------------------------------------
# OpenMP's idle threads spin for a while before they sleep, and each library has threads of its own: without a pause the
# one whose turn it is shares its cores with the other's. Then it takes its threads, and a virtual machine its cores, some
# milliseconds to wake up: so a turn begins with a call that is not timed.
SETTLE = 0.02  # seconds
# Short cells are repeated more often: what else a machine does may last longer than a few of their repeats.
SHORT_CELL, MOST_REPEATS = 2.0, 41  # seconds, turns


def timed(call, *arguments, loops=1):
    start = time.perf_counter_ns()
    for _ in range(loops):
        call(*arguments)
    return (time.perf_counter_ns() - start) / loops * 1e-6


@dataclasses.dataclass
class Times:
    plan: float
    set_points: float
    first: float  # execute of a fresh plan
    execute: float  # later ones
    error: float

    @property
    def total(self):
        return self.plan + self.set_points + self.first


def use(make, data, loops):
    """One user's calls: a plan, its first set_points and execute, and a later execute, in milliseconds."""
    start = time.perf_counter_ns()
    plan = make()
    made = (time.perf_counter_ns() - start) * 1e-6
    try:
        set_points = timed(plan.set_points, data.cell.points, *data.pointers())
        first = timed(plan.execute, *data.values())
        return made, set_points, first, timed(plan.execute, *data.values(), loops=loops)
    finally:
        plan.destroy()


def measure(makers, data, repeats, middle):
    """Times of every library by name, interleaved, with a fresh plan each time."""
    runs, errors = {name: [] for name in makers}, {}
    loops = 50 if data.cell.kind == "tiny" else 1
    for name, make in makers.items():  # warm up, and check
        data.output[:] = 0
        use(make, data, 1)
        errors[name] = data.error()
    start, turns = time.perf_counter(), 0
    while turns < repeats or (turns < MOST_REPEATS and time.perf_counter() - start < SHORT_CELL):
        turns += 1
        for name, make in makers.items():
            time.sleep(SETTLE)
            use(make, data, 1)
            runs[name].append(use(make, data, loops))
    return {name: Times(*map(middle, zip(*runs[name])), errors[name]) for name in makers}


def compare(cell, threads, data, libraries, chosen):
    """Times by name; None where the peer refuses the problem."""
    def maker(kind, library):
        return lambda: kind(library, cell, threads)

    try:
        makers = {kind.name: maker(kind, library) for kind, library in libraries}
        return measure(makers, data, chosen.repeats, min if chosen.least else statistics.median)
    except RuntimeError as problem:
        print(f"{cell.name:<48} {threads} {problem}")
        return None


# --- reporting ------------------------------------------------------------------------------------------------------
HEADER = (f"{'cell':<46} thr {'finufft':>10} {'offgrid':>10} {'x set':>7} {'x exec':>7} {'x total':>7} "
          f"{'err fin':>8} {'err off':>8}")


def row_of(cell, threads, result):
    peer, ours = result["finufft"], result["offgrid"]
    return {"cell": cell.name, "threads": threads, "finufft_plan_ms": peer.plan, "finufft_set_ms": peer.set_points,
            "finufft_first_ms": peer.first, "finufft_exec_ms": peer.execute, "offgrid_plan_ms": ours.plan,
            "offgrid_set_ms": ours.set_points, "offgrid_first_ms": ours.first, "offgrid_exec_ms": ours.execute,
            "finufft_total_ms": peer.total, "offgrid_total_ms": ours.total,
            "ratio_set": peer.set_points / ours.set_points, "ratio_exec": peer.execute / ours.execute,
            "ratio_total": peer.total / ours.total, "finufft_error": peer.error, "offgrid_error": ours.error,
            "tolerance": cell.tolerance}


def print_row(row):
    peer, ours = row["finufft_total_ms"], row["offgrid_total_ms"]
    mark = " over its tolerance" if row["offgrid_error"] > row["tolerance"] else ""
    print(f"{row['cell']:<46} {row['threads']:>3} {peer:>10.4g} {ours:>10.4g} {row['ratio_set']:>7.2f} "
          f"{row['ratio_exec']:>7.2f} {row['ratio_total']:>7.2f} {row['finufft_error']:>8.1e} "
          f"{row['offgrid_error']:>8.1e}{mark}", flush=True)


def print_summary(rows, threads):
    ratios = [row["ratio_total"] for row in rows if row["threads"] == threads]
    if not ratios:
        return
    mean = math.exp(sum(map(math.log, ratios)) / len(ratios))
    worst = min((row for row in rows if row["threads"] == threads), key=lambda row: row["ratio_total"])
    print(f"{threads} thread(s): geometric mean of plan + set_points + execute {mean:.2f}x over {len(ratios)} cells, "
          f"least {worst['ratio_total']:.2f}x at {worst['cell']}")


def write_csv(path, rows):
    with open(path, "w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, rows[0].keys())
        writer.writeheader()
        writer.writerows(rows)


def default_library():
    root = pathlib.Path(__file__).resolve().parent.parent / "build" / "release"
    found = sorted(root.rglob("liboffgrid.so"))
    return os.environ.get("OFFGRID_LIBRARY") or (str(found[0]) if found else "")


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--library", default=default_library(), help="liboffgrid.so; also OFFGRID_LIBRARY")
    parser.add_argument("--peer-library", default="", help="libfinufft.so instead of the package's")
    parser.add_argument("--threads", default="1,2", help="numbers of threads, such as 1,2")
    parser.add_argument("--repeats", type=int, default=7, help="interleaved repeats a cell, at least")
    parser.add_argument("--least", action="store_true", help="least times instead of medians: on a busy machine")
    parser.add_argument("--cells", default="", help="regular expression that the cells' names must contain")
    parser.add_argument("--quick", action="store_true", help="one tolerance a precision, random points only")
    parser.add_argument("--csv", default="", help="write the rows to this file")
    chosen = parser.parse_args()
    if not chosen.library or not os.path.exists(chosen.library):
        parser.error("liboffgrid.so was not found; build it with ./dev build, or give --library PATH")
    return chosen


def main():
    chosen = arguments()
    threads = [int(word) for word in chosen.threads.split(",")]
    cells = [cell for cell in all_cells(chosen.quick) if re.search(chosen.cells, cell.name)]
    if not cells:
        sys.exit(f"no cell matches {chosen.cells!r}")
    libraries = [(Offgrid, Offgrid.load(chosen.library)), (Finufft, Finufft.load(chosen.peer_library))]
    print(HEADER)
    rows, data = [], None
    for cell in cells:
        if data is None or data.cell.same_data() != cell.same_data():
            data = Data(cell)
        for count in threads:
            result = compare(cell, count, data, libraries, chosen)
            if result:
                rows.append(row_of(cell, count, result))
                print_row(rows[-1])
    for count in threads:
        print_summary(rows, count)
    if chosen.csv and rows:
        write_csv(chosen.csv, rows)


if __name__ == "__main__":
    main()
