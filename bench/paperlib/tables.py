"""The page with tables, as Markdown: for each figure what the paper says of a V100, what the peer does on an H200, and we."""
import math
import pathlib

from . import floors, machine, ranks, reference
from .results import nanoseconds

PAIRS = ((2, 1), (2, 2), (3, 1), (3, 2))  # (dimension, type)


def table(head, rows):
    lines = ["| " + " | ".join(cells) + " |" for cells in [head, ["---"] * len(head), *rows]]
    return "\n".join(lines) + "\n"


def span(values, unit=" times"):
    """Least to most, as it is said."""
    good = [value for value in values if math.isfinite(value)]
    if not good:
        return "not measured"
    low, high = f"{min(good):.3g}", f"{max(good):.3g}"
    return f"{low}{unit}" if low == high else f"{low} to {high}{unit}"


def number(value):
    return f"{value:.4g}" if math.isfinite(value) else "not measured"


def mean(values):
    """Geometric."""
    good = [math.log(value) for value in values if math.isfinite(value) and value > 0]
    return f"{math.exp(sum(good) / len(good)):.3g}" if good else "not measured"


def of_paper(page, dim=None, kind=None):
    """What the paper says for a page, of one dimension and type."""
    def fits(row):
        return (dim is None or row["dim"] in ("", str(dim))) and (kind is None or row["type"] in ("", str(kind)))

    return "; ".join(f"{reference.said(row)} ({row['where']})" for row in reference.paper(page) if fits(row)) or "no figure"


# --- Figures 2 and 3: the methods ------------------------------------------------------------------------------------
def ratios(results, slow, fast, **wanted):
    """Execute of one method over that of another, by increasing size."""
    found = []
    for size in results.values("size", figure="spread", **wanted):
        pair = [results.select(figure="spread", method=method, size=size, **wanted) for method in (slow, fast)]
        if all(pair):
            found.append(pair[0][0]["later_ms"] / pair[1][0]["later_ms"])
    return found


def last(values):
    return f"{values[-1]:.3g} times" if values else "not measured"


def methods_table(results, page, kind):
    rows = []
    for said in reference.paper(page):
        dim, wanted = int(said["dim"]), dict(dim=int(said["dim"]), type=kind, set=said["set"])
        if "over GM" not in said["quantity"]:
            continue
        fast = "gm_sort" if said["quantity"].startswith("GM-sort") else "sm"
        pick = last if "largest" in said["where"] else span
        rows.append([f"{dim}D, {said['set']}: {said['quantity']}", f"{reference.said(said)} ({said['where']})",
                     pick(ratios(results, "gm", fast, **wanted)), pick(ratios(results, "gm", "auto", **wanted))])
    return table(["execute", "the paper, V100", "these methods in offgrid, here", "offgrid's own method over GM, here"], rows)


def throughput_line(results):
    best = []
    for method in ("sm", "auto"):
        rows = results.select(figure="spread", method=method, dim=2, type=1, set="rand")
        best += [f"{rows[-1]['points'] / rows[-1]['later_ms'] * 1e-6:.3g}"] if rows else ["not measured"]
    return (f"Points per nanosecond in 2D, largest grid, without sorting: the paper's SM on a V100 over 1, SM here {best[0]}, "
            f"offgrid {best[1]}.\n")


# --- Figures 4 to 7: whole transforms ---------------------------------------------------------------------------------
def over_finufft(results, peer, precision, timing, dim, kind):
    """Ratios to FINUFFT at equal tolerance: the peer's and ours; and ours to the peer."""
    ours, theirs, direct = [], [], []
    for row in results.select(figure="tolerance", library="offgrid", precision=precision, dim=dim, type=kind):
        rival = peer.nanoseconds(row, "total" if timing == "mem" else timing)
        if timing != "mem":
            direct.append(rival / nanoseconds(row, timing))
        for cpu in results.select(figure="tolerance", library="finufft", precision=precision, dim=dim, type=kind,
                                  tolerance=row["tolerance"]):
            ours.append(nanoseconds(cpu, timing) / nanoseconds(row, timing))
            if timing != "mem":
                theirs.append(nanoseconds(cpu, timing) / rival)
    return ours, theirs, direct


def speed_table(results, peer, page, precision, timing):
    rows = []
    for dim, kind in PAIRS:
        ours, theirs, direct = over_finufft(results, peer, precision, timing, dim, kind)
        good = [value for value in direct if math.isfinite(value)]
        rows.append([f"{dim}D, type {kind}", of_paper(page, dim, kind), span(theirs), span(ours),
                     f"{mean(good)} (least {min(good):.3g})" if good else "not measured"])
    return table(["over FINUFFT at equal tolerance", "the paper, V100 over 28 threads", "cuFINUFFT's best on an H200, over "
                  "FINUFFT here", "offgrid here, over FINUFFT here", "offgrid over cuFINUFFT's best"], rows)


def sizes_table(results, peer):
    """How much clusters cost, and the ratio to the peer."""
    rows = []
    for dim in (2, 3):
        for kind in (1, 2):
            own = {(row["size"], row["set"]): row for row in results.select(figure="sizes", library="offgrid", dim=dim,
                                                                            type=kind)}
            sizes = sorted({size for size, _ in own})
            ratio = [nanoseconds(own[size, "rand"], "exec") / nanoseconds(own[size, "cluster"], "exec") for size in sizes]
            theirs = [peer.nanoseconds(own[size, "rand"], "exec") / peer.nanoseconds(own[size, "cluster"], "exec")
                      for size in sizes]
            gains = [peer.nanoseconds(row, "exec") / nanoseconds(row, "exec") for row in own.values()]
            rows.append([f"{dim}D, type {kind}", of_paper("fig6", dim, kind), span(theirs), span(ratio), mean(gains)])
    return table(["execute of rand over execute of cluster", "the paper's GM-sort, V100", "cuFINUFFT's best on an H200",
                  "offgrid here", "offgrid over cuFINUFFT's best, mean"], rows)


# --- Tables I and II -------------------------------------------------------------------------------------------------
def caller_bytes(row):
    """Points, strengths and modes that the caller holds."""
    real = 4 if row["precision"] == "f32" else 8
    return row["points"] * real * (row["dim"] + 2) + row["size"]**row["dim"] * 2 * real


def memory_table(results, peer):
    rows = []
    for row in results.select(figure="table1"):
        gain = peer.nanoseconds(row, "exec") / nanoseconds(row, "exec")
        method = "offgrid" if row["method"] == "auto" else row["method"].upper().replace("_SORT", "-sort")
        rows.append([f"{row['tolerance']:.0e}", f"{row['size']}", f"{row['points']:.3g}", method,
                     number(row["later_ms"]), number(peer.milliseconds(row, "exec")), number(gain),
                     number(row["peak_bytes"] / 1e6), number((row["peak_bytes"] + caller_bytes(row)) / 1e6),
                     f"{100 * row['spread_ms'] / row['later_ms']:.0f}"])
    head = ["tolerance", "N per axis", "M", "method", "execute, ms", "cuFINUFFT's best on an H200, ms", "times as fast",
            "plan's most, MB", "with the caller's arrays, MB", "spreading alone, % of execute"]
    return table(head, rows) + f"\nThe paper, V100: {of_paper('table1')}.\n"


def mtip_table(results, peer):
    rows = []
    for task in ("slicing", "merging"):
        row, = results.select(figure=f"mtip_{task}", library="offgrid")
        cpu = results.select(figure=f"mtip_{task}", library="finufft")
        said = [entry for entry in reference.paper("table2") if entry["quantity"].startswith(task)]
        whole = row["plan_ms"] + row["set_ms"] + row["first_ms"]
        rows.append([task, f"{row['size']}", f"{row['points']:.3g}",
                     ", ".join(f"{float(entry['low']) * 1e3:g}" for entry in said),
                     number(cpu[0]["mem_ms"] if cpu else math.nan),
                     ", ".join(number(peer.milliseconds(row, timing)) for timing in ("exec", "total")),
                     ", ".join(number(value) for value in (row["later_ms"], whole, row["mem_ms"]))])
    return table(["task, one rank", "N per axis", "M", "the paper, with transfers: 40 threads, V100 of Cori, of Summit, ms",
                  "FINUFFT here, ms", "cuFINUFFT's best on an H200: exec, setpts + exec, ms",
                  "offgrid here: execute; plan, set_points and first execute; the same with transfers, ms"], rows)


def ranks_part(folder):
    """Weak scaling, where it was measured: by `offgrid bench --mpi`, which needs mpirun."""
    rows = ranks.rows_of(folder)
    if not rows:
        return []
    return ["## Table II on many ranks: weak scaling\n", table(ranks.HEAD, [ranks.cells_of(row) for row in rows])]


def write_all(results, folder):
    peer = reference.CuFinufft()
    parts = ["# The paper's figures and tables, in numbers\n",
             f"Written by `bench/paper.py draw`. {machine.words(results.machine)}; CPU: {results.machine['cpu']}. "
             "What cuFINUFFT does on an H200 is from `bench/reference/`, which also says how it was measured; "
             "what the paper says is from its text and tables. Ranges are over tolerances or sizes.\n",
             "## Figure 2: spreading alone\n", methods_table(results, "fig2", 1), throughput_line(results),
             "## Figure 3: interpolation alone\n", methods_table(results, "fig3", 2),
             "## Figure 4: f32 with allocation and transfers\n", speed_table(results, peer, "fig4", "f32", "mem"),
             "## Figure 5: f32, execute alone\n", speed_table(results, peer, "fig5", "f32", "exec"),
             "## Figure 6: f32, tolerance 1e-2, by size\n", sizes_table(results, peer),
             "## Figure 7: f64, execute alone\n", speed_table(results, peer, "fig7", "f64", "exec"),
             "## Figure 7: f64, set_points and first execute\n", speed_table(results, peer, "none", "f64", "total"),
             "## Table I: 3D type 1, f32, density 1\n", memory_table(results, peer),
             "## Table II: the tasks of M-TIP, f64, tolerance 1e-12\n", mtip_table(results, peer),
             *ranks_part(folder), "## How near the hardware's floor\n", floors.page(results)]
    path = pathlib.Path(folder) / "tables.md"
    path.write_text("\n".join(parts))
    return [path]
