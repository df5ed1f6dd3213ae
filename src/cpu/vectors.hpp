// The two sides of spreading and interpolation for a batch: strengths in the caller's order, and grids, one after
// another.
#pragma once

#include <cstdint>

#include "cpu/spread/layout.hpp"

namespace offgrid::cpu {

template <class Complex> struct StrengthVectors {
  Complex* data = nullptr;  // of the sorted set's first point
  std::int64_t stride = 0;  // from a vector to the next
  std::int64_t batch = 1;
};

template <class Complex> struct GridVectors {
  const Layout* layout = nullptr;
  Complex* data = nullptr;   // [batch][layout->cells]
  Complex* tiles = nullptr;  // scratch of spreading
  int threads = 1;
};

}  // namespace offgrid::cpu
