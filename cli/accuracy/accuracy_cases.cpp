#include "accuracy/accuracy_cases.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <map>
#include <sstream>

#include "files/output_file.hpp"
#include "text.hpp"

namespace cli {
namespace {

constexpr int deepest = 13;

std::vector<SizeCase> full_sizes(int dim) {
  if (dim == 1)
    return {{"even", {500}, 700},
            {"odd", {405}, 700},
            {"prime", {509}, 700},
            {"one", {1}, 50},
            {"two", {2}, 50},
            {"three", {3}, 50},
            {"large", {1000000}, 20000, 1000, 64}};
  if (dim == 2)
    return {{"even", {48, 40}, 700},
            {"odd", {45, 33}, 700},
            {"prime", {37, 53}, 700},
            {"small", {2, 3}, 50},
            {"wide", {1000, 3}, 700},
            {"tall", {4, 900}, 700},
            {"large", {600, 500}, 20000, 1000, 400}};
  return {{"even", {16, 18, 20}, 700},
          {"odd", {15, 21, 9}, 700},
          {"prime", {13, 17, 19}, 700},
          {"small", {1, 2, 3}, 50},
          {"wide", {200, 3, 4}, 700},
          {"tall", {2, 5, 150}, 700},
          {"large", {64, 64, 64}, 20000, 1000, 400}};
}

// ratios[row][column], keeping the worst; prints one line a row.
class WorstTable {
 public:
  void add(const std::string& row, double tolerance, double ratio) {
    if (rows_.find(row) == rows_.end()) order_.push_back(row);
    auto& worst = rows_[row][static_cast<int>(std::lround(-std::log10(tolerance)))];
    worst = std::max(worst, ratio);
  }

  void print(const char* title) const {
    std::printf("%-16s", title);
    for (int decade = 1; decade <= deepest; ++decade) std::printf("  1e-%02d", decade);
    std::printf("\n");
    for (const auto& row : order_) print_row(row, rows_.at(row));
    std::printf("\n");
  }

 private:
  static void print_row(const std::string& name, const std::map<int, double>& row) {
    std::printf("%-16s", name.c_str());
    for (int decade = 1; decade <= deepest; ++decade) {
      const auto found = row.find(decade);
      if (found == row.end())
        std::printf("      -");
      else
        std::printf(" %5.2f%c", found->second, found->second > 1 ? '!' : ' ');
    }
    std::printf("\n");
  }

  std::vector<std::string> order_;
  std::map<std::string, std::map<int, double>> rows_;
};

}  // namespace

std::vector<SizeCase> sizes_for(int dim, Extent extent) {
  auto sizes = full_sizes(dim);
  const auto left_out = [](const SizeCase& size) {
    return size.name != "odd" && size.name != "wide" && size.name != "large" && size.name != "three";
  };
  if (extent == Extent::quick) std::erase_if(sizes, left_out);
  return sizes;
}

std::vector<double> tolerances_for(const std::string& precision, Extent extent) {
  const int last = precision == "f32" ? 6 : deepest, step = extent == Extent::full ? 1 : (precision == "f32" ? 2 : 4);
  std::vector<double> tolerances;
  for (int decade = last; decade >= 1; decade -= step) tolerances.insert(tolerances.begin(), std::pow(10.0, -decade));
  return tolerances;
}

std::string AccuracyCell::name() const {
  return format("%dd%d/%s/%s/%s/%.0e", dim, type, precision.c_str(), size.c_str(), points.c_str(), tolerance);
}

void print_accuracy(const std::vector<AccuracyCell>& cells) {
  WorstTable by_kind, by_points, by_size;
  for (const auto& cell : cells) {
    by_kind.add(format("%dD type %d %s", cell.dim, cell.type, cell.precision.c_str()), cell.tolerance, cell.ratio());
    by_points.add(cell.points + " " + cell.precision, cell.tolerance, cell.ratio());
    by_size.add(format("%dD ", cell.dim) + cell.size + " " + cell.precision, cell.tolerance, cell.ratio());
  }
  std::printf("Measured relative l2 error over tolerance, the worst of each; over 1 fails (!).\n\n");
  by_kind.print("problem");
  by_points.print("points");
  by_size.print("size");
}

void write_accuracy_csv(const std::string& path, const std::vector<AccuracyCell>& cells) {
  std::ostringstream file;
  file << "dim,type,precision,size,points,tolerance,error,ratio\n";
  for (const auto& cell : cells)
    file << format("%d,%d,%s,%s,%s,%.0e,%.3e,%.4f\n", cell.dim, cell.type, cell.precision.c_str(), cell.size.c_str(),
                   cell.points.c_str(), cell.tolerance, cell.error, cell.ratio());
  write_file(path, file.str());
}

}  // namespace cli
