#include "bench_report.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <sstream>

#include "offgrid/offgrid.h"
#include "output_file.hpp"
#include "text.hpp"

namespace cli {
namespace {

std::vector<std::string> split(const std::string& line) {
  std::vector<std::string> fields;
  std::istringstream stream(line);
  for (std::string field; std::getline(stream, field, ',');) {
    if (!field.empty() && field.back() == '\r') field.pop_back();
    fields.push_back(field);
  }
  return fields;
}

std::size_t column_of(const std::vector<std::string>& header, const char* name, const std::string& path) {
  const auto found = std::find(header.begin(), header.end(), name);
  if (found == header.end())
    throw InputError(path + ": the column " + name + " is missing from the baseline's first line");
  return static_cast<std::size_t>(found - header.begin());
}

double number(const std::vector<std::string>& fields, std::size_t column, const std::string& path) {
  try {
    return std::stod(fields.at(column));
  } catch (const std::exception&) {
    throw InputError(path + ": the row of " + fields.front() + format(" has no number in column %zu", column + 1));
  }
}

// The ratios of one cell: baseline over ours.
struct Ratios {
  double default_exec, best_exec, best_set_points;
};

std::optional<Ratios> ratios_of(const Measurement& measured, const Baseline& baseline) {
  const auto found = baseline.find(measured.cell);
  if (found == baseline.end()) return std::nullopt;
  const double exec_ms = 1e3 * measured.execute.median, set_ms = 1e3 * measured.set_points.median;
  const BaselineRow& row = found->second;
  return Ratios{row.default_exec_ms / exec_ms, row.best_exec_ms / exec_ms, row.best_set_points_ms / set_ms};
}

std::string error_text(const Measurement& measured) {
  return measured.error ? format("%.1e", *measured.error) : std::string("-");
}

std::string quoted(const std::string& text) {
  std::string result = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') result += '\\';
    result += static_cast<unsigned char>(c) < 0x20 ? std::string("\\n") : std::string(1, c);
  }
  return result + '"';
}

std::string json_spread(const char* name, const Spread& spread) {
  return format("\"%s_ms\": {\"median\": %.6g, \"low\": %.6g, \"high\": %.6g}", name, 1e3 * spread.median,
                1e3 * spread.low, 1e3 * spread.high);
}

}  // namespace

Baseline read_baseline(const std::string& path) {
  std::ifstream file(path);
  std::string line;
  if (!file || !std::getline(file, line)) throw InputError(path + ": cannot read the baseline");
  const auto header = split(line);
  const std::size_t cell = column_of(header, "cell", path), default_exec = column_of(header, "default_exec_ms", path),
                    best_exec = column_of(header, "best_exec_ms", path),
                    best_set = column_of(header, "best_setpts_ms", path);
  Baseline baseline;
  while (std::getline(file, line)) {
    const auto fields = split(line);
    if (fields.size() <= cell) continue;
    baseline[fields[cell]] = {number(fields, default_exec, path), number(fields, best_exec, path),
                              number(fields, best_set, path)};
  }
  return baseline;
}

void print_header(const Baseline& baseline) {
  std::printf("%-46s %10s %10s %10s %17s %8s %9s %9s %9s", "cell (times in ms, medians)", "plan", "set points", "exec",
              "low .. high", "error", "workspace", "memory", "peak");
  if (!baseline.empty()) std::printf("  %9s %9s %9s", "x default", "x best", "x set");
  std::printf("\n");
}

void print_row(const Measurement& measured, const Baseline& baseline) {
  std::printf("%-46s %10.4g %10.4g %10.4g %8.4g %8.4g %8s %9s %9s %9s", measured.cell.c_str(),
              1e3 * measured.plan.median, 1e3 * measured.set_points.median, 1e3 * measured.execute.median,
              1e3 * measured.execute.low, 1e3 * measured.execute.high, error_text(measured).c_str(),
              readable_bytes(measured.workspace_bytes).c_str(), readable_bytes(measured.memory_bytes).c_str(),
              readable_bytes(measured.peak_bytes).c_str());
  if (const auto ratios = ratios_of(measured, baseline))
    std::printf("  %9.3g %9.3g %9.3g", ratios->default_exec, ratios->best_exec, ratios->best_set_points);
  std::printf("\n");
  std::fflush(stdout);
}

void print_means(const std::vector<Measurement>& measured, const Baseline& baseline) {
  Ratios logs{0, 0, 0};
  int count = 0;
  for (const auto& one : measured)
    if (const auto ratios = ratios_of(one, baseline)) {
      logs.default_exec += std::log(ratios->default_exec);
      logs.best_exec += std::log(ratios->best_exec);
      logs.best_set_points += std::log(ratios->best_set_points);
      ++count;
    }
  if (count == 0) {
    std::printf("none of these cells is in the baseline\n");
    return;
  }
  std::printf(
      "geometric means over %d cells, baseline over ours: exec %.3g of its default, %.3g of its best; set points "
      "%.3g\n",
      count, std::exp(logs.default_exec / count), std::exp(logs.best_exec / count),
      std::exp(logs.best_set_points / count));
}

void write_bench_csv(const std::string& path, const std::vector<Measurement>& measured) {
  std::ostringstream file;
  file << "cell,plan_ms,set_points_ms,set_points_low_ms,set_points_high_ms,exec_ms,exec_low_ms,exec_high_ms,error,"
          "workspace_bytes,memory_bytes,peak_bytes,repeats\n";
  for (const auto& one : measured)
    file << one.cell
         << format(",%.6g,%.6g,%.6g,%.6g,%.6g,%.6g,%.6g,%s,%.0f,%.0f,%.0f,%zu\n", 1e3 * one.plan.median,
                   1e3 * one.set_points.median, 1e3 * one.set_points.low, 1e3 * one.set_points.high,
                   1e3 * one.execute.median, 1e3 * one.execute.low, 1e3 * one.execute.high,
                   one.error ? format("%.3e", *one.error).c_str() : "", one.workspace_bytes, one.memory_bytes,
                   one.peak_bytes, one.repeats);
  write_file(path, file.str());
}

void write_bench_json(const std::string& path, const std::vector<Measurement>& measured) {
  std::ostringstream file;
  file << "{\n  \"version\": " << quoted(offgrid_version()) << ",\n  \"devices\": " << quoted(offgrid_devices())
       << ",\n  \"cells\": [";
  const char* separator = "\n";
  for (const auto& one : measured) {
    file << separator << "    {\"cell\": " << quoted(one.cell) << ", " << json_spread("plan", one.plan) << ", "
         << json_spread("set_points", one.set_points) << ", " << json_spread("exec", one.execute)
         << ", \"error\": " << (one.error && std::isfinite(*one.error) ? format("%.3e", *one.error) : "null")
         << format(", \"workspace_bytes\": %.0f, \"memory_bytes\": %.0f, \"peak_bytes\": %.0f, \"repeats\": %zu}",
                   one.workspace_bytes, one.memory_bytes, one.peak_bytes, one.repeats);
    separator = ",\n";
  }
  file << "\n  ]\n}\n";
  write_file(path, file.str());
}

}  // namespace cli
