// How the arrays of `offgrid run` are laid out in NPY files, and the checks with messages that say what was expected.
// Modes stand in numpy's order, the slowest axis first: (N3, N2, N1). A batch is one more axis in front.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "npy.hpp"

namespace cli {

using Shape = std::vector<std::int64_t>;

// How many axes the points have: the number of files, or of columns where one file holds all. `modes` may be empty.
std::size_t dimension_of(const std::vector<NpyArray>& files, const Shape& modes);

// One array an axis, from one file an axis, or one file of shape (M, d), or (d, M) where the last axis is not d.
template <class T> std::vector<Values<T>> read_points(const std::vector<NpyArray>& files, std::size_t dim);

// The batch is one more axis in front of `inner`, and 0 where there is none.
struct InputShape {
  Shape inner;
  std::int64_t batch = 0;
};

// The shape of an input that must be `expected` or a batch of that; `meaning` says in words what that is.
InputShape match_shape(const NpyArray& input, const Shape& expected, const std::string& meaning);

// The shape of an input of which only the number of axes is known.
InputShape split_batch(const NpyArray& input, std::size_t inner_axes);

// (N3, N2, N1) from N1, N2, N3 and back.
Shape reversed(const Shape& sizes);

}  // namespace cli
