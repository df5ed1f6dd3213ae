#include "bench/bench_mpi.hpp"

#include "commands.hpp"
#include "text.hpp"

#ifdef OFFGRID_HAS_MPI
#include <algorithm>
#include <array>
#include <cmath>
#include <complex>
#include <cstdio>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "files/output_file.hpp"
#include "offgrid/mpi.hpp"
#include "oracle/direct_sum.hpp"
#include "point_sets.hpp"
#include "progress.hpp"
#include "random.hpp"
#include "staged_plan.hpp"
#include "timing.hpp"
#endif

namespace cli {

#ifndef OFFGRID_HAS_MPI

int bench_mpi(const MpiBench&, const PlanFlags&) {
  throw InputError("--mpi: this offgrid was built without MPI; apt-get install libopenmpi-dev openmpi-bin, then build");
}

#else

namespace {

using offgrid::mpi::World;
using Complex = std::complex<double>;

constexpr double tolerance = 1e-12;

struct Task {
  const char* name;
  int type;
  std::int64_t size;  // modes along each axis
  double points;      // per rank

  [[nodiscard]] std::vector<std::int64_t> modes() const { return {size, size, size}; }
};
constexpr std::array tasks{Task{"slicing", 2, 41, 1.02e6}, Task{"merging", 1, 81, 1.64e7}};

// What one rank reads and writes.
struct Data {
  Data(const Task& task, std::int64_t count, int rank)
      : points(make_points<double>({PointSet::uniform, count, task.modes(), {}, static_cast<std::uint64_t>(5 + rank)})),
        input(static_cast<std::size_t>(task.type == 1 ? count : mode_count(task.modes()))),
        output(static_cast<std::size_t>(task.type == 1 ? mode_count(task.modes()) : count)) {
    // Modes are the same on every rank, strengths are not.
    fill_random<double>(input, static_cast<std::uint64_t>(task.type == 1 ? 7 + rank : 7));
  }

  Points<double> points;
  std::vector<Complex> input, output;
};

// The data where the plan reaches it: on the host itself, on a GPU in arrays that are allocated once.
class Placed {
 public:
  Placed(Place place, Data& data) : data_(data), axes_(data.points.spans()), input_(data.input), output_(data.output) {
    if (place == Place::host) return;
    for (auto& axis : axes_) axis = {allocated<double>(axis.size()), axis.size()};
    input_ = {allocated<Complex>(input_.size()), input_.size()};
    output_ = {allocated<Complex>(output_.size()), output_.size()};
  }

  void upload() const {
    if (memory_.empty()) return;
    for (std::size_t a = 0; a < axes_.size(); ++a)
      gpu::copy_to(memory_[a].get(), data_.points.coordinates[a].data(), axes_[a].size_bytes());
    gpu::copy_to(memory_[axes_.size()].get(), data_.input.data(), input_.size_bytes());
    gpu::synchronise();
  }
  void download() const {
    if (!memory_.empty()) gpu::copy_from(data_.output.data(), output_.data(), output_.size_bytes());
  }
  void wait() const {
    if (!memory_.empty()) gpu::synchronise();
  }

  [[nodiscard]] const AxisSpans<double>& axes() const { return axes_; }
  [[nodiscard]] std::span<const Complex> input() const { return input_; }
  [[nodiscard]] std::span<Complex> output() const { return output_; }

 private:
  template <class V> V* allocated(std::size_t size) {
    return static_cast<V*>(memory_.emplace_back(gpu::allocate(size * sizeof(V))).get());
  }

  Data& data_;
  std::vector<std::shared_ptr<void> > memory_;  // of a GPU: axes, input, output
  AxisSpans<double> axes_;
  std::span<const Complex> input_;
  std::span<Complex> output_;
};

// On rank 0 the largest value of all ranks; elsewhere 0.
double largest(const World& ranks, double value) {
  const auto all = ranks.gather(std::span<const double>(&value, 1));
  return all.empty() ? 0 : *std::max_element(all.begin(), all.end());
}

// Seconds of the slowest rank, on rank 0, from where all ranks begin together.
template <class Work> double slowest(const World& ranks, Work&& work) {
  ranks.agree(OFFGRID_OK, "");  // returns when all ranks have come here
  return largest(ranks, seconds_of(work));
}

// Seconds of the repetitions. `sum` is part of `execute`.
struct Times {
  std::vector<double> upload, set_up, execute, sum, download;
};

void repeat(const World& ranks, const offgrid::Problem& problem, const Placed& data, Times& times) {
  std::unique_ptr<offgrid::mpi::Plan<double> > plan;
  // A copy may fail on one rank: then all ranks hear of it.
  times.upload.push_back(slowest(ranks, [&] { ranks.together([&] { data.upload(); }); }));
  times.set_up.push_back(slowest(ranks, [&] {
    plan = std::make_unique<offgrid::mpi::Plan<double> >(ranks, problem);
    plan->set_points(data.axes());
    data.wait();
  }));
  times.execute.push_back(slowest(ranks, [&] {
    plan->execute(data.input(), data.output());
    data.wait();
  }));
  times.sum.push_back(largest(ranks, plan->get("seconds_sum")));
  times.download.push_back(slowest(ranks, [&] { ranks.together([&] { data.download(); }); }));
}

// Rank 0 has the watch.
bool goes_on(const World& ranks, const Stopwatch& watch, double enough_seconds) {
  int answer = watch.seconds() < enough_seconds ? 1 : 0;
  ranks.broadcast(std::span<int>(&answer, 1));
  return answer != 0;
}

// On rank 0 the largest relative l2 error of a rank over sampled outputs, against sums over the points of all ranks.
double error_of(const World& ranks, const Task& task, const Data& data, std::int64_t samples) {
  const oracle::Problem problem{task.modes(), task.type == 1 ? -1 : 1, oracle::ModeOrder::centred};
  const auto axes = data.points.spans();
  std::vector<std::int64_t> sampled;
  oracle::Sums expected;
  ranks.together([&] {
    sampled = sample_positions(static_cast<std::int64_t>(data.output.size()), samples, 11);
    expected = task.type == 1 ? oracle::direct_type1<double>(problem, axes, data.input, sampled)
                              : oracle::direct_type2<double>(problem, axes, data.input, sampled);
  });
  if (task.type == 1) ranks.sum(std::span<Complex>(expected));
  return largest(ranks, oracle::relative_error<double>(data.output, expected, sampled));
}

struct Row {
  Task task;
  std::int64_t points;  // per rank
  Times times;
  std::optional<double> error;
};

Row measure(const World& ranks, const Task& task, const MpiBench& settings, const PlanFlags& flags) {
  const Place place = place_of(flags);
  offgrid::Problem problem{.type = task.type, .modes = task.modes(), .tolerance = tolerance};
  problem.options = flags.given();
  problem = placed(problem, place);
  Row row{task, std::max<std::int64_t>(1, std::llround(task.points / settings.divisor)), {}, {}};
  std::unique_ptr<Data> data;
  std::unique_ptr<Placed> arrays;
  ranks.together([&] {
    data = std::make_unique<Data>(task, row.points, ranks.rank());
    arrays = std::make_unique<Placed>(place, *data);
  });
  Times warm_up;
  repeat(ranks, problem, *arrays, warm_up);
  const Stopwatch watch;
  do {
    repeat(ranks, problem, *arrays, row.times);
  } while (static_cast<int>(row.times.execute.size()) < settings.repeats &&
           goes_on(ranks, watch, settings.stage_seconds));
  if (settings.samples > 0) row.error = error_of(ranks, task, *data, settings.samples);
  return row;
}

std::string device_words(const World& ranks, Place place) {
  return format("%d rank%s, %s", ranks.size(), ranks.size() == 1 ? "" : "s", place == Place::gpu ? "cuda" : "cpu");
}

void print_head(const World& ranks, Place place) {
  std::printf("%s; 3D, f64, tolerance %g; ms of the slowest rank, medians\n", device_words(ranks, place).c_str(),
              tolerance);
  std::printf("%-8s %5s %12s %10s %10s %21s %10s %10s %12s %8s\n", "task", "N", "points/rank", "set-up", "execute",
              "low .. high", "the sum", "to device", "from device", "error");
}

std::string milliseconds(const std::vector<double>& seconds) { return format("%.4g", 1e3 * spread_of(seconds).median); }

void print_task(const Row& row, Place place) {
  const Spread execute = spread_of(row.times.execute);
  const bool copies = place == Place::gpu;
  std::printf("%-8s %5lld %12lld %10s %10s %10.4g %10.4g %10s %10s %12s %8s\n", row.task.name,
              static_cast<long long>(row.task.size), static_cast<long long>(row.points),
              milliseconds(row.times.set_up).c_str(), milliseconds(row.times.execute).c_str(), 1e3 * execute.low,
              1e3 * execute.high, row.task.type == 1 ? milliseconds(row.times.sum).c_str() : "-",
              copies ? milliseconds(row.times.upload).c_str() : "-",
              copies ? milliseconds(row.times.download).c_str() : "-",
              row.error ? format("%.1e", *row.error).c_str() : "-");
  std::fflush(stdout);
}

void write_csv(const std::string& path, int ranks, Place place, const std::vector<Row>& rows) {
  std::string text =
      "task,ranks,device,size,points_per_rank,set_up_ms,exec_ms,exec_low_ms,exec_high_ms,sum_ms,to_device_ms,"
      "from_device_ms,error,repeats\n";
  for (const Row& row : rows) {
    const Spread execute = spread_of(row.times.execute);
    text += format("%s,%d,%s,%lld,%lld,%s,%s,%.6g,%.6g,%s,%s,%s,%s,%zu\n", row.task.name, ranks,
                   place == Place::gpu ? "cuda" : "cpu", static_cast<long long>(row.task.size),
                   static_cast<long long>(row.points), milliseconds(row.times.set_up).c_str(),
                   milliseconds(row.times.execute).c_str(), 1e3 * execute.low, 1e3 * execute.high,
                   milliseconds(row.times.sum).c_str(), milliseconds(row.times.upload).c_str(),
                   milliseconds(row.times.download).c_str(), row.error ? format("%.3e", *row.error).c_str() : "",
                   row.times.execute.size());
  }
  write_file(path, text);
}

// An error of the input for all ranks.
void refuse_unwritable(const std::string& path) {
  try {
    require_writable(path);
  } catch (const InputError& error) {
    throw offgrid::Error(OFFGRID_INVALID_ARGUMENT, error.what());
  }
}

int run(const World& ranks, const MpiBench& settings, const PlanFlags& flags) {
  const bool is_root = ranks.rank() == 0;
  int device = -1;
  ranks.together([&] {
    offgrid::mpi::detail::check(offgrid_mpi_use_device(ranks.handle(), &device));
    if (is_root) refuse_unwritable(settings.csv);
  });
  const Place place = place_of(flags);
  const ProgressMode mode = progress_mode(settings.progress ? ProgressWish::always : ProgressWish::automatic);
  StageTicker ticker(is_root ? mode : ProgressMode::silent);
  std::vector<Row> rows;
  if (is_root) print_head(ranks, place);
  for (const Task& task : tasks) {
    ticker.enter(format("task %zu of %zu, %s, %s", rows.size() + 1, tasks.size(), task.name,
                        device_words(ranks, place).c_str()));
    rows.push_back(measure(ranks, task, settings, flags));
    ticker.clear();
    if (is_root) print_task(rows.back(), place);
  }
  ranks.together([&] {
    if (is_root && !settings.csv.empty()) write_csv(settings.csv, ranks.size(), place, rows);
  });
  return exit_success;
}

}  // namespace

// What goes wrong goes wrong on all ranks. One of them says so, while the others wait for it before they end: mpirun kills the
// rest of a job when a rank has ended with an error.
int bench_mpi(const MpiBench& settings, const PlanFlags& flags) {
  const World ranks;
  try {
    return run(ranks, settings, flags);
  } catch (const offgrid::Error& error) {
    if (ranks.rank() == 0) std::fprintf(stderr, "offgrid: %s\n", error.what());
    return error.status() == OFFGRID_INVALID_ARGUMENT ? exit_usage : exit_failure;
  }
}

#endif

}  // namespace cli
