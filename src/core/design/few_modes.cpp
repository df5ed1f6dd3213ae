#include "core/design/few_modes.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <complex>
#include <limits>
#include <numbers>
#include <utility>
#include <vector>

namespace offgrid {
namespace {

constexpr std::int64_t few_modes = 32, very_few_modes = 16;

// The kernel at the position t of a point in its cell.
struct Position {
  double t;
  std::array<double, max_width> kernel{};
};

// Positions in a cell. The kernel is even, so that those on the other side of its middle err alike.
std::vector<Position> positions(const Design& design) {
  std::vector<Position> all;
  for (const double t : {-1.0, -0.75, -0.5, -0.25, 0.0}) {
    Position position{t};
    for (int i = 0; i < design.polynomial.width; ++i) position.kernel[i] = design.polynomial(i, t);
    all.push_back(position);
  }
  return all;
}

// What spreading and deconvolution make of mode k for a point, less 1: the sum over the cells of the kernel, each with the
// phase exp(-i angle (cells from the point)).
std::complex<double> mode_error(const Design& design, int axis, std::int64_t k, const Position& point) {
  const int width = design.polynomial.width;
  const double angle = 2 * std::numbers::pi * static_cast<double>(k) / static_cast<double>(design.grid[axis]);
  const std::complex<double> step = std::polar(1.0, -angle);
  std::complex<double> spread = 0;
  for (int i = width - 1; i >= 0; --i) spread = spread * step + point.kernel[i];
  return spread * std::polar(design.factors[axis](k), -0.5 * angle * (point.t + 1 - width)) - 1.0;
}

// How often a mode counts: modes 0 and -N/2 are there without their negative.
double times_there(std::int64_t k, std::int64_t modes) { return k == 0 || 2 * k == modes ? 1 : 2; }

// Error of an axis for one point where it is the largest: over the modes its mean, the root mean square of the rest, and the
// largest of a single mode.
struct AxisError {
  double mean = 0, deviation = 0, largest = 0;
};

AxisError one_point_error(const Design& design, int axis) {
  const std::int64_t modes = design.problem.modes[axis], last = modes / 2, step = 1 + last / 64;
  AxisError worst;
  for (const Position& point : positions(design)) {
    std::complex<double> sum = 0;
    double squares = 0, count = 0;
    for (std::int64_t k = last; k >= 0; k -= step) {
      const std::complex<double> error = mode_error(design, axis, k, point);
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
  for (const Position& point : positions(design)) {
    const double error = mode_error(design, axis, 0, point).real();
    all = {std::min(all.low, error), std::max(all.high, error)};
  }
  return all;
}

// The largest error of one point, and of strengths of one sign at many points. The errors of all axes may have the same sign.
// Points at multiples of 2 pi / N let mode 0 alias onto a single mode.
double largest_error(const Design& design) {
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

// Scales the factors so that mode 0 errs as much upwards as downwards over the positions in a cell. Returns what that adds to
// the error of all modes.
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

}  // namespace

bool has_few_modes(const Problem& problem) {
  return problem.tolerance >= 1e-13 &&
         std::any_of(problem.modes.begin(), problem.modes.begin() + problem.dim, [](auto n) { return n <= few_modes; });
}

DesignError try_few_modes(const Design& design, const DesignError& model) {
  return {model.of_means, model.rounding, std::hypot(largest_error(design), model.rounding)};
}

DesignError settle_few_modes(Design& design, const DesignError& model, double enough) {
  const DesignError plain = try_few_modes(design, model);
  if (plain.tried <= enough) return plain;
  Design centred = design;
  const double bias = centre_mode_zero(centred);  // for points all over, it does not go with the error of means
  const DesignError error = try_few_modes(centred, {std::hypot(model.of_means, bias), model.rounding});
  if (error.largest() >= plain.largest()) return plain;
  design.factors = std::move(centred.factors);
  return error;
}

}  // namespace offgrid
