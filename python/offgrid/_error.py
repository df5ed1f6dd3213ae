"""The exceptions of the package: offgrid.Error and its kinds, and the warning about a tolerance out of reach."""

from __future__ import annotations

import enum


class Status(enum.Enum):
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
    """A call that was refused, or that failed; `status` says which. The message names the argument.

    Wrong types and unknown keywords raise ArgumentTypeError, which is a TypeError too; wrong values raise
    ArgumentValueError, which is a ValueError too.

    >>> import offgrid
    >>> try:
    ...     offgrid.Plan(1, (8, 8), tol=-1)
    ... except offgrid.Error as error:
    ...     print(error.status.name, "|", error)
    INVALID_ARGUMENT | tolerance is -1, expected a number over 0, such as 1e-6
    """

    status: Status

    def __init__(self, status: Status | int, message: str) -> None:
        self.status = Status(status)
        super().__init__(self.status, message)

    def __str__(self) -> str:
        return str(self.args[-1])


class ArgumentTypeError(Error, TypeError):
    """An argument of a wrong type or dtype, or an unknown keyword.

    >>> import offgrid
    >>> try:
    ...     offgrid.Plan(1, (8, 8), sgn=1)
    ... except TypeError as error:
    ...     print(error)
    option "sgn" is unknown; did you mean sign? offgrid.options() lists them all
    """

    def __init__(self, message: str) -> None:
        super().__init__(Status.INVALID_ARGUMENT, message)
        self.args = (message,)


class ArgumentValueError(Error, ValueError):
    """An argument of a wrong value, shape or device.

    >>> import offgrid
    >>> try:
    ...     offgrid.Plan(1, (8, 8), mode_order="middle")
    ... except ValueError as error:
    ...     print(error)
    option mode_order = "middle": expected centred, fft
    """

    def __init__(self, message: str) -> None:
        super().__init__(Status.INVALID_ARGUMENT, message)
        self.args = (message,)


class AccuracyWarning(UserWarning):
    """The tolerance of a plan cannot be reached. The option strict=True makes it an error.

    >>> import warnings, offgrid
    >>> with warnings.catch_warnings(record=True) as caught:
    ...     warnings.simplefilter("always")
    ...     plan = offgrid.Plan(1, (8, 8), tol=1e-18)
    >>> caught[0].category is offgrid.AccuracyWarning
    True
    """


def error_of(status: int, message: str) -> Error:
    """What the extension raises for a status of the C interface."""
    if Status(status) is Status.INVALID_ARGUMENT:
        return ArgumentValueError(message)
    return Error(status, message)
