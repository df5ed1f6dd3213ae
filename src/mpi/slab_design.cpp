#include "mpi/slab_design.hpp"

#include "core/design.hpp"
#include "core/error.hpp"
#include "cpu/instructions.hpp"
#include "cpu/policy.hpp"
#include "cpu/threads.hpp"
#include "mpi/handles.hpp"

namespace offgrid::mpi::inside {
namespace {

Options core_options(offgrid_options given, std::int64_t points) {
  Options options;
  options.upsampling = option(given, "upsampling");
  options.width = static_cast<int>(option(given, "width"));
  options.window = static_cast<WindowKind>(option(given, "window"));
  options.strict = option(given, "strict") != 0;
  options.points_hint = std::max<std::int64_t>(1, points);
  return options;
}

SlabDesign taken_from(const Design& design, const Request& request) {
  SlabDesign slabs;
  slabs.dim = request.dim;
  for (int axis = 0; axis < request.dim; ++axis) {
    slabs.modes[axis] = request.modes[axis];
    slabs.grid[axis] = design.grid[axis];
    slabs.deconvolution[axis].resize(static_cast<std::size_t>(design.factors[axis].count()));
    design.factors[axis].evaluate(0, slabs.deconvolution[axis]);
  }
  slabs.width = design.window.width;
  slabs.sigma = design.window.sigma;
  slabs.window = option(request.options, "window");
  slabs.expected_error = design.expected_error;
  slabs.fft_order = option(request.options, "mode_order") != 0;
  slabs.deterministic = option(request.options, "deterministic") != 0;
  slabs.threads = static_cast<int>(option(request.options, "threads"));
  if (slabs.threads == 0) slabs.threads = cpu::available_threads();
  return slabs;
}

}  // namespace

int vector_bytes_here() { return cpu::vector_bytes(); }

SlabDesign design_slabs(const Request& request, std::int64_t points, int vector_bytes) try {
  Problem problem{.type = request.type,
                  .dim = request.dim,
                  .precision = request.precision == OFFGRID_F32 ? Precision::f32 : Precision::f64,
                  .tolerance = request.tolerance};
  std::copy(request.modes.begin(), request.modes.end(), problem.modes.begin());
  const BackendTraits traits = cpu::cost_traits(vector_bytes);
  return taken_from(make_design(problem, core_options(request.options, designed_points(points)), traits), request);
} catch (const offgrid::Error& error) {
  throw Error(static_cast<offgrid_status>(error.status()), error.what());
}

}  // namespace offgrid::mpi::inside
