"""What the library's status codes become: a warning for 1, a RuntimeError with FINUFFT's text for every other."""

import warnings
from typing import NoReturn

EPS_TOO_SMALL_WARNING = 1
EPS_TOO_SMALL = 26
WARNS_BY_CODE = 2  # of the option allow_eps_too_small: where FINUFFT 2.5 returns status 1, so does makeplan here

_texts = {
    EPS_TOO_SMALL_WARNING: "eps tolerance too small to achieve",
    2: "malloc size requested greater than MAX_NF",
    3: "spreader fine grid too small compared to kernel width",
    4: "spreader nonuniform point out of range [-pi, pi)^d [DEPRECATED]",
    5: "spreader malloc error",
    6: "spreader illegal direction (must be 1 or 2)",
    7: "opts.upsampfac not > 1.0",
    8: "opts.upsampfac not a value with known Horner polynomial rule",
    9: "number of transforms ntrans invalid",
    10: "transform type invalid",
    11: "general malloc failure",
    12: "number of dimensions dim invalid",
    13: "spread_thread option invalid",
    14: "number of modes or of data invalid",
    20: "number of nonuniform points invalid",
    21: "invalid argument",
    22: "only one of fftw_lock_fun and fftw_unlock_fun is set",
    23: "number of threads nthreads invalid",
    24: "spread_kerformula option invalid",
    25: "unknown exception in the library",
    EPS_TOO_SMALL: "eps tolerance too small to achieve",
    27: "the kernel could not be set up",
}


def err_handler(ier: int) -> None:
    """Raises RuntimeError for the status ``ier``, which is not 0; for 1, a tolerance out of reach, it only warns.

    The warning is at the line that makes the plan, three calls up from here.
    """
    if ier not in _texts:
        raise RuntimeError(f"Unknown error, code {ier}")
    text = f"FINUFFT {_texts[ier]}"
    if ier != EPS_TOO_SMALL_WARNING:
        raise RuntimeError(text)
    warnings.warn(text, Warning, stacklevel=4)


def fail(text: str) -> NoReturn:
    """Raises the RuntimeError of an argument that is wrong; its text begins as all of FINUFFT's do."""
    raise RuntimeError(f"FINUFFT {text}")
