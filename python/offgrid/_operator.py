"""Plans as linear operators, for the solvers of scipy and cupyx."""

from __future__ import annotations

from math import prod
from typing import TYPE_CHECKING, Any

from offgrid._error import ArgumentTypeError, ArgumentValueError, Error, Status
from offgrid._gram import Gram
from offgrid._plan import Plan

if TYPE_CHECKING:
    from scipy.sparse import linalg  # type: ignore[import-untyped, unused-ignore]


def LinearOperator(plan: Plan | Gram) -> linalg.LinearOperator:  # noqa: N802, it stands for the class of the same name
    """A plan whose points are set, as a scipy.sparse.linalg.LinearOperator; on a GPU, as cupyx's.

    It works on flat vectors: of type 2, `A @ modes.ravel()` are the strengths, and `A.H @ strengths` the adjoint. Of a plan
    with several transforms, such as the coils of a scanner, it takes all their vectors in one, one after the other. Of an
    operator that offgrid.gram has made it is A* W A, the operator of the normal equations, and its own adjoint where the
    weights are real.

    >>> import numpy as np, offgrid
    >>> plan = offgrid.Plan(2, (8, 8), tol=1e-9, transforms=3)
    >>> plan.set_points(np.random.default_rng(1).uniform(0, 6, (50, 2)))
    >>> A = offgrid.LinearOperator(plan)
    >>> A.shape, (A.H @ (A @ np.ones(3 * 64, complex))).shape
    ((150, 192), (192,))
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

    return library_of(plan).LinearOperator((prod(out_of), prod(into)), matvec=forward, rmatvec=backward, dtype=plan.dtype)


def of_gram(gram: Gram) -> linalg.LinearOperator:
    vectors = (gram.transforms, *gram.shape)

    def apply(vector: Any) -> Any:
        return gram(vector.astype(gram.dtype, copy=False).reshape(vectors)).ravel()

    def conjugate(vector: Any) -> Any:
        if gram.real:
            return apply(vector)
        raise ArgumentValueError("the adjoint of a Gram operator with complex weights: make one with their conjugates")

    size = prod(vectors)
    return library_of(gram).LinearOperator((size, size), matvec=apply, rmatvec=conjugate, dtype=gram.dtype)


def library_of(plan: Plan | Gram) -> Any:
    try:
        if plan._gpu >= 0:
            from cupyx.scipy.sparse import linalg  # type: ignore[import-not-found, unused-ignore]
        else:
            from scipy.sparse import linalg
    except ImportError as missing:
        wanted = "cupy" if plan._gpu >= 0 else "scipy"
        raise ImportError(f"offgrid.LinearOperator needs {wanted}: pip install {wanted}") from missing
    return linalg
