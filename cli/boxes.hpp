// Boxes around the points and the targets of a type 3 as they are written on the command line: LOW,HIGH for each axis, in
// numpy's order of the axes, or once for all axes.
#pragma once

#include <cstddef>
#include <vector>

#include "offgrid/offgrid.hpp"

namespace cli {

// The numbers behind an option, in the order in which they were written.
struct BoxFlag {
  const char* option;  // "--points-box" or "--targets-box"
  std::vector<double> numbers;
};

// From --dim, which is 0 where it was not given, and from the number of pairs. Throws InputError where they do not agree.
std::size_t dimension_of(int dim, const BoxFlag& points, const BoxFlag& targets);

// In the library's order of the axes.
offgrid::Box box_of(const BoxFlag& flag, std::size_t dim);

}  // namespace cli
