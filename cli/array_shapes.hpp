// How the arrays of `offgrid run` are laid out in NPY files, and the checks with messages that say what was expected.
// Modes stand in numpy's order, the slowest axis first: (N3, N2, N1). A batch is one more axis in front.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "npy.hpp"

namespace cli {

using Shape = std::vector<std::int64_t>;

// How many axes the points have: the number of files, or of columns where one file holds them all. `modes` may be empty.
std::size_t dimension_of(const std::vector<NpyArray>& files, const Shape& modes);

// One array an axis, from one file an axis, or one file of shape (M, d), or (d, M) where the last axis is not d.
template <class T>
std::vector<Values<T>> read_points(const std::vector<NpyArray>& files, std::size_t dim);

// What the shape of the input says: N1, .. Nd or the number of points, and how many vectors (0: no axis for the batch).
struct InputShape {
  Shape inner;  // as in the file, without the batch
  std::int64_t batch = 0;
};
InputShape split_batch(const NpyArray& input, std::size_t inner_axes);

// (N3, N2, N1) from N1, N2, N3 and back.
Shape reversed(const Shape& sizes);

// Throws unless the input's inner shape is `expected`; `meaning` says in words what that is.
void expect_shape(const NpyArray& input, const InputShape& found, const Shape& expected, const std::string& meaning);

}  // namespace cli
