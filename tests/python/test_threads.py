"""The GIL is released in calls, plans may be shared, and points that change under an execute cannot hurt it."""

import subprocess
import sys
import threading
import time

import numpy as np
import offgrid
import oracle


def run_all(*targets):
    failures = []

    def guarded(target):
        try:
            target()
        except BaseException as failure:  # noqa: BLE001, it is raised again below
            failures.append(failure)

    threads = [threading.Thread(target=guarded, args=(target,)) for target in targets]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if failures:
        raise failures[0]


def test_the_gil_is_released_while_a_transform_runs(random):
    plan = offgrid.Plan(1, (256, 256), 1e-12, threads=1)
    points, strengths = oracle.random_points(random, 2, 400_000), oracle.random_complex(random, 400_000)
    plan.set_points(points)
    busy = threading.Event()
    done = threading.Event()
    seen = []

    def transform():
        busy.set()
        plan.execute(strengths)
        done.set()

    def count():  # can only count while the other thread is inside execute if that holds no GIL
        busy.wait()
        while not done.is_set():
            seen.append(time.perf_counter())
            time.sleep(1e-4)

    run_all(transform, count)
    assert len(seen) > 10


def test_one_plan_on_many_threads(random):
    plan = offgrid.Plan(1, (16, 16), 1e-9, threads=1)
    points, strengths = oracle.random_points(random, 2, 300), oracle.random_complex(random, 300)
    plan.set_points(points)
    expected, back = plan.execute(strengths), plan.adjoint(np.ones((16, 16), complex))

    def work():
        for _ in range(30):
            assert np.array_equal(plan.execute(strengths), expected)
            assert np.array_equal(plan.adjoint(np.ones((16, 16), complex)), back)

    run_all(*[work] * 4)


def test_cached_plans_on_many_threads(random):
    problems = [(oracle.random_points(random, 1, n), oracle.random_complex(random, n), n) for n in (5, 5, 9, 20)]

    def worker(points, strengths, n):
        def work():
            for _ in range(20):
                assert oracle.error(offgrid.nufft1(points, strengths, n), oracle.type1(points, strengths, (n,))) < 1e-5
        return work

    run_all(*[worker(*problem) for problem in problems * 2])


def test_points_that_change_under_an_execute(random):
    """Either the call sees the points that it was checked for, or it is refused; it never reads past an array."""
    plan = offgrid.Plan(1, 32, threads=1)
    sizes = [np.zeros(n) for n in (10, 5000)]
    plan.set_points(sizes[0])
    stop = time.monotonic() + 0.5
    refused = []

    def move():
        while time.monotonic() < stop:
            for x in sizes:
                plan.set_points(x)

    def execute():
        while time.monotonic() < stop:
            count = plan.count
            try:
                assert abs(plan.execute(np.ones(count, complex))[0] - count) < 1e-3 * count
            except ValueError as error:
                assert "strengths has the shape" in str(error)
            except offgrid.Error as error:
                assert error.status is offgrid.Status.WRONG_STATE
                refused.append(error)

    run_all(move, execute, execute)


SET_POINTS_WHILE_THREADS_END = """
import gc, threading, time
import numpy as np
import offgrid

gc.callbacks.append(lambda phase, info: time.sleep(0))  # Python code, so that another thread may get the GIL
gc.set_threshold(1)
plan = offgrid.Plan(1, 8, threads=1)
stop = time.monotonic() + 2
def start_threads():
    while time.monotonic() < stop:
        threading.Thread(target=lambda: None).start()
starter = threading.Thread(target=start_threads)
starter.start()
while time.monotonic() < stop:
    plan.set_points(np.zeros(3))
starter.join()
print("done")
"""


def test_set_points_does_not_wait_for_ever_while_threads_end():
    """python/cpython#106883: sys._current_frames() may, up to Python 3.11, where a collection of garbage meets it."""
    run = subprocess.run([sys.executable, "-c", SET_POINTS_WHILE_THREADS_END], capture_output=True, text=True, timeout=60)
    assert run.stdout == "done\n", run.stderr
