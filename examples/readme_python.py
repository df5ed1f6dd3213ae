import numpy as np
import offgrid

# Points anywhere on the 2 pi periodic square, one complex strength per point.
random = np.random.default_rng(1)
x, y = random.uniform(-np.pi, np.pi, (2, 10000))
strengths = random.normal(size=10000) + 1j

# Type 1: points to 64 x 48 modes, with a relative l2 error of at most 1e-9.
modes = offgrid.nufft1((x, y), strengths, (64, 48), tol=1e-9)

# The same by a plan, which also has the adjoint, modes to points.
with offgrid.Plan(1, (64, 48), tol=1e-9) as plan:
    plan.set_points((x, y))
    assert np.allclose(plan.execute(strengths), modes)
    back = plan.adjoint(modes)

print(modes[32, 24])  # k = (0, 0): the sum of the strengths
assert abs(modes[32, 24] - strengths.sum()) < 1e-3
