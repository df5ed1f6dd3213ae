#include "core/type3/choice.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <string>
#include <vector>

#include "core/design/cells_design.hpp"
#include "core/design/cost.hpp"
#include "core/design/safety.hpp"
#include "core/kernel/kernel.hpp"
#include "core/last_used.hpp"

namespace offgrid {
namespace {

constexpr double pi = std::numbers::pi;
constexpr double share_of_grids = 0.9;  // of the device's memory: points, tables and what else it holds need the rest
constexpr std::int64_t group_bytes = std::int64_t{256} << 20;  // of the cells between the two stages

// How much smaller the kernel's Fourier transform is at the last target than in the middle.
double edge_ratio(double sigma, int width) {
  const double z = 1 / (2 * sigma - 1), parameter = pi * width * (1 - 1 / (2 * sigma));
  return std::exp(parameter * (1 - std::sqrt(1 - z * z)));
}

// What spreading may take of the tolerance, and what the inner transform may. Over many targets errors add as squares, at a
// single place as they are. In 3D the costs are known well enough to weigh several divisions of the tolerance.
struct Shares {
  std::vector<double> spread;
  double inner;
};
Shares shares_of(int dim, bool anywhere) {
  if (dim == 3) return {{0.85, 0.6, 0.35}, 0.95};
  return anywhere ? Shares{{0.55}, 0.45} : Shares{{0.6}, 0.7};
}

// The inner transform's: no more than is left of the tolerance, but something.
double inner_error(double share, double target, double spread, double rounding, bool anywhere) {
  const double rest = anywhere ? target - spread - rounding
                               : std::sqrt(std::max(0.0, target * target - spread * spread - rounding * rounding));
  return std::clamp(0.98 * rest, 0.3 * target, share * target);
}

double target_of(const Type3Case& c) { return safety * std::min(c.problem.tolerance, loosest_tolerance); }

// The type 1 that the first stage would be if the targets were modes.
Problem as_if_modes(const Type3Case& c) {
  Problem first = c.problem;
  first.type = 1;
  for (int axis = 0; axis < first.dim; ++axis)
    first.modes[axis] = std::max<std::int64_t>(1, static_cast<std::int64_t>(c.base_cells[axis]));
  return first;
}

// The first stage's error over that of its window. `anywhere`: for targets that may all be at the ends of their box, where the
// window's error is largest, as for a single mode; else for targets all over it.
double aliasing_factor(const Type3Case& c, double sigma, int width, bool anywhere) {
  constexpr double few_cells = 8;
  Problem first = as_if_modes(c);
  const bool small = std::all_of(c.base_cells.begin(), c.base_cells.begin() + first.dim,
                                 [](double cells) { return cells < few_cells; });
  first.outermost = anywhere;
  const double axes = small ? first.dim : axes_factor(first);  // points at about one place: all axes err alike
  return axes * worst_case_factor(make_window(WindowKind::prolate, sigma, width), first);
}

double real_bytes(const Problem& problem) { return problem.precision == Precision::f32 ? 4 : 8; }

Sizes cells_for(const Type3Case& c, double sigma, int width) {
  Sizes cells{1, 1, 1};
  for (int axis = 0; axis < c.problem.dim; ++axis) {
    const double count = std::ceil(sigma * c.base_cells[axis] + width + 1);
    if (!(count < 0x1p60)) throw Error(Status::invalid_argument, "points and targets: their product is too large");
    cells[axis] = static_cast<std::int64_t>(count) + (static_cast<std::int64_t>(count) & 1);
  }
  return cells;
}

// Of a transform without its FFT, which is what the same transform of a single point costs. Some of that is left: cells are
// cleared and copied.
double spread_cost(const Type3Case& c, const Type3Candidate& candidate) {
  constexpr double clearing = 0.2;
  Options options = spread_options(c, candidate);
  options.spread_only = false;
  const Problem first = as_if_modes(c);
  const double whole = transform_cost(first, candidate.cells, candidate.width, options, c.traits);
  options.points_hint = 1;
  return whole - (1 - clearing) * transform_cost(first, candidate.cells, candidate.width, options, c.traits);
}

bool fits(const Type3Case& c, double bytes) { return bytes < static_cast<double>(most_grid_bytes(c)); }

// The cells, the grid that is spread to, and that of the inner transform. In f32 both grids are of double precision where sums
// need it, which is not known yet.
double bytes_of(const Type3Case& c, const Type3Candidate& candidate, const Estimate& inner) {
  const double wide = c.problem.precision == Precision::f32 ? 2 : 1;
  double cells = 2 * real_bytes(c.problem);
  for (int axis = 0; axis < c.problem.dim; ++axis) cells *= static_cast<double>(candidate.cells[axis]);
  return (1 + wide) * cells + wide * inner.grid_bytes;
}

// The cheapest inner transform, or one on a coarser grid where that does not fit.
Estimate estimate_inner(const Type3Case& c, Type3Candidate& candidate) {
  const Problem problem = inner_problem(c, candidate);
  Estimate inner;
  for (const double sigma : {0.0, 1.75, 1.5, 1.25}) {
    if (sigma != 0 && c.options.upsampling != 0) break;
    candidate.inner_sigma = sigma;
    inner = estimate_design(problem, inner_options(c, candidate), c.traits);
    if (fits(c, bytes_of(c, candidate, inner))) break;
  }
  return inner;
}

Type3Candidate evaluate(const Type3Case& c, double sigma, int width, bool anywhere) {
  const int dim = c.problem.dim;
  const double target = target_of(c);
  Type3Candidate candidate{sigma, width, cells_for(c, sigma, width)};
  const double aliasing = aliasing_factor(c, sigma, width, anywhere) * window_error(WindowKind::prolate, sigma, width);
  const double amplified = amplification(sigma, width, dim, anywhere);
  const double coarser = c.problem.precision == Precision::f32 ? c.traits.f32_rounding : 1;
  const double rounding = coarser * rounding_of_cells(c.problem) * amplified;
  const double share = shares_of(dim, anywhere).inner;
  candidate.inner_tolerance = inner_error(share, target, aliasing, rounding, anywhere) / amplified;
  const Estimate inner = estimate_inner(c, candidate);
  candidate.error = anywhere ? aliasing + inner.error * amplified + rounding
                             : std::hypot(aliasing, inner.error * amplified, rounding);
  candidate.cost = inner.cost + spread_cost(c, candidate);
  candidate.bytes = bytes_of(c, candidate, inner);
  return candidate;
}

// In rising order: those that leave the inner transform more and more of the tolerance, and rounder ones.
std::vector<double> sigmas_for(const Type3Case& c, int width, bool anywhere) {
  if (c.options.upsampling != 0) return {c.options.upsampling};
  const double error = target_of(c) / aliasing_factor(c, 1.5, width, anywhere);
  std::vector<double> sigmas;
  for (const double share : shares_of(c.problem.dim, anywhere).spread)
    if (const auto smallest = minimal_sigma(WindowKind::prolate, width, share * error)) sigmas.push_back(*smallest);
  for (const double sigma : {1.5, 1.75, 2.0, 2.5})
    if (sigmas.empty() || sigma > 1.05 * sigmas.back()) sigmas.push_back(sigma);
  return sigmas;
}

Type3Choice choose(const Type3Case& c) {
  const double target = target_of(c);
  const int dim = c.problem.dim;
  const int first = c.options.width ? c.options.width : min_width, last = c.options.width ? c.options.width : max_width;
  double least_bytes = std::numeric_limits<double>::infinity();
  Type3Choice choice;
  for (const bool anywhere : {true, false}) {
    if (anywhere && c.targets_all_over) continue;
    std::vector<Type3Candidate> fitting;
    for (int width = first; width <= last; ++width)
      for (const double sigma : sigmas_for(c, width, anywhere)) {
        const Type3Candidate candidate = evaluate(c, sigma, width, anywhere);
        least_bytes = std::min(least_bytes, candidate.bytes);
        if (fits(c, candidate.bytes)) fitting.push_back(candidate);
        if (candidate.error <= target && (dim < 3 || sigma >= 2)) break;  // a larger one only makes both grids larger
      }
    if (fitting.empty()) continue;
    const auto error = [](const Type3Candidate& a, const Type3Candidate& b) { return a.error < b.error; };
    const double lowest = std::min_element(fitting.begin(), fitting.end(), error)->error;
    const double wanted = std::max(target, almost_best * lowest);
    const Type3Candidate* best = nullptr;
    for (const Type3Candidate& candidate : fitting)
      if (candidate.error <= wanted && (best == nullptr || candidate.cost < best->cost)) best = &candidate;
    choice = {*best, almost_best * lowest / safety};
    if (best->error <= target) return choice;
  }
  choice.least_bytes = least_bytes;
  return choice;
}

}  // namespace

std::int64_t most_grid_bytes(const Type3Case& c) {
  return static_cast<std::int64_t>(share_of_grids * static_cast<double>(c.traits.grid_memory.bytes));
}

double amplification(double sigma, int width, int dim, bool anywhere) {
  const double one = anywhere ? 0.8 * edge_ratio(sigma, width) : rounding_amplification(sigma, width);
  return std::pow(std::max(1.0, one), dim);
}

Problem inner_problem(const Type3Case& c, const Type3Candidate& candidate) {
  Problem inner = c.problem;
  inner.type = 2;
  inner.modes = candidate.cells;
  inner.filled = 1 / candidate.sigma;
  inner.outermost = !c.sources_all_over;
  inner.tolerance = candidate.inner_tolerance;
  return inner;
}

std::int64_t vectors_per_group(const Type3Case& c, const Sizes& cells) {
  const double bytes = 2 * real_bytes(c.problem) * static_cast<double>(cells[0]) * static_cast<double>(cells[1]) *
                       static_cast<double>(cells[2]);
  auto group = static_cast<std::int64_t>(
      std::clamp(static_cast<double>(group_bytes) / bytes, 1.0, static_cast<double>(c.options.transforms)));
  while (c.options.transforms % group != 0) --group;
  return group;
}

Options inner_options(const Type3Case& c, const Type3Candidate& candidate) {
  Options inner = c.options;
  inner.transforms = vectors_per_group(c, candidate.cells);
  if (candidate.inner_sigma != 0) inner.upsampling = candidate.inner_sigma;
  inner.points_hint = designed_points(c.targets);
  inner.mode_order = ModeOrder::fft;  // cell 0 is where x = C
  inner.strict = false;
  return inner;
}

Options spread_options(const Type3Case& c, const Type3Candidate& candidate) {
  Options spread = inner_options(c, candidate);
  spread.points_hint = designed_points(c.sources);
  spread.spread_only = true;
  spread.upsampling = candidate.sigma;
  spread.width = candidate.width;
  return spread;
}

Type3Choice kept_type3_choice(const Type3Case& c) {
  struct Key {
    std::string traits;
    Problem problem;
    Options options;
    std::array<double, max_dim> base_cells;
    std::int64_t sources, targets;
    bool sources_all_over, targets_all_over;
    bool operator==(const Key&) const = default;
  };
  constexpr std::size_t most = 32;
  static LastUsed<Key, Type3Choice> choices(most);
  if (c.traits.kept_as.empty()) return choose(c);
  return choices.find_or({c.traits.kept_as, c.problem, c.options, c.base_cells, c.sources, c.targets,
                          c.sources_all_over, c.targets_all_over},
                         [&] { return choose(c); });
}

}  // namespace offgrid
