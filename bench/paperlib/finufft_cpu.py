"""FINUFFT (the PyPI package `finufft`) on the CPU, on the same points, by its C interface with its defaults."""
import os
import statistics
import time


def threads():
    return len(os.sched_getaffinity(0))


class Peer:
    """FINUFFT behind the methods that bench/compare_finufft.py has for it, until its time is used up."""

    def __init__(self, bench, seconds):
        from compare_finufft import Finufft  # raises ImportError where finufft is not installed

        self.bench, self.kind = bench, Finufft
        self.library = Finufft.load(None)
        self.until, self.left_out = time.perf_counter() + seconds, 0

    def use(self, cell, data):
        inputs, output = data.host_arrays()
        axes, values = data.arguments([array.ctypes.data for array in inputs], output.ctypes.data)
        marks = [time.perf_counter_ns()]
        plan = self.kind(self.library, cell, threads())
        marks.append(time.perf_counter_ns())
        plan.set_points(cell.points, axes)
        marks.append(time.perf_counter_ns())
        for _ in range(2):
            plan.execute(*values)
            marks.append(time.perf_counter_ns())
        plan.destroy()
        return [(end - start) * 1e-6 for start, end in zip(marks, marks[1:])]

    def row(self, cell):
        """Medians of some runs after one to warm up; of slow cells the first run. None where the time is used up."""
        if time.perf_counter() > self.until:
            self.left_out += 1
            return None
        data = self.bench.data_of(cell)
        start = time.perf_counter()
        runs = [self.use(cell, data)]
        if time.perf_counter() - start < 0.5:
            runs = [self.use(cell, data) for _ in range(self.bench.effort.least)]
        names = ("plan_ms", "set_ms", "first_ms", "later_ms")
        row = {"library": "finufft", "repeats": len(runs)}
        row |= {name: statistics.median(run[i] for run in runs) for i, name in enumerate(names)}
        row["mem_ms"] = row["plan_ms"] + row["set_ms"] + row["first_ms"]  # there is nothing to transfer
        row["error"] = data.error(data.host_arrays()[1] if self.bench.device.name == "cpu" else
                                  self.bench.device.xp.asarray(data.host_arrays()[1]))
        return row
