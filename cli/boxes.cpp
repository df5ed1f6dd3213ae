#include "boxes.hpp"

#include <algorithm>
#include <cmath>

#include "text.hpp"

namespace cli {
namespace {

std::size_t pairs_of(const BoxFlag& flag) {
  if (flag.numbers.empty() || flag.numbers.size() % 2 != 0)
    throw InputError(
        format("%s: there are %zu numbers, expected LOW,HIGH once, or once for each axis, such as %s -1,1 -20,20",
               flag.option, flag.numbers.size(), flag.option));
  return flag.numbers.size() / 2;
}

}  // namespace

std::size_t dimension_of(int dim, const BoxFlag& points, const BoxFlag& targets) {
  const std::size_t of_points = pairs_of(points), of_targets = pairs_of(targets);
  const std::size_t found = dim > 0 ? static_cast<std::size_t>(dim) : std::max(of_points, of_targets);
  if (found > 3) throw InputError(format("the boxes have %zu axes, expected 1, 2 or 3", found));
  for (const BoxFlag* flag : {&points, &targets})
    if (const std::size_t pairs = pairs_of(*flag); pairs != 1 && pairs != found)
      throw InputError(
          format("%s has %zu pairs LOW,HIGH, expected 1, or %zu as there are axes", flag->option, pairs, found));
  return found;
}

offgrid::Box box_of(const BoxFlag& flag, std::size_t dim) {
  offgrid::Box box;
  for (std::size_t axis = 0; axis < dim; ++axis) {
    const std::size_t pair = flag.numbers.size() == 2 ? 0 : axis, library_axis = dim - 1 - axis;
    const double low = flag.numbers[2 * pair], high = flag.numbers[2 * pair + 1];
    if (!std::isfinite(low) || !std::isfinite(high) || low > high)
      throw InputError(
          format("%s: %g,%g is no box, expected finite numbers LOW,HIGH with LOW <= HIGH", flag.option, low, high));
    box.low[library_axis] = low;
    box.high[library_axis] = high;
  }
  return box;
}

}  // namespace cli
