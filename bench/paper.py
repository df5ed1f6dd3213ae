#!/usr/bin/env python3
"""Measures and draws the figures and tables of the cuFINUFFT paper anew, from our own runs.

    python3 bench/paper.py                            # measure and draw, into build/paper
    python3 bench/paper.py measure --out FOLDER       # only measure: measured.csv and machine.json
    python3 bench/paper.py draw --out FOLDER          # only draw what was measured: no GPU and no library needed

With cupy and a GPU the sizes are the paper's, without one they are smaller (`--scale`). Where FINUFFT from PyPI is installed,
it is measured on the CPU in the same run. Measuring needs numpy and liboffgrid.so (./dev build), drawing matplotlib;
`./dev paper` has all three.
"""
import argparse
import os
import pathlib
import sys

from paperlib import cells, device, finufft_cpu, library, machine, measure, progress, results

ROOT = pathlib.Path(__file__).resolve().parents[1]
SAVE_AFTER = 50  # rows
EFFORTS = {"full": measure.Effort(), "small": measure.Effort(least=2, most=5, seconds=0.2, slow=1),
           "toy": measure.Effort(least=1, most=1, later=1)}


def measure_cells(runner, chosen_cells, rows, save):
    """Adds the rows of the cells, and saves them now and then; a cell that is refused is named and left out."""
    bar = progress.Progress(len(chosen_cells))
    for cell in chosen_cells:
        bar.step(cell.name)
        if len(rows) % SAVE_AFTER == 0:
            save()
        try:
            row = runner.row(cell)
        except (RuntimeError, MemoryError) as problem:
            print(f"\n{cell.name}: {problem}", file=sys.stderr)
            continue
        if row is not None:
            rows.append(results.row_of(cell, row))
    bar.end()
    save()


def measure_peer(chosen, bench, chosen_cells, rows, save):
    """Adds FINUFFT's rows, where it is installed and as far as its seconds go."""
    if chosen.peer_seconds <= 0:
        return
    try:
        peer = finufft_cpu.Peer(bench, chosen.peer_seconds)
    except ImportError:
        print("without FINUFFT's curves: it is not installed (pip install finufft)")
        return
    print(f"FINUFFT on the CPU, {finufft_cpu.threads()} threads")
    measure_cells(peer, chosen_cells, rows, save)
    if peer.left_out:
        print(f"its {chosen.peer_seconds:g} s are used up: {peer.left_out} cells are left out")


def measure_all(chosen):
    place = device.find(chosen.device)
    chosen.scale = chosen.scale or ("full" if place.name == "cuda" else "small")
    offgrid = library.load(chosen.library)
    bench = measure.Bench(offgrid, place, EFFORTS[chosen.scale])
    facts = machine.describe(offgrid, place, chosen.scale)
    print(machine.words(facts))

    rows = []

    def wanted(all_of_them):
        return [cell for cell in all_of_them if not chosen.only or cell.figure in chosen.only.split(",")]

    def save():
        results.write(chosen.out, rows, facts)

    measure_cells(bench, wanted(cells.all_cells(chosen.scale)), rows, save)
    measure_peer(chosen, bench, wanted(cells.peer_cells(chosen.scale)), rows, save)
    print(f"{len(rows)} rows in {chosen.out}/measured.csv")


def draw_all(chosen):
    from paperlib import figures, tables  # they need matplotlib

    found = results.Results.read(chosen.out)
    for path in figures.draw_all(found, chosen.out) + tables.write_all(found, chosen.out):
        print(path)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    default = ROOT / "build/release/src/api/liboffgrid.so"
    parser.add_argument("what", nargs="?", choices=("all", "measure", "draw"), default="all")
    parser.add_argument("--out", default=str(ROOT / "build/paper"), help="folder of the measurements and the pages")
    parser.add_argument("--library", default=os.environ.get("OFFGRID_LIBRARY", str(default)), help="liboffgrid.so")
    parser.add_argument("--device", choices=("auto", "cpu", "cuda"), default="auto")
    parser.add_argument("--scale", choices=tuple(cells.SCALES), help="sizes; by default full on a GPU, small without")
    parser.add_argument("--only", default="", help="names of groups of cells, such as tolerance,sizes,mtip_merging")
    parser.add_argument("--peer-seconds", type=float, default=600, help="what FINUFFT may take in all; 0: leave it out")
    chosen = parser.parse_args()
    if chosen.what != "draw":
        measure_all(chosen)
    if chosen.what != "measure":
        draw_all(chosen)


if __name__ == "__main__":
    main()
