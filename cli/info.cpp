// `offgrid info`: the version, the devices and the options; for a problem, what the library would choose and why.
#include <algorithm>
#include <cstdio>
#include <memory>

#include "array_shapes.hpp"
#include "axes.hpp"
#include "commands.hpp"
#include "plan_flags.hpp"
#include "reach.hpp"
#include "text.hpp"

namespace cli {
namespace {

constexpr const char* footer =
    "Example:\n"
    "  offgrid info                                               version, devices, options\n"
    "  offgrid info --modes 128,128,128 --tolerance 1e-6 --points-hint 1e7 --precision f32\n"
    "                                                             sigma, width, grid, memory and expected error";

struct Settings {
  int type = 1;
  Shape modes;  // numpy's
  double tolerance = 1e-6;
  std::string precision = "f64";
  std::int64_t transforms = 1;
  PlanFlags flags;
};

enum class Heeded { everywhere, on_gpus };

void print_options(Heeded where) {
  for (const auto& option : library_options())
    if (option.gpu_only() == (where == Heeded::on_gpus))
      std::printf("  %-13s %-26s %s\n", option.name.c_str(), option.values.c_str(), option.help.c_str());
}

void print_library() {
  std::printf("offgrid %s\n\nDevices:\n%s\n\n", offgrid_version(), offgrid_devices());
  std::printf("Options (flags of run, info, inverse, weights, bench and demo; names for offgrid_options_set):\n");
  print_options(Heeded::everywhere);
  std::printf("\nOptions for GPUs only:\n");
  print_options(Heeded::on_gpus);
  std::printf("\nGive a problem, such as --modes 256,256 --tolerance 1e-9, to see what would be chosen.\n");
}

template <class T> void print_problem(const Settings& settings) {
  offgrid::Problem problem{.type = settings.type, .modes = reversed(settings.modes), .tolerance = settings.tolerance};
  problem.transforms = settings.transforms;
  problem.options = settings.flags.given();
  if (settings.flags.value("points_hint").empty())
    problem.options.emplace_back("points_hint",
                                 static_cast<double>(std::max<std::int64_t>(1, mode_count(settings.modes))));
  const offgrid::Plan<T> plan(problem);
  warn_out_of_reach(plan, settings.tolerance);
  Shape grid;
  for (std::size_t axis = 0; axis < settings.modes.size(); ++axis)
    grid.push_back(static_cast<std::int64_t>(plan.get(format("grid%zu", axis + 1).c_str())));
  grid = reversed(grid);
  std::printf("problem              type %d, %s modes, %s, tolerance %g\n", settings.type,
              readable_sizes(settings.modes).c_str(), settings.precision.c_str(), settings.tolerance);
  std::printf("sigma                %.4g\n", plan.get("upsampling"));
  std::printf("width                %g\n", plan.get("width"));
  std::printf("grid                 %s\n", readable_sizes(grid).c_str());
  std::printf("workspace            %s\n", readable_bytes(plan.get("workspace_bytes")).c_str());
  std::printf("expected error       %.2e\n", plan.get("expected_error"));
  std::printf("reachable tolerance  %.2e\n\n%s\n", plan.get("reachable_tolerance"),
              in_numpy_order(plan.describe()).c_str());
}

int run(const Settings& settings) {
  if (settings.modes.empty())
    print_library();
  else if (settings.precision == "f32")
    print_problem<float>(settings);
  else
    print_problem<double>(settings);
  return exit_success;
}

}  // namespace

Command add_info(CLI::App& program) {
  auto* app = program.add_subcommand("info", "Version, devices and options; what would be chosen for a problem.");
  app->footer(footer);
  auto settings = std::make_shared<Settings>();
  app->add_option("--type", settings->type, "1: points to modes, 2: modes to points")
      ->check(CLI::IsMember({1, 2}))
      ->capture_default_str();
  app->add_option("--modes", settings->modes, "numpy's shape of the modes, such as 64,48")->delimiter(',');
  app->add_option("--tolerance", settings->tolerance, "bound of the relative l2 error")->capture_default_str();
  app->add_option("--precision", settings->precision, "f32 or f64")
      ->check(CLI::IsMember({"f32", "f64"}))
      ->capture_default_str();
  app->add_option("--transforms", settings->transforms, "how many vectors share the points")->capture_default_str();
  settings->flags.add_to(*app, {"transforms", "gram"});
  return {app, [settings] { return run(*settings); }};
}

}  // namespace cli
