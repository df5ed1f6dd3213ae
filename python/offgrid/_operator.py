"""Plans as linear operators, for the solvers of scipy and cupyx."""

from __future__ import annotations

from contextlib import nullcontext
from itertools import product
from math import prod
from typing import TYPE_CHECKING, Any, ContextManager, overload

import numpy

from offgrid._arrays import PRECISIONS
from offgrid._checks import options_of
from offgrid._error import ArgumentTypeError, ArgumentValueError, Error, Status
from offgrid._gram import Gram, KernelGram
from offgrid._plan import Plan

if TYPE_CHECKING:
    from scipy.sparse import linalg  # type: ignore[import-untyped, unused-ignore]

    class PlanOperator(linalg.LinearOperator):  # type: ignore[misc, unused-ignore]
        """What LinearOperator makes of a plan."""

        def normal(self, weights: Any = None) -> linalg.LinearOperator: ...


@overload
def LinearOperator(plan: Plan) -> PlanOperator: ...  # noqa: N802
@overload
def LinearOperator(plan: Gram) -> linalg.LinearOperator: ...  # noqa: N802
def LinearOperator(plan: Plan | Gram) -> Any:  # noqa: N802, it stands for the class of the same name
    """A plan whose points are set, as a scipy.sparse.linalg.LinearOperator; on a GPU, as cupyx's.

    It works on flat vectors: of type 2, `A @ modes.ravel()` are the strengths, and `A.H @ strengths` the adjoint. Of a plan
    with several transforms, such as the coils of a scanner, it takes all their vectors in one, one after the other.
    `A.normal(weights)` is A* W A of a plan of type 2, the operator of the normal equations. Weights are real or complex, or
    None for ones. It is a convolution, two FFTs of twice the modes however many points there are; or with less than a quarter
    of a point per mode the plan's two transforms, which then has to be kept. The plan's option gram insists on one of the two.
    Made by transforms of the plan's tolerance, it may miss A* W A by up to three times that; offgrid.gram keeps the bound.

    Of an operator that offgrid.gram has made it is A* W A, too. It is its own adjoint where the weights are real.

    >>> import numpy as np, offgrid
    >>> plan = offgrid.Plan(2, (8, 8), tol=1e-9, transforms=3)
    >>> plan.set_points(np.random.default_rng(1).uniform(0, 6, (50, 2)))
    >>> A = offgrid.LinearOperator(plan)
    >>> A.shape, (A.H @ (A @ np.ones(3 * 64, complex))).shape
    ((150, 192), (192,))
    >>> bool(np.allclose(A.normal() @ np.ones(192), A.H @ (A @ np.ones(192)), atol=1e-4))
    True
    """
    if isinstance(plan, Gram):
        return of_gram(plan)
    if not isinstance(plan, Plan):
        raise ArgumentTypeError(f"plan is a {type(plan).__name__}; expected an offgrid.Plan or what offgrid.gram makes")
    if plan.count is None or (plan.type == 3 and plan.targets is None):
        missing = "points" if plan.count is None else "targets"
        raise Error(Status.WRONG_STATE, f"LinearOperator: the plan has no {missing} yet, call set_points first")
    strengths, modes = (plan.transforms, plan.count), (plan.transforms, *plan._tail())
    into, out_of = (modes, strengths) if plan.type == 2 else (strengths, modes)

    def forward(vector: Any) -> Any:
        return plan.execute(vector.astype(plan.dtype, copy=False).reshape(into)).ravel()

    def backward(vector: Any) -> Any:
        return plan.adjoint(vector.astype(plan.dtype, copy=False).reshape(out_of)).ravel()

    def normal(weights: Any = None) -> Any:
        """A* W A, as a linear operator."""
        return of_gram(normal_of(plan, weights))

    operator = library_of(plan).LinearOperator((prod(out_of), prod(into)), matvec=forward, rmatvec=backward,
                                               dtype=plan.dtype)
    operator.normal = normal
    return operator


class Pair:
    """A* W A by the transforms of a plan, with the points that it then has."""

    def __init__(self, plan: Plan, weights: Any, real: bool) -> None:
        self._plan, self._weights, self._gpu = plan, weights, plan._gpu
        self.shape, self.dtype, self.transforms, self.real = plan.shape, plan.dtype, plan.transforms, real

    def __call__(self, modes: Any) -> Any:
        _, device = arrays_of(self._plan)
        with device:
            values = self._plan.execute(modes)
            return self._plan.adjoint(values if self._weights is None else values * self._weights)


def takes_pair(plan: Plan) -> bool:
    """As the option gram says, or where the pair costs less: roughly, since a plan does not tell what a transform costs."""
    asked = options_of(dict(plan.options)).get("gram")
    if asked in (1.0, "1", "convolution"):
        return False
    return asked in (2.0, "2", "pair") or 4 * (plan.count or 0) < prod(plan.shape)


def normal_of(plan: Plan, weights: Any) -> Gram | Pair:
    if plan.type != 2 or options_of(dict(plan.options)).get("spread_only") in (1.0, "1", "on"):
        raise ArgumentValueError(f"normal: the plan is of type {plan.type}; expected type 2, from modes to points")
    array, device = arrays_of(plan)
    with device:
        if weights is None:
            return Pair(plan, None, True) if takes_pair(plan) else KernelGram(plan, kernel_of(plan, None, array), True)
        weights = array.asarray(weights)
        if weights.dtype.kind not in "fiuc":
            raise ArgumentTypeError(f"weights has the dtype {weights.dtype}; expected real or complex numbers")
        if tuple(weights.shape) != (plan.count,):
            raise ArgumentValueError(f"weights has the shape {tuple(weights.shape)}; expected ({plan.count},)")
        real = weights.dtype.kind != "c"
        weights = weights.astype(PRECISIONS[plan.dtype] if real else plan.dtype)
        if takes_pair(plan):
            return Pair(plan, weights, real)
        return KernelGram(plan, kernel_of(plan, weights, array), real)


def kernel_of(plan: Plan, weights: Any, array: Any) -> Any:
    """t[m] = sum over j of w[j] exp(-s i m.x[j]) for |m| < n along each axis, s the sign of the plan.

    Column q of A* W A is t[k - q] for all modes k. So the columns of the lowest and the highest modes, one for each corner
    of the modes, hold all of t.
    """
    shape = plan.shape
    kernel = array.zeros([max(2 * n - 1, 0) for n in shape], plan.dtype)
    if 0 in shape:
        return kernel
    in_fft_order = options_of(dict(plan.options)).get("mode_order") in (1.0, "1", "fft")
    axes = tuple(range(1, len(shape) + 1))
    corners = list(product((0, -1), repeat=len(shape)))
    for first in range(0, len(corners), plan.transforms):  # as many columns at a time as the plan has vectors
        modes = array.zeros((plan.transforms, *shape), plan.dtype)
        for one, corner in zip(modes, corners[first:]):
            one[corner] = 1
        values = plan.execute(array.fft.ifftshift(modes, axes) if in_fft_order else modes)
        columns = plan.adjoint(values if weights is None else values * weights)
        columns = array.fft.fftshift(columns, axes) if in_fft_order else columns
        for column, corner in zip(columns, corners[first:]):
            kernel[tuple(slice(n - 1, None) if end == 0 else slice(0, n) for n, end in zip(shape, corner))] = column
    return kernel


def arrays_of(plan: Plan) -> tuple[Any, ContextManager[Any]]:
    """numpy, or cupy for a plan on a GPU, and what makes the plan's device the one where arrays are made."""
    if plan._gpu < 0:
        return numpy, nullcontext()
    import cupy  # type: ignore[import-not-found, unused-ignore]
    return cupy, cupy.cuda.Device(plan._gpu)


def of_gram(gram: Gram | Pair) -> linalg.LinearOperator:
    vectors = (gram.transforms, *gram.shape)

    def apply(vector: Any) -> Any:
        return gram(vector.astype(gram.dtype, copy=False).reshape(vectors)).ravel()

    def conjugate(vector: Any) -> Any:
        if gram.real:
            return apply(vector)
        raise ArgumentValueError("the adjoint of a Gram operator with complex weights: make one with their conjugates")

    size = prod(vectors)
    return library_of(gram).LinearOperator((size, size), matvec=apply, rmatvec=conjugate, dtype=gram.dtype)


def library_of(plan: Plan | Gram | Pair) -> Any:
    try:
        if plan._gpu >= 0:
            from cupyx.scipy.sparse import linalg  # type: ignore[import-not-found, unused-ignore]
        else:
            from scipy.sparse import linalg
    except ImportError as missing:
        wanted = "cupy" if plan._gpu >= 0 else "scipy"
        raise ImportError(f"offgrid.LinearOperator needs {wanted}: pip install {wanted}") from missing
    return linalg
