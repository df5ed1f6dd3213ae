"""pytest on every rank of mpirun. Rank 0 reports; a test that fails on another rank fails there, too."""

import pathlib
import sys

import numpy as np
import pytest
from mpi4py import MPI

sys.path.append(str(pathlib.Path(__file__).parents[1] / "python"))  # for its oracle

WORLD = MPI.COMM_WORLD


@pytest.hookimpl(tryfirst=True)
def pytest_configure(config):
    if WORLD.rank > 0:
        config.option.xmlpath = None


@pytest.hookimpl(tryfirst=True)
def pytest_sessionstart(session):
    if WORLD.rank > 0:
        session.config.pluginmanager.unregister(name="terminalreporter")


@pytest.hookimpl(wrapper=True)
def pytest_pyfunc_call(pyfuncitem):
    """What a test raises on one rank is heard by all. One that raises inside of a collective call leaves the others there, and
    ctest ends them."""
    problem = None
    try:
        result = yield
    except pytest.skip.Exception:
        raise
    except Exception as error:
        problem = error
    problems = WORLD.allgather(None if problem is None else f"{type(problem).__name__}: {problem}")
    if problem is not None:
        raise problem
    for rank, words in enumerate(problems):
        assert words is None, f"on rank {rank}: {words}"
    return result


@pytest.fixture
def comm():
    return WORLD


@pytest.fixture
def random():
    """The same numbers on all ranks."""
    return np.random.default_rng(1)
