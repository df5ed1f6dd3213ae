"""How the pages look: a grid of log-log panels, one legend, the machine at the foot.

The colours are those of Okabe and Ito, which colour-blind readers tell apart; every curve has a marker of its own, too.
"""
import math
import pathlib

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt  # noqa: E402  (after the choice of the backend)
from matplotlib import ticker  # noqa: E402

from . import machine  # noqa: E402

BLACK, ORANGE, SKY, GREEN, BLUE, RED, PURPLE, GREY = ("#000000", "#E69F00", "#56B4E9", "#009E73", "#0072B2", "#D55E00",
                                                     "#CC79A7", "#8C8C8C")
# name: (label, colour, marker)
CURVES = {
    "offgrid": ("offgrid", RED, "o"),
    "best": ("cuFINUFFT, best of its methods", BLUE, "s"),
    "default": ("cuFINUFFT, default", SKY, "^"),
    "finufft": ("FINUFFT on the CPU", GREEN, "D"),
    "gm": ("GM", GREY, "x"),
    "gm_sort": ("GM-sort", ORANGE, "v"),
    "sm": ("SM", PURPLE, "P"),
    "rand": ("rand", BLUE, "s"),
    "cluster": ("cluster", RED, "o"),
    "quad": ("quad", GREEN, "D"),
    "copy": ("transfers alone", BLACK, "+"),
}
LINES = {"exec": "--", "total": "-", "mem": ":"}
TIMINGS = {"exec": "execute", "total": "set_points + first execute", "mem": "the same with allocation and transfers"}
PER_POINT = "ns per point"
WIDTH = 7.2  # inches, two columns of a journal
plt.rcParams.update({"font.size": 7.5, "axes.titlesize": 8, "axes.labelsize": 7.5, "legend.fontsize": 7,
                     "xtick.labelsize": 7, "ytick.labelsize": 7, "axes.grid": True, "grid.alpha": 0.3,
                     "grid.linewidth": 0.5, "lines.linewidth": 1.1, "lines.markersize": 3.6, "axes.axisbelow": True,
                     "font.family": "DejaVu Sans", "figure.dpi": 150})


class Page:
    """A figure of panels in rows and columns."""

    def __init__(self, rows, columns, title, height=2.2):
        self.figure, self.panels = plt.subplots(rows, columns, squeeze=False, figsize=(WIDTH, height * rows + 1.05))
        self.title, self.handles = title, {}
        self.height = height * rows + 1.05

    def __getitem__(self, place):
        return self.panels[place]

    def curve(self, panel, xs, ys, name, timing=None, label=None):
        """One curve; points without a value are left out."""
        pairs = sorted((x, y) for x, y in zip(xs, ys) if math.isfinite(x) and math.isfinite(y) and x > 0 and y > 0)
        if not pairs:
            return
        text, colour, marker = CURVES[name]
        if label is None:
            label = text if timing is None else f"{text}: {TIMINGS[timing]}"
        line, = panel.plot(*zip(*pairs), color=colour, marker=marker, linestyle=LINES.get(timing, "-"),
                           markerfacecolor="white" if timing == "exec" else colour, label=label)
        self.handles.setdefault(label, line)

    def foot_lines(self, results):
        """What was measured on what; of the others those that are drawn."""
        found, others = results.machine, ""
        if any(label.startswith("FINUFFT") for label in self.handles):
            others += f"FINUFFT {found['finufft']} from PyPI on {found['cpu']}, one thread per core. "
        if any(label.startswith("cuFINUFFT") for label in self.handles):
            others += "cuFINUFFT 2.6-dev with its pull request 873, measured on an H200 with CUDA 13.0: bench/reference"
        return machine.words(found), others

    def finish(self, results, path):
        """Title, legend and foot, then the file; at most 128 colours, for small files."""
        columns = 2 if max(map(len, self.handles)) > 34 else 4
        rows = math.ceil(len(self.handles) / columns)
        foot = (0.34 + 0.155 * rows) / self.height
        self.figure.suptitle(self.title, fontsize=9, x=0.01, ha="left", y=1 - 0.04 / self.height, va="top")
        self.figure.legend(self.handles.values(), self.handles, loc="lower center", ncol=columns, frameon=False,
                           bbox_to_anchor=(0.5, 0.21 / self.height), borderaxespad=0)
        for line, words in enumerate(self.foot_lines(results)):
            self.figure.text(0.01, (0.13 - 0.1 * line) / self.height, words, fontsize=5.5, color="#444444", va="center")
        self.figure.tight_layout(rect=(0, foot, 1, 1 - 0.2 / self.height), pad=0.4, w_pad=1, h_pad=1)
        path = pathlib.Path(path)
        self.figure.savefig(path, dpi=150)
        plt.close(self.figure)
        shrink(path)
        return path


def shrink(path):
    from PIL import Image  # matplotlib needs it, too

    with Image.open(path) as picture:
        small = picture.convert("RGB").quantize(128, method=Image.Quantize.MEDIANCUT, dither=Image.Dither.NONE)
    small.save(path, optimize=True)


def few_ticks(panel, plain):
    """Plain numbers at 1, 2 and 5 times powers of ten where the range is short, at powers of ten otherwise."""
    low, high = panel.get_ylim()
    steps = (1, 2, 5) if high / low < 300 else (1,)
    panel.yaxis.set_major_locator(ticker.LogLocator(subs=steps))
    panel.yaxis.set_major_formatter(plain)
    panel.yaxis.set_minor_formatter(ticker.NullFormatter())


def log_axes(panel, title, x=None, y=None, base=10):
    panel.set_title(title, loc="left")
    panel.set_xscale("log", base=base)
    panel.set_yscale("log")
    plain = ticker.FuncFormatter(lambda value, _: f"{value:g}")
    if y == PER_POINT or base == 2:
        few_ticks(panel, plain)
    if base == 2:
        panel.xaxis.set_major_formatter(plain)
    if x:
        panel.set_xlabel(x)
    if y:
        panel.set_ylabel(y)
