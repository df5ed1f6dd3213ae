"""Where the arrays are and which clock is read: numpy and the host's, or cupy and the GPU's."""
import time

import numpy as np


class Host:
    """Arrays of numpy's. There are no transfers; what is allocated anew is the output."""

    name = "cpu"
    xp = np
    chunk = 1 << 20  # points that are worked on at once in direct sums

    @staticmethod
    def address(array):
        return array.ctypes.data

    @staticmethod
    def synchronise():
        pass

    @staticmethod
    def to_numpy(array):
        return array

    @staticmethod
    def host_ms(call):
        start = time.perf_counter_ns()
        call()
        return (time.perf_counter_ns() - start) * 1e-6

    execute_ms = host_ms

    def free(self):
        pass

    def with_copies(self, inputs, output, call):
        """Milliseconds of a fresh output and the call, and of the transfers among them."""
        def everything():
            fresh = np.empty_like(output)  # named, so that it lives until the call is done
            call([self.address(array) for array in inputs], self.address(fresh))

        return self.host_ms(everything), 0.0


class Gpu:
    """Arrays of cupy's. Executes are timed by events, everything else on the host until the GPU is done."""

    name = "cuda"
    chunk = 1 << 25

    def __init__(self):
        import cupy

        self.xp = cupy
        self.runtime = cupy.cuda.runtime
        self.start, self.end = cupy.cuda.Event(), cupy.cuda.Event()

    @staticmethod
    def address(array):
        return array.data.ptr

    def synchronise(self):
        self.runtime.deviceSynchronize()

    def to_numpy(self, array):
        return self.xp.asnumpy(array)

    def host_ms(self, call):
        self.synchronise()
        start = time.perf_counter_ns()
        call()
        self.synchronise()
        return (time.perf_counter_ns() - start) * 1e-6

    def execute_ms(self, call):
        self.start.record()
        call()
        self.end.record()
        self.end.synchronize()
        return self.xp.cuda.get_elapsed_time(self.start, self.end)

    def free(self):
        self.xp.get_default_memory_pool().free_all_blocks()

    def with_copies(self, inputs, output, call):
        """Milliseconds from pageable arrays of the host and back: memory of the GPU is allocated and freed on the way.
        Then those of the transfers alone."""
        copies = []

        def copy(to, source, size, kind):
            copies.append(self.host_ms(lambda: self.runtime.memcpy(to, source, size, kind)))

        def everything():
            arrays = inputs + [output]
            memory = [self.runtime.malloc(array.nbytes) for array in arrays]
            for place, array in zip(memory, inputs):
                copy(place, array.ctypes.data, array.nbytes, self.runtime.memcpyHostToDevice)
            call(memory[:-1], memory[-1])
            copy(output.ctypes.data, memory[-1], output.nbytes, self.runtime.memcpyDeviceToHost)
            for place in memory:
                self.runtime.free(place)

        return self.host_ms(everything), sum(copies)


def find(wish):
    """The device that is wished for, or with "auto" a GPU where cupy finds one."""
    if wish == "cpu":
        return Host()
    try:
        device = Gpu()
        device.runtime.getDeviceCount()
        return device
    except Exception as problem:  # no cupy, no driver, no GPU: each has errors of its own
        if wish == "cuda":
            raise SystemExit(f"no GPU: {problem}")
        return Host()
