// `offgrid weights`: density weights of points, from NPY files to an NPY file.
#include <cstdio>
#include <memory>

#include "commands.hpp"
#include "files/point_files.hpp"
#include "plan_flags.hpp"
#include "solver_flags.hpp"
#include "staged_solve.hpp"

namespace cli {
namespace {

constexpr const char* footer =
    "A weight is the part of the period that its point stands for: where points are dense, each has little, and they\n"
    "sum to 1 where the points leave no gaps. Then the adjoint of weighted values is about the modes, and `offgrid\n"
    "inverse` takes fewer steps. The iteration is that of Pipe and Menon (Magnetic Resonance in Medicine 41, 179, "
    "1999).\n"
    "--modes 64,48 is numpy's shape of the modes, and points are files as for `offgrid run`.\n"
    "\n"
    "Example, in Python and then in the shell:\n"
    "  np.save('points.npy', np.random.normal(0, 1, (20000, 2)))\n"
    "  offgrid weights --modes 64,48 --points points.npy --output weights.npy\n"
    "  offgrid inverse --modes 64,48 --points points.npy --values values.npy --weights weights.npy --output modes.npy";

struct Settings {
  Shape modes;  // numpy's
  std::vector<std::string> points;
  std::string output;
  SolverFlags solver;
  PlanFlags flags;
};

template <class T> int find(const Settings& settings, const CoordinateFiles& files) {
  const ReadPoints<T> points(files, dimension_of(files, dimension_of_modes(settings.modes)), Coordinates::periodic);
  SolverProgress progress("density weights", "change", settings.solver);
  const offgrid::Problem problem{.modes = reversed(settings.modes), .options = settings.flags.given()};
  const std::vector<T> weights =
      staged_weights<T>(problem, points.axes, progress.iteration(), place_of(settings.flags));
  const std::string steps = progress.finish();
  write_npy<T>(settings.output, weights, {points.count()});
  double sum = 0;
  for (const T weight : weights) sum += static_cast<double>(weight);
  std::printf("%s: %s of %s, %s, sum %.4g\n", settings.output.c_str(), shape_text({points.count()}).c_str(),
              dtype_of<T>().c_str(), steps.c_str(), sum);
  return exit_success;
}

int run(const Settings& settings) {
  require_writable(settings.output);
  for (const auto& path : settings.points) require_different(settings.output, path);
  const CoordinateFiles files = open_files("--points", settings.points);
  return in_precision_of(files, [&](auto zero) { return find<decltype(zero)>(settings, files); });
}

}  // namespace

Command add_weights(CLI::App& program) {
  auto* app = program.add_subcommand("weights", "Weights for the density of points in NPY files.");
  app->footer(footer);
  auto settings = std::make_shared<Settings>();
  app->add_option("--modes", settings->modes, "numpy's shape of the modes that the points sample, such as 64,48")
      ->delimiter(',')
      ->required();
  app->add_option("--points", settings->points, "NPY: one (M,) file per axis, or one (M, d) file")->required();
  app->add_option("--output", settings->output, "NPY file to write: (M,), of the points' dtype")->required();
  settings->solver.add_to(*app, 1e-2, "the change in a step, over the norm of the weights,");
  settings->flags.add_to(*app, {"transforms", "sign", "mode_order", "strict", "spread_only", "points_hint",
                                "upsampling", "width", "window", "batch", "gram", "type3"});
  return {app, [settings] { return run(*settings); }};
}

}  // namespace cli
