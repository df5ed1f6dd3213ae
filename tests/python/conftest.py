import os

import hypothesis
import kinds
import numpy as np
import pytest

hypothesis.settings.register_profile("offgrid", deadline=None, database=None, derandomize=True,
                                     max_examples=int(os.environ.get("OFFGRID_EXAMPLES", "40")),
                                     suppress_health_check=[hypothesis.HealthCheck.function_scoped_fixture,
                                                            hypothesis.HealthCheck.too_slow])
hypothesis.settings.load_profile("offgrid")


def made(name):
    try:
        kind = kinds.KINDS[name]()
        if name in kinds.ON_GPU:
            kinds.need_gpu_engine()
        return kind
    except kinds.Absent as reason:
        pytest.skip(str(reason))


@pytest.fixture(params=list(kinds.KINDS))
def kind(request):
    """Every kind of array; those that are absent are skipped."""
    return made(request.param)


@pytest.fixture(params=kinds.ON_GPU)
def gpu_kind(request):
    return made(request.param)


@pytest.fixture
def random():
    return np.random.default_rng(1)
