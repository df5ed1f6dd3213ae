// What a drop-in costs on top of offgrid's own interface: the same transform through offgrid_* and through finufft_* by turns, on
// the CPU. Prints the least times of a first use (plan, points, execute) and of an execute, and their ratios; exits with 1 where
// a ratio is over 1.03. compat_overhead [ROUNDS], 40 by default.
#include <finufft.h>
#include <offgrid/offgrid.h>

#include <algorithm>
#include <chrono>
#include <complex>
#include <cstdio>
#include <cstdlib>
#include <vector>

namespace {

constexpr double most_ratio = 1.03;

struct Cell {
  int type;
  int dim;
  std::vector<int64_t> modes;
  int64_t count;
  double tolerance;
};

struct Times {
  double first_use = 1e9;
  double execute = 1e9;
};

struct Data {
  std::vector<double> axis[3];
  std::vector<std::complex<double>> strengths, modes;
};

double now() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

void need(int code) {
  if (code == 0) return;
  std::fprintf(stderr, "compat_overhead: a call failed with %d: %s\n", code, offgrid_last_error());
  std::exit(2);
}

Data make_data(const Cell& cell) {
  Data data;
  std::size_t all = 1;
  for (const int64_t size : cell.modes) all *= static_cast<std::size_t>(size);
  data.modes.assign(all, {1, 0.5});
  data.strengths.assign(static_cast<std::size_t>(cell.count), {1, -0.5});
  std::srand(1);
  for (int a = 0; a < cell.dim; ++a)
    for (int64_t j = 0; j < cell.count; ++j) data.axis[a].push_back(6.28 * std::rand() / RAND_MAX - 3.14);
  return data;
}

const double* axis_or_null(const Data& data, int axis) {
  return data.axis[axis].empty() ? nullptr : data.axis[axis].data();
}

void time_offgrid(const Cell& cell, Data& data, Times& least) {
  const double start = now();
  offgrid_options options = nullptr;
  offgrid_plan plan = nullptr;
  need(offgrid_options_create(&options));
  need(offgrid_options_set(options, "sign", 1));
  need(offgrid_options_set_text(options, "device", "cpu"));
  need(offgrid_plan_create(&plan, cell.type, cell.dim, cell.modes.data(), cell.tolerance, OFFGRID_F64, options));
  need(offgrid_set_points(plan, cell.count, axis_or_null(data, 0), axis_or_null(data, 1), axis_or_null(data, 2),
                          nullptr));
  need(offgrid_execute(plan, data.strengths.data(), data.modes.data(), nullptr));
  const double used = now();
  need(offgrid_execute(plan, data.strengths.data(), data.modes.data(), nullptr));
  least.execute = std::min(least.execute, now() - used);
  least.first_use = std::min(least.first_use, used - start);
  need(offgrid_plan_destroy(plan));
  offgrid_options_destroy(options);
}

void time_finufft(const Cell& cell, Data& data, Times& least) {
  const double start = now();
  finufft_plan plan = nullptr;
  need(finufft_makeplan(cell.type, cell.dim, cell.modes.data(), 1, 1, cell.tolerance, &plan, nullptr));
  need(finufft_setpts(plan, cell.count, axis_or_null(data, 0), axis_or_null(data, 1), axis_or_null(data, 2), 0, nullptr,
                      nullptr, nullptr));
  need(finufft_execute(plan, data.strengths.data(), data.modes.data()));
  const double used = now();
  need(finufft_execute(plan, data.strengths.data(), data.modes.data()));
  least.execute = std::min(least.execute, now() - used);
  least.first_use = std::min(least.first_use, used - start);
  need(finufft_destroy(plan));
}

// Whether the drop-in is as fast.
bool compare(const Cell& cell, int rounds) {
  Data data = make_data(cell);
  Times offgrid, finufft;
  for (int round = 0; round < rounds; ++round) {
    time_offgrid(cell, data, offgrid);
    time_finufft(cell, data, finufft);
  }
  const double first_use = finufft.first_use / offgrid.first_use;
  const double execute = finufft.execute / offgrid.execute;
  std::printf("%d  %dD  %8lld  %7.0e  %9.3f ms  %6.3f  %9.3f ms  %6.3f\n", cell.type, cell.dim,
              static_cast<long long>(cell.count), cell.tolerance, 1e3 * offgrid.first_use, first_use,
              1e3 * offgrid.execute, execute);
  return first_use <= most_ratio && execute <= most_ratio;
}

}  // namespace

int main(int count, char** arguments) {
  const int rounds = count > 1 ? std::atoi(arguments[1]) : 40;
  std::printf("type   points      tol   first use  ratio      execute   ratio\n");
  bool all = true;
  for (const int type : {1, 2})
    for (const int64_t points : {1000, 100000}) {
      all &= compare({.type = type, .dim = 1, .modes = {1000}, .count = points, .tolerance = 1e-6}, rounds);
      all &= compare({.type = type, .dim = 2, .modes = {64, 64}, .count = points, .tolerance = 1e-9}, rounds);
      all &= compare({.type = type, .dim = 3, .modes = {24, 24, 24}, .count = points, .tolerance = 1e-6}, rounds);
    }
  return all ? 0 : 1;
}
