#include "cuda/method/choice.hpp"

#include <algorithm>
#include <cmath>

#include "core/error.hpp"
#include "core/kernel/kernel.hpp"
#include "core/text.hpp"
#include "cuda/method/global.hpp"
#include "cuda/method/integer_sums.hpp"
#include "cuda/method/owner.hpp"
#include "cuda/method/sums_1d.hpp"
#include "cuda/method/sweep.hpp"
#include "cuda/method/tile.hpp"

namespace offgrid::cuda {
namespace {

// The methods in the order in which they are asked whether they win. GM never does, and before it SM always does.
template <class Accept> const SpreadMethod* first_method(const MethodRequest& request, Accept accept) {
  for (const SpreadMethod* method :
       {&owner_method(), &sweep_method(), &gm_sort_method(), &sums_1d_method(), &tile_method(), &gm_method()})
    if (method->can_run(request) && accept(*method)) return method;
  return nullptr;
}

const SpreadMethod& unit_for(const MethodRequest& request) {
  const Method asked = request.options.method;
  const SpreadMethod* found = first_method(request, [&](const SpreadMethod& method) {
    return asked == Method::automatic ? method.wins(request) : method.word() == asked;
  });
  return found != nullptr ? *found : tile_method();
}

MethodPick pick_of(const MethodRequest& request, const SpreadMethod& unit, bool fixed_point) {
  const bool wide =
      request.sums == SumPrecision::f64 || fixed_point || unit.sums_in_f64(request, unit.subproblem_points(request));
  return {&unit, fixed_point, !request.f64() && wide};
}

// The costs in 1D and 2D were fitted to the whole grid, and do better without.
double filled_part(const Problem& problem) { return problem.dim == 3 ? std::pow(problem.filled, 3) : 1; }

}  // namespace

GridShape shape_of(const Sizes& grid, int dim) {
  GridShape shape{{1, 1, 1}, 1};
  for (int axis = 0; axis < dim; ++axis) {
    if (grid[axis] > most_cells_of_an_axis)
      throw Error(Status::invalid_argument,
                  text("modes: an axis of the grid has ", grid[axis], " cells, the CUDA engine takes 2^31 - 1"));
    shape.n[axis] = static_cast<std::uint32_t>(grid[axis]);
    shape.cells *= shape.n[axis];
  }
  return shape;
}

MethodRequest method_request(const Design& design, const DeviceLimits& device, std::int64_t points,
                             Direction direction) {
  return {.dim = design.dim(),
          .width = design.window.width,
          .precision = design.problem.precision,
          .direction = direction,
          .tolerance = design.problem.tolerance,
          .goal = design.goal,
          .amplification = design.amplification,
          .grid = shape_of(design.grid, design.dim()),
          .filled = filled_part(design.problem),
          .points = points,
          .vectors = design.batch,
          .options = design.options,
          .device = device};
}

MethodRequest method_request(const TransformShape& shape, const DeviceLimits& device) {
  const Problem& problem = shape.problem;
  return {.dim = problem.dim,
          .width = shape.width,
          .precision = problem.precision,
          .direction = shape.direction,
          .tolerance = problem.tolerance,
          .goal = problem.tolerance,
          .amplification = total_amplification(problem, shape.grid, shape.width),
          .grid = shape_of(shape.grid, problem.dim),
          .filled = filled_part(problem),
          .points = expected_points(problem, shape.options),
          .vectors = shape.vectors,
          .options = shape.options,
          .device = device};
}

// Deterministic sums are those of integers where these are exact enough and the sweep can run, and those of owners elsewhere.
MethodPick pick_method(const MethodRequest& request) {
  if (!request.options.deterministic) return pick_of(request, unit_for(request), false);
  const bool fixed_point = request.tolerance >= fixed_point_tolerance && sweep_method().can_run(request);
  return pick_of(request, fixed_point ? sweep_method() : owner_method(), fixed_point);
}

MethodChoice choose_method(const MethodRequest& request) {
  MethodChoice choice;
  const auto take = [&](const MethodPick& pick) {
    choice.unit = pick.unit;
    choice.method = pick.unit->word();
    choice.fixed_point = pick.fixed_point;
    choice.wide = pick.wide;
    const bool fits = pick.unit->lay_out(request, choice);
    choice.sort.subproblem_points = pick.unit->subproblem_points(request);
    return fits;
  };
  if (!take(pick_method(request))) take(pick_of(request, gm_sort_method(), false));
  const Method asked = request.options.method;
  choice.fell_back = asked != Method::automatic && !request.options.deterministic && choice.method != asked;
  return choice;
}

}  // namespace offgrid::cuda
