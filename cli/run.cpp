// `offgrid run`: one transform, or a batch of them, from NPY files to an NPY file. The dtype of the points decides the
// precision. Input is memory-mapped; only an array in another layout than the library's is copied.
#include <complex>
#include <cstdio>
#include <memory>
#include <optional>

#include "axes.hpp"
#include "commands.hpp"
#include "files/array_shapes.hpp"
#include "files/output_file.hpp"
#include "files/point_files.hpp"
#include "plan_flags.hpp"
#include "progress.hpp"
#include "reach.hpp"
#include "staged_plan.hpp"

namespace cli {
namespace {

constexpr const char* footer =
    "Layout: as in Python's offgrid.nufft1. --modes 64,48 is numpy's shape of the modes, (64, 48), and the first\n"
    "coordinate of the points goes with its first axis. A batch has one more axis in front. Points are one (M,) file "
    "per\n"
    "axis, or one (M, d) or (d, M) file.\n"
    "The files' dtypes decide the precision: float32 with complex64, or float64 with complex128.\n"
    "\n"
    "Example, type 1 in 2D, in Python and then in the shell:\n"
    "  np.save('points.npy', np.random.uniform(-np.pi, np.pi, (100000, 2)))\n"
    "  np.save('strengths.npy', np.random.randn(100000) + 0j)\n"
    "  offgrid run --type 1 --modes 256,128 --tolerance 1e-9 --points points.npy --input strengths.npy --output "
    "modes.npy\n"
    "modes.npy then holds an array of shape (256, 128). And back to the points:\n"
    "  offgrid run --type 2 --tolerance 1e-9 --points points.npy --input modes.npy --output values.npy\n"
    "Type 3 goes from points to targets, which come in files of the same kinds:\n"
    "  offgrid run --type 3 --points points.npy --targets targets.npy --input strengths.npy --output values.npy";

struct Settings {
  int type = 1;
  Shape modes;  // numpy's
  double tolerance = 1e-6;
  std::vector<std::string> points, targets;
  std::string input, output;
  bool adjoint = false, verbose = false, progress = false;
  PlanFlags flags;
};

enum class Direction { to_modes, to_points };

// Of types 1 and 2.
Direction direction_of(const Settings& settings) {
  if (settings.type == 3) return Direction::to_points;
  return (settings.type == 1) != settings.adjoint ? Direction::to_modes : Direction::to_points;
}

// Fills in the modes where the input carries them, and checks the input's shape against the points.
InputShape settle_shapes(Settings& settings, const NpyArray& input, std::size_t dim, std::int64_t count) {
  if (direction_of(settings) == Direction::to_modes) {
    if (settings.modes.empty())
      throw InputError(
          format("--modes is needed: %zu sizes, numpy's shape of the output, such as --modes 256,256", dim));
    return match_shape(input, {count}, "one strength per point");
  }
  if (!settings.modes.empty()) return match_shape(input, settings.modes, "the sizes of --modes");
  InputShape found = split_batch(input, dim);
  settings.modes = found.inner;
  return found;
}

offgrid::Problem make_problem(const Settings& settings, std::size_t dim, std::int64_t batch) {
  offgrid::Problem problem{.type = settings.type, .modes = reversed(settings.modes), .tolerance = settings.tolerance};
  if (settings.type == 3) problem.dim = static_cast<int>(dim);
  problem.transforms = std::max<std::int64_t>(batch, 1);
  for (const auto& option : settings.flags.given()) problem.options.push_back(option);
  return problem;
}

void print_stages(const std::vector<Stage>& stages) {
  for (const auto& stage : stages)
    std::fprintf(stderr, "%-12s %s\n", stage.name.c_str(), readable_seconds(stage.seconds).c_str());
}

template <class T>
int transform(Settings& settings, const CoordinateFiles& point_files, const CoordinateFiles& target_files,
              const NpyArray& input) {
  using Complex = std::complex<T>;
  std::vector<Stage> stages;
  StageTicker ticker(progress_mode(settings.progress ? ProgressWish::always : ProgressWish::automatic));
  const auto timed = [&](const char* name, auto&& work) {
    ticker.enter(name);
    stages.push_back({name, seconds_of(work)});
  };

  const std::size_t dim = dimension_of(point_files, dimension_of_modes(settings.modes));
  std::optional<ReadPoints<T>> points, targets;
  timed("read points", [&] {
    points.emplace(point_files, dim, settings.type == 3 ? Coordinates::finite : Coordinates::periodic);
    if (settings.type != 3) return;
    dimension_of(target_files, {dim, format("--points has %zu axes", dim)});  // refuses another number
    targets.emplace(target_files, dim, Coordinates::finite);
  });
  const std::int64_t count = points->count();
  const InputShape shape = settings.type != 3 ? settle_shapes(settings, input, dim, count)
                           : settings.adjoint ? match_shape(input, {targets->count()}, "one value per target")
                                              : match_shape(input, {count}, "one strength per point");
  require_dtype<Complex, T>(input);
  const auto values = input.values<Complex>();

  std::unique_ptr<StagedPlan<T>> plan;
  const Place place = place_of(settings.flags);
  timed("plan", [&] { plan = std::make_unique<StagedPlan<T>>(make_problem(settings, dim, shape.batch), place); });
  if (settings.type != 3) warn_out_of_reach(*plan, settings.tolerance);
  timed("set points",
        [&] { settings.type == 3 ? plan->set_points(points->axes, targets->axes) : plan->set_points(points->axes); });
  const bool has_grid = settings.type == 3 && count > 0 && targets->count() > 0;  // or a sum over all pairs
  if (has_grid) warn_out_of_reach(*plan, settings.tolerance);
  Shape output_shape = direction_of(settings) == Direction::to_modes ? settings.modes : Shape{count};
  if (settings.type == 3 && !settings.adjoint) output_shape = {targets->count()};
  if (shape.batch > 0) output_shape.insert(output_shape.begin(), shape.batch);
  std::vector<Complex> output(static_cast<std::size_t>(mode_count(output_shape)));
  timed("execute",
        [&] { settings.adjoint ? plan->adjoint(values.view(), output) : plan->execute(values.view(), output); });
  timed("write", [&] { write_npy<Complex>(settings.output, output, output_shape); });

  if (settings.verbose) {
    std::fprintf(stderr, "%s\n", in_numpy_order(plan->describe()).c_str());
    print_stages(stages);
  }
  std::printf("%s: %s of %s\n", settings.output.c_str(), shape_text(output_shape).c_str(), dtype_of<Complex>().c_str());
  return exit_success;
}

int run(Settings settings) {
  require_writable(settings.output);
  for (const auto& path : settings.points) require_different(settings.output, path);
  for (const auto& path : settings.targets) require_different(settings.output, path);
  require_different(settings.output, settings.input);
  if ((settings.type == 3) == settings.targets.empty())
    throw InputError(settings.type == 3 ? "--targets is needed: where type 3 is to be evaluated"
                                        : "--targets belongs to --type 3");
  if (settings.type == 3 && !settings.modes.empty()) throw InputError("--modes belongs to types 1 and 2");
  const CoordinateFiles points = open_files("--points", settings.points);
  const CoordinateFiles targets = open_files("--targets", settings.targets);
  const NpyArray input(settings.input);
  const NpyArray& first = points.files[0];
  for (const auto& file : targets.files)
    if (file.dtype() != first.dtype())
      throw InputError(file.name() + ": its dtype is " + file.dtype() + ", expected " + first.dtype() +
                       " as the points'");
  return in_precision_of(points,
                         [&](auto zero) { return transform<decltype(zero)>(settings, points, targets, input); });
}

}  // namespace

Command add_run(CLI::App& program) {
  auto* app = program.add_subcommand(
      "run", "Transform NPY files: points to modes (type 1), modes to points (type 2) or points to targets (type 3).");
  app->footer(footer);
  auto settings = std::make_shared<Settings>();
  app->add_option("--type", settings->type, "1: points to modes, 2: modes to points, 3: points to targets")
      ->check(CLI::IsMember({1, 2, 3}))
      ->capture_default_str();
  app->add_option("--modes", settings->modes,
                  "numpy's shape, such as 64,48; may be left out where the input holds the modes")
      ->delimiter(',');
  app->add_option("--tolerance", settings->tolerance, "bound of the relative l2 error")->capture_default_str();
  app->add_option("--points", settings->points, "NPY: one (M,) file per axis, or one (M, d) file")->required();
  app->add_option("--targets", settings->targets, "of type 3, NPY: as --points");
  app->add_option("--input,--strengths", settings->input,
                  "NPY: strengths (M,), or modes of the shape --modes; a batch in front")
      ->required();
  app->add_option("--output", settings->output,
                  "NPY file to write; a FIFO or a device is written to; a read-only file, and an input, are refused")
      ->required();
  app->add_flag("--adjoint", settings->adjoint, "the conjugate transpose: the other direction with the opposite sign");
  app->add_flag("-v,--verbose", settings->verbose, "say what was chosen, and the time of every stage");
  app->add_flag("--progress", settings->progress, "show progress even where stderr is no terminal");
  settings->flags.add_to(*app, {"transforms", "gram"});
  return {app, [settings] { return run(*settings); }};
}

}  // namespace cli
