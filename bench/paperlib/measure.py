"""Times, memory and error of one cell. Every repeat makes a plan without any hint.

    plan, set      making the plan and its first set_points
    first, later   its first execute, and the ones after it
    mem            allocation, transfers, plan, set_points and first execute together, with nothing kept from before
    copy           the transfers among them
"""
import dataclasses
import statistics
import time

import numpy as np

from . import exact, library, points

SAMPLES = 64  # outputs that the error is measured over
TRANSFER_LIMIT = 2 * 10**8  # points; beyond them the host's memory is too small a place


@dataclasses.dataclass(frozen=True)
class Effort:
    """Repeats: at least `least`, more until `seconds` have gone by, at most `most`. A cell whose first plan takes over
    `slow` seconds has no other one, and no run to warm up."""

    least: int = 3
    most: int = 12
    seconds: float = 0.05
    slow: float = 0.4
    later: int = 3


class Data:
    """Points, input and output on the device; copies on the host and direct sums when they are asked for."""

    def __init__(self, device, cell):
        self.device, self.cell = device, cell
        self.real = np.float32 if cell.precision == "f32" else np.float64
        sizes = [cell.points, cell.size**cell.dim][:: 1 if cell.type == 1 else -1]
        self.points = points.make_points(device.xp, cell, self.real)
        self.input = points.make_input(device.xp, sizes[0], self.real)
        self.output = device.xp.empty(sizes[1], self.input.dtype)
        self.sampled = np.random.default_rng(3).integers(0, sizes[1], SAMPLES)
        self.sums = self.on_host = None

    def addresses(self):
        return self.arguments([self.device.address(array) for array in self.points + [self.input]],
                              self.device.address(self.output))

    def arguments(self, inputs, output):
        """What set_points and execute take, from addresses of points and input, and of the output."""
        axes = inputs[:-1] + [None] * (3 - self.cell.dim)
        return axes, (inputs[-1], output)[:: 1 if self.cell.type == 1 else -1]

    def host_arrays(self):
        if self.on_host is None:
            self.on_host = [self.device.to_numpy(array) for array in self.points + [self.input, self.output]]
        return self.on_host[:-1], self.on_host[-1]

    def error(self, output):
        """Relative l2 over the sampled outputs."""
        if self.sums is None:
            self.sums = exact.direct_sum(self.device, self.cell, self.points, self.input, self.sampled)
        found = self.device.to_numpy(output[self.sampled]).astype(np.complex128)
        return float(np.linalg.norm(found - self.sums) / np.linalg.norm(self.sums))


class Bench:
    """offgrid on one device; keeps the data of the last cell, which the next one often shares."""

    def __init__(self, library_, device, effort):
        self.library, self.device, self.effort = library_, device, effort
        self.data, self.key = None, None

    def data_of(self, cell):
        if self.key != cell.data_key():
            self.data = None
            self.device.free()
            self.data, self.key = Data(self.device, cell), cell.data_key()
        self.data.cell = cell
        return self.data

    def use(self, cell, data, later):
        """One user's calls: (plan, set, first, [later..]) in milliseconds, and what the plan says of itself."""
        axes, values = data.addresses()
        made = []
        plan_ms = self.device.host_ms(lambda: made.append(library.Plan(self.library, cell, self.device.name)))
        plan = made[0]
        try:
            set_ms = self.device.host_ms(lambda: plan.set_points(cell.points, axes))
            first = self.device.execute_ms(lambda: plan.execute(*values))
            rest = [self.device.execute_ms(lambda: plan.execute(*values)) for _ in range(later)]
            return (plan_ms, set_ms, first, rest), {name: plan.get(name) for name in FACTS}
        finally:
            plan.destroy()

    def times(self, cell, data):
        effort = self.effort
        start = time.perf_counter()
        runs = [self.use(cell, data, 1)]
        if time.perf_counter() - start < effort.slow:
            runs = []
        start = time.perf_counter()
        while not runs or len(runs) < effort.least or (len(runs) < effort.most
                                                       and time.perf_counter() - start < effort.seconds):
            runs.append(self.use(cell, data, effort.later))
            if time.perf_counter() - start > effort.slow:
                break
        middle = [statistics.median(run[0][i] for run in runs) for i in range(3)]
        later = statistics.median(value for run in runs for value in run[0][3])
        names = ("plan_ms", "set_ms", "first_ms", "later_ms", "repeats")
        return dict(zip(names, middle + [later, len(runs)])) | runs[-1][1]

    def with_transfers(self, cell, data):
        inputs, output = data.host_arrays()

        def call(places, result):
            axes, values = data.arguments(places, result)
            plan = library.Plan(self.library, cell, self.device.name)
            plan.set_points(cell.points, axes)
            plan.execute(*values)
            plan.destroy()

        runs = []
        for _ in range(min(2, self.effort.least)):
            self.library.offgrid_release_memory()
            runs.append(self.device.with_copies(inputs, output, call))
        return dict(zip(("mem_ms", "copy_ms"), min(runs)))

    def spread_share(self, cell, facts):
        """Milliseconds of spreading alone, on the grid and with the kernel of the plan."""
        alone = dataclasses.replace(cell, size=int(facts["grid1"]), width=int(facts["width"]),
                                    upsampling=facts["upsampling"])
        whole = self.data
        data = Data.__new__(Data)
        data.__dict__.update(whole.__dict__)
        data.cell, data.output = alone, self.device.xp.empty(alone.size**alone.dim, whole.output.dtype)
        return {"spread_ms": self.times(alone, data)["later_ms"]}

    def row(self, cell):
        data = self.data_of(cell)
        row = {"library": "offgrid"} | self.times(cell, data)
        if not cell.width:
            row["error"] = data.error(data.output)
        if cell.figure == "table1":
            row |= self.spread_share(cell, row)
        if cell.transfers and cell.points <= TRANSFER_LIMIT:
            row |= self.with_transfers(cell, data)
        return row


FACTS = ("upsampling", "width", "grid1", "workspace_bytes", "memory_bytes", "peak_bytes")
