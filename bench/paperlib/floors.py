"""What an execute cannot be faster than, on an H200, for the cells that matter most.

    bytes     sorted points and strengths once through memory, modes once, and, where the grid is larger than the L2 cache, the
              grid through every pass of a pruned FFT; at the rate of a copy
    gather    strengths are fetched from, or results written to, the caller's order: one sector of 32 bytes per point
    sums      2 w^d multiplications and additions per point, on the f64 tensor cores

The rates were measured on an H200 with CUDA 13.0, each by a program that does nothing else.
"""
COPY = 3965e9  # bytes per second, read and written
GATHER = 0.0193e-9  # seconds per point: 10^7 float2 by the permutation of a sort by bins take 0.193 ms
TENSOR = 33.2e12  # f64 multiply-adds per second, m16n8k8
L2 = 50e6  # bytes
PACKED = {("f32", 2): 16, ("f32", 3): 16, ("f64", 2): 24, ("f64", 3): 32}  # bytes per sorted point, docs/gpu.md

# (figure, dimension, type, precision, tolerance)
CELLS = (("tolerance", 2, 1, "f32", 1e-5), ("tolerance", 2, 2, "f32", 1e-5), ("tolerance", 3, 1, "f32", 1e-5),
         ("tolerance", 3, 2, "f32", 1e-5), ("tolerance", 2, 1, "f64", 1e-12), ("tolerance", 3, 1, "f64", 1e-6),
         ("tolerance", 3, 1, "f64", 1e-12), ("tolerance", 3, 2, "f64", 1e-12), ("table1", 3, 1, "f32", 1e-2),
         ("mtip_merging", 3, 1, "f64", 1e-12))


def grid_bytes(row, sigma, value):
    """Through every pass of an FFT that crops after each axis: the grid is written once, and pass i reads and writes."""
    cells = [sigma**(row["dim"] - passed) for passed in range(row["dim"] + 1)]
    moved = cells[0] + sum(before + after for before, after in zip(cells, cells[1:]))
    return moved * row["size"]**row["dim"] * value


def floor(row):
    """Seconds by name."""
    value = 8 if row["precision"] == "f32" else 16
    sigma = row["grid1"] / row["size"]
    moved = row["points"] * (PACKED[row["precision"], row["dim"]] + value) + row["size"]**row["dim"] * value
    if row["grid1"]**row["dim"] * value > L2:
        moved += grid_bytes(row, sigma, value)
    return {"bytes": moved / COPY, "gather": row["points"] * GATHER,
            "sums": 2 * row["width"]**row["dim"] * row["points"] / TENSOR}


def cell_row(row):
    found = floor(row)
    least = max(found.values())
    return [f"{row['dim']}D type {row['type']} {row['precision']} {row['tolerance']:.0e}, N = {row['size']}, "
            f"M = {row['points']:.3g}", f"{row['width']:.0f}, {row['grid1'] / row['size']:.3g}",
            *(f"{seconds * 1e3:.3g}" for seconds in found.values()), f"{row['later_ms']:.3g}",
            f"{100 * least * 1e3 / row['later_ms']:.0f} %"]


def page(results):
    if not results.machine["device"]:
        return "Only for a GPU.\n"
    lines = [["execute", "width, sigma", "bytes, ms", "gather, ms", "sums, ms", "measured, ms", "largest floor over measured"],
             ["---"] * 7]
    for figure, dim, kind, precision, tolerance in CELLS:
        rows = results.select(figure=figure, library="offgrid", method="auto", dim=dim, type=kind, precision=precision,
                              tolerance=tolerance)
        if rows:
            lines.append(cell_row(rows[-1]))
    return "\n".join("| " + " | ".join(line) + " |" for line in lines) + "\n"
