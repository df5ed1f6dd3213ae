#!/usr/bin/env python3
"""Times a plan that is given few points, then many, then few again, against fresh plans for the same points.

    OMP_NUM_THREADS=1 PYTHONPATH=build/release/python python3 bench/redesign_time.py
    ... bench/redesign_time.py --ladder 1e3,1e6,1e7,1e3 --shapes 256x256 --dtype complex128 --tol 1e-9 --types 2

Each line is one step of the ladder: milliseconds of an execute of the plan that came from the step before and of a plan that
was made for this step, and the median of the quotients of rounds, in which both take their turn one right after the other, so
that both meet the same machine; and whether both have the same grid and kernel.
"""
import argparse
import statistics
import time

import numpy as np
import offgrid

SHAPES = "100000,256x256,64x64x64"


def milliseconds(call, repeats=1):
    start = time.perf_counter()
    for _ in range(repeats):
        call()
    return 1e3 * (time.perf_counter() - start) / repeats


def in_turn(calls, seconds, slice_ms=5):
    """The least times of two calls, and the median of their quotients; the one that begins changes from round to round."""
    alone = max(milliseconds(call, 2) for call in calls)
    repeats = max(1, int(slice_ms / alone))
    rounds = int(min(max(500 * seconds / (alone * repeats), 7), 300))
    times = []
    for number in range(rounds):
        order = (0, 1) if number % 2 == 0 else (1, 0)
        found = {i: milliseconds(calls[i], repeats) for i in order}
        times.append((found[0], found[1]))
    return *(min(column) for column in zip(*times)), statistics.median(one / two for one, two in times)


def chosen_by(plan, dim):
    return [plan.get(name) for name in ("width", *(f"grid{axis + 1}" for axis in range(dim)))]


class Case:
    """One kind of transform: its plans, points and data."""

    def __init__(self, kind, shape, chosen):
        self.kind, self.shape, self.chosen = kind, shape, chosen
        self.random = np.random.default_rng(1)
        self.real = "float32" if chosen.dtype == "complex64" else "float64"

    def plan(self):
        return offgrid.Plan(self.kind, self.shape, self.chosen.tol, dtype=self.chosen.dtype)

    def values(self, size):
        return (self.random.normal(size=size) + 1j).astype(self.chosen.dtype)

    def run(self):
        """One line for each step; the quotients."""
        reused, quotients = self.plan(), []
        for count in self.chosen.ladder:
            points = tuple(self.random.uniform(-np.pi, np.pi, count).astype(self.real) for _ in self.shape)
            fresh = self.plan()
            for plan in (reused, fresh):
                plan.set_points(points)
            to_modes = self.kind == 1
            data = self.values(count if to_modes else self.shape)
            outputs = [np.empty(self.shape if to_modes else count, self.chosen.dtype) for _ in range(2)]
            calls = [lambda plan=plan, out=out: plan.execute(data, out) for plan, out in zip((reused, fresh), outputs)]
            one, two, quotient = in_turn(calls, self.chosen.seconds)
            same = chosen_by(reused, len(self.shape)) == chosen_by(fresh, len(self.shape))
            words = "x".join(map(str, self.shape))
            print(f"{self.kind:>4} {words:>12} {count:>9} {one:10.4f} {two:10.4f} {quotient:9.3f} "
                  f"{'same' if same else 'other':>6}", flush=True)
            quotients.append(quotient)
        return quotients


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--ladder", type=lambda text: [int(float(word)) for word in text.split(",")],
                        default=[1000, 1000000, 1000], help="numbers of points, one after the other")
    parser.add_argument("--shapes", default=SHAPES)
    parser.add_argument("--types", type=lambda text: [int(word) for word in text.split(",")], default=[1, 2])
    parser.add_argument("--tol", type=float, default=1e-4)
    parser.add_argument("--dtype", choices=["complex64", "complex128"], default="complex64")
    parser.add_argument("--seconds", type=float, default=3, help="of each step, about")
    chosen = parser.parse_args()
    print(f"{chosen.dtype}, tolerance {chosen.tol:g}; milliseconds")
    print(f"{'type':>4} {'modes':>12} {'points':>9} {'reused':>10} {'fresh':>10} {'quotient':>9} {'design':>6}")
    quotients = []
    for words in chosen.shapes.split(","):
        for kind in chosen.types:
            quotients += Case(kind, tuple(int(n) for n in words.split("x")), chosen).run()
    print(f"executes of the reused plan over those of a fresh one: median {statistics.median(quotients):.3f}, "
          f"from {min(quotients):.3f} to {max(quotients):.3f}")


if __name__ == "__main__":
    main()
