#include "core/few_modes.hpp"

#include <algorithm>
#include <cmath>
#include <complex>
#include <limits>
#include <numbers>

namespace offgrid {
namespace {

constexpr std::int64_t few_modes = 32, very_few_modes = 16;

// What spreading and deconvolution make of mode k for a point at the position t of its cell, less 1.
std::complex<double> mode_error(const Design& design, int axis, std::int64_t k, double t) {
  const int width = design.polynomial.width;
  std::complex<double> spread = 0;
  for (int i = 0; i < width; ++i) {
    const double cells = i + 0.5 * (t + 1 - width);  // from the point to the cell
    const double angle = 2 * std::numbers::pi * static_cast<double>(k) * cells / static_cast<double>(design.grid[axis]);
    spread += std::polar(design.polynomial(i, t), -angle);
  }
  return spread * design.factors[axis](k) - 1.0;
}

// How often a mode counts: modes 0 and -N/2 are there without their negative.
double times_there(std::int64_t k, std::int64_t modes) { return k == 0 || 2 * k == modes ? 1 : 2; }

// Error of an axis for one point on a node or between two, where it is the largest: over the modes its mean, the root mean
// square of the rest, and the largest of a single mode.
struct AxisError {
  double mean = 0, deviation = 0, largest = 0;
};

AxisError one_point_error(const Design& design, int axis) {
  const std::int64_t modes = design.problem.modes[axis], last = modes / 2, step = 1 + last / 64;
  AxisError worst;
  for (const double t : {-1.0, 0.0}) {
    std::complex<double> sum = 0;
    double squares = 0, count = 0;
    for (std::int64_t k = last; k >= 0; k -= step) {
      const std::complex<double> error = mode_error(design, axis, k, t);
      const double times = times_there(k, modes);
      sum += times == 1 ? error : 2 * error.real();
      squares += times * std::norm(error);
      count += times;
      worst.largest = std::max(worst.largest, std::abs(error));
    }
    worst.mean = std::max(worst.mean, std::abs(sum) / count);
    worst.deviation = std::max(worst.deviation, std::sqrt(std::max(0.0, squares / count - std::norm(sum / count))));
  }
  return worst;
}

// Errors of mode 0 over the positions in a cell. Strengths of one sign at nodes make mode 0 the largest of all.
struct Range {
  double low, high;
};

Range zero_mode_errors(const Design& design, int axis) {
  Range all{std::numeric_limits<double>::infinity(), -std::numeric_limits<double>::infinity()};
  for (const double t : {-1.0, -0.75, -0.5, -0.25, 0.0, 0.25, 0.5, 0.75}) {
    const double error = mode_error(design, axis, 0, t).real();
    all = {std::min(all.low, error), std::max(all.high, error)};
  }
  return all;
}

}  // namespace

bool has_few_modes(const Problem& problem) {
  return problem.tolerance >= 1e-13 &&
         std::any_of(problem.modes.begin(), problem.modes.begin() + problem.dim, [](auto n) { return n <= few_modes; });
}

// One point, and strengths of one sign at many points, are tried. The errors of all axes may have the same sign. Points at
// multiples of 2 pi / N let mode 0 alias onto a single mode.
double error_of_few_modes(const Design& design) {
  double growth = 0, deviation = 0, growth_of_zero = 0, aliased = 0;
  for (int axis = 0; axis < design.dim(); ++axis) {
    const AxisError error = one_point_error(design, axis);
    growth += std::log1p(error.mean);
    deviation = std::hypot(deviation, error.deviation);
    const Range of_zero = zero_mode_errors(design, axis);
    growth_of_zero += std::log1p(std::max(-of_zero.low, of_zero.high));
    if (design.problem.modes[axis] <= very_few_modes) aliased = std::hypot(aliased, error.largest);
  }
  return std::max({std::hypot(std::expm1(growth), deviation), std::expm1(growth_of_zero), aliased});
}

double centre_mode_zero(Design& design) {
  double bias = 0;
  for (int axis = 0; axis < design.dim(); ++axis) {
    const Range range = zero_mode_errors(design, axis);
    const double middle = 0.5 * (range.low + range.high);
    design.factors[axis].scale(1 - middle);
    bias += std::abs(middle);  // the axes may err to the same side
  }
  return bias;
}

}  // namespace offgrid
