"""A right program: accepted by mypy --strict and pyright, with the types that it asserts."""

from typing import Any

import numpy as np
import numpy.typing as npt
import offgrid
from typing_extensions import assert_type

x: npt.NDArray[np.float64] = np.linspace(-3, 3, 10)
strengths: npt.NDArray[np.complex128] = np.ones(10, np.complex128)
single: npt.NDArray[np.complex64] = np.ones(10, np.complex64)

modes = offgrid.nufft1((x, x), strengths, (6, 4), tol=1e-9)
assert_type(modes, npt.NDArray[np.complex128])
assert_type(offgrid.nufft1(x.astype(np.float32), single, 6, 1e-4), npt.NDArray[np.complex64])
assert_type(offgrid.nufft2([x, x], modes, mode_order="centered", sign=-1, threads=2), npt.NDArray[np.complex128])
offgrid.nufft1(np.zeros((10, 2)), np.exp(1j * x), (6, 4), strict=False, deterministic="on", upsampling=1.5, method="sweep",
               window="prolate", width=7, batch=2, points_hint=100, device="cpu", out=np.empty((6, 4), np.complex128))
assert_type(offgrid.nufft3((x, x), strengths, np.zeros((7, 2)), 1e-9, sign=-1), npt.NDArray[np.complex128])


def of_any_library(points: Any, data: Any) -> None:
    offgrid.nufft2(points, offgrid.nufft1(points, data, 6))


of_any_library(x, strengths)

with offgrid.Plan(1, (6, 4), 1e-9, dtype=np.complex128, transforms=1, device="auto", mode_order="fft") as plan:
    assert_type(plan, offgrid.Plan)
    plan.set_points((x, x))
    assert_type(plan.execute(strengths), npt.NDArray[np.complex128])
    assert_type(plan.adjoint(modes, out=strengths), npt.NDArray[np.complex128])
    assert_type(plan.shape, tuple[int, ...])
    assert_type(plan.count, int | None)
    assert_type(plan.get("expected_error"), float)
    assert_type(plan.describe(), str)
    operator = offgrid.LinearOperator(plan)

type3 = offgrid.Plan(3, 2, 1e-4)
type3.set_boxes(points=(-3, 3), targets=((-9, 0), [9, 1.5]))
type3.set_targets((x, x / 10 + 0.5))
type3.set_points((x, x))
type3.add(strengths)
type3.finish(out=np.empty(10, np.complex128))
assert_type(type3.targets, int | None)
assert_type(type3.dim, int)
type3.set_points((x, x), [x, x / 10 + 0.5])
assert_type(type3.execute(strengths), npt.NDArray[np.complex128])

gram = offgrid.gram((x, x), (6, 4), weights=x, tol=1e-9, transforms=1, gram="convolution")
assert_type(gram(modes), npt.NDArray[np.complex128])
assert_type(gram(modes, out=modes), npt.NDArray[np.complex128])
assert_type(gram.get("convolution"), float)
assert_type(gram.real, bool)
of_gram = offgrid.LinearOperator(gram)
with offgrid.gram((x, x), (6, 4)) as closed_later:
    assert_type(closed_later, offgrid.Gram)
with offgrid.Plan(2, (6, 4)) as from_modes:
    from_modes.set_points((x, x))
    normal = offgrid.LinearOperator(from_modes).normal(x)


def report(step: int, residual: float) -> bool:
    return residual < 1e-3


weights: npt.NDArray[np.float64] = offgrid.density_weights((x, x), (6, 4), 10, rtol=1e-3, callback=report, device="cpu",
                                                            threads=1, deterministic=True, method="sm")
found: npt.NDArray[np.complex128] = offgrid.inverse(strengths, (x, x), (6, 4), weights, tol=1e-9, regularisation=1e-3,
                                                    iterations=5, rtol=0, callback=lambda *_: None, sign=-1, threads=1,
                                                    start=modes)
again: npt.NDArray[np.complex128] = offgrid.conjugate_gradients(gram, gram(modes), 5, rtol=1e-9, regularisation=0.1,
                                                                start=found, callback=report)

try:
    offgrid.clear_cache()
except offgrid.ArgumentTypeError as error:
    assert_type(error.status, offgrid.Status)
    raise TypeError from error
except (offgrid.Error, offgrid.ArgumentValueError, offgrid.AccuracyWarning):
    print(offgrid.options(), offgrid.devices(), offgrid.__version__)
