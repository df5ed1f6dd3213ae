#include "bench/bench_report.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <sstream>

#include "files/output_file.hpp"
#include "offgrid/offgrid.h"
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

// The ratios of one cell, baseline over ours, in the order of `ratio_names`.
constexpr std::array ratio_names{"later executes", "first execute", "first set_points + execute",
                                 "plan + first set_points + execute"};
using Ratios = std::array<double, ratio_names.size()>;

std::optional<Ratios> ratios_of(const Measurement& measured, const Baseline& baseline) {
  const auto found = baseline.find(measured.cell);
  if (found == baseline.end()) return std::nullopt;
  const BaselineRow& row = found->second;
  return Ratios{row.exec_ms / (1e3 * measured.execute.median), row.exec_ms / (1e3 * measured.first.median),
                row.set_exec_ms / (1e3 * measured.set_and_first.median), row.whole_ms / (1e3 * measured.whole.median)};
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
  const std::size_t cell = column_of(header, "cell", path), exec = column_of(header, "best_exec_ms", path),
                    set_exec = column_of(header, "best_set_exec_ms", path),
                    whole = column_of(header, "best_whole_ms", path);
  Baseline baseline;
  while (std::getline(file, line)) {
    const auto fields = split(line);
    if (fields.size() <= cell) continue;
    baseline[fields[cell]] = {number(fields, exec, path), number(fields, set_exec, path), number(fields, whole, path)};
  }
  return baseline;
}

void print_header(const Baseline& baseline) {
  std::printf("%-46s %9s %10s %10s %10s %17s %8s %9s %9s %9s", "cell (times in ms, medians)", "plan", "set points",
              "first exec", "later exec", "low .. high", "error", "workspace", "memory", "peak");
  if (!baseline.empty()) std::printf("  %8s %8s %8s %8s", "x later", "x first", "x set+ex", "x whole");
  std::printf("\n");
}

void print_row(const Measurement& measured, const Baseline& baseline) {
  std::printf("%-46s %9.4g %10.4g %10.4g %10.4g %8.4g %8.4g %8s %9s %9s %9s", measured.cell.c_str(),
              1e3 * measured.plan.median, 1e3 * measured.set_points.median, 1e3 * measured.first.median,
              1e3 * measured.execute.median, 1e3 * measured.execute.low, 1e3 * measured.execute.high,
              error_text(measured).c_str(), readable_bytes(measured.workspace_bytes).c_str(),
              readable_bytes(measured.memory_bytes).c_str(), readable_bytes(measured.peak_bytes).c_str());
  if (const auto ratios = ratios_of(measured, baseline)) {
    std::printf(" ");
    for (const double ratio : *ratios) std::printf(" %8.3g", ratio);
  }
  std::printf("\n");
  std::fflush(stdout);
}

void print_means(const std::vector<Measurement>& measured, const Baseline& baseline) {
  Ratios logs{}, least{};
  least.fill(HUGE_VAL);
  std::array<std::string, ratio_names.size()> worst;
  int count = 0;
  for (const auto& one : measured) {
    const auto ratios = ratios_of(one, baseline);
    if (!ratios) continue;
    ++count;
    for (std::size_t i = 0; i < ratio_names.size(); ++i) {
      logs[i] += std::log((*ratios)[i]);
      if ((*ratios)[i] >= least[i]) continue;
      least[i] = (*ratios)[i];
      worst[i] = one.cell;
    }
  }
  if (count == 0) {
    std::printf("none of these cells is in the baseline\n");
    return;
  }
  std::printf("best of the baseline over ours, %d cells: geometric mean, and the worst cell\n", count);
  for (std::size_t i = 0; i < ratio_names.size(); ++i)
    std::printf("  %-36s %6.3g  %6.3g  %s\n", ratio_names[i], std::exp(logs[i] / count), least[i], worst[i].c_str());
}

void write_bench_csv(const std::string& path, const std::vector<Measurement>& measured) {
  std::ostringstream file;
  file << "cell,plan_ms,set_points_ms,first_exec_ms,exec_ms,exec_low_ms,exec_high_ms,set_exec_ms,whole_ms,error,"
          "workspace_bytes,memory_bytes,peak_bytes,repeats\n";
  for (const auto& one : measured)
    file << one.cell
         << format(",%.6g,%.6g,%.6g,%.6g,%.6g,%.6g,%.6g,%.6g,%s,%.0f,%.0f,%.0f,%zu\n", 1e3 * one.plan.median,
                   1e3 * one.set_points.median, 1e3 * one.first.median, 1e3 * one.execute.median, 1e3 * one.execute.low,
                   1e3 * one.execute.high, 1e3 * one.set_and_first.median, 1e3 * one.whole.median,
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
         << json_spread("set_points", one.set_points) << ", " << json_spread("first_exec", one.first) << ", "
         << json_spread("exec", one.execute)
         << ", \"error\": " << (one.error && std::isfinite(*one.error) ? format("%.3e", *one.error) : "null")
         << format(", \"workspace_bytes\": %.0f, \"memory_bytes\": %.0f, \"peak_bytes\": %.0f, \"repeats\": %zu}",
                   one.workspace_bytes, one.memory_bytes, one.peak_bytes, one.repeats);
    separator = ",\n";
  }
  file << "\n  ]\n}\n";
  write_file(path, file.str());
}

}  // namespace cli
