"""The same as right_numpy.py with torch, where it is installed."""

import offgrid
import offgrid.torch
import torch
from typing_extensions import assert_type

x = torch.rand(10)
strengths = torch.ones(10, dtype=torch.complex64)
assert_type(offgrid.nufft1((x,), strengths, 6), torch.Tensor)
assert_type(offgrid.nufft2(x, strengths, sign=-1), torch.Tensor)
assert_type(offgrid.Plan(1, 6).execute(strengths), torch.Tensor)
assert_type(offgrid.torch.nufft1((x, x), strengths, (6, 4), 1e-3, mode_order="fft"), torch.Tensor)
assert_type(offgrid.nufft3((x,), strengths, (x,)), torch.Tensor)
assert_type(offgrid.torch.nufft3((x, x), strengths, [x, x], 1e-3, sign=-1), torch.Tensor)
assert_type(offgrid.torch.nufft2([x], strengths, threads=1), torch.Tensor)
