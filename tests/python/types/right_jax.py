"""The same as right_numpy.py with jax, where it is installed."""

import jax
import jax.numpy as jnp
import offgrid
import offgrid.jax
from typing_extensions import assert_type

x = jnp.zeros(10)
strengths = jnp.ones(10, "complex64")
assert_type(offgrid.nufft1((x,), strengths, 6), jax.Array)
assert_type(offgrid.nufft2(x, strengths, sign=-1), jax.Array)
assert_type(offgrid.Plan(1, 6).execute(strengths), jax.Array)
assert_type(offgrid.jax.nufft1((x, x), strengths, (6, 4), 1e-3, mode_order="fft"), jax.Array)
assert_type(offgrid.nufft3((x,), strengths, (x,)), jax.Array)
assert_type(offgrid.jax.nufft3((x, x), strengths, [x, x], 1e-3, sign=-1), jax.Array)
assert_type(offgrid.jax.nufft2([x], strengths, threads=1), jax.Array)
