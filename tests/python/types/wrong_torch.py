import offgrid
import offgrid.torch
import torch

x = torch.rand(10)
offgrid.torch.nufft1("hello", 3, None)  # wrong
offgrid.torch.nufft1(x, x, 6, sgn=1)  # wrong
offgrid.torch.nufft3(x, x, 6)  # wrong
offgrid.torch.nufft2(x, x, mode_order="middle")  # wrong
word: str = offgrid.nufft2(x, x)  # wrong
