// Points of a spreadinterponly plan. The peers have x = -pi at cell 0, and offgrid has x = 0 there: half a turn takes one to
// the other. The result is in [-pi, pi] for x in it, so that the addition rounds as little as it can.
#pragma once

#ifdef __CUDACC__
#define COMPAT_ON_BOTH __host__ __device__
#else
#define COMPAT_ON_BOTH
#endif

namespace compat {

template <class R> COMPAT_ON_BOTH inline R half_a_turn_on(R x) {
  constexpr double pi = 3.141592653589793;
  return static_cast<R>(x < 0 ? static_cast<double>(x) + pi : static_cast<double>(x) - pi);
}

}  // namespace compat
