"""Nothing that Python code does to a plan or hands to it may crash: each of these ends in an exception, or in a result."""

import copy
import pathlib
import pickle
import subprocess
import sys
import threading
import time

import numpy as np
import offgrid
import oracle
import pytest

ATTRIBUTES = ("type", "shape", "tol", "dtype", "transforms", "device", "options", "count", "targets", "dim", "specification")


def made(random, type=1, shape=(8, 9), count=20, **options):
    plan = offgrid.Plan(type, shape, **options)
    plan.set_points(oracle.random_points(random, len(plan.shape), count))
    return plan


@pytest.mark.parametrize("name", ATTRIBUTES)
def test_attributes_cannot_be_written_or_deleted(random, name):
    plan = made(random)
    before = repr(plan)
    with pytest.raises(AttributeError):
        setattr(plan, name, (4, 4) if name == "shape" else 1)
    with pytest.raises(AttributeError):
        delattr(plan, name)
    assert repr(plan) == before
    assert plan.execute(np.ones(20, complex)).shape == (8, 9)


def test_options_and_specifications_are_not_the_plans_own(random):
    plan = made(random, sign=1)
    with pytest.raises(TypeError):
        plan.options["sign"] = -1
    plan.specification["shape"] = (1, 1)
    assert plan.options == {"sign": 1} and plan.shape == (8, 9)


def test_new_attributes_are_refused(random):
    with pytest.raises(AttributeError):
        made(random).tolerance = 1e-3


@pytest.mark.parametrize("field, value", [
    ("_shape", (4, 4)), ("_shape", (800, 900)), ("_transforms", 1), ("_transforms", 100), ("_count", 3),
    ("_count", 10_000), ("_dtype", "complex64"), ("_type", 2), ("_gpu", 0), ("_shape", ()), ("_count", None)])
def test_private_fields_that_lie_are_found_out(random, field, value):
    """The sizes that the extension compares with its own are those of the arrays."""
    plan = made(random, transforms=2)
    setattr(plan, field, value)
    shapes = [(2, 20), (20,), (100, 20), (2, 3), (2, 10_000), (2, 8, 9), (2, 4, 4), (4, 4), (2, 800, 900), (2,)]
    for call in (plan.execute, plan.adjoint):
        for shape in shapes:
            for dtype in ("complex64", "complex128"):
                try:
                    call(np.ones(shape, dtype))
                except (offgrid.Error, TypeError):
                    pass


@pytest.mark.parametrize("field, value", [
    ("_targets", 3), ("_targets", 10_000), ("_targets", -1), ("_count", 10_000), ("_dim", 1), ("_dim", 3), ("_type", 1),
    ("_type", 2), ("_transforms", 5), ("_batch", (9, 9)), ("_sum_like", None), ("_gpu", 0), ("_boxes", (1, 2))])
def test_private_fields_of_a_type_3_that_lie_are_found_out(random, field, value):
    x = tuple(oracle.random_points(random, 2, 20))
    plan = offgrid.Plan(3, 2, transforms=2)
    plan.set_points(x, tuple(axis[:12] for axis in x))
    plan.add(np.ones((2, 20), complex))
    setattr(plan, field, value)
    calls = [lambda shape=shape, call=call: call(np.ones(shape, complex)) for call in (plan.execute, plan.adjoint, plan.add)
             for shape in [(2, 20), (2, 12), (5, 20), (2, 3), (2, 10_000), (20,), (2,)]]
    for call in [*calls, plan.finish, lambda: plan.set_targets(x), lambda: plan.set_points(x[:1]), lambda: plan.set_points(x),
                 plan.finish, lambda: plan.set_boxes((-4, 4), (-4, 4)), plan.finish]:
        try:
            call()
        except (offgrid.Error, TypeError, ValueError):
            pass


def test_targets_that_another_thread_changes(random):
    """An execute with the sizes of other targets is refused; none reads or writes past an array."""
    x = oracle.random_points(random, 1, 50)
    plan = offgrid.Plan(3, 1, 1e-3, threads=1)
    plan.set_boxes((-4, 4), (-4, 4))
    plan.set_points(x)
    plan.set_targets(x)
    stop = threading.Event()

    def change():
        while not stop.is_set():
            for count in (1, 50, 1000):
                plan.set_targets(oracle.random_points(random, 1, count))

    other = threading.Thread(target=change)
    other.start()
    done = 0
    try:
        end = time.time() + 30
        while done < 200 and time.time() < end:
            try:
                assert np.isfinite(plan.execute(np.ones(50, complex))).all()
                done += 1
            except offgrid.Error:
                pass
    finally:
        stop.set()
        other.join()
    assert done


@pytest.mark.parametrize("field", ["_core", "_shape", "_count", "_dtype"])
def test_private_fields_that_are_gone(random, field):
    plan = made(random)
    delattr(plan, field)
    with pytest.raises(offgrid.Error, match="the plan was not made"):
        plan.execute(np.ones(20, complex))


def test_a_plan_without_init():
    plan = offgrid.Plan.__new__(offgrid.Plan)
    for use in (repr, copy.copy, pickle.dumps, lambda p: p.execute(np.ones(3, complex)), lambda p: p.set_points(np.ones(3)),
                lambda p: p.shape, lambda p: p.close(), lambda p: p.describe(), offgrid.LinearOperator):
        with pytest.raises(offgrid.Error, match="the plan was not made"):
            use(plan)


def test_init_a_second_time_makes_another_plan(random):
    plan = made(random)
    plan.__init__(1, (3, 3))
    assert plan.shape == (3, 3) and plan.count is None
    with pytest.raises(offgrid.Error, match="no points"):
        plan.execute(np.ones(20, complex))
    with pytest.raises(ValueError):
        plan.__init__(1, (3, 3), tol=-1)


class Small(offgrid.Plan):
    """A subclass that gives itself other sizes."""

    shape = (4, 4)
    transforms = 1

    def __init__(self, *arguments, **settings):
        super().__init__(*arguments, **settings)
        self.note = "mine"


def test_subclasses(random):
    plan = Small(1, (8, 9), transforms=2)
    plan.set_points(oracle.random_points(random, 2, 20))
    assert plan.execute(np.ones((2, 20), complex)).shape == (2, 8, 9)
    assert type(pickle.loads(pickle.dumps(plan))) is Small and type(copy.deepcopy(plan)) is Small


class Liar(np.ndarray):
    """An array that says it is larger than its memory."""

    shape = property(lambda self: (1 << 20,))
    size = nbytes = property(lambda self: 1 << 24)
    dtype = property(lambda self: np.dtype("complex128"))
    __array_interface__ = {"data": (8, False), "shape": (1 << 20,), "typestr": "<c16", "version": 3}


def test_arrays_that_lie_are_read_as_they_are(random):
    plan = made(random)
    with pytest.raises(ValueError, match=r"shape \(3,\)"):
        plan.execute(np.ones(3, complex).view(Liar))
    with pytest.raises(ValueError, match=r"out has the shape \(3,\)"):
        plan.execute(np.ones(20, complex), out=np.ones(3, complex).view(Liar))
    with pytest.raises(TypeError, match="dtype complex128"):
        plan.set_points((np.ones(3, complex).view(Liar),) * 2)


class Pretender:
    """An object that claims to be an array of numpy, or calls back in the middle of being read."""

    __class__ = np.ndarray
    shape, dtype, nbytes = (20,), np.dtype("complex128"), 320


class CallsBack:
    def __init__(self, action):
        self.action, self.array = action, np.ones(20, complex)
        self.shape = (20,)

    def __dlpack__(self, **settings):
        self.action()
        return self.array.__dlpack__(**settings)

    def __dlpack_device__(self):
        return self.array.__dlpack_device__()


def test_objects_that_pretend_or_call_back(random):
    plan = made(random)
    with pytest.raises(TypeError):
        plan.execute(Pretender())
    plan.execute(CallsBack(lambda: plan.execute(np.ones(20, complex))))
    with pytest.raises(offgrid.Error):
        plan.execute(CallsBack(lambda: plan.set_points((np.ones(3), np.ones(3)))))
    with pytest.raises(offgrid.Error, match="closed"):
        made_again = made(random)
        made_again.execute(CallsBack(made_again.close))


@pytest.mark.parametrize("bad", [None, "x", b"x", 3, [1j] * 20, {}, object(), np.ones((20, 1, 1)), np.ones(20, int),
                                 np.ones(20, ">c16"), np.array([None] * 20), np.ones(20, "M8[s]"), np.void(b"1" * 16),
                                 np.zeros(20, [("a", "f8"), ("b", "f8")]), np.clongdouble(1) * np.ones(20)])
def test_data_of_other_kinds(random, bad):
    plan = made(random)
    for call in (plan.execute, plan.adjoint, lambda data: plan.execute(np.ones(20, complex), out=data) if data is not None
                 else plan.execute(data), plan.set_points, lambda data: plan.set_points((data, data))):
        with pytest.raises(offgrid.Error) as caught:
            call(bad)
        assert isinstance(caught.value, (TypeError, ValueError))


@pytest.mark.parametrize("settings", [
    {"type": 2**70}, {"type": -1}, {"shape": (2**70,)}, {"shape": ()}, {"shape": object()}, {"shape": "ab"}, {"tol": 10**400},
    {"tol": 1j}, {"tol": None}, {"transforms": 2**70}, {"transforms": -1}, {"device": None}, {"device": "cuda:" + "9" * 30},
    {"device": "cuda:²"}, {"threads": 10**400}, {"threads": -1}, {"mode_order": "\ud800"}, {"mode_order": b"fft"},
    {"mode_order": "fft\0"}, {"sign": [1]}, {"batch": float("nan")}, {"dtype": object}, {"dtype": None}, {"\ud800": 1}])
def test_settings_of_other_kinds(settings):
    with pytest.raises((offgrid.Error, UnicodeError)):
        offgrid.Plan(**{"type": 1, "shape": (4, 4), **settings})


def test_copies_and_pickles_are_plans_of_their_own(random):
    plan = made(random)
    for other in (copy.copy(plan), copy.deepcopy(plan), pickle.loads(pickle.dumps(plan))):
        assert other.specification == plan.specification and other.count is None
        other.close()
    assert np.isfinite(plan.execute(np.ones(20, complex))).all()


def in_threads(*targets):
    threads = [threading.Thread(target=target) for target in targets]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def test_a_plan_that_is_closed_while_others_execute(random):
    strengths = np.ones(5000, complex)
    for _ in range(10):
        plan = made(random, shape=(40, 40), count=5000, threads=1)
        done = []

        def work():
            try:
                while True:
                    assert np.isfinite(plan.execute(strengths)).all()
            except offgrid.Error as error:
                done.append(error.status)

        in_threads(work, work, lambda: (time.sleep(0.005), plan.close()))
        assert done == [offgrid.Status.WRONG_STATE] * 2


@pytest.mark.parametrize("dim, real", [(1, "f8"), (2, "f8"), (2, "f4"), (3, "f4")])
def test_points_that_are_written_to_while_they_are_set(random, dim, real):
    """The points are read more than once while they are sorted: where there are other threads, from a copy."""
    count = 100_000
    first, second = (np.stack(oracle.random_points(random, dim, count, real)) for _ in range(2))
    second[:] = 0.1  # all in one bin: the counts of the first pass do not hold for the second
    points = first.copy()
    dtype = {"f4": "complex64", "f8": "complex128"}[real]
    plan = offgrid.Plan(1, (64,) * dim, 1e-3, dtype=dtype, threads=2)
    strengths = np.ones(count, dtype)
    stop = time.monotonic() + 0.7

    def write():
        while time.monotonic() < stop:
            points[...] = second
            points[...] = first

    def read():
        while time.monotonic() < stop:
            try:
                plan.set_points(tuple(points))
                plan.execute(strengths)
            except offgrid.Error as error:
                assert "points" in str(error)

    in_threads(write, read)
    plan.set_points(tuple(first))
    assert np.isfinite(plan.execute(strengths)).all()


ENDING = """
import threading, time
import numpy as np, offgrid
plan = offgrid.Plan(1, (64, 64), threads=1)
plan.set_points(np.random.default_rng(1).uniform(0, 6, (50_000, 2)))
x, strengths = np.ones(50_000), np.ones(50_000, complex)
def work():
    while True:
        plan.execute(strengths)
        offgrid.nufft1(x, strengths, 64, threads=1)
for _ in range(3):
    threading.Thread(target=work, daemon=True).start()
time.sleep(0.1)
"""


def test_an_interpreter_that_ends_while_daemon_threads_execute():
    for _ in range(3):
        done = subprocess.run([sys.executable, "-c", ENDING], capture_output=True, text=True, timeout=60,
                              env={"PYTHONPATH": str(pathlib.Path(offgrid.__file__).parents[1])})
        assert (done.returncode, done.stderr) == (0, "")
