#!/usr/bin/env python3
"""What a call from Python costs over the same call from C: a tiny transform by a plan whose points are set.

The C side is a loop inside the extension over the same plan and the same arrays; the Python side is plan.execute(data),
with every check and a new result array, or with out=; beside it an application of a Gram operator with out=. Times are least
of several interleaved rounds, in microseconds. The limit is 15.

    PYTHONPATH=build/release/python python3 bench/python_overhead.py

On a GPU, an execute that nobody waits for is timed: both sides enqueue, and the rounds are short enough for the queue.
"""
import argparse
import importlib
import sys
import time

import numpy as np
import offgrid

LIMIT = 15.0


def no_wait():
    """The CPU is done when a call returns."""


def numpy_arrays():
    return np.asarray, lambda array: array.ctypes.data, no_wait


def torch_arrays(device):
    torch = importlib.import_module("torch")
    if device == "cuda" and not torch.cuda.is_available():
        raise ImportError("no GPU")
    wait = torch.cuda.synchronize if device == "cuda" else no_wait
    return lambda array: torch.from_numpy(array).to(device), lambda array: array.data_ptr(), wait


def cupy_arrays():
    cupy = importlib.import_module("cupy")
    try:
        cupy.cuda.runtime.getDeviceCount()
    except cupy.cuda.runtime.CUDARuntimeError:
        raise ImportError("no GPU") from None
    return cupy.asarray, lambda array: array.data.ptr, cupy.cuda.Device().synchronize


def jax_arrays():
    """On the CPU, where a jax array lies still; its results are copies, which the overhead includes."""
    jax = importlib.import_module("jax")
    jax.config.update("jax_enable_x64", True)
    cpu = jax.devices("cpu")[0]
    return lambda array: jax.device_put(array, cpu), lambda array: array.unsafe_buffer_pointer(), no_wait


KINDS = {"numpy": numpy_arrays, "torch": lambda: torch_arrays("cpu"), "jax": jax_arrays, "cupy": cupy_arrays,
         "torch cuda": lambda: torch_arrays("cuda")}


def measure(kind, rounds, loops):
    """Microseconds of a call: from C, from Python, from Python with out=, and of a Gram operator."""
    of, address, wait = kind()
    loops = loops if wait is no_wait else min(loops, 50)  # more would fill the GPU's queue, and then each call waits
    random = np.random.default_rng(1)
    plan = offgrid.Plan(1, 16, threads=1)
    points = of(random.uniform(-3, 3, 10))
    plan.set_points(points)
    gram = offgrid.gram(points, 16, gram="convolution", threads=1)
    data, out = of(random.normal(size=10) + 1j), of(np.zeros(16, complex))
    modes = of(random.normal(size=16) + 1j)
    calls = {"C": lambda: plan._core.seconds(address(data), address(out), loops),
             "Python": lambda: seconds(lambda: plan.execute(data), loops)}
    if "jax" not in type(data).__module__:
        calls["out="] = lambda: seconds(lambda: plan.execute(data, out), loops)
        calls["gram"] = lambda: seconds(lambda: gram(modes, out), loops)
    least = dict.fromkeys(calls, float("inf"))
    for _ in range(rounds):
        for name, call in calls.items():
            least[name] = min(least[name], call() * 1e6)
            wait()
    return least


def seconds(call, loops):
    start = time.perf_counter()
    for _ in range(loops):
        call()
    return (time.perf_counter() - start) / loops


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=20)
    parser.add_argument("--loops", type=int, default=200, help="calls per round")
    chosen = parser.parse_args()
    over = []
    print(f"{'arrays':<12}{'C':>8}{'Python':>8}{'more':>8}{'out=':>8}{'gram':>8}   microseconds per call")
    for name, kind in KINDS.items():
        try:
            times = measure(kind, chosen.rounds, chosen.loops)
        except ImportError as problem:
            print(f"{name:<12}{problem}")
            continue
        more = times["Python"] - times["C"]
        columns = [times["C"], times["Python"], more, times.get("out=", np.nan), times.get("gram", np.nan)]
        print(f"{name:<12}" + "".join(f"{time:>8.2f}" for time in columns))
        if more > LIMIT and name != "jax":
            over.append(name)
    if over:
        sys.exit(f"over {LIMIT} microseconds: {', '.join(over)}")


if __name__ == "__main__":
    main()
