"""Tolerances out of reach."""

from __future__ import annotations

import os
import sys
import warnings
from typing import Protocol

from offgrid._error import AccuracyWarning


class Numbers(Protocol):
    """A plan or an operator, as far as it is asked here."""

    def get(self, name: str) -> float: ...


PACKAGE = os.path.dirname(__file__)


def reaches(core: Numbers, tol: float) -> bool:
    return core.get("reachable_tolerance") <= tol


def warn_of_accuracy(core: Numbers, tol: float, dtype: str) -> None:
    """A tolerance that the plan cannot reach is a warning, at the line that called the package."""
    if reaches(core, tol):
        return
    level = called_from = 1
    frame = sys._getframe(0).f_back
    while frame is not None:
        level += 1
        if frame.f_code.co_filename.startswith(PACKAGE):
            called_from = level
        frame = frame.f_back
    instead = ", or for complex128" if dtype == "complex64" else ""
    warnings.warn(f"tolerance {tol:g} cannot be reached here: ask for {core.get('reachable_tolerance'):.1g} or "
                  f"more{instead}", AccuracyWarning, called_from + 1)
