"""Wrong programs, one in each line that ends in `# wrong`: mypy --strict and pyright refuse these lines and no other."""

import numpy as np
import offgrid

x = np.linspace(-3, 3, 10)
strengths = np.ones(10, np.complex128)
counts = np.arange(10)
plan = offgrid.Plan(1, (6, 4))

offgrid.nufft1("hello", 3, None)  # wrong
offgrid.nufft1(x, strengths, 6, sgn=1)  # wrong
offgrid.nufft1(x, strengths, 6, sign="plus")  # wrong
offgrid.nufft1(x, strengths, 6, mode_order="middle")  # wrong
offgrid.nufft1(x, strengths, 6, method="fast")  # wrong
offgrid.nufft1(x, strengths, 6, threads=1.5)  # wrong
offgrid.nufft1(x, strengths, 6, transforms=2)  # wrong
offgrid.nufft1(x, strengths, "six")  # wrong
offgrid.nufft1(x, strengths)  # wrong
offgrid.nufft1(x, strengths, 6, tol="small")  # wrong
offgrid.nufft1(x, np.ones(10), 6)  # wrong
offgrid.nufft1(counts, strengths, 6)  # wrong
offgrid.nufft1(x, x, strengths, (6, 4))  # wrong
offgrid.nufft1(x, strengths, 6, out=[1, 2])  # wrong
offgrid.nufft2((x, "y"), strengths)  # wrong
offgrid.nufft2(x, [1j, 2j])  # wrong
offgrid.nufft2(x, strengths, eps=1e-6)  # wrong
offgrid.nufft2(x, strengths, 1e-6, strengths)  # wrong
offgrid.Plan("1", (6, 4))  # wrong
offgrid.Plan(1, (6, 4), mode_order="FFT")  # wrong
offgrid.Plan(1, (6, 4), isign=1)  # wrong
offgrid.Plan(1)  # wrong
plan.set_points("hello")  # wrong
plan.set_points(x, x, x)  # wrong
plan.set_points(x, "targets")  # wrong
plan.set_targets("hello")  # wrong
plan.set_boxes(1, 2)  # wrong
plan.add(x)  # wrong
plan.targets = 3  # wrong
plan.execute(x)  # wrong
plan.adjoint([1j])  # wrong
plan.shape = (4, 4)  # wrong
plan.tol = 1e-12  # wrong
plan.transforms = 1  # wrong
plan.tolerance = 1e-3  # wrong
plan.options["sign"] = 1  # wrong
plan.get("colour")  # wrong
offgrid.LinearOperator(x)  # wrong
offgrid.nufft3(x, strengths)  # wrong
offgrid.nufft3(x, strengths, 6)  # wrong
offgrid.nufft4(x, strengths)  # wrong
word: str = offgrid.nufft2(x, strengths)  # wrong
number: int = plan.count  # wrong
