// What `offgrid bench` measured, as a table, CSV and JSON, and against a baseline: a CSV with the columns cell,
// best_exec_ms, best_set_exec_ms and best_whole_ms, one row per cell.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "timing.hpp"

namespace cli {

struct Measurement {
  std::string cell;
  Spread plan, set_points, first, execute;                       // seconds: of fresh plans; `execute`: later ones
  Spread set_and_first, whole;                                   // sums of one repetition
  std::size_t repeats = 0;                                       // plans that were made
  double workspace_bytes = 0, memory_bytes = 0, peak_bytes = 0;  // of an execute; of the plan, now and at most
  double tolerance = 0;
  std::optional<double> error;  // relative l2 over sampled outputs
};

struct BaselineRow {
  double exec_ms = 0, set_exec_ms = 0, whole_ms = 0;  // the best of each
};
using Baseline = std::map<std::string, BaselineRow>;

Baseline read_baseline(const std::string& path);

void print_header(const Baseline& baseline);
void print_row(const Measurement& measured, const Baseline& baseline);

// Geometric means of baseline over ours, and the worst cell of each: over 1, we are faster.
void print_means(const std::vector<Measurement>& measured, const Baseline& baseline);

void write_bench_csv(const std::string& path, const std::vector<Measurement>& measured);
void write_bench_json(const std::string& path, const std::vector<Measurement>& measured);

}  // namespace cli
