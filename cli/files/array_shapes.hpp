// How the arrays of `offgrid run` are laid out in NPY files, and the checks with messages that say what was expected.
// NPY is numpy's format, so shapes are numpy's, as in Python's offgrid.nufft1: the last axis of the modes is contiguous,
// and column i of the points goes with axis i of the modes. The library's first axis is the contiguous one, the last here.
// A batch is one more axis in front.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "files/npy.hpp"

namespace cli {

using Shape = std::vector<std::int64_t>;

// Files of coordinates, and the option that named them.
struct CoordinateFiles {
  const char* option;  // "--points" or "--targets"
  std::vector<NpyArray> files;
};

// A number of axes that something else has already settled, and that in words, such as "--modes has 2 sizes". 0: nothing has.
struct KnownDimension {
  std::size_t dim = 0;
  std::string in_words;
};
KnownDimension dimension_of_modes(const Shape& modes);  // may be empty

// How many axes the points have: the number of files; where one file holds all, as many as are known, or else its columns, or
// its rows where it has more than three columns.
std::size_t dimension_of(const CoordinateFiles& given, const KnownDimension& known);

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

// Which coordinates there may be: those of types 1 and 2 are periodic and at most 1e9 in size, those of type 3 are finite.
enum class Coordinates { periodic, finite };

// Throws InputError with file, row and column of the first coordinate that may not be. `axes`: as read_points returned them.
template <class T>
void require_good_points(const std::vector<NpyArray>& files, const std::vector<Values<T>>& axes, Coordinates allowed);

}  // namespace cli
