"""Signatures with every option in them, for help() and for editors that ask a running Python. Checkers of types read the
options from `**options: Unpack[Options]`."""

from __future__ import annotations

import inspect
from typing import Any, Callable, TypeVar

from offgrid._options import DEFAULTS, Options

Function = TypeVar("Function", bound=Callable[..., Any])


def written_out(function: Function) -> Function:
    """The same function; its signature names the options instead of **options, and leaves out *loose."""
    given = inspect.signature(function)
    named = [value for value in given.parameters.values()
             if value.kind not in (inspect.Parameter.VAR_KEYWORD, inspect.Parameter.VAR_POSITIONAL)]
    takes_options = any(value.kind is inspect.Parameter.VAR_KEYWORD for value in given.parameters.values())
    options = [inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=annotation_of(name))
               for name, default in DEFAULTS.items() if takes_options]
    setattr(function, "__signature__", given.replace(parameters=named + options))
    return function


def annotation_of(option: str) -> str:
    annotation = Options.__annotations__[option]
    return str(getattr(annotation, "__forward_arg__", annotation))
