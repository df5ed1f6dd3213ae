"""bench/paper.py at toy size on the CPU: every page is drawn, and every number on it is finite."""
import math
import pathlib
import subprocess
import sys

import numpy as np
import offgrid
import pytest

ROOT = pathlib.Path(__file__).parents[2]
PAGES = ("fig2_spreading", "fig3_interpolation", "fig4_single_transfers", "fig5_single_execute", "fig6_sizes_2d",
         "fig6_sizes_3d", "fig7_double", "accuracy", "widths", "densities", "point_sets")
MOST_BYTES = 150_000  # of a picture, for they are kept in the repository
sys.path.insert(0, str(ROOT / "bench"))


def run(*words):
    done = subprocess.run([sys.executable, ROOT / "bench/paper.py", *map(str, words)], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    if not (ROOT / "bench").exists():
        pytest.skip("the source tree is not here")
    library = pathlib.Path(offgrid.__file__).parents[2] / "src/api/liboffgrid.so"
    if not library.exists():
        pytest.skip("liboffgrid.so is not built beside the package")
    out = tmp_path_factory.mktemp("paper")
    run("measure", "--scale", "toy", "--device", "cpu", "--library", library, "--out", out, "--peer-seconds", 5)
    return out


@pytest.fixture(scope="module")
def results(folder):
    from paperlib.results import Results

    return Results.read(folder)


def test_every_cell_is_measured_and_every_number_is_finite(results):
    from paperlib import cells

    assert results.bad_numbers() == []
    own = results.select(library="offgrid")
    assert len(own) == len(cells.all_cells("toy"))
    for row in own:
        assert {"plan_ms", "set_ms", "first_ms", "later_ms", "width", "peak_bytes"} <= set(row)
    assert all(name in results.machine for name in ("cpu", "commit", "date", "offgrid"))


def test_the_measured_errors_keep_their_tolerances(results):
    measured = [row for row in results.select(library="offgrid") if "error" in row]
    assert len(measured) > 100
    for row in measured:
        floor = 1e-6 if row["precision"] == "f32" else 1e-14
        assert row["error"] <= max(row["tolerance"], floor), row


def test_every_page_is_drawn_from_the_csv_alone(folder):
    pytest.importorskip("matplotlib", reason="the pages of the paper need matplotlib")
    run("draw", "--out", folder, "--library", "there is none")
    for name in PAGES:
        picture = (folder / f"{name}.png").read_bytes()
        assert picture.startswith(b"\x89PNG") and 10_000 < len(picture) < MOST_BYTES, name
    assert {path.stem for path in folder.glob("*.png")} == set(PAGES)
    words = (folder / "tables.md").read_text()
    assert "nan" not in words.replace("nanosecond", "") and "inf" not in words
    assert words.count("\n## ") >= 10


def test_table_2_has_the_ranks_that_were_measured(tmp_path):
    from paperlib import tables

    assert tables.ranks_part(tmp_path) == []
    head = ("task,ranks,device,size,points_per_rank,set_up_ms,exec_ms,exec_low_ms,exec_high_ms,sum_ms,to_device_ms,"
            "from_device_ms,error,repeats\n")
    (tmp_path / "mpi_10.csv").write_text(head + "slicing,10,cpu,41,102000,5,40,39,41,0,0,0,1.3e-13,5\n")
    (tmp_path / "mpi_2.csv").write_text(head + "slicing,2,cpu,41,102000,4,30,29,41,0,0,0,1.2e-13,5\n"
                                               "merging,2,cuda,81,1640000,40,900,899,950,3.5,7,8,,5\n")
    lines = tables.ranks_part(tmp_path)[1].splitlines()[2:]
    assert [line.split(" | ")[:2] for line in lines] == [["| slicing", "2"], ["| slicing", "10"], ["| merging", "2"]]
    assert "| 900 | 3.5 | 7, 8 | not measured |" in lines[2]


def test_the_pages_of_the_documentation_are_there():
    from paperlib.results import Results

    kept = ROOT / "docs/paper"
    if not kept.exists():
        pytest.skip("the documentation is not here")
    assert {path.stem for path in kept.glob("*.png")} == set(PAGES)
    assert all(path.stat().st_size < MOST_BYTES for path in kept.glob("*.png"))
    results = Results.read(kept)
    assert results.bad_numbers() == []
    assert results.machine["scale"] != "toy"


def test_the_table_of_the_peer_is_found_by_our_rows():
    from paperlib import cells, reference

    peer = reference.CuFinufft()
    rows = [{name: getattr(cell, name) for name in ("dim", "type", "precision", "size", "points", "set", "tolerance")}
            for cell in cells.all_cells("full") if not cell.width and cell.method == "auto"]
    found = {reference.key_of(row) for row in rows if peer.find(row)}
    assert len(found) == 94  # all of its cells but 1D, batches, tiny, dense and sparse ones, and type 2 of its table 1
    assert all(math.isfinite(peer.milliseconds(row, "total")) for row in rows if peer.find(row))


@pytest.mark.parametrize("count", [1, 2, 7, 64])
def test_the_nodes_of_gauss_and_legendre(count):
    from paperlib.points import gauss_legendre

    np.testing.assert_allclose(np.sort(gauss_legendre(count)), np.polynomial.legendre.leggauss(count)[0], atol=1e-14)


@pytest.mark.parametrize("dim, count", [(2, 1000), (3, 5000)])
def test_quadrature_points_fill_the_ball(dim, count):
    from paperlib.points import quadrature

    points = np.array(quadrature(np, np.random.default_rng(1), count, dim))
    assert points.shape == (dim, count)
    radius = np.linalg.norm(points, axis=0)
    assert 0.9 * np.pi < radius.max() <= np.pi
    assert np.unique(points.round(12), axis=1).shape[1] == count  # all different
    assert np.abs(points.mean(axis=1)).max() < 0.2
