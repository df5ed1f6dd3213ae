"""The share of the points that a rank has, and errors over all ranks. Every rank makes the points of all of them from the same
seed, so that it can compare with the direct sum."""

import numpy as np

SHARES = ("even", "none_on_rank_0", "all_on_last")


def share_of(share, comm, count):
    """The indices of this rank's points."""
    j = np.arange(count)
    if share == "none_on_rank_0" and comm.size > 1:
        owner = 1 + j % (comm.size - 1)
    elif share == "all_on_last":
        owner = np.full(count, comm.size - 1)
    else:
        owner = j % comm.size
    return j[owner == comm.rank]


def error(comm, found, expected):
    """|| found - expected || over all ranks, relative to || expected || over all ranks."""
    assert found.shape == expected.shape
    sums = comm.allreduce(np.array([np.sum(np.abs(found - expected)**2), np.sum(np.abs(expected)**2)]))
    return np.sqrt(sums[0] / max(sums[1], 1e-300))
