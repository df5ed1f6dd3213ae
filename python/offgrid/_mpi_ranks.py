"""The ranks of a communicator of mpi4py, and how they agree on errors."""

from __future__ import annotations

import ctypes
import re
from ctypes import c_void_p
from typing import TYPE_CHECKING, Any

try:
    from mpi4py import MPI
except ImportError as problem:
    raise ImportError("offgrid.mpi needs mpi4py and an MPI library: pip install mpi4py "
                      f"(docs/scaling.md). Importing it failed: {problem}") from problem

from offgrid import _mpi_library
from offgrid._error import ArgumentTypeError, ArgumentValueError, Error, Status, error_of

if TYPE_CHECKING:
    from types import TracebackType

library = _mpi_library.load(MPI)

# A status of C does not tell a TypeError from a ValueError. Ranks hear of the former by this word in front of the message.
TYPE_ERROR = "TypeError: "


class Ranks:
    """The handle of liboffgrid_mpi for one communicator, which is duplicated once and kept with it, as an attribute of MPI."""

    def __init__(self, comm: MPI.Intracomm) -> None:
        self.handle = c_void_p()
        library.call("offgrid_mpi_comm_create", ctypes.byref(self.handle), MPI._addressof(comm))

    def close(self) -> None:
        handle, self.handle = self.handle, c_void_p()
        if not MPI.Is_finalized():
            library.call("offgrid_mpi_comm_destroy", handle)

    def agree(self, error: Exception | None) -> None:
        """Where one rank has an error, all ranks raise it: that of the lowest such rank."""
        status, message = Status.OK, ""
        if error is not None:
            status, message = status_of(error), str(error)
            if isinstance(error, TypeError):
                message = TYPE_ERROR + message
        try:
            library.call("offgrid_mpi_agree", self.handle, status.value, message.replace("\0", "?").encode(errors="replace"))
        except Error as agreed:
            raise decoded(agreed) from error

    def together(self) -> Together:
        return Together(self)


class Together:
    """A `with` block of what a rank does alone. At its end the ranks agree, so that none waits for one that has raised."""

    def __init__(self, ranks: Ranks) -> None:
        self.ranks = ranks

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        if error is None or isinstance(error, Exception):
            self.ranks.agree(error)


def status_of(error: Exception) -> Status:
    if isinstance(error, Error):
        return error.status
    if isinstance(error, MemoryError):
        return Status.OUT_OF_MEMORY
    return Status.INVALID_ARGUMENT if isinstance(error, (TypeError, ValueError)) else Status.INTERNAL_ERROR


def decoded(error: Error) -> Error:
    """With the class that it has on the rank that it comes from."""
    words = re.sub(rf"^(rank \d+: )?{TYPE_ERROR}", r"\1", str(error))
    return ArgumentTypeError(words) if words != str(error) else error_of(error.status.value, words)


_keyval: int | None = None


def _forget(comm: Any, keyval: int, ranks: Any) -> None:
    """MPI calls it when a communicator is freed, on all of its ranks."""
    ranks.close()


def ranks_of(comm: Any) -> Ranks:
    """Those of a communicator; collective when it is met for the first time."""
    global _keyval
    if not isinstance(comm, MPI.Comm):
        raise ArgumentTypeError(f"comm is a {type(comm).__name__}; expected a communicator of mpi4py, such as MPI.COMM_WORLD")
    if not MPI.Is_initialized() or MPI.Is_finalized():
        raise Error(Status.WRONG_STATE, "MPI is not initialised, or finalised already")
    if comm == MPI.COMM_NULL or not isinstance(comm, MPI.Intracomm):
        raise ArgumentValueError(f"comm is {'MPI.COMM_NULL' if comm == MPI.COMM_NULL else 'between two groups'}; "
                                 "expected a communicator of one group that this process is in")
    if _keyval is None:
        _keyval = MPI.Comm.Create_keyval(delete_fn=_forget)
    ranks = comm.Get_attr(_keyval)
    if ranks is None:
        ranks = Ranks(comm)
        comm.Set_attr(_keyval, ranks)
    return ranks
