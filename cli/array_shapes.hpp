// How the arrays of `offgrid run` are laid out in NPY files, and the checks with messages that say what was expected.
// NPY is numpy's format, so shapes are numpy's, as in Python's offgrid.nufft1: the last axis of the modes is contiguous,
// and column i of the points goes with axis i of the modes. The library's first axis is the contiguous one, the last here.
// A batch is one more axis in front.
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

// The library's order of the axes from numpy's, and back.
Shape reversed(const Shape& sizes);

// A text of the library in which every "64 x 48" is turned round.
std::string in_numpy_order(const std::string& text);

// Throws InputError with file, row and column of the first coordinate that is not finite or too far away. `axes`: as
// read_points returned them.
template <class T> void require_good_points(const std::vector<NpyArray>& files, const std::vector<Values<T>>& axes);

}  // namespace cli
