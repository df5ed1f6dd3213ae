#include "core/type3_design.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <vector>

#include "core/cells_design.hpp"
#include "core/cost.hpp"
#include "core/design_memory.hpp"
#include "core/kernel.hpp"
#include "core/last_used.hpp"
#include "core/safety.hpp"
#include "core/text.hpp"
#include "core/validate.hpp"

namespace offgrid {
namespace {

constexpr double pi = std::numbers::pi;
constexpr double small_centre = 0.1;  // of the half-width: a box so near to 0 is taken as one around 0, without phases
constexpr double slack = 1.002;       // of the product of the boxes, so that the next points fit, too
constexpr int kept_bits = 9;          // of that product, rounded up: boxes that differ little share a design
constexpr double too_large = 0.8;     // a box that needs less of a grid along some axis gets a grid of its own
constexpr double spread_share = 0.6;  // of the tolerance; with the inner transform's share they add up to it
constexpr double inner_share = 0.7;   // in the root of the sum of squares
constexpr double free_memory = 0.9;   // of the device: points, tables and what else it holds need the rest
constexpr std::int64_t group_bytes = std::int64_t{256} << 20;  // of the cells between the two stages

double round_up(double value, int bits) {
  int exponent = 0;
  const double scale = std::ldexp(1.0, bits), mantissa = std::frexp(value, &exponent);
  return std::ldexp(std::ceil(mantissa * scale) / scale, exponent);
}

struct Side {
  double centre, half;
};
Side side_of(const char* what, double low, double high) {
  const Side side{low + 0.5 * (high - low), 0.5 * (high - low)};
  const double largest = std::max(std::abs(low), std::abs(high));
  if (!(largest <= 1e100)) throw Error(Status::invalid_argument, text(what, ": a coordinate is ", largest, " in size"));
  if (std::abs(side.centre) <= small_centre * side.half || largest == 0) return {0, largest};
  // Rounding of the centre must not push the ends out.
  return {side.centre, side.half * (1 + 0x1p-50) + 0x1p-52 * largest};
}

// A box without extent gets one that costs nothing: the product of both is at least 1.
Type3Axis axis_of(const Type3Boxes& boxes, int number) {
  Side source = side_of("points", boxes.sources.low[number], boxes.sources.high[number]);
  Side target = side_of("targets", boxes.targets.low[number], boxes.targets.high[number]);
  if (source.half == 0 && target.half == 0) source.half = target.half = 1;
  if (target.half == 0) target.half = 1 / source.half;
  if (source.half * target.half < 1) source.half = 1 / target.half;
  const double base = 2 * source.half * target.half / pi;
  if (!(base < 0x1p60))
    throw Error(Status::invalid_argument, text("points and targets span ", 2 * source.half, " x ", 2 * target.half,
                                               " along axis ", number, ": their product is too large"));
  Type3Axis axis;
  axis.base_cells = round_up(slack * base, kept_bits);
  const double larger = std::sqrt(axis.base_cells / base);
  axis.source_centre = source.centre, axis.source_half = source.half * larger;
  axis.target_centre = target.centre, axis.target_half = target.half * larger;
  return axis;
}

// How much smaller the kernel's Fourier transform is at the last target than in the middle.
double edge_ratio(double sigma, int width) {
  const double z = 1 / (2 * sigma - 1), parameter = pi * width * (1 - 1 / (2 * sigma));
  return std::exp(parameter * (1 - std::sqrt(1 - z * z)));
}

// Errors of the inner transform are divided by the kernel's transform, too. `anywhere`: wherever the targets are in their
// box. Else for targets all over it, which is less.
double amplification(double sigma, int width, int dim, bool anywhere) {
  const double one = anywhere ? 0.8 * edge_ratio(sigma, width) : rounding_amplification(sigma, width);
  return std::pow(std::max(1.0, one), dim);
}

struct Candidate {
  double sigma = 0;
  int width = 0;
  Sizes cells{1, 1, 1};
  double inner_tolerance = 0;
  double inner_sigma = 0;  // 0: the best one
  double error = 0, cost = 0;
  double bytes = 0;
};

// What the choice depends on.
struct Case {
  Problem problem;
  Options options;
  const BackendTraits& traits;
  std::array<double, max_dim> base_cells;
  std::int64_t sources, targets;
  bool all_over;
};

// A few targets do not average what the model of the error takes the mean of: in 3,000 random cases they missed by up to 13 %.
constexpr double few_targets = 0.8;
double target_of(const Case& c) {
  return (c.all_over ? 1 : few_targets) * safety * std::min(c.problem.tolerance, loosest_tolerance);
}

// The type 1 that the first stage would be if the targets were modes.
Problem as_if_modes(const Case& c) {
  Problem first = c.problem;
  first.type = 1;
  for (int axis = 0; axis < first.dim; ++axis)
    first.modes[axis] = std::max<std::int64_t>(1, static_cast<std::int64_t>(c.base_cells[axis]));
  return first;
}

// The first stage's error over that of its window. `anywhere`: for targets that may all be at the ends of their box, where the
// window's error is largest, as for a single mode; else for targets all over it.
double aliasing_factor(const Case& c, double sigma, int width, bool anywhere) {
  constexpr double few_cells = 8;
  Problem first = as_if_modes(c);
  const bool small = std::all_of(c.base_cells.begin(), c.base_cells.begin() + first.dim,
                                 [](double cells) { return cells < few_cells; });
  if (anywhere) first.modes = {1, 1, 1};
  const double axes = small ? first.dim : std::sqrt(first.dim);  // points at about one place: all axes err alike
  return axes * worst_case_factor(make_window(WindowKind::prolate, sigma, width), first);
}

double real_bytes(const Problem& problem) { return problem.precision == Precision::f32 ? 4 : 8; }

Sizes cells_for(const Case& c, double sigma, int width) {
  Sizes cells{1, 1, 1};
  for (int axis = 0; axis < c.problem.dim; ++axis) {
    const double count = std::ceil(sigma * c.base_cells[axis] + width + 1);
    if (!(count < 0x1p60)) throw Error(Status::invalid_argument, "points and targets: their product is too large");
    cells[axis] = static_cast<std::int64_t>(count) + (static_cast<std::int64_t>(count) & 1);
  }
  return cells;
}

Problem inner_problem(const Problem& problem, const Candidate& candidate) {
  Problem inner = problem;
  inner.type = 2;
  inner.modes = candidate.cells;
  inner.tolerance = candidate.inner_tolerance;
  return inner;
}

std::int64_t vectors_per_group(const Case& c, const Sizes& cells) {
  const double bytes = 2 * real_bytes(c.problem) * static_cast<double>(cells[0]) * static_cast<double>(cells[1]) *
                       static_cast<double>(cells[2]);
  auto group = static_cast<std::int64_t>(
      std::clamp(static_cast<double>(group_bytes) / bytes, 1.0, static_cast<double>(c.options.transforms)));
  while (c.options.transforms % group != 0) --group;
  return group;
}

Options inner_options(const Case& c, const Candidate& candidate) {
  Options inner = c.options;
  inner.transforms = vectors_per_group(c, candidate.cells);
  if (candidate.inner_sigma != 0) inner.upsampling = candidate.inner_sigma;
  inner.points_hint = designed_points(c.targets);
  inner.mode_order = ModeOrder::fft;  // cell 0 is where x = C
  inner.strict = false;
  return inner;
}

Options spread_options(const Case& c, const Candidate& candidate) {
  Options spread = inner_options(c, candidate);
  spread.points_hint = designed_points(c.sources);
  spread.spread_only = true;
  spread.upsampling = candidate.sigma;
  spread.width = candidate.width;
  return spread;
}

// Of a transform without its FFT, which is what the same transform of a single point costs. Some of that is left: cells are
// cleared and copied.
double spread_cost(const Case& c, const Candidate& candidate) {
  constexpr double clearing = 0.2;
  Options options = spread_options(c, candidate);
  options.spread_only = false;
  const Problem first = as_if_modes(c);
  const double whole = transform_cost(first, candidate.cells, candidate.width, options, c.traits);
  options.points_hint = 1;
  return whole - (1 - clearing) * transform_cost(first, candidate.cells, candidate.width, options, c.traits);
}

bool fits(const Case& c, double bytes) { return bytes < free_memory * static_cast<double>(c.traits.grid_memory.bytes); }

// The cells, the grid that is spread to, and that of the inner transform. In f32 both grids are of double precision where sums
// need it, which is not known yet.
double bytes_of(const Case& c, const Candidate& candidate, const Estimate& inner) {
  const double wide = c.problem.precision == Precision::f32 ? 2 : 1;
  double cells = 2 * real_bytes(c.problem);
  for (int axis = 0; axis < c.problem.dim; ++axis) cells *= static_cast<double>(candidate.cells[axis]);
  return (1 + wide) * cells + wide * inner.grid_bytes;
}

// The cheapest inner transform, or one on a coarser grid where that does not fit.
Estimate estimate_inner(const Case& c, Candidate& candidate) {
  const Problem problem = inner_problem(c.problem, candidate);
  Estimate inner;
  for (const double sigma : {0.0, 1.75, 1.5, 1.25}) {
    if (sigma != 0 && c.options.upsampling != 0) break;
    candidate.inner_sigma = sigma;
    inner = estimate_design(problem, inner_options(c, candidate), c.traits);
    if (fits(c, bytes_of(c, candidate, inner))) break;
  }
  return inner;
}

Candidate evaluate(const Case& c, double sigma, int width, bool anywhere) {
  const int dim = c.problem.dim;
  const double target = target_of(c);
  Candidate candidate{sigma, width, cells_for(c, sigma, width)};
  const double aliasing = aliasing_factor(c, sigma, width, anywhere) * window_error(WindowKind::prolate, sigma, width);
  const double amplified = amplification(sigma, width, dim, anywhere);
  candidate.inner_tolerance = inner_share * target / amplified;
  const Estimate inner = estimate_inner(c, candidate);
  const double coarser = c.problem.precision == Precision::f32 ? c.traits.f32_rounding : 1;
  const double rounding = coarser * rounding_of_cells(c.problem) * amplified;
  candidate.error = std::hypot(aliasing, inner.error * amplified, rounding);
  candidate.cost = inner.cost + spread_cost(c, candidate);
  candidate.bytes = bytes_of(c, candidate, inner);
  return candidate;
}

std::vector<double> sigmas_for(const Case& c, int width, bool anywhere) {
  if (c.options.upsampling != 0) return {c.options.upsampling};
  const double factor = aliasing_factor(c, 1.5, width, anywhere);
  const auto smallest = minimal_sigma(WindowKind::prolate, width, spread_share * target_of(c) / factor);
  std::vector<double> sigmas;
  if (smallest) sigmas.push_back(*smallest);
  for (const double sigma : {1.5, 1.75, 2.0, 2.5})
    if (sigmas.empty() || sigma > 1.05 * sigmas.back()) sigmas.push_back(sigma);
  return sigmas;
}

// The cheapest candidate that fits and keeps the tolerance, else the cheapest of those that come almost as near.
struct Choice {
  Candidate best;
  double reachable = 0;
};

Choice choose(const Case& c) {
  const double target = target_of(c);
  const int first = c.options.width ? c.options.width : min_width, last = c.options.width ? c.options.width : max_width;
  double least_bytes = std::numeric_limits<double>::infinity();
  Choice choice;
  for (const bool anywhere : {true, false}) {
    if (anywhere && c.all_over) continue;
    std::vector<Candidate> fitting;
    for (int width = first; width <= last; ++width)
      for (const double sigma : sigmas_for(c, width, anywhere)) {
        const Candidate candidate = evaluate(c, sigma, width, anywhere);
        least_bytes = std::min(least_bytes, candidate.bytes);
        if (fits(c, candidate.bytes)) fitting.push_back(candidate);
        if (candidate.error <= target) break;  // a larger sigma only makes both grids larger
      }
    if (fitting.empty()) continue;
    const auto error = [](const Candidate& a, const Candidate& b) { return a.error < b.error; };
    const double lowest = std::min_element(fitting.begin(), fitting.end(), error)->error;
    const double wanted = std::max(target, almost_best * lowest);
    const Candidate* best = nullptr;
    for (const Candidate& candidate : fitting)
      if (candidate.error <= wanted && (best == nullptr || candidate.cost < best->cost)) best = &candidate;
    choice = {*best, almost_best * lowest / safety};
    if (best->error <= target) return choice;
  }
  if (choice.best.width == 0)
    throw Error(Status::out_of_memory,
                c.traits.grid_memory.refusal(static_cast<std::int64_t>(std::min(least_bytes, 0x1p62))));
  return choice;
}

Choice kept_choice(const Case& c) {
  struct Key {
    std::string traits;
    Problem problem;
    Options options;
    std::array<double, max_dim> base_cells;
    std::int64_t sources, targets;
    bool all_over;
    bool operator==(const Key&) const = default;
  };
  constexpr std::size_t most = 32;
  static LastUsed<Key, Choice> choices(most);
  if (c.traits.kept_as.empty()) return choose(c);
  return choices.find_or({c.traits.kept_as, c.problem, c.options, c.base_cells, c.sources, c.targets, c.all_over},
                         [&] { return choose(c); });
}

// value = high + low, from a number of more digits.
void split(long double value, double& high, double& low) {
  high = static_cast<double>(value);
  low = static_cast<double>(value - high);
}

void map_axis(Type3Design& design, int number, double sigma) {
  Type3Axis& axis = design.axis[number];
  axis.cells_per_unit = sigma * axis.target_half / pi;
  constexpr long double turn = 2 * std::numbers::pi_v<long double>;
  const long double a = axis.cells_per_unit;
  AxisMap &source = design.source_map[number], &target = design.target_map[number];
  source.centre = axis.source_centre, target.centre = axis.target_centre;
  split(a / static_cast<long double>(design.problem.modes[number]), source.rate, source.rate_low);
  split(1 / (turn * a), target.rate, target.rate_low);
  const bool is_single = design.problem.precision == Precision::f32;
  source.largest = target.largest =
      is_single ? double{std::numeric_limits<float>::max()} : std::numeric_limits<double>::max();
  FactorAxis &at_source = design.source_rule.axis[number], &at_target = design.target_rule.axis[number];
  split(axis.target_centre / turn, at_source.rate, at_source.rate_low);
  split(axis.source_centre / turn, at_target.rate, at_target.rate_low);
  at_target.centre = axis.target_centre;
  at_target.scale = 1 / axis.target_half;
}

bool holds(double centre, double half, double low, double high) {
  return low - centre >= -half && high - centre <= half;
}

}  // namespace

bool Type3Design::has_source_phases() const {
  return std::any_of(axis.begin(), axis.begin() + problem.dim, [](const auto& a) { return a.target_centre != 0; });
}

bool Type3Design::holds_sources(const Box& box) const {
  for (int a = 0; a < problem.dim; ++a)
    if (!holds(axis[a].source_centre, axis[a].source_half, box.low[a], box.high[a])) return false;
  return true;
}

bool Type3Design::holds_targets(const Box& box) const {
  for (int a = 0; a < problem.dim; ++a)
    if (!holds(axis[a].target_centre, axis[a].target_half, box.low[a], box.high[a])) return false;
  return true;
}

bool are_all_over(const Extent& targets, std::int64_t count) {
  constexpr std::int64_t fewest = 1000;
  constexpr double at_most = 0.2;
  return count >= fewest && targets.at_ends <= at_most;
}

bool Type3Design::suits(const Type3Boxes& boxes) const {
  if (!holds_sources(boxes.sources) || !holds_targets(boxes.targets) || (all_over && !boxes.all_over)) return false;
  if (designed_points(boxes.source_count) != sources || designed_points(boxes.target_count) != targets) return false;
  for (int a = 0; a < problem.dim; ++a)
    if (axis_of(boxes, a).base_cells < too_large * axis[a].base_cells) return false;
  return true;
}

std::int64_t Type3Design::execute_bytes() const {
  return group * cells * 2 * spread.real_bytes() + spread.batch * grid_bytes(spread) + inner.batch * grid_bytes(inner);
}

Type3Design make_type3_design(const Problem& problem, const Options& options, const BackendTraits& traits,
                              const Type3Boxes& boxes) {
  Type3Design design;
  design.problem = problem;
  design.options = options;
  design.sources = designed_points(boxes.source_count), design.targets = designed_points(boxes.target_count);
  Case c{problem, options, traits, {}, design.sources, design.targets, boxes.all_over};
  design.all_over = boxes.all_over;
  c.problem.modes = {1, 1, 1};
  for (int axis = 0; axis < problem.dim; ++axis) {
    design.axis[axis] = axis_of(boxes, axis);
    c.base_cells[axis] = design.axis[axis].base_cells;
  }
  const Choice choice = kept_choice(c);
  const Candidate& best = choice.best;
  design.expected_error = best.error, design.reachable_tolerance = choice.reachable;
  require_reachable(problem, options, {design.expected_error, design.reachable_tolerance});
  design.problem.modes = best.cells;
  design.cells = checked_product("cells", best.cells[0], best.cells[1], best.cells[2]);
  design.group = vectors_per_group(c, best.cells);
  design.inner = *kept_design(inner_problem(problem, best), inner_options(c, best), traits);
  Problem first = problem;
  first.type = 1, first.modes = best.cells;
  design.spread = *kept_design(first, spread_options(c, best), traits);
  // Cells are divided by the kernel's transform in the end: their rounding errors count for more.
  design.spread.amplification = amplification(best.sigma, best.width, problem.dim, !boxes.all_over);
  design.spread.goal = std::max(problem.tolerance, best.error);
  for (FactorRule* rule : {&design.source_rule, &design.target_rule}) rule->dim = problem.dim;
  for (int axis = 0; axis < problem.dim; ++axis) map_axis(design, axis, best.sigma);
  // The same for all axes: targets end at s' = pi / sigma.
  const FactorSeries series(design.spread.window, 0.5 / best.sigma);
  design.target_rule.terms = static_cast<int>(series.coefficients().size());
  std::copy_n(series.coefficients().begin(), design.target_rule.terms, design.target_rule.series.begin());
  return design;
}

std::string describe(const Type3Design& design) {
  const bool met = design.expected_error <= design.problem.tolerance;
  return text("problem      type 3, ", design.problem.dim, "D, ", design.options.transforms, " transforms, ",
              design.problem.precision == Precision::f32 ? "f32" : "f64", "\n",  //
              "tolerance    ", design.problem.tolerance, ", expected error ", design.expected_error,
              met ? "" : " (the tolerance cannot be reached)", ", reachable ", design.reachable_tolerance, "\n",  //
              "sources      spread to ", readable_sizes(design.problem.modes, design.problem.dim), " cells, width ",
              design.spread.window.width, ", upsampling ", design.spread.window.sigma,
              design.has_source_phases() ? ", with phases" : "", "\n",  //
              "targets      a type 2 on a grid of ", readable_sizes(design.inner.grid, design.problem.dim), ", width ",
              design.inner.window.width, ", upsampling ", design.inner.window.sigma, ", tolerance ",
              design.inner.problem.tolerance, "\n");
}

}  // namespace offgrid
