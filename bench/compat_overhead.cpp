// What a drop-in costs on top of offgrid's own interface, on the cells of `offgrid bench`: the same transform through offgrid_*
// and through the peer's functions by turns, with fresh plans. Prints the least times of a first use (plan, points, execute)
// and of an execute, and the drop-in's ratios to them; exits with 1 where a ratio is over 1.03.
#include <cufinufft.h>
#include <finufft.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <ctime>
#include <memory>

#include "bench/cells.hpp"
#include "gpu.hpp"
#include "offgrid/offgrid.h"
#include "random.hpp"
#include "timing.hpp"

namespace {

using cli::Cell;
using cli::Place;

constexpr double most_ratio = 1.03;

struct Settings {
  std::string device = "cpu", cells = "*";
  double max_points = 1e6;
  int rounds = 40;
  double cell_seconds = 20;
  bool cpu_time = false;
  [[nodiscard]] Place place() const { return device == "gpu" ? Place::gpu : Place::host; }
};

struct Times {
  double first_use = 1e9;
  double execute = 1e9;
};

void need(int code) {
  if (code != 0) throw std::runtime_error("a call failed with " + std::to_string(code) + ": " + offgrid_last_error());
}

// The arrays of one cell, where the plans read them.
template <class T> struct Data {
  using Complex = std::complex<T>;

  Data(const Cell& cell, Place place)
      : strengths(place, static_cast<std::size_t>(cell.batch * cell.points)),
        modes(place, static_cast<std::size_t>(cell.batch * cli::mode_count(cell.modes()))) {
    const auto points = cli::make_points<T>({cell.set, cell.points, cell.modes(), {}, 5});
    for (const auto& axis : points.spans()) placed.emplace_back(place, axis);
    for (std::size_t a = 0; a < placed.size(); ++a) axes[a] = placed[a].span().data();
    auto& input = cell.type == 1 ? strengths : modes;
    std::vector<Complex> values(input.span().size());
    cli::fill_random<T>(values, 7);
    input = cli::PlacedArray<Complex>(place, std::span<const Complex>(values));
  }

  std::vector<cli::PlacedArray<T>> placed;
  std::array<const T*, 3> axes{};
  cli::PlacedArray<Complex> strengths, modes;
};

// offgrid's own interface as a program in C would call it.
template <class T> class Own {
 public:
  Own(const Cell& cell, Place place) {
    offgrid_options options = nullptr;
    need(offgrid_options_create(&options));
    need(offgrid_options_set(options, "sign", 1));
    need(offgrid_options_set(options, "transforms", static_cast<double>(cell.batch)));
    need(offgrid_options_set_text(options, "device", place == Place::gpu ? "cuda" : "cpu"));
    const auto precision = sizeof(T) == 4 ? OFFGRID_F32 : OFFGRID_F64;
    const auto modes = cell.modes();
    need(offgrid_plan_create(&plan_, cell.type, cell.dim, modes.data(), cell.tolerance, precision, options));
    offgrid_options_destroy(options);
  }
  Own(const Own&) = delete;
  Own& operator=(const Own&) = delete;
  ~Own() { offgrid_plan_destroy(plan_); }
  void set_points(const Cell& cell, Data<T>& data) {
    need(offgrid_set_points(plan_, cell.points, data.axes[0], data.axes[1], data.axes[2], nullptr));
  }
  void execute(Data<T>& data) {
    need(offgrid_execute(plan_, data.strengths.span().data(), data.modes.span().data(), nullptr));
  }

 private:
  offgrid_plan plan_ = nullptr;
};

// A peer's interface. P: prefix of its names. C: complex type.
#define OFFGRID_BENCH_PEER(NAME, P, R, C)                                                                              \
  class NAME {                                                                                                         \
   public:                                                                                                             \
    NAME(const Cell& cell, Place) {                                                                                    \
      const auto modes = cell.modes();                                                                                 \
      need(P##_makeplan(cell.type, cell.dim, modes.data(), 1, static_cast<int>(cell.batch), R(cell.tolerance), &plan_, \
                        nullptr));                                                                                     \
    }                                                                                                                  \
    NAME(const NAME&) = delete;                                                                                        \
    NAME& operator=(const NAME&) = delete;                                                                             \
    ~NAME() { P##_destroy(plan_); }                                                                                    \
    void set_points(const Cell& cell, Data<R>& data) {                                                                 \
      need(P##_setpts(plan_, cell.points, data.axes[0], data.axes[1], data.axes[2], 0, nullptr, nullptr, nullptr));    \
    }                                                                                                                  \
    void execute(Data<R>& data) {                                                                                      \
      need(P##_execute(plan_, reinterpret_cast<C*>(data.strengths.span().data()),                                      \
                       reinterpret_cast<C*>(data.modes.span().data())));                                               \
    }                                                                                                                  \
                                                                                                                       \
   private:                                                                                                            \
    P##_plan plan_ = nullptr;                                                                                          \
  };

OFFGRID_BENCH_PEER(Finufft, finufft, double, std::complex<double>)
OFFGRID_BENCH_PEER(Finufftf, finufftf, float, std::complex<float>)
OFFGRID_BENCH_PEER(Cufinufft, cufinufft, double, cuDoubleComplex)
OFFGRID_BENCH_PEER(Cufinufftf, cufinufftf, float, cuFloatComplex)

double cpu_seconds() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

// Seconds of some work, on a GPU until all of it is done.
template <class Work> double timed(const Settings& settings, const Work& work) {
  if (settings.cpu_time) {
    const double start = cpu_seconds();
    work();
    return cpu_seconds() - start;
  }
  if (settings.place() == Place::host) return cli::seconds_of(work);
  cli::gpu::synchronise();
  return cli::seconds_of([&] {
    work();
    cli::gpu::synchronise();
  });
}

template <class Interface, class T>
void time_once(const Cell& cell, const Settings& settings, Data<T>& data, Times& least) {
  std::unique_ptr<Interface> plan;
  const double first_use = timed(settings, [&] {
    plan = std::make_unique<Interface>(cell, settings.place());
    plan->set_points(cell, data);
    plan->execute(data);
  });
  least.first_use = std::min(least.first_use, first_use);
  for (int again = 0; again < 3; ++again)
    least.execute = std::min(least.execute, timed(settings, [&] { plan->execute(data); }));
}

// Whether the drop-in is as fast.
template <class Peer, class T> bool compare(const Cell& cell, const Settings& settings) {
  Data<T> data(cell, settings.place());
  Times own, peer;
  const cli::Stopwatch watch;
  for (int round = 0; round < 3 || (round < settings.rounds && watch.seconds() < settings.cell_seconds); ++round) {
    time_once<Own<T>>(cell, settings, data, own);
    time_once<Peer>(cell, settings, data, peer);
  }
  const double first_use = peer.first_use / own.first_use, execute = peer.execute / own.execute;
  const bool good = first_use <= most_ratio && execute <= most_ratio;
  std::printf("%-48s %10.3f ms  %6.3f  %10.3f ms  %6.3f%s\n", cell.name().c_str(), 1e3 * own.first_use, first_use,
              1e3 * own.execute, execute, good ? "" : "  slower");
  std::fflush(stdout);
  return good;
}

bool compare_cell(const Cell& cell, const Settings& settings) {
  const bool single = cell.precision == cli::Precision::f32;
  if (settings.place() == Place::gpu)
    return single ? compare<Cufinufftf, float>(cell, settings) : compare<Cufinufft, double>(cell, settings);
  return single ? compare<Finufftf, float>(cell, settings) : compare<Finufft, double>(cell, settings);
}

int measure_all(const Settings& settings) {
  std::printf("%-48s %13s  %6s  %13s  %6s\n", "cell", "first use", "ratio", "execute", "ratio");
  int cells = 0, slower = 0;
  for (const Cell& cell : cli::all_cells()) {
    if (static_cast<double>(cell.points) > settings.max_points || !cli::matches(cell.name(), settings.cells)) continue;
    ++cells;
    if (!compare_cell(cell, settings)) ++slower;
  }
  std::printf("%d cells, %d of them slower than %.2f times offgrid's own interface\n", cells, slower, most_ratio);
  return slower == 0 && cells > 0 ? 0 : 1;
}

}  // namespace

int main(int count, char** arguments) try {
  Settings settings;
  CLI::App app("What a drop-in costs on top of offgrid's own interface, on the cells of `offgrid bench`.");
  app.add_option("--device", settings.device, "cpu: libfinufft. gpu: libcufinufft")
      ->check(CLI::IsMember({"cpu", "gpu"}))
      ->capture_default_str();
  app.add_option("--cells", settings.cells, "pattern of names, as of `offgrid bench`")->capture_default_str();
  app.add_option("--max-points", settings.max_points, "leaves out the cells with more")->capture_default_str();
  app.add_option("--rounds", settings.rounds, "of both interfaces per cell, at most")->capture_default_str();
  app.add_option("--seconds", settings.cell_seconds, "per cell, after three rounds")->capture_default_str();
  app.add_flag("--cpu-time", settings.cpu_time, "CPU time of all threads instead: for the CPU of a busy machine");
  CLI11_PARSE(app, count, arguments);
  return measure_all(settings);
} catch (const std::exception& error) {
  std::fprintf(stderr, "compat_overhead: %s\n", error.what());
  return 2;
}
