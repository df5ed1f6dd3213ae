"""The cost model of transforms on many ranks: the tables of docs/scaling.md, "What it costs".

    python3 bench/mpi_model.py                     25 GB/s from each GPU
    python3 bench/mpi_model.py --bandwidth 400e9   another one

Rates of one GPU are those that were measured on an H200 (docs/paper/tables.md). Rates of one core are taken from one row
of the tables that were measured on 16 cores (docs/scaling.md), so that the other rows say how good the model is. What nobody
has measured is an assumption, and is called so.
"""
import argparse
import math

# --- one H200 -------------------------------------------------------------------------------------------------------------
POINT = 0.748e-3 / 1e7  # seconds per point: a whole execute of 3D type 1, f32, 1e-5, N = 100, width 6, 10^7 points
SLICING, MERGING = 0.5787e-3, 5.986e-3  # seconds: executes of Table II, N = 41, 1.02e6 points and N = 81, 1.64e7 points
MERGING_GRID = 0.28e-3  # seconds of them that the grid takes at least, which more ranks do not divide: the floor "bytes"
MEMORY = 3965e9 / 2  # bytes per second. Assumption: passes of cuFFT and over cells reach half of the rate of a copy
MESSAGE = 2e-6  # seconds per message. Assumption

# --- one core of 16 -------------------------------------------------------------------------------------------------------
CORE_MERGING = {1: 1222, 2: 1132, 4: 1247, 8: 1513}  # ms per execute, a tenth of the points per rank
CORE_SUM = {2: 3.105, 4: 4.25, 8: 6.198}  # ms of them, the sum
STAGES = ("points", "spread", "halos", "FFT", "all to all")
CORE_SLABS = {4: (18, 1011, 26, 320, 128), 8: (11, 607, 26, 152, 67)}  # ms of `slabs 256 4e6`

RANKS = (8, 16, 32, 64, 128, 256, 512, 1024)


class Slabs:
    """3D of `n` modes and `points` in all, type 1; `c` bytes in a complex number."""

    def __init__(self, n, points, c, width, sigma=2):
        self.modes, self.points, self.c = n**3, points, c
        self.plane, self.planes = (sigma * n)**2 * c, sigma * n
        self.columns = sigma * n**3 * c  # bytes of planes that are cropped along their two axes
        self.halo = 2 * (width // 2 + 1)  # planes, on both sides together

    def bytes_sent(self, ranks):
        """Points, halos, all to all, by one rank."""
        return self.c * self.points / ranks, self.halo * self.plane if ranks > 1 else 0, self.columns / ranks

    def spread(self, ranks):
        """Cells are cleared and written."""
        cells = self.plane * (self.planes / ranks + (self.halo if ranks > 1 else 0))
        return POINT * self.points / ranks + 2 * cells / MEMORY

    def fft(self, ranks):
        """Two axes of whole planes are read and written, and cropped to columns; then the columns, and cropped to modes."""
        grid = self.plane * self.planes
        return ((2 + 2 + 1) * grid + (1 + 2 + 1) * self.columns + self.modes * self.c) / ranks / MEMORY

    def row(self, ranks, bandwidth):
        points, halos, exchange = (sent / bandwidth for sent in self.bytes_sent(ranks))
        spread, fft, messages = self.spread(ranks), self.fft(ranks), 2 * ranks * MESSAGE
        total = points + halos + exchange + spread + fft + messages
        efficiency = (self.spread(1) + self.fft(1)) / ranks / total
        return [spread, fft, points, halos, exchange, messages, total], efficiency


def sum_seconds(ranks, size, c, bandwidth):
    return 2 * c * size**3 * (ranks - 1) / ranks / bandwidth + 2 * math.log2(ranks) * MESSAGE


def number(ms):
    return f"{ms:.0f}" if ms >= 100 else f"{ms:.2g}"


def table(head, rows):
    lines = [head, ["---"] * len(head), *rows]
    return "".join("| " + " | ".join(line) + " |\n" for line in lines)


def slabs_table(bandwidth):
    slabs = Slabs(n=1024, points=1024**3, c=8, width=7)
    rows = []
    for ranks in RANKS:
        times, efficiency = slabs.row(ranks, bandwidth)
        rows.append([str(ranks), *(number(1e3 * time) for time in times), f"{100 * efficiency:.0f} %"])
    return table(["GPUs", "spread", "FFT", "points", "halos", "all to all", "messages", "execute", "efficiency"], rows)


def replicated_table(bandwidth):
    rows = []
    for ranks in RANKS:
        added = sum_seconds(ranks, 81, 16, bandwidth)
        share = MERGING_GRID + (MERGING - MERGING_GRID) * RANKS[0] / ranks  # of as many points as 8 ranks have at first
        alone = RANKS[0] * (MERGING - MERGING_GRID) + MERGING_GRID
        rows.append([str(ranks), number(1e3 * SLICING), "100 %", number(1e3 * added), number(1e3 * (MERGING + added)),
                     f"{100 * MERGING / (MERGING + added):.0f} %", number(1e3 * (share + added)),
                     f"{100 * alone / ranks / (share + added):.0f} %"])
    return table(["GPUs", "slicing", "efficiency", "merging: the sum", "execute", "efficiency", "merging, 1.3e8 points in all",
                  "efficiency"], rows)


def compared(ranks, stage, predicted, measured):
    """A row; where nothing was predicted the model has taken its rate from there."""
    words = ["taken", number(measured), ""]
    if predicted is not None:
        words = [number(predicted), number(measured), f"{100 * (predicted / measured - 1):+.0f} %"]
    return [str(ranks), stage, *words]


def cores_of_merging():
    """From the execute of one rank, and the rate of the sum of two."""
    moved = {ranks: 2 * 16 * 81**3 * (ranks - 1) / ranks for ranks in CORE_MERGING}
    rows = []
    for ranks, measured in CORE_MERGING.items():
        added = CORE_SUM[2] * moved[ranks] / moved[2]
        rows.append(compared(ranks, "merging, execute", CORE_MERGING[1] + added if ranks > 1 else None, measured))
        if ranks > 1:
            rows.append(compared(ranks, "of it the sum", added if ranks > 2 else None, CORE_SUM[ranks]))
    return rows


def cores_of_slabs():
    """From the spreading and FFTs of 4 ranks, and one rate for all that travels: that of their all to all."""
    sent = {ranks: Slabs(n=256, points=4e6, c=16, width=8).bytes_sent(ranks) for ranks in CORE_SLABS}
    rate = sent[4][2] / CORE_SLABS[4][4]
    rows = []
    for ranks, measured in CORE_SLABS.items():
        points, halos, exchange = (size / rate for size in sent[ranks])
        predicted = points, CORE_SLABS[4][1] * 4 / ranks, halos, CORE_SLABS[4][3] * 4 / ranks, exchange
        for stage, guess, time in zip(STAGES, predicted, measured):
            is_taken = ranks == 4 and stage not in ("points", "halos")
            rows.append(compared(ranks, f"slabs, {stage}", None if is_taken else guess, time))
        if ranks > 4:
            rows.append(compared(ranks, "slabs, all stages", sum(predicted), sum(measured)))
    return rows


def cores_table():
    return table(["ranks", "what", "predicted", "measured", "off by"], cores_of_merging() + cores_of_slabs())


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bandwidth", type=float, default=25e9, help="bytes per second from each GPU to the others (25e9)")
    bandwidth = parser.parse_args().bandwidth
    print(slabs_table(bandwidth), replicated_table(bandwidth), cores_table(), sep="\n", end="")


if __name__ == "__main__":
    main()
