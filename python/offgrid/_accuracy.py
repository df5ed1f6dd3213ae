"""Tolerances out of reach."""

from __future__ import annotations

import os
import sys
import warnings

from offgrid import _core
from offgrid._error import AccuracyWarning

PACKAGE = os.path.dirname(__file__)


def reaches(core: _core.Plan | _core.Gram, tol: float) -> bool:
    return core.get("reachable_tolerance") <= tol


def warn_of_accuracy(core: _core.Plan | _core.Gram, tol: float, dtype: str) -> None:
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
