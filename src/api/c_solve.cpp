// The C functions of offgrid.h that solve: least squares and density weights.
#include "api/arguments.hpp"
#include "api/guard.hpp"
#include "core/solve/density.hpp"
#include "core/solve/inverse.hpp"

using namespace offgrid;

namespace {

constexpr std::int64_t default_steps = 20;
constexpr double inverse_rtol = 1e-6, density_rtol = 1e-2;

Iteration make_iteration(const offgrid_iteration& asked, double default_rtol) {
  Iteration iteration;
  iteration.steps = asked.iterations == 0 ? default_steps : asked.iterations;
  iteration.enough = asked.rtol == 0 ? default_rtol : asked.rtol < 0 ? 0 : asked.rtol;
  if (asked.callback != nullptr)
    iteration.report = [call = asked.callback, context = asked.context](std::int64_t step, double residual) {
      return call(context, step, residual) != 0;
    };
  require_iteration(iteration);
  return iteration;
}

RawPoints make_points(int dim, int64_t count, const void* const* points) { return {count, checked_axes(dim, points)}; }

// An array that says where to work: the points, or where there are none the result.
Backend backend_where(const Options& options, const RawPoints& points, const void* result) {
  return backend_for(device_for(options, points.count > 0 ? points.axes[0] : result));
}

}  // namespace

offgrid_status offgrid_inverse(int dim, const int64_t* modes, double tolerance, offgrid_precision precision,
                               offgrid_options options, int64_t count, const void* const* points, const void* values,
                               const offgrid_least_squares* asked, void* modes_found, void* stream) {
  return guard([&] {
    const Problem problem = make_problem(2, dim, modes, tolerance, precision);
    const Options chosen = options_or_defaults(options);
    const offgrid_least_squares given = asked ? *asked : offgrid_least_squares{};
    const LeastSquares wanted{.points = make_points(dim, count, points),
                              .values = values,
                              .weights = given.weights,
                              .coils = given.coils,
                              .coil_count = given.coil_count,
                              .start = given.start,
                              .regularisation = given.regularisation,
                              .iteration = make_iteration(given.iteration, inverse_rtol)};
    invert(problem, chosen, backend_where(chosen, wanted.points, modes_found), wanted, modes_found, stream);
  });
}

offgrid_status offgrid_density_weights(int dim, const int64_t* modes, offgrid_precision precision,
                                       offgrid_options options, int64_t count, const void* const* points,
                                       const offgrid_iteration* iteration, void* weights, void* stream) {
  return guard([&] {
    constexpr double any_tolerance = 1e-2;  // the kernel's width is given
    const Problem problem = make_problem(1, dim, modes, any_tolerance, precision);
    const Options chosen = options_or_defaults(options);
    const RawPoints at = make_points(dim, count, points);
    const Iteration wanted = make_iteration(iteration ? *iteration : offgrid_iteration{}, density_rtol);
    find_density_weights(problem, chosen, backend_where(chosen, at, weights), at, wanted, weights, stream);
  });
}
