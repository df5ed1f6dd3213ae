"""The pages against size, density and width: Figures 2, 3 and 6, and what the paper left out."""
from . import style
from .results import nanoseconds
from .style import PER_POINT, Page, log_axes

METHODS = ("gm", "gm_sort", "sm", "auto")


def curve_name(method):
    return "offgrid" if method == "auto" else method


# --- spreading and interpolation alone: Figures 2 and 3 ---------------------------------------------------------------
def method_curves(page, panel, results, x, **wanted):
    """One curve per method of the execute, and one with set_points; the paper's GM needs no set_points of any length."""
    for method in METHODS:
        rows = results.select(library="offgrid", method=method, **wanted)
        for timing, words in (("exec", ""), ("total", " with sorting")):
            label = style.CURVES[curve_name(method)][0] + words
            page.curve(panel, [row[x] for row in rows], [nanoseconds(row, timing) for row in rows], curve_name(method),
                       timing, label)


def spreading(results, _):
    page = Page(2, 2, "Figure 2 of the paper: spreading alone, f32, width 6 (tolerance 1e-5), one point per cell")
    for row, dim in enumerate((2, 3)):
        for column, points in enumerate(("rand", "cluster")):
            panel = page[row, column]
            method_curves(page, panel, results, "size", figure="spread", dim=dim, type=1, set=points)
            log_axes(panel, f"{dim}D, \"{points}\"", "cells of the grid per axis", PER_POINT, base=2)
    return page


def interpolation(results, _):
    page = Page(1, 2, "Figure 3 of the paper: interpolation alone, f32, width 6, one point per cell, points \"rand\"", 2.4)
    for column, dim in enumerate((2, 3)):
        panel = page[0, column]
        method_curves(page, panel, results, "size", figure="spread", dim=dim, type=2)
        log_axes(panel, f"{dim}D", "cells of the grid per axis", PER_POINT, base=2)
    return page


def widths(results, _):
    page = Page(3, 4, "Spreading and interpolation against the width of the kernel, execute alone, one point per cell", 1.9)
    for row, (kind, points, words) in enumerate(((1, "rand", "spread"), (1, "cluster", "spread cluster"),
                                                 (2, "rand", "interpolate"))):
        for column, (dim, precision) in enumerate(((2, "f32"), (2, "f64"), (3, "f32"), (3, "f64"))):
            panel = page[row, column]
            for method in METHODS:
                rows = results.select(figure="width", library="offgrid", method=method, dim=dim, type=kind, set=points,
                                      precision=precision)
                page.curve(panel, [row["width"] for row in rows], [nanoseconds(row, "exec") for row in rows],
                           curve_name(method))
            log_axes(panel, f"{dim}D {precision}, {words}", "width" if row == 2 else None,
                     PER_POINT if column == 0 else None, base=2)
    return page


# --- time against the number of modes: Figure 6 -----------------------------------------------------------------------
def sizes_page(results, peer, dim, title):
    page = Page(2, 3, title, 2.3)
    for row, kind in enumerate((1, 2)):
        for column, points in enumerate(("rand", "cluster", "quad")):
            panel = page[row, column]
            for library in ("offgrid", "finufft"):
                rows = results.select(figure="sizes", library=library, dim=dim, type=kind, set=points)
                timings = ("exec", "total", "mem") if library == "offgrid" else ("exec", "total")
                for timing in timings:
                    page.curve(panel, [row["size"] for row in rows], [nanoseconds(row, timing) for row in rows], library,
                               timing)
            rows = results.select(figure="sizes", library="offgrid", dim=dim, type=kind, set=points)
            for timing in ("exec", "total"):
                page.curve(panel, [row["size"] for row in rows], [peer.nanoseconds(row, timing) for row in rows], "best",
                           timing)
            log_axes(panel, f"{dim}D, type {kind}, \"{points}\"", "modes per axis" if row == 1 else None,
                     PER_POINT if column == 0 else None, base=2)
    return page


def sizes_2d(results, peer):
    return sizes_page(results, peer, 2, "Figure 6 of the paper: f32, tolerance 1e-2, density 1")


def sizes_3d(results, peer):
    return sizes_page(results, peer, 3, "The same as Figure 6 in 3D: f32, tolerance 1e-2, density 1")


def densities(results, _):
    page = Page(2, 2, "Time against size at densities 0.1, 1 and 10: f32, tolerance 1e-5, points \"rand\"")
    for row, kind in enumerate((1, 2)):
        for column, dim in enumerate((2, 3)):
            panel = page[row, column]
            found = results.select(figure="density", library="offgrid", dim=dim, type=kind)
            for density, name in ((0.1, "rand"), (1, "cluster"), (10, "quad")):
                rows = [row for row in found if row["points"] == round(density * (2 * row["size"])**dim)]
                for timing in ("exec", "total"):
                    page.curve(panel, [row["size"] for row in rows], [nanoseconds(row, timing) for row in rows], name,
                               timing, f"density {density:g}: {style.TIMINGS[timing]}")
            log_axes(panel, f"{dim}D, type {kind}", "modes per axis" if row == 1 else None,
                     PER_POINT if column == 0 else None, base=2)
    return page


def point_sets(results, peer):
    """Bars: execute of each set of points, and the peer's where it was measured."""
    page = Page(2, 2, "The three sets of points: execute alone", 2.2)
    for place, (kind, dim) in enumerate(((1, 2), (1, 3), (2, 2), (2, 3))):
        panel = page[place // 2, place % 2]
        found = results.select(figure="sets", library="offgrid", dim=dim, type=kind)
        groups = sorted({(row["precision"], -row["tolerance"]) for row in found})
        bars = [("offgrid", points) for points in ("rand", "cluster", "quad")] + [("best", "rand"), ("best", "cluster")]
        for offset, (library, points) in enumerate(bars):
            draw_bars(page, panel, found, groups, peer, library, points, (offset - 2) * 0.16)
        panel.set_xticks(range(len(groups)), [f"{precision} {-tolerance:.0e}" for precision, tolerance in groups])
        panel.set_yscale("log")
        panel.grid(False, axis="x")
        size, count = found[0]["size"], found[0]["points"]
        panel.set_title(f"{dim}D, type {kind}, N = {size}$^{dim}$, M = {count:.0e}", loc="left")
        panel.set_ylabel(PER_POINT)
    return page


def draw_bars(page, panel, found, groups, peer, library, points, offset):
    colours = {("offgrid", "rand"): style.RED, ("offgrid", "cluster"): style.ORANGE, ("offgrid", "quad"): style.PURPLE,
               ("best", "rand"): style.BLUE, ("best", "cluster"): style.SKY}
    heights = []
    for precision, tolerance in groups:
        row, = [row for row in found if (row["precision"], -row["tolerance"], row["set"]) == (precision, tolerance, points)]
        heights.append(nanoseconds(row, "exec") if library == "offgrid" else peer.nanoseconds(row, "exec"))
    places = [place + offset for place, height in enumerate(heights) if height > 0]
    heights = [height for height in heights if height > 0]
    if heights:
        label = f"{'offgrid' if library == 'offgrid' else 'cuFINUFFT, best'}, {points}"
        bars = panel.bar(places, heights, 0.15, color=colours[library, points], label=label)
        page.handles.setdefault(label, bars)


PAGES = {"fig2_spreading": spreading, "fig3_interpolation": interpolation, "widths": widths,
         "fig6_sizes_2d": sizes_2d, "fig6_sizes_3d": sizes_3d, "densities": densities, "point_sets": point_sets}
