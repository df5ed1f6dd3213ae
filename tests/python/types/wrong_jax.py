import jax.numpy as jnp
import offgrid
import offgrid.jax

x = jnp.zeros(10)
offgrid.jax.nufft1("hello", 3, None)  # wrong
offgrid.jax.nufft1(x, x, 6, sgn=1)  # wrong
offgrid.jax.nufft3(x, x, 6)  # wrong
offgrid.jax.nufft2(x, x, mode_order="middle")  # wrong
word: str = offgrid.nufft2(x, x)  # wrong
