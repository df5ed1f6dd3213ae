"""offgrid.mpi where something is missing: an ImportError says what. With stand-ins for mpi4py, so that neither it nor MPI is
needed; tests/mpi_python has the rest."""

import os
import pathlib
import subprocess
import sys

import offgrid
import pytest

FOLDER = pathlib.Path(offgrid.__file__).parent
LIBRARY = FOLDER / "liboffgrid_mpi.so"
OTHER_MPI = "def Get_library_version():\n    return 'Another MPI 1.0\\nbuilt on a Tuesday'\n"


def refused(tmp_path, mpi4py, **variables):
    """What importing offgrid.mpi says, with this text as the module mpi4py.MPI, or without mpi4py."""
    program = "import sys\n"
    if mpi4py is None:
        program += "sys.modules['mpi4py'] = None\n"
    else:
        (tmp_path / "mpi4py").mkdir()
        (tmp_path / "mpi4py/__init__.py").write_text("")
        (tmp_path / "mpi4py/MPI.py").write_text(mpi4py)
    program += "try:\n    import offgrid.mpi\nexcept ImportError as error:\n    print(error)\n"
    environment = {**os.environ, "PYTHONPATH": f"{tmp_path}:{FOLDER.parent}", **variables}
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, env=environment)
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout


def test_without_mpi4py(tmp_path):
    assert "offgrid.mpi needs mpi4py" in refused(tmp_path, None)


def test_without_the_library(tmp_path):
    said = refused(tmp_path, OTHER_MPI, OFFGRID_MPI_LIBRARY="/no/such/library.so")
    assert "needs liboffgrid_mpi.so" in said and "/no/such/library.so: there is no such file" in said


def test_what_is_no_such_library(tmp_path):
    (tmp_path / "words.so").write_text("words")
    assert "words.so" in refused(tmp_path, OTHER_MPI, OFFGRID_MPI_LIBRARY=str(tmp_path / "words.so"))


def test_with_another_mpi(tmp_path):
    if not LIBRARY.exists():
        pytest.skip("liboffgrid_mpi is not built: MPI is missing")
    said = refused(tmp_path, OTHER_MPI)
    assert "another MPI than the one that mpi4py uses" in said and "mpi4py Another MPI 1.0." in said
