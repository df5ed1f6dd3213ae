// `offgrid accuracy`: measures the library's error against direct sums over dimension, type, precision, tolerance, size
// and points, and fails where a measured error exceeds its tolerance. A direct sum serves all tolerances of its points.
#include <algorithm>
#include <cmath>
#include <complex>
#include <cstdio>
#include <functional>
#include <memory>

#include "accuracy/accuracy_cases.hpp"
#include "accuracy/accuracy_type3.hpp"
#include "accuracy/search.hpp"
#include "commands.hpp"
#include "files/output_file.hpp"
#include "oracle/direct_sum.hpp"
#include "plan_flags.hpp"
#include "point_sets.hpp"
#include "progress.hpp"
#include "random.hpp"
#include "staged_plan.hpp"
#include "text.hpp"

namespace cli {
namespace {

constexpr const char* footer =
    "Example:\n"
    "  offgrid accuracy                                 the whole table, a few minutes\n"
    "  offgrid accuracy --quick                         a part of it, less than a minute\n"
    "  offgrid accuracy --dim 3 --precision f32 --tolerance 1e-6 --csv accuracy.csv\n"
    "  offgrid accuracy --type 3 --size medium,large    points to targets, by products of the boxes around them\n"
    "  offgrid accuracy --search 120                    two minutes of random inputs, meant to break the promise\n"
    "  offgrid accuracy --search 120 --seed 2           other ones; --case 17 measures one of them again\n"
    "  offgrid accuracy --search 120 --type 3           those of type 3 alone\n"
    "Exit code 1 where any measured error exceeds its tolerance, or in a search the promise of docs/accuracy.md.";

struct Settings {
  std::vector<int> dims{1, 2, 3}, types{1, 2, 3};
  std::vector<std::string> precisions{"f32", "f64"}, sizes, sets;
  std::vector<double> tolerances;
  std::string csv;
  bool quick = false, progress = false;
  SearchSettings search;
  PlanFlags flags;

  [[nodiscard]] Extent extent() const { return quick ? Extent::quick : Extent::full; }
};

template <class Value> bool chosen(const std::vector<Value>& list, const Value& value) {
  return list.empty() || std::find(list.begin(), list.end(), value) != list.end();
}

std::vector<double> tolerances_of(const Settings& settings, const std::string& precision) {
  return settings.tolerances.empty() ? tolerances_for(precision, settings.extent()) : settings.tolerances;
}

template <class Size> std::vector<Size> chosen_sizes(const Settings& settings, std::vector<Size> sizes) {
  std::erase_if(sizes, [&](const Size& size) { return !chosen(settings.sizes, size.name); });
  return sizes;
}

template <class Set> std::vector<Set> chosen_sets(const Settings& settings, std::span<const Set> all) {
  std::vector<Set> sets;
  for (const auto set : all)
    if (chosen(settings.sets, std::string(name_of(set)))) sets.push_back(set);
  return sets;
}

// One row of the sweep of types 1 and 2: everything but the points and the tolerance.
struct Row {
  int dim, type;
  std::string precision;
  SizeCase size;

  // A batch of two, so that the table covers batches too.
  [[nodiscard]] static std::int64_t vectors() { return 2; }
};

template <class T> class RowSweep {
 public:
  RowSweep(const Settings& settings, Row row)
      : row_(std::move(row)), tolerances_(tolerances_of(settings, row_.precision)) {
    for (const double tolerance : tolerances_) {
      offgrid::Problem problem{.type = row_.type, .modes = row_.size.modes, .tolerance = tolerance};
      problem.transforms = row_.vectors();
      problem.options = settings.flags.given();
      problem.options.emplace_back("points_hint", static_cast<double>(row_.size.points));
      plans_.push_back(std::make_unique<StagedPlan<T>>(problem, place_of(settings.flags)));
    }
  }

  void measure(PointSet set, std::vector<AccuracyCell>& cells, ProgressBar& bar) {
    const auto points = make_points<T>({set, row_.size.points, row_.size.modes, grids(), 17});
    const auto axes = points.spans();
    std::vector<Complex> input(static_cast<std::size_t>(input_size() * row_.vectors()));
    std::vector<Complex> output(static_cast<std::size_t>(output_size() * row_.vectors()));
    fill_random<T>(input, 23);
    const auto expected = reference(axes, input);
    const double dilution = oracle::cancellation<T>(input, expected, row_.vectors());
    for (std::size_t i = 0; i < plans_.size(); ++i) {
      plans_[i]->set_points(axes);
      plans_[i]->execute(input, output);
      const double error = oracle::relative_error<T>(output, expected, positions()) * dilution;
      cells.push_back({row_.dim, row_.type, row_.precision, row_.size.name, name_of(set), tolerances_[i], error});
      bar.step(cells.back().name());
    }
  }

 private:
  using Complex = std::complex<T>;

  [[nodiscard]] std::int64_t input_size() const {
    return row_.type == 1 ? row_.size.points : mode_count(row_.size.modes);
  }
  [[nodiscard]] std::int64_t output_size() const {
    return row_.type == 1 ? mode_count(row_.size.modes) : row_.size.points;
  }

  [[nodiscard]] std::vector<std::int64_t> sampled() const {
    const std::int64_t samples = row_.type == 1 ? row_.size.sampled_modes : row_.size.sampled_points;
    return sample_positions(output_size(), samples / row_.vectors(), 29);
  }

  // The sampled outputs of every vector, as positions in the whole output.
  [[nodiscard]] std::vector<std::int64_t> positions() const {
    std::vector<std::int64_t> all;
    for (std::int64_t vector = 0; vector < row_.vectors(); ++vector)
      for (const auto position : sampled()) all.push_back(vector * output_size() + position);
    return all;
  }

  [[nodiscard]] oracle::Sums reference(const AxisSpans<T>& axes, std::span<const Complex> input) const {
    const oracle::Problem problem{row_.size.modes, row_.type == 1 ? -1 : 1, oracle::ModeOrder::centred};
    const auto wanted = sampled();
    const bool everything = static_cast<std::int64_t>(wanted.size()) == output_size();
    oracle::Sums all;
    for (std::int64_t vector = 0; vector < row_.vectors(); ++vector) {
      const auto part =
          input.subspan(static_cast<std::size_t>(vector * input_size()), static_cast<std::size_t>(input_size()));
      const oracle::Sums sums = row_.type == 2 ? oracle::direct_type2<T>(problem, axes, part, wanted)
                                : everything   ? oracle::direct_type1<T>(problem, axes, part)
                                               : oracle::direct_type1<T>(problem, axes, part, wanted);
      all.insert(all.end(), sums.begin(), sums.end());
    }
    return all;
  }

  // The grids that the plans chose, so that points can be put on their nodes.
  [[nodiscard]] std::vector<std::vector<std::int64_t>> grids() const {
    std::vector<std::vector<std::int64_t>> all;
    for (const auto& plan : plans_) {
      auto& grid = all.emplace_back();
      for (int axis = 1; axis <= row_.dim; ++axis)
        grid.push_back(static_cast<std::int64_t>(plan->get(format("grid%d", axis).c_str())));
    }
    return all;
  }

  Row row_;
  std::vector<double> tolerances_;
  std::vector<std::unique_ptr<StagedPlan<T>>> plans_;
};

template <class T>
void measure_row(const Settings& settings, const Row& row, std::vector<AccuracyCell>& cells, ProgressBar& bar) {
  RowSweep<T> sweep(settings, row);
  for (const auto set : chosen_sets<PointSet>(settings, all_point_sets)) sweep.measure(set, cells, bar);
}

// A row of any type, which is measured when its turn comes.
struct Task {
  std::size_t cells;
  std::function<void(std::vector<AccuracyCell>& cells, ProgressBar& bar)> measure;
};

void add_type3_tasks(const Settings& settings, int dim, const std::string& precision, std::vector<Task>& tasks) {
  const auto tolerances =
      settings.tolerances.empty() ? type3_tolerances_for(precision, settings.extent()) : settings.tolerances;
  for (const auto& size : chosen_sizes(settings, type3_sizes_for(dim, settings.extent()))) {
    const Type3Row row{precision, size, tolerances, chosen_sets<Type3Set>(settings, all_type3_sets)};
    tasks.push_back({row.cells(), [row, &settings](std::vector<AccuracyCell>& cells, ProgressBar& bar) {
                       measure_type3(row, settings.flags, cells, bar);
                     }});
  }
}

void add_tasks(const Settings& settings, int dim, int type, const std::string& precision, std::vector<Task>& tasks) {
  if (type == 3) return add_type3_tasks(settings, dim, precision, tasks);
  const std::size_t count =
      tolerances_of(settings, precision).size() * chosen_sets<PointSet>(settings, all_point_sets).size();
  for (const auto& size : chosen_sizes(settings, sizes_for(dim, settings.extent()))) {
    const Row row{dim, type, precision, size};
    tasks.push_back({count, [row, &settings](std::vector<AccuracyCell>& cells, ProgressBar& bar) {
                       row.precision == "f32" ? measure_row<float>(settings, row, cells, bar)
                                              : measure_row<double>(settings, row, cells, bar);
                     }});
  }
}

std::vector<AccuracyCell> measure_all(const Settings& settings) {
  std::vector<Task> tasks;
  for (const int dim : settings.dims)
    for (const int type : settings.types)
      for (const auto& precision : settings.precisions) add_tasks(settings, dim, type, precision, tasks);
  std::size_t total = 0;
  for (const auto& task : tasks) total += task.cells;
  if (total == 0) throw InputError("nothing to measure: no size or point set has that name");
  ProgressBar bar("accuracy", static_cast<std::int64_t>(total),
                  progress_mode(settings.progress ? ProgressWish::always : ProgressWish::automatic));
  std::vector<AccuracyCell> cells;
  for (const auto& task : tasks) task.measure(cells, bar);
  return cells;
}

int run(const Settings& settings) {
  require_writable(settings.csv);
  const Stopwatch watch;
  const auto cells = measure_all(settings);
  print_accuracy(cells);
  if (!settings.csv.empty()) write_accuracy_csv(settings.csv, cells);
  const auto by_ratio = [](const AccuracyCell& a, const AccuracyCell& b) { return a.ratio() < b.ratio(); };
  const auto worst = *std::max_element(cells.begin(), cells.end(), by_ratio);
  const auto failed = std::count_if(cells.begin(), cells.end(), [](const auto& cell) { return !(cell.ratio() <= 1); });
  std::printf("worst: %s, error %.2e, %.2f of the tolerance\n", worst.name().c_str(), worst.error, worst.ratio());
  std::printf("%zu cells in %s, %td over their tolerance\n", cells.size(), readable_seconds(watch.seconds()).c_str(),
              failed);
  return failed == 0 ? exit_success : exit_failure;
}

}  // namespace

Command add_accuracy(CLI::App& program) {
  auto* app =
      program.add_subcommand("accuracy", "Measure errors against direct sums; fail where one exceeds its tolerance.");
  app->footer(footer);
  auto settings = std::make_shared<Settings>();
  app->add_option("--dim", settings->dims, "1,2,3")->delimiter(',')->check(CLI::Range(1, 3));
  app->add_option("--type", settings->types, "1,2,3")->delimiter(',')->check(CLI::Range(1, 3));
  app->add_option("--precision", settings->precisions, "f32,f64")->delimiter(',')->check(CLI::IsMember({"f32", "f64"}));
  app->add_option("--tolerance", settings->tolerances, "these instead of every decade that the precision can reach")
      ->delimiter(',')
      ->check(CLI::Range(1e-13, 0.5));
  app->add_option("--size", settings->sizes,
                  "even,odd,prime,one,two,three,small,wide,tall,large; of type 3 few,tiny,medium,wide,large")
      ->delimiter(',');
  app->add_option("--points", settings->sets,
                  "uniform,clustered,nodes,edges,far,repeated,radial; of type 3 "
                  "uniform,off-centre,clustered,ends,scales,repeated")
      ->delimiter(',');
  app->add_option("--csv", settings->csv, "write every cell to this file");
  app->add_flag("--quick", settings->quick, "a part of the sizes and tolerances");
  app->add_flag("--progress", settings->progress, "show progress even where stderr is no terminal");
  app->add_option("--search", settings->search.seconds, "search for this many seconds, instead of the table")
      ->check(CLI::PositiveNumber);
  app->add_option("--seed", settings->search.seed, "of the search");
  app->add_option("--case", settings->search.only, "this case of the search alone")->check(CLI::NonNegativeNumber);
  settings->flags.add_to(*app, {"transforms", "points_hint", "sign", "mode_order", "spread_only", "gram"});
  return {app, [settings] {
            settings->search.progress = settings->progress;
            settings->search.types = settings->types;
            const bool searches = settings->search.seconds > 0 || settings->search.only >= 0;
            return searches ? search(settings->search, settings->flags) : run(*settings);
          }};
}

}  // namespace cli
