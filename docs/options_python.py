"""Prints python/offgrid/_options.py: the options and the numbers of a plan as types and defaults, asked from the library.

    PYTHONPATH=build/release/python python3 docs/options_python.py > python/offgrid/_options.py

`./dev docs` runs it; tests/python/test_options.py fails until that is done.
"""

import re

from offgrid import _core

PARAMETERS = ("transforms", "device")  # written out in the signatures by hand
HEAD = '''"""The options of the library and the numbers of a plan, for signatures and for checkers of types.

Written by docs/options_python.py (./dev docs) from the library's table of options; do not edit.
"""

from __future__ import annotations

from typing import Any, Literal, TypedDict, Union

'''


def is_taken(name: str, value: object) -> bool:
    """Whether the library takes a value of an option."""
    try:
        _core.Plan(1, [4], 1e-3, False, {name: value}, -1).close()
        return True
    except ValueError:
        return False


def spellings(name: str, words: list[str]) -> list[str]:
    """The words, each with its American spelling where the library takes it."""
    both = [spelling for word in words for spelling in dict.fromkeys((word, word.replace("tred", "tered")))]
    return [word for word in both if word in words or is_taken(name, word)]


def type_and_default(name: str, values: str) -> tuple[str, str]:
    words = values.split("|") if "|" in values else []
    if words == ["off", "on"]:
        return 'Union[bool, Literal["off", "on"]]', "False"
    if words:
        return "Literal[" + ", ".join(f'"{word}"' for word in spellings(name, words)) + "]", f'"{words[0]}"'
    return ("float", "0.0") if is_taken(name, 1.5) else ("int", "0")


def table() -> list[tuple[str, str, str, str]]:
    """(name, type, default, meaning) of each option; by the library's convention the first word and 0 are defaults."""
    rows = re.findall(r"^(\w+) \((.*?)\): (.*)$", _core.options_help(), re.MULTILINE)
    return [(name, *type_and_default(name, values), meaning) for name, values, meaning in rows if name not in PARAMETERS]


def numbers() -> list[str]:
    """The names that Plan.get knows; a plan of type 3 has them all."""
    try:
        _core.Plan(3, [], 1e-3, False, {}, -1, 1).get("")
    except ValueError as error:
        return str(error).partition("there are: ")[2].split(", ")
    raise AssertionError("a plan has a number without a name")


def module() -> str:
    rows = table()
    fields = "".join(f"    {name}: {type}\n    \"\"\"{meaning}\"\"\"\n" for name, type, _, meaning in rows)
    defaults = "".join(f'    "{name}": {default},\n' for name, _, default, _ in rows)
    names = "".join(f'    "{name}",\n' for name in numbers())
    return (f"{HEAD}\nclass Options(TypedDict, total=False):\n    \"\"\"Keywords of nufft1, nufft2, nufft3 and Plan.\"\"\"\n\n"
            f"{fields}\n\nDEFAULTS: dict[str, Any] = {{\n{defaults}}}\n\nNumber = Literal[\n{names}]\n")


if __name__ == "__main__":
    print(module(), end="")
