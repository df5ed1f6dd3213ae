"""The tables of bench/reference: cuFINUFFT on an H200 by cells, and what the paper says of a V100."""
import csv
import math
import pathlib
import re

FOLDER = pathlib.Path(__file__).parents[1] / "reference"
NAME = re.compile(r"\w+/(\d)d(\d)/(f32|f64)/N(\d+)/M([^/]+)/(\w+)/([^/]+)/x1")
TIMES = {("best", "exec"): ("best_exec_ms",), ("best", "total"): ("best_set_exec_ms",),
         ("default", "exec"): ("default_exec_ms",), ("default", "total"): ("default_setpts_ms", "default_exec_ms")}


def key_of(row):
    return (row["dim"], row["type"], row["precision"], row["size"], f"{row['points']:.3g}", row["set"],
            f"{row['tolerance']:.0e}")


class CuFinufft:
    """Rows of the peer by what a row of ours computes."""

    label = "cuFINUFFT 2.6-dev on an H200 (bench/reference)"

    def __init__(self, path=FOLDER / "cufinufft_h200.csv"):
        self.rows = {}
        with open(path, newline="") as file:
            for row in csv.DictReader(file):
                found = NAME.fullmatch(row["cell"])
                if found:
                    dim, kind, precision, size, points, points_set, tolerance = found.groups()
                    self.rows[int(dim), int(kind), precision, int(size), points, points_set, tolerance] = row

    def find(self, row):
        return self.rows.get(key_of(row))

    def milliseconds(self, row, timing, which="best"):
        peer = self.find(row)
        return sum(float(peer[name]) for name in TIMES[which, timing]) if peer else math.nan

    def nanoseconds(self, row, timing, which="best"):
        return self.milliseconds(row, timing, which) * 1e6 / row["points"]

    def error(self, row, which="best"):
        peer = self.find(row)
        return float(peer[f"{which}_err"]) if peer else math.nan


def paper(page):
    """Rows of what the paper says for a page."""
    with open(FOLDER / "paper_v100.csv", newline="") as file:
        return [row for row in csv.DictReader(file) if row["page"] == page]


def said(row):
    """A figure of the paper as it would be said."""
    low, high = float(row["low"]), float(row["high"])
    return f"{low:g} {row['unit']}" if low == high else f"{low:g} to {high:g} {row['unit']}"
