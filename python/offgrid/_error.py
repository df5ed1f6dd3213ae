"""The one exception of the library, with its status."""

from __future__ import annotations

import enum


class Status(enum.IntEnum):
    """What went wrong, as the C interface counts it.

    >>> import offgrid
    >>> offgrid.Status.WRONG_STATE.name
    'WRONG_STATE'
    """

    OK = 0
    INVALID_ARGUMENT = 1
    WRONG_STATE = 2
    OUT_OF_MEMORY = 3
    DEVICE_ERROR = 4
    INTERNAL_ERROR = 5


class Error(RuntimeError):
    """A call that the library refused, or that failed; `status` says which. The message names the argument.

    Shapes and dtypes that do not fit are found earlier and raise ValueError and TypeError.

    >>> import offgrid
    >>> try:
    ...     offgrid.Plan(1, (8, 8), tol=-1)
    ... except offgrid.Error as error:
    ...     print(error.status.name, "|", error)
    INVALID_ARGUMENT | tolerance is -1, expected a number over 0, such as 1e-6
    """

    status: Status

    def __init__(self, status: int, message: str) -> None:
        super().__init__(status, message)
        self.status = Status(status)

    def __str__(self) -> str:
        return str(self.args[1])
