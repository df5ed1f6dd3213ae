// `offgrid gram`: the Gram operator A* W A of points and weights, applied to modes in NPY files.
#include <complex>
#include <cstdio>
#include <memory>

#include "commands.hpp"
#include "files/point_files.hpp"
#include "plan_flags.hpp"
#include "reach.hpp"
#include "staged_plan.hpp"

namespace cli {
namespace {

constexpr const char* footer =
    "h = A* W A f, with A the transform of type 2, modes to points, and W the diagonal of the weights: what the\n"
    "normal equations of least squares have on their left. It is a convolution, however many points there are, or a\n"
    "pair of transforms, whichever costs less; --gram insists on one.\n"
    "Layout and dtypes are as for `offgrid run`: --modes 64,48 is numpy's shape of the modes, and may be left out,\n"
    "since the input holds the modes. A batch has one more axis in front. The output has the shape of the input.\n"
    "\n"
    "Example, in Python and then in the shell:\n"
    "  np.save('points.npy', np.random.uniform(-np.pi, np.pi, (20000, 2)))\n"
    "  np.save('weights.npy', np.random.uniform(0, 1, 20000))\n"
    "  np.save('modes.npy', np.random.randn(64, 48) + 0j)\n"
    "  offgrid gram --modes 64,48 --points points.npy --weights weights.npy --input modes.npy --output product.npy";

struct Settings {
  Shape modes;  // numpy's
  double tolerance = 1e-6;
  std::vector<std::string> points;
  std::string weights, input, output;
  bool verbose = false;
  PlanFlags flags;
};

// V: of the weights, real or complex. The modes are replaced by their product.
template <class T, class V>
void apply(const Settings& settings, const offgrid::Problem& problem, const AxisSpans<T>& axes,
           std::span<const V> weights, std::vector<std::complex<T>>& modes) {
  const Place place = place_of(settings.flags);
  const PlacedAxes<T> points(place, axes);
  PlacedArray<V> there(place, weights);
  const std::span<const V> given = there.span();
  const offgrid::Gram<T> gram(placed(problem, place), points.axes, given);
  warn_out_of_reach(gram, settings.tolerance);
  if (settings.verbose) std::fprintf(stderr, "%s", in_numpy_order(gram.describe()).c_str());
  PlacedArray<std::complex<T>> both(place, modes);
  gram.apply(both.span(), both.span());
  both.copy_to(modes);
}

template <class T> int multiply(const Settings& settings, const CoordinateFiles& files) {
  using Complex = std::complex<T>;
  const std::size_t dim = dimension_of(files, dimension_of_modes(settings.modes));
  const ReadPoints<T> points(files, dim, Coordinates::periodic);
  const NpyArray input(settings.input);
  const InputShape shape =
      settings.modes.empty() ? split_batch(input, dim) : match_shape(input, settings.modes, "the sizes of --modes");
  require_dtype<Complex, T>(input);
  const auto values = input.values<Complex>();
  std::vector<Complex> modes(values.view().begin(), values.view().end());
  offgrid::Problem problem{.type = 2, .modes = reversed(shape.inner), .tolerance = settings.tolerance};
  problem.transforms = std::max<std::int64_t>(shape.batch, 1);
  problem.options = settings.flags.given();

  const Shape one_each{points.count()};
  if (!settings.weights.empty() && NpyArray(settings.weights).dtype() == dtype_of<Complex>()) {
    const auto weights = read_values<Complex, T>(settings.weights, one_each, "one weight per point");
    apply<T, Complex>(settings, problem, points.axes, weights.view(), modes);
  } else {
    const auto weights = read_values<T, T>(settings.weights, one_each, "one weight per point");
    apply<T, T>(settings, problem, points.axes, weights.view(), modes);
  }
  write_npy<Complex>(settings.output, modes, input.shape());
  std::printf("%s: %s of %s\n", settings.output.c_str(), shape_text(input.shape()).c_str(),
              dtype_of<Complex>().c_str());
  return exit_success;
}

int run(const Settings& settings) {
  require_writable(settings.output);
  for (const auto& path : settings.points) require_different(settings.output, path);
  for (const auto* path : {&settings.input, &settings.weights})
    if (!path->empty()) require_different(settings.output, *path);
  const CoordinateFiles files = open_files("--points", settings.points);
  return in_precision_of(files, [&](auto zero) { return multiply<decltype(zero)>(settings, files); });
}

}  // namespace

Command add_gram(CLI::App& program) {
  auto* app = program.add_subcommand(
      "gram", "The Gram operator A* W A of points and weights, applied to modes in an NPY file.");
  app->footer(footer);
  auto settings = std::make_shared<Settings>();
  app->add_option("--modes", settings->modes, "numpy's shape of the modes, such as 64,48; default: the input's")
      ->delimiter(',');
  app->add_option("--tolerance", settings->tolerance, "bound of the relative l2 error")->capture_default_str();
  app->add_option("--points", settings->points, "NPY: one (M,) file per axis, or one (M, d) file")->required();
  app->add_option("--weights", settings->weights, "NPY: real or complex, (M,); default: ones");
  app->add_option("--input", settings->input, "NPY: modes of the shape --modes, complex; a batch in front")->required();
  app->add_option("--output", settings->output, "NPY file to write, of the input's shape")->required();
  app->add_flag("-v,--verbose", settings->verbose, "say what was chosen");
  settings->flags.add_to(*app, {"transforms", "spread_only", "points_hint", "type3"});
  return {app, [settings] { return run(*settings); }};
}

}  // namespace cli
