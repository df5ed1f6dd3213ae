"""What the examples need beside offgrid: a missing package is named, with the command that installs it."""

import contextlib
import sys


def stop(package, command):
    sys.exit(f"this example needs {package}: {command}")


@contextlib.contextmanager
def packages(*names):
    """Around imports: where one of these packages is missing, the program ends and says so."""
    try:
        yield
    except ModuleNotFoundError as missing:
        package = (missing.name or "").partition(".")[0]
        if package not in names:
            raise
        stop(package, "pip install . in a clone of it" if package == "offgrid" else
             f"pip install {package}, or pip install .[examples] in the clone for all of them")
