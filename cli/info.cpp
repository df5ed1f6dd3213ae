// `offgrid info`: the version, the devices and the options; for a problem, what the library would choose and why.
#include <algorithm>
#include <cstdio>
#include <memory>

#include "axes.hpp"
#include "boxes.hpp"
#include "commands.hpp"
#include "files/array_shapes.hpp"
#include "plan_flags.hpp"
#include "reach.hpp"
#include "text.hpp"

namespace cli {
namespace {

constexpr const char* footer =
    "Example:\n"
    "  offgrid info                                               version, devices, options\n"
    "  offgrid info --modes 128,128,128 --tolerance 1e-6 --points-hint 1e7 --precision f32\n"
    "                                                             sigma, width, grid, memory and expected error\n"
    "Type 3, from the boxes around points and targets, LOW,HIGH for each axis, in the order of the files' columns:\n"
    "  offgrid info --type 3 --dim 3 --points-box -1,1 --targets-box -200,200 --tolerance 1e-9\n"
    "                                                             one pair holds for all axes\n"
    "  offgrid info --type 3 --points-box -1,1 0,3 --targets-box -200,200 0,90 --precision f32\n"
    "What does not fit into memory is refused with the bytes that it would take, and nothing is allocated.";

struct Settings {
  int type = 1, dim = 0;
  Shape modes;  // numpy's
  double tolerance = 1e-6;
  std::string precision = "f64";
  std::int64_t transforms = 1;
  BoxFlag points_box{"--points-box", {}}, targets_box{"--targets-box", {}};
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
  std::printf("\nGive a problem, such as --modes 256,256 --tolerance 1e-9, to see what would be chosen,\n");
  std::printf("or boxes, such as --type 3 --dim 2 --points-box -1,1 --targets-box -50,50.\n");
}

template <class Plan> void print_errors(const Plan& plan) {
  std::printf("expected error       %.2e\n", plan.get("expected_error"));
  std::printf("reachable tolerance  %.2e\n\n%s\n", plan.get("reachable_tolerance"),
              in_numpy_order(plan.describe()).c_str());
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
  print_errors(plan);
}

// The library says how many bytes it would take; here is what to do about them.
template <class T> void set_boxes(offgrid::Plan<T>& plan, const offgrid::Box& points, const offgrid::Box& targets) {
  try {
    plan.set_boxes(points, targets);
  } catch (const offgrid::Error& error) {
    if (error.status() != OFFGRID_OUT_OF_MEMORY) throw;
    throw offgrid::Error(error.status(), std::string(error.what()) +
                                             "; the grids grow with the product of both boxes along each axis: take "
                                             "smaller boxes, or the targets in parts, each with a box of its own");
  }
}

template <class T> void print_type3(const Settings& settings) {
  const std::size_t dim = dimension_of(settings.dim, settings.points_box, settings.targets_box);
  const offgrid::Box points = box_of(settings.points_box, dim), targets = box_of(settings.targets_box, dim);
  offgrid::Problem problem{.type = 3, .dim = static_cast<int>(dim), .tolerance = settings.tolerance};
  problem.transforms = settings.transforms;
  problem.options = settings.flags.given();
  offgrid::Plan<T> plan(problem);
  set_boxes(plan, points, targets);
  warn_out_of_reach(plan, settings.tolerance);
  const double bytes = plan.get("memory_bytes");
  std::printf("problem              type 3, %zuD, %s, tolerance %g\n", dim, settings.precision.c_str(),
              settings.tolerance);
  std::printf("memory               %s (%.0f bytes) for the cells and grids of one execute;\n",
              readable_bytes(bytes).c_str(), bytes);
  std::printf("                     the points, the targets and their factors come on top\n");
  print_errors(plan);
}

// Refuses what belongs to the other types.
void require_fitting(const Settings& settings) {
  const bool has_points = !settings.points_box.numbers.empty(), has_targets = !settings.targets_box.numbers.empty();
  if (settings.type == 3) {
    if (!settings.modes.empty()) throw InputError("--modes belongs to types 1 and 2");
    if (!has_points || !has_targets)
      throw InputError(format("%s is needed: LOW,HIGH of the box around the %s of a type 3, for each axis",
                              has_points ? "--targets-box" : "--points-box", has_points ? "targets" : "points"));
    return;
  }
  for (const BoxFlag* flag : {&settings.points_box, &settings.targets_box})
    if (!flag->numbers.empty()) throw InputError(format("%s belongs to --type 3", flag->option));
  if (settings.dim != 0 && static_cast<std::size_t>(settings.dim) != settings.modes.size())
    throw InputError(format("--dim is %d, but --modes has %zu sizes; --dim is needed for type 3 only", settings.dim,
                            settings.modes.size()));
}

int run(const Settings& settings) {
  require_fitting(settings);
  const bool is_single = settings.precision == "f32";
  if (settings.type == 3)
    is_single ? print_type3<float>(settings) : print_type3<double>(settings);
  else if (settings.modes.empty())
    print_library();
  else if (is_single)
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
  app->add_option("--type", settings->type, "1: points to modes, 2: modes to points, 3: points to targets")
      ->check(CLI::IsMember({1, 2, 3}))
      ->capture_default_str();
  app->add_option("--modes", settings->modes, "numpy's shape of the modes, such as 64,48")->delimiter(',');
  app->add_option("--dim", settings->dim,
                  "of type 3: the number of axes, where one pair LOW,HIGH holds for all of them")
      ->check(CLI::Range(1, 3));
  for (BoxFlag* flag : {&settings->points_box, &settings->targets_box})
    app->add_option(flag->option, flag->numbers,
                    format("of type 3: LOW,HIGH of the %s along each axis, or once for all",
                           flag == &settings->points_box ? "points" : "targets"))
        ->delimiter(',')
        ->type_name("LOW,HIGH");
  app->add_option("--tolerance", settings->tolerance, "bound of the relative l2 error")->capture_default_str();
  app->add_option("--precision", settings->precision, "f32 or f64")
      ->check(CLI::IsMember({"f32", "f64"}))
      ->capture_default_str();
  app->add_option("--transforms", settings->transforms, "how many vectors share the points")->capture_default_str();
  settings->flags.add_to(*app, {"transforms", "gram"});
  return {app, [settings] { return run(*settings); }};
}

}  // namespace cli
