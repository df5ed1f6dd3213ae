"""Table II on many ranks, from the files that `mpirun -n RANKS offgrid bench --mpi --csv FOLDER/mpi_RANKS.csv` has written."""
import csv
import pathlib


def rows_of(folder):
    """The rows of all files, by task and then by the number of ranks."""
    rows = []
    for path in pathlib.Path(folder).glob("mpi_*.csv"):
        with open(path, newline="") as file:
            rows += csv.DictReader(file)
    return sorted(rows, key=lambda row: (row["task"] != "slicing", row["device"], int(row["ranks"])))


def cells_of(row):
    """Times in ms, of the slowest rank. Only merging has a sum, and only a GPU has transfers."""
    transfers = f"{row['to_device_ms']}, {row['from_device_ms']}" if row["device"] == "cuda" else "none"
    return [row["task"], row["ranks"], row["device"], row["size"], f"{float(row['points_per_rank']):.3g}", row["set_up_ms"],
            row["exec_ms"], row["sum_ms"] if row["task"] == "merging" else "none", transfers, row["error"] or "not measured"]


HEAD = ["task", "ranks", "device", "N per axis", "M per rank", "set-up, ms", "execute, ms", "of it the sum, ms",
        "to the GPU, from the GPU, ms", "error"]
