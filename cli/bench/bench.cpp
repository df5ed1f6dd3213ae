// `offgrid bench`: what a user's calls take, on the cells of cells.hpp. Every repetition makes a plan without any hint, sets
// points, executes for the first time, and executes again; the four are reported apart, with the error of what was timed.
// Cells that differ in the tolerance only share their points, their input and their direct sum.
#include <algorithm>
#include <complex>
#include <cstdio>
#include <fstream>
#include <memory>

#include "bench/bench_mpi.hpp"
#include "bench/bench_report.hpp"
#include "bench/cells.hpp"
#include "commands.hpp"
#include "files/output_file.hpp"
#include "oracle/direct_sum.hpp"
#include "plan_flags.hpp"
#include "progress.hpp"
#include "random.hpp"
#include "staged_plan.hpp"
#include "text.hpp"

namespace cli {
namespace {

constexpr const char* footer =
    "Example:\n"
    "  offgrid bench --list                                          the names of the cells\n"
    "  offgrid bench --max-points 1e6 --repeats 7                    those that are quick\n"
    "  offgrid bench --cells 'single/2d1/*' --threads 2 --csv times.csv --json times.json\n"
    "  offgrid bench --cells '3d2/f64.*cluster' --baseline anchors.csv\n"
    "  mpirun -n 4 offgrid bench --mpi --points-divisor 10           M-TIP's tasks on many ranks, the paper's Table "
    "II\n"
    "A pattern is a glob over the whole name, or a regular expression found anywhere in it.";

// Quick repetitions come more often, and quick executes more often in each: some microseconds take more runs to measure.
constexpr double enough_seconds = 2e-3;
constexpr int more_repeats = 20;
constexpr int fewest_later = 3;

struct Settings {
  std::vector<std::string> patterns;
  double max_points = 1e18;
  int repeats = 5;
  std::int64_t samples = 64;
  double stage_seconds = 20;
  std::string csv, json, baseline;
  bool list = false, no_error = false, progress = false, adjoint = false, mpi = false;
  double points_divisor = 1;
  PlanFlags flags;
};

// What cells share that differ in the tolerance only.
template <class T> struct CellData {
  using Complex = std::complex<T>;

  explicit CellData(const Cell& cell)
      : points(make_points<T>({cell.set, cell.points, cell.modes(), {}, 5})),
        input(static_cast<std::size_t>(inputs(cell))) {
    fill_random<T>(input, 7);
  }

  // On the host nothing is copied.
  void place(Place place) {
    if (!axes.empty()) return;
    axes = points.spans(), values = input;
    if (place == Place::host) return;
    for (const auto& axis : points.spans()) placed.emplace_back(place, axis);
    placed_input = std::make_unique<PlacedArray<Complex>>(place, std::span<const Complex>(input));
    for (std::size_t a = 0; a < placed.size(); ++a) axes[a] = placed[a].span();
    values = placed_input->span();
  }

  static std::int64_t inputs(const Cell& cell) {
    return cell.batch * (cell.type == 1 ? cell.points : mode_count(cell.modes()));
  }
  static std::int64_t outputs(const Cell& cell) {
    return cell.batch * (cell.type == 1 ? mode_count(cell.modes()) : cell.points);
  }

  // The last vector of the batch at sampled outputs, summed directly once.
  const oracle::Sums& reference(const Cell& cell, std::int64_t samples) {
    if (!expected.empty()) return expected;
    const oracle::Problem problem{cell.modes(), cell.type == 1 ? -1 : 1, oracle::ModeOrder::centred};
    const auto one = static_cast<std::size_t>(inputs(cell) / cell.batch);
    const auto last = std::span<const Complex>(input).last(one);
    sampled = sample_positions(outputs(cell) / cell.batch, samples, 11);
    const auto host = points.spans();
    expected = cell.type == 1 ? oracle::direct_type1<T>(problem, host, last, sampled)
                              : oracle::direct_type2<T>(problem, host, last, sampled);
    return expected;
  }

  Points<T> points;
  std::vector<Complex> input;
  std::vector<PlacedArray<T>> placed;
  std::unique_ptr<PlacedArray<Complex>> placed_input;
  AxisSpans<T> axes;                // where the plan reads them
  std::span<const Complex> values;  // and the input
  std::vector<std::int64_t> sampled;
  oracle::Sums expected;
};

bool share_data(const Cell& a, const Cell& b) {
  return a.dim == b.dim && a.type == b.type && a.precision == b.precision && a.size == b.size && a.points == b.points &&
         a.set == b.set && a.batch == b.batch;
}

// Seconds of some work. On a GPU either by its own clock, or from the host until all of it is done.
enum class Clock { host, gpu };

template <class Work> double timed(Place place, Clock clock, const Work& work) {
  if (place == Place::host) return seconds_of(work);
  if (clock == Clock::gpu) {
    static gpu::Timer timer;
    timer.start();
    work();
    return timer.stop() / 1000;
  }
  gpu::synchronise();
  return seconds_of([&] {
    work();
    gpu::synchronise();
  });
}

// Times of the calls of one user, in seconds.
struct Times {
  std::vector<double> plan, set_points, first, later, set_and_first, whole;
};

// Everything that a repetition calls, on one cell.
template <class T> class Calls {
 public:
  Calls(const Settings& settings, const Cell& cell, CellData<T>& data)
      : adjoint_(settings.adjoint),
        place_(place_of(settings.flags)),
        problem_{.type = adjoint_ ? 3 - cell.type : cell.type, .modes = cell.modes(), .tolerance = cell.tolerance},
        data_(data),
        output_(place_, static_cast<std::size_t>(CellData<T>::outputs(cell))) {
    problem_.transforms = cell.batch;
    problem_.options = settings.flags.given();
  }

  void repeat(Times& times) {
    plan_.reset();
    const double plan =
        timed(place_, Clock::host, [&] { plan_ = std::make_unique<offgrid::Plan<T>>(placed(problem_, place_)); });
    const double set_points = timed(place_, Clock::host, [&] { cli::set_points(*plan_, data_.axes); });
    const double first = timed(place_, Clock::gpu, [&] { execute(); });
    times.plan.push_back(plan);
    times.set_points.push_back(set_points);
    times.first.push_back(first);
    times.set_and_first.push_back(set_points + first);
    times.whole.push_back(plan + set_points + first);
    double sum = 0;
    for (int runs = 0; runs < fewest_later || (sum < enough_seconds && runs < more_repeats); ++runs)
      sum += times.later.emplace_back(timed(place_, Clock::gpu, [&] { execute(); }));
  }

  [[nodiscard]] const offgrid::Plan<T>& plan() const { return *plan_; }
  [[nodiscard]] PlacedArray<std::complex<T>>& output() { return output_; }

 private:
  void execute() {
    adjoint_ ? plan_->adjoint(data_.values, output_.span()) : plan_->execute(data_.values, output_.span());
  }

  bool adjoint_;
  Place place_;
  offgrid::Problem problem_;
  CellData<T>& data_;
  std::unique_ptr<offgrid::Plan<T>> plan_;
  PlacedArray<std::complex<T>> output_;
};

// One repetition to warm up, then `repeats` or until the time is used up.
template <class T> Times measure_times(const Settings& settings, Calls<T>& calls) {
  const Stopwatch watch;
  Times warm_up, times;
  calls.repeat(warm_up);
  double sum = 0;
  const auto goes_on = [&] {
    const auto runs = static_cast<int>(times.whole.size());
    return watch.seconds() < settings.stage_seconds &&
           (runs < settings.repeats || (sum < enough_seconds && runs < more_repeats * settings.repeats));
  };
  do {
    calls.repeat(times);
    sum += times.whole.back();
  } while (goes_on());
  return times;
}

template <class T> Measurement measure(const Settings& settings, const Cell& cell, CellData<T>& data) {
  data.place(place_of(settings.flags));
  Calls<T> calls(settings, cell, data);
  const Times times = measure_times(settings, calls);
  const offgrid::Plan<T>* plan = &calls.plan();
  auto& output = calls.output();

  Measurement result;
  result.cell = cell.name();
  result.tolerance = cell.tolerance;
  result.plan = spread_of(times.plan);
  result.set_points = spread_of(times.set_points);
  result.first = spread_of(times.first);
  result.execute = spread_of(times.later);
  result.set_and_first = spread_of(times.set_and_first);
  result.whole = spread_of(times.whole);
  result.repeats = times.whole.size();
  result.workspace_bytes = plan->get("workspace_bytes");
  result.memory_bytes = plan->get("memory_bytes"), result.peak_bytes = plan->get("peak_bytes");
  if (settings.no_error) return result;
  const oracle::Sums& expected = data.reference(cell, settings.samples);
  std::vector<std::complex<T>> all(output.span().size());
  output.copy_to(all);
  const auto last = std::span<const std::complex<T>>(all).last(all.size() / static_cast<std::size_t>(cell.batch));
  result.error = oracle::relative_error<T>(last, expected, data.sampled);
  return result;
}

// Keeps the data of the last cell, in case that the next one shares it.
class Bench {
 public:
  explicit Bench(const Settings& settings) : settings_(settings) {}

  Measurement run(const Cell& cell) {
    if (!last_ || !share_data(*last_, cell)) {
      single_.reset();
      double_.reset();
      if (cell.precision == Precision::f32)
        single_ = std::make_unique<CellData<float>>(cell);
      else
        double_ = std::make_unique<CellData<double>>(cell);
      last_ = cell;
    }
    return single_ ? measure<float>(settings_, cell, *single_) : measure<double>(settings_, cell, *double_);
  }

 private:
  const Settings& settings_;
  std::optional<Cell> last_;
  std::unique_ptr<CellData<float>> single_;
  std::unique_ptr<CellData<double>> double_;
};

std::vector<Cell> chosen_cells(const Settings& settings) {
  std::vector<Cell> chosen;
  for (const auto& cell : all_cells()) {
    const auto fits = [&](const std::string& pattern) { return matches(cell.name(), pattern); };
    const bool wanted =
        settings.patterns.empty() || std::any_of(settings.patterns.begin(), settings.patterns.end(), fits);
    if (wanted && static_cast<double>(cell.points) <= settings.max_points) chosen.push_back(cell);
  }
  if (chosen.empty()) throw InputError("no cell matches; `offgrid bench --list` names them all");
  return chosen;
}

int run_on_ranks(const Settings& settings) {
  return bench_mpi({.divisor = settings.points_divisor,
                    .repeats = settings.repeats,
                    .stage_seconds = settings.stage_seconds,
                    .samples = settings.no_error ? 0 : settings.samples,
                    .csv = settings.csv,
                    .progress = settings.progress},
                   settings.flags);
}

int run(const Settings& settings) {
  if (settings.mpi) return run_on_ranks(settings);
  const auto cells = chosen_cells(settings);
  if (settings.list) {
    for (const auto& cell : cells) std::printf("%s\n", cell.name().c_str());
    return exit_success;
  }
  require_writable(settings.csv);
  require_writable(settings.json);
  const Baseline baseline = settings.baseline.empty() ? Baseline{} : read_baseline(settings.baseline);
  std::vector<Measurement> measured;
  Bench bench(settings);
  StageTicker ticker(progress_mode(settings.progress ? ProgressWish::always : ProgressWish::automatic));
  print_header(baseline);
  for (const auto& cell : cells) {
    ticker.enter(format("cell %zu of %zu, %s", measured.size() + 1, cells.size(), cell.name().c_str()));
    measured.push_back(bench.run(cell));
    ticker.clear();
    print_row(measured.back(), baseline);
  }
  if (!baseline.empty()) print_means(measured, baseline);
  if (!settings.csv.empty()) write_bench_csv(settings.csv, measured);
  if (!settings.json.empty()) write_bench_json(settings.json, measured);
  return exit_success;
}

}  // namespace

// M-TIP's tasks in place of the cells, and without what only cells have.
void add_ranks(CLI::App& app, Settings& settings) {
  auto* mpi =
      app.add_flag("--mpi", settings.mpi,
                   "M-TIP's slicing and merging on the ranks of mpirun, the paper's Table II, instead of cells");
  app.add_option("--points-divisor", settings.points_divisor, "with --mpi: divides the paper's points of each rank")
      ->check(CLI::Range(1.0, 1e9))
      ->needs(mpi)
      ->capture_default_str();
  for (const char* other : {"--cells", "--list", "--max-points", "--adjoint", "--json", "--baseline"})
    mpi->excludes(app.get_option(other));
}

Command add_bench(CLI::App& program) {
  auto* app = program.add_subcommand(
      "bench", "Time fresh plans, their first set_points and execute, and later executes on a fixed list of cells.");
  app->footer(footer);
  auto settings = std::make_shared<Settings>();
  app->add_option("--cells", settings->patterns, "only those that match one of these patterns");
  app->add_flag("--list", settings->list, "print the names of the cells and stop");
  app->add_option("--max-points", settings->max_points, "skip cells with more points");
  app->add_option(
         "--repeats", settings->repeats,
         format("plans per cell, after one to warm up; up to %d times as many where they are quick", more_repeats))
      ->check(CLI::Range(1, 1000))
      ->capture_default_str();
  app->add_option("--stage-seconds", settings->stage_seconds, "seconds per cell after which no other plan is made")
      ->capture_default_str();
  app->add_flag("--adjoint", settings->adjoint, "compute each cell as the adjoint of a plan of the other type");
  app->add_option("--samples", settings->samples, "outputs that the error is measured over")
      ->check(CLI::Range(1, 100000))
      ->capture_default_str();
  app->add_flag("--no-error", settings->no_error, "skip the direct sums");
  app->add_option("--csv", settings->csv, "write the measurements to this file");
  app->add_option("--json", settings->json, "write them as JSON too");
  app->add_option("--baseline", settings->baseline, "CSV of another library's times, to print ratios to");
  app->add_flag("--progress", settings->progress, "show progress even where stderr is no terminal");
  add_ranks(*app, *settings);
  settings->flags.add_to(*app, {"transforms", "points_hint", "sign", "mode_order", "spread_only", "gram"});
  return {app, [settings] { return run(*settings); }};
}

}  // namespace cli
