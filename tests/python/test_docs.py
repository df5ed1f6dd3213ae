"""The Python programs in the documentation run as they stand there."""
import pathlib
import re
import subprocess
import sys

import kinds
import pytest

DOCS = pathlib.Path(__file__).parents[2] / "docs"


def programs(page):
    if not DOCS.exists():
        pytest.skip("the documentation is not here")
    found = re.findall(r"```python\n(.*?)```", (DOCS / page).read_text(), re.DOTALL)
    assert found, f"{page} has no program"
    return found


def test_the_programs_of_the_conventions():
    for program in programs("conventions.md"):
        exec(compile(program, "conventions.md", "exec"), {"__name__": "__main__"})


def test_the_programs_of_the_page_on_spreading():
    for program in programs("spreading.md"):
        exec(compile(program, "spreading.md", "exec"), {"__name__": "__main__"})


def test_the_tables_of_the_cost_model_on_many_ranks():
    """docs/scaling.md holds what bench/mpi_model.py prints."""
    program = DOCS.parent / "bench/mpi_model.py"
    if not program.exists():
        pytest.skip("the benchmarks are not here")

    def print_tables(*words):
        done = subprocess.run([sys.executable, program, *words], capture_output=True, text=True, check=True)
        return done.stdout.strip().split("\n\n")

    tables = print_tables()
    assert len(tables) == 3
    page = (DOCS / "scaling.md").read_text()
    for table in tables:
        assert table + "\n" in page, f"docs/scaling.md is out of date; it should have:\n{table}"
    one_machine = print_tables("--bandwidth", "400e9")[0].splitlines()[2]
    assert "| 54 | 83 % |" in one_machine and "54 ms and 83 %" in page


def test_the_programs_of_the_page_on_type_3():
    for program in programs("type3.md"):
        exec(compile(program, "type3.md", "exec"), {"__name__": "__main__"})


def test_the_programs_of_the_page_on_gram_operators():
    for program in programs("gram.md"):
        exec(compile(program, "gram.md", "exec"), {"__name__": "__main__"})


def test_the_programs_of_the_page_on_gpus():
    """On a GPU where there is one with cupy, elsewhere with numpy in cupy's place, which has the same names."""
    try:
        kinds.KINDS["cupy"]()
        kinds.need_gpu_engine()
        here = "import cupy\n"
    except kinds.Absent:
        here = "import numpy as cupy\n"
    for program in programs("gpu.md"):
        assert "import cupy\n" in program
        program = program.replace("import cupy\n", here)
        exec(compile(program, "gpu.md", "exec"), {"__name__": "__main__"})
