"""Plans as linear operators, for the solvers of scipy and cupyx."""

from __future__ import annotations

from math import prod
from typing import Any

from offgrid._error import Error, Status
from offgrid._plan import Plan


def LinearOperator(plan: Plan) -> Any:  # noqa: N802, it stands for the class of the same name
    """A plan whose points are set, as a scipy.sparse.linalg.LinearOperator; on a GPU, as cupyx's.

    It works on flat vectors: of type 2, `A @ modes.ravel()` are the strengths, and `A.H @ strengths` the adjoint.

    >>> import numpy as np, offgrid
    >>> plan = offgrid.Plan(2, (8, 8), tol=1e-9)
    >>> plan.set_points(np.random.default_rng(1).uniform(0, 6, (50, 2)))
    >>> A = offgrid.LinearOperator(plan)
    >>> A.shape, (A.H @ (A @ np.ones(64, complex))).shape
    ((50, 64), (64,))
    """
    if plan.count is None:
        raise Error(Status.WRONG_STATE, "LinearOperator: the plan has no points yet, call set_points first")
    if plan.transforms != 1:
        raise ValueError(f"plan has {plan.transforms} transforms; expected 1: columns are done one by one")
    strengths, modes, size = (plan.count,), plan.shape, prod(plan.shape)
    into, out_of = (strengths, modes) if plan.type == 1 else (modes, strengths)
    rows, columns = (size, plan.count) if plan.type == 1 else (plan.count, size)

    def forward(vector: Any) -> Any:
        return plan.execute(vector.astype(plan.dtype, copy=False).reshape(into)).ravel()

    def backward(vector: Any) -> Any:
        return plan.adjoint(vector.astype(plan.dtype, copy=False).reshape(out_of)).ravel()

    if plan._gpu >= 0:
        from cupyx.scipy.sparse import linalg
    else:
        from scipy.sparse import linalg
    return linalg.LinearOperator((rows, columns), matvec=forward, rmatvec=backward, dtype=plan.dtype)
