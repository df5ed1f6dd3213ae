"""The measurements as CSV, one row per cell and library, so that pages are drawn without the machine that measured."""
import csv
import json
import math
import pathlib

KEYS = {"figure": str, "dim": int, "type": int, "precision": str, "size": int, "points": int, "set": str,
        "tolerance": float, "method": str}
NUMBERS = ("width", "upsampling", "grid1", "repeats", "plan_ms", "set_ms", "first_ms", "later_ms", "mem_ms", "copy_ms",
           "spread_ms", "error", "workspace_bytes", "memory_bytes", "peak_bytes")
COLUMNS = ("library", *KEYS, *NUMBERS)


def row_of(cell, measured):
    return {name: getattr(cell, name) for name in KEYS} | measured


def text_of(value):
    return f"{value:.6g}" if isinstance(value, float) else value


def write(folder, rows, machine):
    folder = pathlib.Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "machine.json").write_text(json.dumps(machine, indent=1) + "\n")
    with open(folder / "measured.csv", "w", newline="") as file:
        writer = csv.DictWriter(file, COLUMNS, restval="", extrasaction="ignore", lineterminator="\n")
        writer.writeheader()
        writer.writerows({name: text_of(value) for name, value in row.items()} for row in rows)


def parse(row):
    parsed = {name: kind(row[name]) for name, kind in KEYS.items()} | {"library": row["library"]}
    return parsed | {name: float(row[name]) for name in NUMBERS if row[name] != ""}


class Results:
    """Rows that can be asked for by their values, and the machine that they come from."""

    def __init__(self, rows, machine):
        self.rows, self.machine = rows, machine

    @classmethod
    def read(cls, folder):
        folder = pathlib.Path(folder)
        with open(folder / "measured.csv", newline="") as file:
            rows = [parse(row) for row in csv.DictReader(file)]
        return cls(rows, json.loads((folder / "machine.json").read_text()))

    def select(self, **wanted):
        return [row for row in self.rows if all(row.get(name) == value for name, value in wanted.items())]

    def values(self, name, **wanted):
        """Distinct values of a column, in increasing order."""
        return sorted({row[name] for row in self.select(**wanted)})

    def bad_numbers(self):
        """(row, column) of what is not a finite number above 0; transfers may be 0 where there are none."""
        return [(row, name) for row in self.rows for name in NUMBERS if name in row
                and not (math.isfinite(row[name]) and (row[name] > 0 or name in ("copy_ms", "error")))]


def nanoseconds(row, timing):
    """Per point: `exec`, `total` (set_points and first execute), or `mem` (with allocation and transfers)."""
    sums = {"exec": ("later_ms",), "total": ("set_ms", "first_ms"), "mem": ("mem_ms",)}
    if any(name not in row for name in sums[timing]):
        return math.nan
    return sum(row[name] for name in sums[timing]) * 1e6 / row["points"]
