"""liboffgrid_mpi by ctypes: where it is found, the functions that are called, and statuses as exceptions.

The package does not link MPI. The library brings its own, which must be the one that mpi4py uses: a communicator is handed
over by its address. Functions of liboffgrid (options, Gram operators) are looked up in the same library, which links them or
has them inside, so that a handle goes back to the code that has made it.
"""

from __future__ import annotations

import ctypes
import os
import pathlib
from ctypes import POINTER, c_char_p, c_double, c_int, c_int64, c_void_p
from typing import Any, Sequence

import offgrid
from offgrid._error import Error, Status, error_of
from offgrid._vectors import in_order_of_shape

VARIABLE = "OFFGRID_MPI_LIBRARY"
NAME = "liboffgrid_mpi.so"
PRECISION = {"complex64": 0, "complex128": 1}  # offgrid_precision

_HANDLE, _PLACE, _SIZES, _ARRAYS = c_void_p, POINTER(c_void_p), POINTER(c_int64), POINTER(c_void_p)
# The functions that return a status.
_CALLS: dict[str, Sequence[Any]] = {
    "offgrid_options_create": (_PLACE,),
    "offgrid_options_set": (_HANDLE, c_char_p, c_double),
    "offgrid_options_set_text": (_HANDLE, c_char_p, c_char_p),
    "offgrid_gram_apply": (_HANDLE, c_void_p, c_void_p, c_void_p),
    "offgrid_gram_get": (_HANDLE, c_char_p, POINTER(c_double)),
    "offgrid_gram_destroy": (_HANDLE,),
    "offgrid_mpi_comm_create": (_PLACE, c_void_p),
    "offgrid_mpi_comm_destroy": (_HANDLE,),
    "offgrid_mpi_agree": (_HANDLE, c_int, c_char_p),
    "offgrid_mpi_use_device": (_HANDLE, POINTER(c_int)),
    "offgrid_mpi_plan_create": (_PLACE, _HANDLE, c_int, c_int, c_int, _SIZES, c_double, c_int, _HANDLE),
    "offgrid_mpi_plan_set_result": (_HANDLE, c_int),
    "offgrid_mpi_set_points": (_HANDLE, c_int64, c_void_p, c_void_p, c_void_p),
    "offgrid_mpi_set_points_and_targets": (_HANDLE, c_int64, _ARRAYS, c_int64, _ARRAYS),
    "offgrid_mpi_execute": (_HANDLE, c_void_p, c_void_p),
    "offgrid_mpi_execute_adjoint": (_HANDLE, c_void_p, c_void_p),
    "offgrid_mpi_local_modes": (_HANDLE, _SIZES, _SIZES),
    "offgrid_mpi_local_vectors": (_HANDLE, _SIZES, _SIZES),
    "offgrid_mpi_plan_get": (_HANDLE, c_char_p, POINTER(c_double)),
    "offgrid_mpi_plan_destroy": (_HANDLE,),
    "offgrid_mpi_gram_create": (_PLACE, _HANDLE, c_int, _SIZES, c_double, c_int, _HANDLE, c_int64, _ARRAYS, c_void_p, c_int),
}
_WORDS: dict[str, Sequence[Any]] = {
    "offgrid_version": (),
    "offgrid_last_error": (),
    "offgrid_mpi_last_error": (),
    "offgrid_gram_describe": (_HANDLE,),
    "offgrid_mpi_plan_describe": (_HANDLE,),
}


class Library:
    """The functions of one liboffgrid_mpi."""

    def __init__(self, path: str) -> None:
        self.path = path
        self._functions = functions = ctypes.CDLL(path)
        for names, result in ((_CALLS, c_int), (_WORDS, c_char_p)):
            for name, arguments in names.items():
                function = getattr(functions, name)
                function.argtypes, function.restype = arguments, result
        functions.offgrid_options_destroy.argtypes, functions.offgrid_options_destroy.restype = (_HANDLE,), None

    def call(self, name: str, *arguments: Any) -> None:
        """A function that returns a status; a failure is an exception."""
        status = getattr(self._functions, name)(*arguments)
        if status != Status.OK.value:
            raise error_of(status, self.words(f"offgrid{'_mpi' if '_mpi_' in name else ''}_last_error"))

    def create(self, name: str, *arguments: Any) -> None:
        """As `call`; an error about sizes has them in the order of a shape."""
        try:
            self.call(name, *arguments)
        except Error as error:
            raise error_of(error.status.value, in_order_of_shape(str(error))) from None

    def words(self, name: str, *arguments: Any) -> str:
        found: bytes = getattr(self._functions, name)(*arguments)
        return found.decode(errors="replace")

    def number(self, name: str, handle: c_void_p, what: str) -> float:
        value = c_double()
        self.call(name, handle, what.encode(errors="replace"), ctypes.byref(value))
        return value.value

    def options(self, given: dict[str, str | float]) -> Options:
        return Options(self, given)

    def destroy_options(self, handle: c_void_p) -> None:
        self._functions.offgrid_options_destroy(handle)

    def mpi_version(self) -> str:
        """Of the MPI that the library was linked with."""
        room, length = ctypes.create_string_buffer(8192 + 1), c_int()  # the largest MPI_MAX_LIBRARY_VERSION_STRING
        self._functions.MPI_Get_library_version(room, ctypes.byref(length))
        return room.value.decode(errors="replace")


class Options:
    """A handle of options."""

    def __init__(self, library: Library, given: dict[str, str | float]) -> None:
        self._library, self.handle = library, c_void_p()
        library.call("offgrid_options_create", ctypes.byref(self.handle))
        for name, value in given.items():
            if isinstance(value, str):
                library.call("offgrid_options_set_text", self.handle, name.encode(), value.encode())
            else:
                library.call("offgrid_options_set", self.handle, name.encode(), value)

    def __del__(self) -> None:
        self._library.destroy_options(self.handle)


def sizes_of(values: Sequence[int]) -> ctypes.Array[c_int64]:
    return (c_int64 * max(len(values), 3))(*values)


def addresses_of(values: Sequence[int]) -> ctypes.Array[c_void_p]:
    return (c_void_p * 3)(*values)


def candidates() -> list[str]:
    """Where the library is looked for, in this order: the variable, and nothing else where it is set; the package's own
    folder, where pip and the build tree have it; the folders of the system's loader."""
    given = os.environ.get(VARIABLE)
    if given:
        return [given]
    release = ".".join(offgrid.__version__.split(".")[:2])
    return [str(pathlib.Path(__file__).parent / NAME), f"{NAME}.{release}", NAME]


def load(mpi: Any) -> Library:
    """The library, for mpi4py's module MPI. An ImportError says what is missing."""
    tried = []
    for path in candidates():
        if os.path.isabs(path) and not os.path.exists(path):
            tried.append(f"{path}: there is no such file")
            continue
        try:
            library = Library(path)
        except (OSError, AttributeError) as problem:
            tried.append(str(problem))
            continue
        require_same(library, mpi)
        return library
    raise ImportError(f"offgrid.mpi needs {NAME}, which is built where MPI is found (docs/scaling.md); {VARIABLE} may hold "
                      f"its path. Tried: {'; '.join(tried)}")


def require_same(library: Library, mpi: Any) -> None:
    """One version of offgrid, and one MPI."""
    version = library.words("offgrid_version")
    if version != offgrid.__version__:
        raise ImportError(f"{library.path} is of offgrid {version}, but this package is of {offgrid.__version__}")
    ours, theirs = library.mpi_version().strip(), mpi.Get_library_version().strip(" \n\0")
    if ours != theirs:
        raise ImportError(f"{library.path} was linked with another MPI than the one that mpi4py uses: {first_line(ours)}, and "
                          f"mpi4py {first_line(theirs)}. Build one of them anew, or set MPI4PY_MPIABI or {VARIABLE}")


def first_line(words: str) -> str:
    return words.splitlines()[0].rstrip() if words else "an unknown one"
