"""Processes forked from one that has used several threads, as torch's DataLoader makes them, transform with one."""

import multiprocessing
import os
import signal
import subprocess
import sys
import textwrap
import time

import numpy as np
import offgrid
import oracle
import pytest

pytestmark = pytest.mark.filterwarnings("ignore:.*fork.*")  # of processes that have threads
seconds = 60


def in_child(body):
    """The exit status of a forked process that runs body, or None where it does not end."""
    child = os.fork()
    if child == 0:
        try:
            os._exit(0 if body() else 1)
        finally:
            os._exit(2)
    for _ in range(100 * seconds):
        done, status = os.waitpid(child, os.WNOHANG)
        if done:
            return os.waitstatus_to_exitcode(status)
        time.sleep(0.01)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    return None


@pytest.fixture
def executed(random):
    """A plan that has executed with two threads, its strengths and the result."""
    plan = offgrid.Plan(1, (96, 100), 1e-6, threads=2, device="cpu")
    plan.set_points(oracle.random_points(random, 2, 20_000))
    strengths = oracle.random_complex(random, 20_000)
    return plan, strengths, plan.execute(strengths)


def test_a_forked_child_executes_the_plan_of_its_parent(executed):
    plan, strengths, expected = executed
    assert in_child(lambda: np.array_equal(plan.execute(strengths), expected)) == 0
    assert in_child(lambda: "forked" in str(plan.describe())) == 0
    assert "forked" not in str(plan.describe())


def transform(seed):
    random = np.random.default_rng(seed)
    points, strengths = oracle.random_points(random, 2, 20_000), oracle.random_complex(random, 20_000)
    return offgrid.nufft1(points, strengths, (96, 100), threads=2, device="cpu")


def test_a_pool_of_forked_workers(executed):
    with multiprocessing.get_context("fork").Pool(2) as pool:
        results = pool.map_async(transform, [1, 2, 3]).get(seconds)
    for seed, result in zip([1, 2, 3], results):
        assert np.array_equal(result, transform(seed))


def test_a_process_that_forks_before_it_has_threads_keeps_them_all():
    program = textwrap.dedent("""
        import os, numpy, offgrid
        threads = len(os.listdir("/proc/self/task"))
        child = os.fork()
        if child == 0:
            plan = offgrid.Plan(1, (64, 64), threads=2, device="cpu")
            plan.set_points(numpy.zeros((20000, 2)))
            plan.execute(numpy.ones(20000, complex))
            os._exit(1 if "forked" in str(plan.describe()) else 0)
        status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        print(threads, status)
    """)
    environment = dict(os.environ, OPENBLAS_NUM_THREADS="1", MKL_NUM_THREADS="1")
    run = subprocess.run([sys.executable, "-c", program], env=environment, capture_output=True, text=True, timeout=seconds)
    assert run.returncode == 0, run.stderr
    threads, status = map(int, run.stdout.split())
    if threads > 1:
        pytest.skip("numpy has started threads")
    assert status == 0
