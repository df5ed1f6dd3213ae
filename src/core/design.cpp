#include "core/design.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <numbers>
#include <optional>

#include "core/design/cells_design.hpp"
#include "core/design/cost.hpp"
#include "core/design/design_memory.hpp"
#include "core/design/few_modes.hpp"
#include "core/design/safety.hpp"
#include "core/design/smooth.hpp"
#include "core/error.hpp"
#include "core/kernel/kernel.hpp"
#include "core/kernel/summation.hpp"
#include "core/last_used.hpp"
#include "core/text.hpp"
#include "core/validate.hpp"

namespace offgrid {
namespace {

struct Candidate {
  Window window;
  Sizes grid{1, 1, 1};
  double error = 0;     // relative l2, all dimensions, rounding included
  double rounding = 0;  // of it
};

Sizes grid_for(const Problem& problem, const BackendTraits& traits, double sigma, int width) {
  Sizes grid{1, 1, 1};
  for (int axis = 0; axis < problem.dim; ++axis) {
    const double cells = std::ceil(sigma * static_cast<double>(problem.modes[axis]) - 1e-9);
    if (!(cells < 0x1p60)) throw Error(Status::invalid_argument, text("modes: ", problem.modes[axis], " is too large"));
    grid[axis] = next_size(std::max<std::int64_t>(static_cast<std::int64_t>(cells), width), problem.dim, traits);
  }
  return grid;
}

// The axis that is upsampled the least decides: its aliasing is the worst.
double smallest_sigma(const Problem& problem, const Sizes& grid) {
  double sigma = max_sigma;
  for (int axis = 0; axis < problem.dim; ++axis)
    sigma = std::min(sigma, static_cast<double>(grid[axis]) / static_cast<double>(problem.modes[axis]));
  return sigma;
}

// The paper's rule speaks of the nominal sigma; the prolate window is fitted to the one that rounding the sizes led to.
Candidate evaluate(const Problem& problem, const BackendTraits& traits, WindowKind kind, double sigma, int width) {
  Candidate candidate;
  candidate.grid = grid_for(problem, traits, sigma, width);
  const double reached = std::max(sigma, smallest_sigma(problem, candidate.grid));
  candidate.window = make_window(kind, kind == WindowKind::semicircle ? sigma : reached, width);
  const double aliasing = window_error(kind, reached, width) * worst_case_factor(candidate.window, problem);
  const double coarser = problem.precision == Precision::f32 ? traits.f32_rounding : 1;
  candidate.rounding = coarser * rounding_floor(problem, candidate.grid, width);
  candidate.error = std::hypot(axes_factor(problem) * aliasing, candidate.rounding);
  return candidate;
}

// Sigmas worth a look for a width: the smallest that the error allows, and rounder ones above it for the cases where
// rounding, which falls with sigma, is what stands in the way.
std::vector<double> sigmas_for(const Problem& problem, const Options& options, int width, double error, bool fine) {
  if (options.upsampling != 0) return {options.upsampling};
  std::vector<double> sigmas;
  const double factor = worst_case_factor(make_window(WindowKind::prolate, 1.5, width), problem);
  const auto smallest = minimal_sigma(WindowKind::prolate, width, error / (axes_factor(problem) * factor));
  if (smallest) sigmas = {*smallest, 1.03 * *smallest};
  while (smallest && fine && sigmas.back() < 1.5) sigmas.push_back(1.02 * sigmas.back());
  for (const double sigma : {1.25, 1.5, 1.75, 2.0, 2.25, 2.5})
    if (sigmas.empty() || sigma > sigmas.back()) sigmas.push_back(sigma);
  return sigmas;
}

struct Choice {
  Candidate best;
  double reachable_error;
};

// The most that deconvolution may amplify rounding errors, so that sums in f64 keep their share of the tolerance even where
// all points are at one place with equal strengths.
double most_amplification(const Problem& problem, const Options& options, const BackendTraits& traits) {
  if (!traits.longest_sum || problem.precision == Precision::f32) return std::numeric_limits<double>::infinity();
  const double terms = traits.longest_sum(expected_points(problem, options));
  return summation_share * problem.tolerance / equal_terms_error(terms, Precision::f64);
}

std::vector<Candidate> candidates(const Problem& problem, const Options& options, const BackendTraits& traits,
                                  double tolerance) {
  std::vector<Candidate> all;
  const bool fine = traits.fine_sigmas &&
                    2 * expected_points(problem, options) < problem.modes[0] * problem.modes[1] * problem.modes[2];
  const int first = options.width ? options.width : min_width, last = options.width ? options.width : max_width;
  for (int width = first; width <= last; ++width)
    for (const double sigma : sigmas_for(problem, options, width, tolerance, fine))
      all.push_back(evaluate(problem, traits, WindowKind::prolate, sigma, width));
  return all;
}

double reachable_error(const std::vector<Candidate>& all) {
  double lowest = std::numeric_limits<double>::infinity();
  for (const Candidate& candidate : all) lowest = std::min(lowest, candidate.error);
  return almost_best * lowest;
}

// The cheapest candidate that keeps the tolerance, for crowded points too where that is possible. A tolerance near the lowest
// error of all counts as out of reach, since the last quarter of it would cost several times as much; then it is the cheapest
// of the candidates that come almost as near.
Choice choose_prolate(const Problem& problem, const Options& options, const BackendTraits& traits, double tolerance) {
  const std::vector<Candidate> all = candidates(problem, options, traits, tolerance);
  const double amplification = most_amplification(problem, options, traits);
  const Candidate* cheapest = nullptr;
  double lowest_cost = 0;
  const auto choose = [&](double error, double amplified) {
    for (const Candidate& candidate : all) {
      if (candidate.error > error) continue;
      if (total_amplification(problem, candidate.grid, candidate.window.width) > amplified) continue;
      const double cost = transform_cost(problem, candidate.grid, candidate.window.width, options, traits);
      if (cheapest && cost >= lowest_cost) continue;
      cheapest = &candidate;
      lowest_cost = cost;
    }
    return cheapest != nullptr;
  };
  const double any = std::numeric_limits<double>::infinity();
  const double reachable = reachable_error(all), wanted = std::max(tolerance, reachable);
  if (!choose(wanted, amplification)) choose(wanted, any);
  return {*cheapest, reachable};
}

// The paper's kernel by the paper's rule: the width follows from the tolerance and sigma alone.
Choice choose_semicircle(const Problem& problem, const Options& options, const BackendTraits& traits) {
  const double sigma = options.upsampling != 0 ? options.upsampling : 2.0;
  const int width = options.width ? options.width : semicircle_width(problem.tolerance, sigma);
  const Candidate candidate =
      evaluate(problem, traits, WindowKind::semicircle, sigma, std::clamp(width, min_width, max_width));
  return {candidate, candidate.error};
}

// The most points whose sums this design bears. They are at least those that it was made for: where these are too many for
// any design, another one would not help.
std::int64_t most_points(const Design& design, const BackendTraits& traits) {
  constexpr std::int64_t any = std::int64_t{1} << 62;
  if (!traits.longest_sum || design.problem.precision == Precision::f32) return any;
  const double terms =
      summation_share * design.problem.tolerance / (design.amplification * equal_terms_error(1, Precision::f64));
  std::int64_t points = std::max<std::int64_t>(1, expected_points(design.problem, design.options));
  while (points < any && traits.longest_sum(2 * points) <= terms) points *= 2;
  return points;
}

// The tables of the FFT hold a number for each mode of an axis, at least.
std::int64_t least_table_bytes(const Problem& problem) {
  std::int64_t tables = 0;
  for (int axis = 0; axis < problem.dim; ++axis) tables += (problem.modes[axis] / 2 + 1) * std::int64_t{sizeof(double)};
  return tables;
}

bool is_paper(const Options& options) { return options.window == WindowKind::semicircle; }

}  // namespace

void drop_axes(const Problem& asked, Design& design) {
  design.asked = asked;
  design.problem = asked;
  design.problem.dim = 0;
  design.problem.modes = {1, 1, 1};
  std::array<int, max_dim> dropped{};
  int count = 0;
  for (int axis = 0; axis < asked.dim; ++axis) {
    const bool is_last_chance = axis == asked.dim - 1 && design.problem.dim == 0;
    if (asked.modes[axis] == 1 && !is_last_chance) {
      dropped[count++] = axis;
      continue;
    }
    design.axes[design.problem.dim] = axis;
    design.problem.modes[design.problem.dim++] = asked.modes[axis];
  }
  std::copy_n(dropped.begin(), count, design.axes.begin() + design.problem.dim);
}

std::int64_t next_size(std::int64_t cells, int dim, const BackendTraits& traits) {
  const auto& sizes = dim == 1 && !traits.sizes_in_1d.empty() ? traits.sizes_in_1d : traits.grid_sizes;
  const auto liked = std::lower_bound(sizes.begin(), sizes.end(), cells);
  return liked != sizes.end() ? *liked : next_smooth(cells);
}

void require_possible(const Problem& asked, const Options& options, const BackendTraits& traits) {
  validate(asked, options);
  if (uniform_side(options) == UniformSide::cells) return require_possible_cells(asked, options, traits);
  Design design;
  drop_axes(asked, design);
  const Problem& problem = design.problem;
  if (design.uniform_count() == 0) return;
  design.grid = problem.modes;  // every grid has more cells than modes
  design.batch = std::clamp<std::int64_t>(options.batch, 1, options.transforms);
  require_grid_memory(design, traits);
  require_memory(design, least_table_bytes(problem), traits.host_memory);
  if (options.strict) {
    const double reachable = offgrid::reachable_tolerance(asked, options, traits);
    require_reachable(problem, options, {reachable, reachable});
  }
}

double reachable_tolerance(const Problem& asked, const Options& options, const BackendTraits& traits) {
  if (uniform_side(options) == UniformSide::cells) return reachable_tolerance_of_cells(asked, options);
  Design design;
  drop_axes(asked, design);
  if (design.uniform_count() == 0) return 0;
  if (is_paper(options)) return choose_semicircle(design.problem, options, traits).reachable_error / safety;
  const double target = safety * std::min(asked.tolerance, loosest_tolerance);
  return reachable_error(candidates(design.problem, options, traits, target)) / safety;
}

Estimate estimate_design(const Problem& asked, const Options& options, const BackendTraits& traits) {
  Design design;
  drop_axes(asked, design);
  const double target = safety * std::min(asked.tolerance, loosest_tolerance);
  const Choice choice = is_paper(options) ? choose_semicircle(design.problem, options, traits)
                                          : choose_prolate(design.problem, options, traits, target);
  double bytes = 2.0 * static_cast<double>(design.real_bytes());
  for (int axis = 0; axis < design.dim(); ++axis) bytes *= static_cast<double>(choice.best.grid[axis]);
  return {transform_cost(design.problem, choice.best.grid, choice.best.window.width, options, traits),
          choice.best.error, bytes};
}

std::shared_ptr<const Design> kept_design(const Problem& problem, const Options& options, const BackendTraits& traits) {
  struct Key {
    std::string traits;
    Problem problem;
    Options options;
    bool operator==(const Key&) const = default;
  };
  constexpr std::size_t most = 32;  // some kilobytes each
  static LastUsed<Key, std::shared_ptr<const Design>> designs(most);
  const auto make = [&] { return std::make_shared<const Design>(make_design(problem, options, traits)); };
  return traits.kept_as.empty() ? make() : designs.find_or({traits.kept_as, problem, options}, make);
}

std::int64_t designed_points(std::int64_t count) {
  if (count <= 1) return 1;
  const auto power = static_cast<std::int64_t>(std::bit_ceil(static_cast<std::uint64_t>(count)));
  const auto lower = static_cast<std::int64_t>(static_cast<double>(power) * std::numbers::sqrt2 / 2);
  return count <= lower ? lower : power;
}

bool have_same_grid(const Design& one, const Design& other) {
  return one.grid == other.grid && one.window.width == other.window.width;
}

bool suits(const Design& present, const Design& fresh, const BackendTraits& traits) {
  constexpr double small_loss = 1.03;
  const bool same = have_same_grid(present, fresh) && present.factors == fresh.factors;
  if (same || fresh.options.deterministic) return same;
  if (present.amplification > fresh.amplification &&
      expected_points(fresh.problem, fresh.options) > present.most_points)
    return false;
  const auto cost = [&](const Design& design) {
    return transform_cost(fresh.problem, design.grid, design.window.width, fresh.options, traits);
  };
  return cost(present) <= small_loss * cost(fresh);
}

Design make_design(const Problem& asked, const Options& options, const BackendTraits& traits) {
  validate(asked, options);
  if (uniform_side(options) == UniformSide::cells) return make_cells_design(asked, options, traits);
  Design design;
  drop_axes(asked, design);
  const Problem& problem = design.problem;
  design.options = options;
  design.empty = design.uniform_count() == 0;
  if (design.empty) return design;
  const double bound = std::min(problem.tolerance, loosest_tolerance);
  double target = safety * bound;
  const bool paper = is_paper(options);
  for (int attempts = 0; attempts < 16; ++attempts) {
    const Choice choice =
        paper ? choose_semicircle(problem, options, traits) : choose_prolate(problem, options, traits, target);
    design.window = choice.best.window, design.grid = choice.best.grid;
    design.expected_error = choice.best.error;
    design.reachable_tolerance = choice.reachable_error / safety;
    design.batch = vectors_together(static_cast<double>(grid_bytes(design)), options, traits);
    require_grid_memory(design, traits);
    design.polynomial = fit_polynomial(design.window, polynomial_error(design.window, problem.precision));
    for (int axis = 0; axis < problem.dim; ++axis)
      design.factors[axis] = FactorSeries(design.window, problem.modes[axis], design.grid[axis]);
    if (!has_few_modes(problem)) break;
    const DesignError model{choice.best.error, choice.best.rounding};
    const DesignError error = paper ? try_few_modes(design, model) : settle_few_modes(design, model, safety * bound);
    design.expected_error = error.largest();
    const bool kept = error.of_means <= safety * bound && error.tried <= bound;
    if (kept || paper || choice.best.error > target) break;
    target = std::min(target * bound / design.expected_error, 0.99 * choice.best.error);  // another one
  }
  require_reachable(problem, options, {design.expected_error, design.reachable_tolerance});
  design.goal = std::max(problem.tolerance, design.expected_error);
  design.amplification = total_amplification(problem, design.grid, design.window.width);
  design.most_points = most_points(design, traits);
  return design;
}

std::string describe_problem(const Problem& problem, const Options& options) {
  return text("problem      type ", problem.type, ", ", readable_sizes(problem.modes, problem.dim),
              uniform_side(options) == UniformSide::cells ? " cells, " : " modes, ", options.transforms,
              " transforms, ", problem.precision == Precision::f32 ? "f32" : "f64", "\n");
}

std::string describe(const Design& design) {
  const Problem& problem = design.asked;
  Sizes along{1, 1, 1};
  for (int axis = 0; axis < problem.dim; ++axis) along[axis] = design.grid_along(axis);
  const bool met = design.expected_error <= problem.tolerance;
  return text(describe_problem(problem, design.options),  //
              "tolerance    ", problem.tolerance, ", expected error ", design.expected_error,
              met ? "" : " (the tolerance cannot be reached)", ", reachable ", design.reachable_tolerance, "\n",  //
              "kernel       ", design.window.kind == WindowKind::prolate ? "prolate" : "semicircle", ", width ",
              design.window.width, ", upsampling ", design.window.sigma, ", polynomial degree ",
              design.polynomial.degree, "\n",  //
              "grid         ", readable_sizes(along, problem.dim), ", ", design.batch,
              " worked on together, for about ", expected_points(design.problem, design.options), " points\n");
}

std::string describe_undesigned(const Problem& problem, const Options& options, double reachable) {
  return text(describe_problem(problem, options),  //
              "tolerance    ", problem.tolerance, ", reachable ", reachable, "\n",
              "kernel       chosen when points are set, with the grid; the option points_hint chooses them at once\n");
}

}  // namespace offgrid
