"""The Gram operator of the points of all ranks."""

from __future__ import annotations

import ctypes
from ctypes import c_void_p
from typing import TYPE_CHECKING, Any

from offgrid import _core, _typing
from offgrid._accuracy import warn_of_accuracy
from offgrid._arrays import PRECISIONS
from offgrid._checks import Points, number, options_of, shape_of, whole
from offgrid._error import ArgumentValueError, Error, Status
from offgrid._gram import Gram as LocalGram
from offgrid._mpi_library import PRECISION, addresses_of, sizes_of
from offgrid._mpi_ranks import MPI, library, ranks_of
from offgrid._options import Options
from offgrid._signature import written_out

if TYPE_CHECKING:
    from typing_extensions import Unpack

REAL_WEIGHTS, COMPLEX_WEIGHTS = 0, 1  # offgrid_weights


class Kernel:
    """The transform of the kernel: what can be asked for."""

    share = 0.5  # of the tolerance: src/core/solve/gram_design.hpp says why
    heeded = ("upsampling", "width", "window")

    def __init__(self, shape: tuple[int, ...], tol: float, dtype: str, options: dict[str, str | float]) -> None:
        modes = [max(0, 2 * n - 1) for n in shape[::-1]]
        given = {name: options[name] for name in self.heeded if name in options}
        self.core = _core.Plan(1, modes, self.share * tol, dtype == "complex64", {**given, "device": "cpu"}, -1)

    def get(self, name: str) -> float:
        return self.core.get(name) / self.share


class Handle:
    """An operator of liboffgrid_mpi, with the methods of the extension's."""

    def __init__(self) -> None:
        self.handle = c_void_p()

    def open(self) -> c_void_p:
        if not self.handle:
            raise Error(Status.WRONG_STATE, "the operator was closed")
        return self.handle

    def apply(self, f: tuple[int, int], h: tuple[int, int], where: tuple[int, int]) -> None:
        library.call("offgrid_gram_apply", self.open(), f[0], h[0], None)

    def get(self, name: str) -> float:
        return library.number("offgrid_gram_get", self.open(), name)

    def describe(self) -> str:
        return library.words("offgrid_gram_describe", self.open())

    def close(self) -> None:
        handle, self.handle = self.handle, c_void_p()
        if handle:
            library.call("offgrid_gram_destroy", handle)

    def __del__(self) -> None:
        self.close()


class Gram(LocalGram):
    """What offgrid.mpi.gram makes: the offgrid.Gram of the points of all ranks, which each rank applies alone.

    >>> from mpi4py import MPI
    >>> import numpy as np, offgrid.mpi
    >>> gram = offgrid.mpi.gram(MPI.COMM_WORLD, np.zeros(3), 4)
    >>> bool(np.allclose(gram(np.ones(4, complex)), 12 * MPI.COMM_WORLD.size, atol=1e-3))
    True
    """

    __slots__ = ()

    def __init__(self, comm: MPI.Intracomm, points: Any, shape: Any, weights: Any, settings: dict[str, Any]) -> None:
        ranks = ranks_of(comm)
        with ranks.together():
            self._shape, self._tol = shape_of(shape), number(settings.pop("tol"), "tol")
            self._transforms, self._gpu = whole(settings.pop("transforms"), "transforms"), -1
            checked = Points(points, len(self._shape))
            if checked.gpu >= 0:
                raise ArgumentValueError(f"points is on GPU {checked.gpu}; the kernel of many ranks takes arrays of the CPU")
            self._dtype = next(name for name, real in PRECISIONS.items() if real == checked.dtype)
            taken = None if weights is None else self._weights(weights, checked)
            kept = checked.settled()
            given = options_of(settings)
            options = library.options({**given, "transforms": number(self._transforms, "transforms"), "device": "cpu"})
        real = taken is None or checked.kind.dtype(taken) != self._dtype
        core = Handle()
        library.create("offgrid_mpi_gram_create", ctypes.byref(core.handle), ranks.handle, len(self._shape),
                       sizes_of(self._shape[::-1]), self._tol, PRECISION[self._dtype], options.handle, checked.count,
                       addresses_of([checked.kind.memory(array)[0] for array in kept]),
                       None if taken is None else checked.kind.memory(taken)[0],
                       REAL_WEIGHTS if real else COMPLEX_WEIGHTS)
        self._core = core
        self._real = comm.allreduce(real, MPI.LAND)  # a rank without weights has the kind of the others
        warn_of_accuracy(Kernel(self._shape, self._tol, self._dtype, given), self._tol, self._dtype)

    def __repr__(self) -> str:
        return (f"<offgrid.mpi.Gram of the points of all ranks, shape={self._shape}, tol={self._tol}, dtype={self._dtype!r}, "
                f"transforms={self._transforms}>")


@written_out
def gram(comm: MPI.Intracomm, points: _typing.Points, shape: _typing.Shape, weights: _typing.Axis | None = None,
         tol: float = 1e-6, *, transforms: int = 1, **options: Unpack[Options]) -> Gram:
    """The Gram operator f -> A* W A f of the points and weights of all ranks: as offgrid.gram, but for the kernel, which is
    summed over the ranks. Then every rank has the whole operator, and applies it alone. Collective; arrays of the CPU.

    It is always a convolution. Conjugate gradients (offgrid.conjugate_gradients) on all ranks need no communication.

    >>> from mpi4py import MPI
    >>> import numpy as np, offgrid.mpi
    >>> x = np.random.default_rng(MPI.COMM_WORLD.rank).uniform(-np.pi, np.pi, 200)
    >>> gram = offgrid.mpi.gram(MPI.COMM_WORLD, x, 16, weights=np.full(200, 0.5), tol=1e-9)
    >>> plan = offgrid.mpi.Plan(MPI.COMM_WORLD, 2, 16, tol=1e-9)
    >>> plan.set_points(x)
    >>> f = np.ones(16, complex)
    >>> bool(np.allclose(gram(f), plan.adjoint(0.5 * plan.execute(f)), atol=1e-5))
    True
    """
    return Gram(comm, points, shape, weights, {"tol": tol, "transforms": transforms, **options})
