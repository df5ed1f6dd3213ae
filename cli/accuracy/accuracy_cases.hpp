// What the accuracy table sweeps: the sizes of every dimension, and the tolerances of every precision.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace cli {

enum class Extent { full, quick };

inline constexpr std::int64_t every_output = std::int64_t{1} << 40;

struct SizeCase {
  std::string name;
  std::vector<std::int64_t> modes;
  std::int64_t points = 0;
  std::int64_t sampled_modes = every_output, sampled_points = every_output;  // that a check of type 1, or 2, looks at
};

std::vector<SizeCase> sizes_for(int dim, Extent extent);

// 1e-1 down to 1e-13 for f64 and to 1e-6 for f32, by decades.
std::vector<double> tolerances_for(const std::string& precision, Extent extent);

// One measured entry of the table.
struct AccuracyCell {
  int dim = 1, type = 1;
  std::string precision, size, points;
  double tolerance = 0, error = 0;

  [[nodiscard]] double ratio() const { return error / tolerance; }
  [[nodiscard]] std::string name() const;
};

// The worst ratio by tolerance: of every (dimension, type, precision), of every point set and of every size.
void print_accuracy(const std::vector<AccuracyCell>& cells);

void write_accuracy_csv(const std::string& path, const std::vector<AccuracyCell>& cells);

}  // namespace cli
