"""The pages with figures, drawn from the rows alone. Each function draws one page and is named in PAGES."""
import math
import pathlib

from . import reference, style
from .results import nanoseconds
from .style import PER_POINT, Page, log_axes

ERROR = "relative l2 error"
PLACES = ((1, 2), (1, 3), (2, 2), (2, 3))  # (type, dimension) of the four panels


def four_panels(title):
    page = Page(2, 2, title)
    for place, (kind, dim) in enumerate(PLACES):
        yield page, page[place // 2, place % 2], kind, dim


def problem_words(rows, kind, dim):
    if not rows:
        return f"{dim}D, type {kind}"
    return f"{dim}D, type {kind}, N = {rows[0]['size']}$^{dim}$, M = {power_of_ten(rows[0]['points'])}"


def power_of_ten(number):
    exponent = math.floor(math.log10(number))
    factor = number / 10**exponent
    power = f"10$^{{{exponent}}}$"
    return power if abs(factor - 1) < 1e-9 else f"{factor:.3g}·{power}"


# --- time against accuracy: Figures 4, 5 and 7 ------------------------------------------------------------------------
def peer_curves(page, panel, own, peer, timing, labelled=True):
    for which in ("best", "default"):
        page.curve(panel, [peer.error(row, which) for row in own], [peer.nanoseconds(row, timing, which) for row in own],
                   which, timing, None if labelled else style.CURVES[which][0])


def own_curves(page, panel, results, precision, kind, dim, timing, labelled=True):
    """Ours and FINUFFT's; returns our rows."""
    for library in ("offgrid", "finufft"):
        rows = results.select(figure="tolerance", library=library, precision=precision, dim=dim, type=kind)
        page.curve(panel, [row["error"] for row in rows], [nanoseconds(row, timing) for row in rows], library, timing,
                   None if labelled else style.CURVES[library][0])
    return results.select(figure="tolerance", library="offgrid", precision=precision, dim=dim, type=kind)


def single_with_transfers(results, peer):
    title = "Figure 4 of the paper, f32, points \"rand\": with allocation and transfers between host and GPU"
    for page, panel, kind, dim in four_panels(title):
        rows = own_curves(page, panel, results, "f32", kind, dim, "mem")
        copies = [row.get("copy_ms", math.nan) * 1e6 / row["points"] for row in rows]
        page.curve(panel, [row["error"] for row in rows], copies, "copy")
        page.curve(panel, [peer.error(row) for row in rows],
                   [peer.nanoseconds(row, "total") + copy for row, copy in zip(rows, copies)], "best", None,
                   "cuFINUFFT, best: setpts + exec, plus our transfers")
        log_axes(panel, problem_words(rows, kind, dim), ERROR, PER_POINT)
    return page


def single_execute(results, peer):
    for page, panel, kind, dim in four_panels("Figure 5 of the paper, f32, points \"rand\": execute alone"):
        rows = own_curves(page, panel, results, "f32", kind, dim, "exec", labelled=False)
        peer_curves(page, panel, rows, peer, "exec", labelled=False)
        log_axes(panel, problem_words(rows, kind, dim), ERROR, PER_POINT)
    return page


def double_all(results, peer):
    title = "Figure 7 of the paper, f64, points \"rand\": all three timings"
    for page, panel, kind, dim in four_panels(title):
        for timing in ("exec", "total", "mem"):
            rows = own_curves(page, panel, results, "f64", kind, dim, timing)
        for timing in ("exec", "total"):
            page.curve(panel, [peer.error(row) for row in rows], [peer.nanoseconds(row, timing) for row in rows], "best",
                       timing)
        log_axes(panel, problem_words(rows, kind, dim), ERROR, PER_POINT)
    return page


def accuracy(results, peer):
    """Error against tolerance; what lies below the diagonal keeps it."""
    for page, panel, kind, dim in four_panels("Error against tolerance, points \"rand\": below the line it is kept"):
        for precision, name in (("f32", "offgrid"), ("f64", "sm")):
            rows = results.select(figure="tolerance", library="offgrid", precision=precision, dim=dim, type=kind)
            page.curve(panel, [row["tolerance"] for row in rows], [row["error"] for row in rows], name, "total",
                       f"offgrid, {precision}")
        for precision, name in (("f32", "best"), ("f64", "default")):
            peers = results.select(figure="tolerance", library="offgrid", precision=precision, dim=dim, type=kind)
            page.curve(panel, [row["tolerance"] for row in peers], [peer.error(row, "default") for row in peers], name,
                       "exec", f"cuFINUFFT, default, {precision}")
            peers = results.select(figure="tolerance", library="finufft", precision=precision, dim=dim, type=kind)
            page.curve(panel, [row["tolerance"] for row in peers], [row["error"] for row in peers],
                       "finufft" if precision == "f32" else "gm", "exec", f"FINUFFT, {precision}")
        panel.plot([1e-14, 0.1], [1e-14, 0.1], color="black", linewidth=0.7)
        log_axes(panel, problem_words(rows, kind, dim), "tolerance", ERROR)
    return page


def draw_all(results, folder):
    from . import figures_size

    peer = reference.CuFinufft()
    paths = []
    for name, draw in {**PAGES, **figures_size.PAGES}.items():
        paths.append(draw(results, peer).finish(results, pathlib.Path(folder) / f"{name}.png"))
    return paths


PAGES = {"fig4_single_transfers": single_with_transfers, "fig5_single_execute": single_execute,
         "fig7_double": double_all, "accuracy": accuracy}
