"""Plans that are kept: found again for the same problem and points, never for points that have changed."""

import numpy as np
import offgrid
import oracle
import pytest
from offgrid import _cache, _plan


@pytest.fixture
def counted(monkeypatch):
    """How often a plan was made, and points were set."""
    offgrid.clear_cache()
    counts = {"made": 0, "set": 0}
    make, put = _plan.Plan._make, _plan.Plan._set

    def counting_make(self, gpu):
        counts["made"] += 1
        return make(self, gpu)

    def counting_set(self, *sides):
        counts["set"] += 1
        return put(self, *sides)

    monkeypatch.setattr(_plan.Plan, "_make", counting_make)
    monkeypatch.setattr(_plan.Plan, "_set", counting_set)
    return counts


def test_the_same_problem_and_points_plan_once(random, counted):
    points, data = oracle.random_points(random, 2, 20), oracle.random_complex(random, 20)
    first = offgrid.nufft1(points, data, (8, 8))
    for _ in range(3):
        assert np.array_equal(offgrid.nufft1(tuple(x.copy() for x in points), data, (8, 8)), first)
    assert counted == {"made": 1, "set": 1}


def test_points_that_were_written_to_are_new_points(random, counted):
    x, data = oracle.random_points(random, 1, 20)[0], oracle.random_complex(random, 20)
    offgrid.nufft1(x, data, 8)
    x += 0.1
    assert oracle.error(offgrid.nufft1(x, data, 8), oracle.type1((x,), data, (8,))) < 1e-6
    assert counted == {"made": 1, "set": 2}


def test_memory_that_is_used_again_is_not_taken_for_the_old_points(random):
    data = oracle.random_complex(random, 20)
    for _ in range(50):
        x = oracle.random_points(random, 1, 20)[0]
        assert oracle.error(offgrid.nufft1(x, data, 8), oracle.type1((x,), data, (8,))) < 1e-6
        del x


def test_the_same_points_and_targets_plan_once(random, counted):
    points, targets = oracle.random_points(random, 2, 20), oracle.random_points(random, 2, 15)
    data = oracle.random_complex(random, 20)
    first = offgrid.nufft3(points, data, targets)
    assert np.array_equal(offgrid.nufft3(points, data, tuple(s.copy() for s in targets)), first)
    assert counted == {"made": 1, "set": 1}
    targets[1][7] += 0.5
    assert oracle.error(offgrid.nufft3(points, data, targets), oracle.type3(points, data, targets)) < 1e-6
    assert counted == {"made": 1, "set": 2}


def test_problems_that_differ_do_not_share(random, counted):
    x, data = oracle.random_points(random, 1, 20)[0], oracle.random_complex(random, 20)
    for settings in ({}, {"tol": 1e-9}, {"sign": 1}, {"mode_order": "fft"}):
        offgrid.nufft1(x, data, 8, **settings)
    offgrid.nufft1(x.astype("f4"), data.astype("c8"), 8)
    offgrid.nufft1(x, np.stack([data, data]), 8)
    assert counted["made"] == 6


def test_a_failed_call_leaves_no_plan_behind(random, counted):
    with pytest.raises(offgrid.Error):
        offgrid.nufft1(np.full(3, np.nan), np.ones(3, complex), 8)
    assert not _cache._entries


def test_only_so_many_are_kept(random):
    x, data = oracle.random_points(random, 1, 5)[0], oracle.random_complex(random, 5)
    for n in range(2, 2 + 2 * _cache.KEPT_PLANS):
        offgrid.nufft1(x, data, n)
    assert len(_cache._entries) == _cache.KEPT_PLANS
    offgrid.clear_cache()
    assert not _cache._entries


def test_large_plans_of_plain_transforms_are_freed(random, monkeypatch):
    offgrid.clear_cache()
    monkeypatch.setattr(_cache, "SMALL_BYTES", 1000)
    offgrid.nufft1(oracle.random_points(random, 1, 5)[0], oracle.random_complex(random, 5), 64)
    assert not _cache._entries


@pytest.mark.parametrize("real", ["f4", "f8"])
def test_plans_with_many_points_are_large(random, monkeypatch, real):
    offgrid.clear_cache()
    monkeypatch.setattr(_cache, "SMALL_BYTES", 2 << 20)
    for count, kept in ((1000, 1), (200_000, 0)):
        x = oracle.random_points(random, 1, count)[0].astype(real)
        offgrid.nufft1(x, oracle.random_complex(random, count).astype({"f4": "c8", "f8": "c16"}[real]), 64)
        assert len(_cache._entries) == kept
        offgrid.clear_cache()
