// `offgrid inverse`: least squares by conjugate gradients, from values at points to modes, in NPY files.
#include <complex>
#include <cstdio>
#include <memory>

#include "commands.hpp"
#include "files/point_files.hpp"
#include "plan_flags.hpp"
#include "reach.hpp"
#include "solver_flags.hpp"
#include "staged_solve.hpp"

namespace cli {
namespace {

constexpr const char* footer =
    "The modes f that minimise  sum over j of w[j] |(A f)[j] - values[j]|^2 + regularisation |f|^2,  A of type 2.\n"
    "Weights come from a file, or with --density-weights from the points as `offgrid weights` finds them; with "
    "weights\n"
    "for the density, few steps do. --coils has the sensitivities of several receivers, of the shape (C, *modes), and\n"
    "values are then (C, M).\n"
    "Layout and dtypes are as for `offgrid run`: --modes 64,48 is numpy's shape of the modes.\n"
    "\n"
    "Example, in Python and then in the shell:\n"
    "  points = np.random.uniform(-np.pi, np.pi, (20000, 2))\n"
    "  np.save('points.npy', points)\n"
    "  np.save('values.npy', offgrid.nufft2(points, image, tol=1e-6))\n"
    "  offgrid inverse --modes 64,48 --density-weights --points points.npy --values values.npy --output modes.npy";

struct Settings {
  Shape modes;  // numpy's
  double tolerance = 1e-6, regularisation = 0;
  std::vector<std::string> points;
  std::string values, weights, coils, start, output;
  bool density_weights = false;
  SolverFlags solver;
  PlanFlags flags;
};

offgrid::Problem make_problem(const Settings& settings) {
  return {
      .type = 2, .modes = reversed(settings.modes), .tolerance = settings.tolerance, .options = settings.flags.given()};
}

// How many coils there are: the first axis of their file, and 0 without one.
std::int64_t coil_count(const Settings& settings) {
  if (settings.coils.empty()) return 0;
  const NpyArray coils(settings.coils);
  if (coils.shape().size() != settings.modes.size() + 1)
    throw InputError(settings.coils + ": its shape is " + shape_text(coils.shape()) +
                     ", expected (C, *modes): the sensitivities of C coils, one after the other");
  return coils.shape()[0];
}

template <class T> int solve(const Settings& settings, const CoordinateFiles& files) {
  using Complex = std::complex<T>;
  const ReadPoints<T> points(files, dimension_of(files, dimension_of_modes(settings.modes)), Coordinates::periodic);
  const std::int64_t coils = coil_count(settings);
  Shape values_shape{points.count()}, coils_shape = settings.modes;
  coils_shape.insert(coils_shape.begin(), coils);
  if (coils > 0) values_shape.insert(values_shape.begin(), coils);
  const auto values = read_values<Complex, T>(settings.values, values_shape,
                                              coils > 0 ? "one value per coil and point" : "one value per point");
  const auto weights = read_values<T, T>(settings.weights, {points.count()}, "one weight per point");
  const auto sensitivities = read_values<Complex, T>(settings.coils, coils_shape, "the modes of each coil");
  const auto start = read_values<Complex, T>(settings.start, settings.modes, "the sizes of --modes");
  const offgrid::Problem problem = make_problem(settings);
  const Place place = place_of(settings.flags);
  warn_out_of_reach(offgrid::Plan<T>(placed(problem, place)), settings.tolerance);
  std::vector<T> density;
  if (settings.density_weights) density = staged_weights<T>(problem, points.axes, {}, place);

  SolverProgress progress("conjugate gradients", "residual", settings.solver);
  const auto modes =
      staged_inverse<T>(problem, points.axes, values.view(),
                        {.weights = settings.density_weights ? std::span<const T>(density) : weights.view(),
                         .regularisation = settings.regularisation,
                         .coils = sensitivities.view(),
                         .start = start.view(),
                         .iteration = progress.iteration()},
                        place);
  const std::string steps = progress.finish();
  write_npy<Complex>(settings.output, modes, settings.modes);
  std::printf("%s: %s of %s, %s\n", settings.output.c_str(), shape_text(settings.modes).c_str(),
              dtype_of<Complex>().c_str(), steps.c_str());
  return exit_success;
}

int run(const Settings& settings) {
  require_writable(settings.output);
  for (const auto& path : settings.points) require_different(settings.output, path);
  for (const auto* path : {&settings.values, &settings.weights, &settings.coils, &settings.start})
    if (!path->empty()) require_different(settings.output, *path);
  const CoordinateFiles files = open_files("--points", settings.points);
  return in_precision_of(files, [&](auto zero) { return solve<decltype(zero)>(settings, files); });
}

}  // namespace

Command add_inverse(CLI::App& program) {
  auto* app = program.add_subcommand("inverse",
                                     "Least squares: the modes whose values at points come nearest to an NPY file's.");
  app->footer(footer);
  auto settings = std::make_shared<Settings>();
  app->add_option("--modes", settings->modes, "numpy's shape of the modes, such as 64,48")->delimiter(',')->required();
  app->add_option("--tolerance", settings->tolerance, "of the transforms: bound of the relative l2 error")
      ->capture_default_str();
  app->add_option("--points", settings->points, "NPY: one (M,) file per axis, or one (M, d) file")->required();
  app->add_option("--values", settings->values, "NPY: complex, (M,); with --coils (C, M)")->required();
  app->add_option("--output", settings->output, "NPY file to write, of the shape --modes")->required();
  auto* weights = app->add_option("--weights", settings->weights, "NPY: real, (M,); default: ones");
  app->add_flag("--density-weights", settings->density_weights, "weights for the density of the points")
      ->excludes(weights);
  app->add_option("--coils", settings->coils, "NPY: complex, (C, *modes), the sensitivities of C receivers");
  app->add_option("--start", settings->start, "NPY: the modes to begin with; default: zeros");
  app->add_option("--regularisation", settings->regularisation, "factor of |f|^2")
      ->check(CLI::NonNegativeNumber)
      ->capture_default_str();
  settings->solver.add_to(*app, 1e-6, "the residual of the normal equations, over that of zero modes,");
  settings->flags.add_to(*app, {"transforms", "spread_only", "points_hint", "type3"});
  return {app, [settings] { return run(*settings); }};
}

}  // namespace cli
