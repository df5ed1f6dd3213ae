#include "core/type3/design.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <vector>

#include "core/design/design_memory.hpp"
#include "core/design/safety.hpp"
#include "core/text.hpp"
#include "core/type3/choice.hpp"
#include "core/validate.hpp"

namespace offgrid {
namespace {

constexpr double pi = std::numbers::pi;
constexpr double small_centre = 0.1;  // of the half-width: a box so near to 0 is taken as one around 0, without phases
constexpr double slack = 1.002;       // of the product of the boxes, so that the next points fit, too
constexpr int kept_bits = 9;          // of that product, rounded up: boxes that differ little share a design
constexpr double too_large = 0.8;     // a box that needs less of a grid along some axis gets a grid of its own
constexpr double farthest = 1e100;    // a coordinate
constexpr double most_unasked_pairs = 1e11;  // that are summed where no grids fit, for all vectors: minutes

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
  if (!(largest <= farthest))
    throw Error(Status::invalid_argument, text(what, ": a coordinate is ", largest, " in size"));
  if (std::abs(side.centre) <= small_centre * side.half || largest == 0) return {0, largest};
  // Rounding of the centre must not push the ends out.
  return {side.centre, side.half * (1 + 0x1p-50) + 0x1p-52 * largest};
}

// A box without extent gets one that costs nothing: the product of both is at least 1.
Type3Axis axis_of(const Type3Boxes& boxes, int number) {
  Side source = side_of("points", boxes.sources.low[number], boxes.sources.high[number]);
  Side target = side_of("targets", boxes.targets.low[number], boxes.targets.high[number]);
  for (Side* side : {&source, &target})  // so that 1 / half is finite
    if (side->half != 0) side->half = std::max(side->half, 1 / farthest);
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

// A number in two doubles, right to some 2^-104: phases may be 10^9 turns, of which the 64 bits of a long double leave an error
// of 1e-10 (boxes_that_are_very_far_away in tests/plan/type3_test.cpp).
struct Twofold {
  double high, low;
};
Twofold normalised(double high, double low) {
  const double sum = high + low;
  return {sum, low - (sum - high)};
}
Twofold in_turns(double radians) {
  const double high = radians * per_turn;
  return normalised(high, std::fma(radians, per_turn, -high) + radians * per_turn_low);
}
Twofold quotient(const Twofold& value, double divisor) {
  const double high = value.high / divisor;
  return normalised(high, (std::fma(-high, divisor, value.high) + value.low) / divisor);
}

// `rated`: an AxisMap or a FactorAxis.
void set_rate(auto& rated, const Twofold& rate) {
  rated.rate = rate.high;
  rated.rate_low = rate.low;
}

void map_axis(Type3Design& design, int number, double sigma) {
  Type3Axis& axis = design.axis[number];
  axis.cells_per_unit = sigma * axis.target_half / pi;
  AxisMap &source = design.source_map[number], &target = design.target_map[number];
  source.centre = axis.source_centre, target.centre = axis.target_centre;
  set_rate(source, quotient({axis.cells_per_unit, 0}, static_cast<double>(design.problem.modes[number])));
  set_rate(target, quotient({per_turn, per_turn_low}, axis.cells_per_unit));
  const bool is_single = design.problem.precision == Precision::f32;
  source.largest = target.largest =
      is_single ? double{std::numeric_limits<float>::max()} : std::numeric_limits<double>::max();
  FactorAxis &at_source = design.source_rule.axis[number], &at_target = design.target_rule.axis[number];
  set_rate(at_source, in_turns(axis.target_centre));
  set_rate(at_target, in_turns(axis.source_centre));
  at_target.centre = axis.target_centre;
  at_target.scale = 1 / axis.target_half;
}

bool holds(double centre, double half, double low, double high) {
  return low - centre >= -half && high - centre <= half;
}

// The most that a phase can be, in turns.
double most_turns(const Type3Boxes& boxes, int dim) {
  const auto largest = [](const Box& box, int axis) {
    return std::max(std::abs(box.low[axis]), std::abs(box.high[axis]));
  };
  double turns = 0;
  for (int axis = 0; axis < dim; ++axis) turns += largest(boxes.sources, axis) * largest(boxes.targets, axis);
  return turns / (2 * pi);
}

double most_direct_turns_of(const Problem& problem) {
  return problem.precision == Precision::f32 ? most_direct_turns<float> : most_direct_turns<double>;
}
void require_countable_turns(const Problem& problem, const Type3Boxes& boxes) {
  const double turns = most_turns(boxes, problem.dim), most = most_direct_turns_of(problem);
  if (!(turns <= most))
    throw Error(Status::invalid_argument, text("type3 = direct: phases are up to ", turns, " turns, expected ", most,
                                               " at most; move the boxes nearer to 0, or take grid"));
}

// What a sum over all pairs loses to rounding, relative.
struct DirectErrors {
  double expected, reachable;
};
DirectErrors direct_errors(const Problem& problem) {
  return problem.precision == Precision::f32 ? DirectErrors{2e-7, 4e-7} : DirectErrors{2e-15, 5e-15};
}

// For one vector, in the units of the traits.
double direct_cost(const Problem& problem, const Options& options, const BackendTraits& traits,
                   const Type3Boxes& boxes) {
  if (!(most_turns(boxes, problem.dim) <= most_direct_turns_of(problem)))
    return std::numeric_limits<double>::infinity();
  const DirectCosts& costs = traits.direct[problem.precision == Precision::f32 ? 0 : 1];
  const auto sources = static_cast<double>(boxes.source_count), targets = static_cast<double>(boxes.target_count);
  const double phases = (costs.pair + costs.axis * problem.dim) / static_cast<double>(options.transforms);
  return sources * targets * (phases + costs.vector) * std::max(1.0, costs.full / targets);
}

// Whether the sum over all pairs costs less than the grids, or is all that is left because these do not fit.
bool prefers_pairs(const Type3Case& c, const Type3Boxes& boxes, const Type3Choice& choice) {
  const double direct = direct_cost(c.problem, c.options, c.traits, boxes);
  const auto vectors = static_cast<double>(c.options.transforms);
  if (!choice.fits()) {
    const double pairs = static_cast<double>(boxes.source_count) * static_cast<double>(boxes.target_count);
    return std::isfinite(direct) && pairs * vectors <= most_unasked_pairs;
  }
  const double calls = 2 * c.traits.call_cost / vectors;  // of two stages, and products
  return direct < choice.best.cost + calls;
}

void require_grids(const Type3Case& c, const Type3Boxes& boxes, const Type3Choice& choice) {
  if (choice.fits()) return;
  const bool can_be_direct =
      c.options.type3 == Type3Method::automatic && std::isfinite(direct_cost(c.problem, c.options, c.traits, boxes));
  const auto bytes = static_cast<std::int64_t>(std::min(choice.least_bytes, 0x1p62));
  throw Error(Status::out_of_memory, text(c.traits.grid_memory.refusal(bytes), ", of which grids can have ",
                                          readable_bytes(most_grid_bytes(c)),
                                          can_be_direct ? "; type3 = direct sums over all pairs, without grids" : ""));
}

// The sum over all pairs, without a grid.
Type3Design direct_design(const Problem& problem, const Options& options, const Type3Boxes& boxes) {
  Type3Design design;
  design.problem = problem;
  design.options = options;
  design.problem.modes = {1, 1, 1};
  design.cells = 0;
  design.direct = true;
  design.sources_all_over = boxes.sources_all_over, design.targets_all_over = boxes.targets_all_over;
  design.sources = designed_points(boxes.source_count);
  design.targets = designed_points(boxes.target_count);
  for (int axis = 0; axis < problem.dim; ++axis) design.axis[axis] = axis_of(boxes, axis);
  const DirectErrors errors = direct_errors(problem);
  design.expected_error = errors.expected;
  design.reachable_tolerance = errors.reachable;
  require_reachable(problem, options, {errors.expected, errors.reachable});
  return design;
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

bool are_all_over(const Extent& points, std::int64_t count) {
  constexpr std::int64_t fewest = 1000, fewest_places = 100;  // along an axis, of those that were sampled
  constexpr double at_most = 0.2;
  return count >= fewest && points.places >= fewest_places && points.at_ends <= at_most;
}

bool Type3Design::suits(const Type3Boxes& boxes) const {
  if (!holds_sources(boxes.sources) || !holds_targets(boxes.targets)) return false;
  if ((sources_all_over && !boxes.sources_all_over) || (targets_all_over && !boxes.targets_all_over)) return false;
  if (designed_points(boxes.source_count) != sources || designed_points(boxes.target_count) != targets) return false;
  for (int a = 0; a < problem.dim; ++a)
    if (axis_of(boxes, a).base_cells < too_large * axis[a].base_cells) return false;
  return true;
}

std::int64_t Type3Design::execute_bytes() const {
  if (direct) return 0;
  return group * cells * 2 * spread.real_bytes() + spread.batch * grid_bytes(spread) + inner.batch * grid_bytes(inner);
}

Type3Design make_type3_design(const Problem& problem, const Options& options, const BackendTraits& traits,
                              const Type3Boxes& boxes) {
  if (options.type3 == Type3Method::direct) {
    require_countable_turns(problem, boxes);
    return direct_design(problem, options, boxes);
  }
  Type3Design design;
  design.problem = problem;
  design.options = options;
  design.sources = designed_points(boxes.source_count), design.targets = designed_points(boxes.target_count);
  Type3Case c{
      problem, options, traits, {}, design.sources, design.targets, boxes.sources_all_over, boxes.targets_all_over};
  design.sources_all_over = boxes.sources_all_over, design.targets_all_over = boxes.targets_all_over;
  c.problem.modes = {1, 1, 1};
  for (int axis = 0; axis < problem.dim; ++axis) {
    design.axis[axis] = axis_of(boxes, axis);
    c.base_cells[axis] = design.axis[axis].base_cells;
  }
  const Type3Choice choice = kept_type3_choice(c);
  if (options.type3 == Type3Method::automatic && prefers_pairs(c, boxes, choice))
    return direct_design(problem, options, boxes);
  require_grids(c, boxes, choice);
  const Type3Candidate& best = choice.best;
  design.expected_error = best.error, design.reachable_tolerance = choice.reachable;
  require_reachable(problem, options, {design.expected_error, design.reachable_tolerance});
  design.problem.modes = best.cells;
  design.cells = checked_product("cells", best.cells[0], best.cells[1], best.cells[2]);
  design.group = vectors_per_group(c, best.cells);
  design.inner = *kept_design(inner_problem(c, best), inner_options(c, best), traits);
  Problem first = problem;
  first.type = 1, first.modes = best.cells;
  design.spread = *kept_design(first, spread_options(c, best), traits);
  // Cells are divided by the kernel's transform in the end: their rounding errors count for more.
  design.spread.amplification = amplification(best.sigma, best.width, problem.dim, !boxes.targets_all_over);
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
  const std::string asked =
      text("problem      type 3, ", design.problem.dim, "D, ", design.options.transforms, " transforms, ",
           design.problem.precision == Precision::f32 ? "f32" : "f64", "\n",  //
           "tolerance    ", design.problem.tolerance, ", expected error ", design.expected_error,
           met ? "" : " (the tolerance cannot be reached)", ", reachable ", design.reachable_tolerance, "\n");
  if (design.direct) return asked + "sums         over all pairs of points and targets, without a grid\n";
  return text(asked, "sources      spread to ", readable_sizes(design.problem.modes, design.problem.dim),
              " cells, width ", design.spread.window.width, ", upsampling ", design.spread.window.sigma,
              design.has_source_phases() ? ", with phases" : "", "\n",  //
              "targets      a type 2 on a grid of ", readable_sizes(design.inner.grid, design.problem.dim), ", width ",
              design.inner.window.width, ", upsampling ", design.inner.window.sigma, ", tolerance ",
              design.inner.problem.tolerance, "\n");
}

}  // namespace offgrid
