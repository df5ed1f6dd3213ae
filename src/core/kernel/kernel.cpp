#include "core/kernel/kernel.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

namespace offgrid {
namespace {

// Rows are widths 2..16; columns are coefficients of T_0 .. T_3 in x = sqrt(1 - 1/sigma), mapped to [-1, 1] from
// min_sigma to max_sigma. Printed by bench/window_table, guarded by tests/core/kernel_test.
using Table = std::array<std::array<double, 4>, max_width - min_width + 1>;

// log(rms aliasing error) + pi w x
constexpr Table prolate_table = {{
    {0.7521, 0.5380, -0.0400, 0.0145},   // 2
    {0.5920, 0.6738, -0.0239, 0.0029},   // 3
    {0.5022, 0.7310, -0.0164, -0.0033},  // 4
    {0.4295, 0.7511, 0.0069, 0.0027},    // 5
    {0.3598, 0.7819, -0.0040, 0.0090},   // 6
    {0.3157, 0.7743, 0.0176, 0.0062},    // 7
    {0.2699, 0.7741, 0.0170, 0.0039},    // 8
    {0.2353, 0.7730, 0.0219, 0.0138},    // 9
    {0.2011, 0.7729, 0.0260, 0.0133},    // 10
    {0.1748, 0.7640, 0.0297, 0.0154},    // 11
    {0.1490, 0.7625, 0.0333, 0.0185},    // 12
    {0.1219, 0.7617, 0.0265, 0.0233},    // 13
    {0.1058, 0.7495, 0.0385, 0.0156},    // 14
    {0.0807, 0.7568, 0.0280, 0.0288},    // 15
    {0.0606, 0.7488, 0.0281, 0.0211},    // 16
}};
constexpr Table semicircle_table = {{
    {1.2069, 0.7057, -0.0167, 0.0079},   // 2
    {1.2938, 0.6828, -0.0349, 0.0114},   // 3
    {1.2686, 0.6210, -0.0395, 0.0136},   // 4
    {1.1650, 0.5622, -0.0288, 0.0192},   // 5
    {1.0443, 0.5944, 0.0251, 0.0303},    // 6
    {0.9814, 0.7711, 0.0727, 0.0140},    // 7
    {1.0026, 0.9597, 0.0229, -0.0102},   // 8
    {1.1009, 0.9850, -0.0571, 0.0014},   // 9
    {1.2118, 0.8561, -0.0851, 0.0134},   // 10
    {1.2755, 0.7017, -0.0673, 0.0293},   // 11
    {1.3017, 0.6184, 0.0005, 0.0549},    // 12
    {1.3190, 0.6483, 0.0934, 0.0588},    // 13
    {1.3334, 0.7533, 0.1410, 0.0123},    // 14
    {1.3412, 0.8676, 0.0956, -0.0458},   // 15
    {1.3528, 0.9278, -0.0173, -0.0508},  // 16
}};
// log(rounding_amplification) of the prolate window; the semicircle's is up to 26 % lower, and nowhere 4 % higher
constexpr Table amplification_table = {{
    {-0.0364, -0.1590, 0.0296, 0.0007},  // 2
    {0.0364, -0.3459, 0.0694, -0.0031},  // 3
    {0.1713, -0.5694, 0.1175, -0.0063},  // 4
    {0.3467, -0.8201, 0.1694, -0.0077},  // 5
    {0.5509, -1.0900, 0.2218, -0.0069},  // 6
    {0.7765, -1.3728, 0.2727, -0.0045},  // 7
    {1.0180, -1.6641, 0.3215, -0.0011},  // 8
    {1.2721, -1.9613, 0.3682, 0.0027},   // 9
    {1.5360, -2.2624, 0.4129, 0.0064},   // 10
    {1.8082, -2.5663, 0.4561, 0.0098},   // 11
    {2.0870, -2.8721, 0.4979, 0.0129},   // 12
    {2.3716, -3.1794, 0.5386, 0.0156},   // 13
    {2.6612, -3.4877, 0.5786, 0.0178},   // 14
    {2.9549, -3.7967, 0.6178, 0.0196},   // 15
    {3.2524, -4.1062, 0.6566, 0.0211},   // 16
}};

// x, with which the error falls as exp(-pi w x).
double decay_rate(double sigma) { return std::sqrt(1 - 1 / std::min(sigma, max_sigma)); }

double evaluate(const Table& table, int width, double x) {
  const double low = decay_rate(min_sigma), high = decay_rate(max_sigma);
  const double s = (2 * x - low - high) / (high - low);
  const auto& row = table[width - min_width];
  return row[0] + row[1] * s + row[2] * (2 * s * s - 1) + row[3] * s * (4 * s * s - 3);
}

// Of the rounding errors of kernel, spreading, FFT and deconvolution together, before amplification: measured against
// direct sums at sigma 1.25 to 2.5 and width 6 to 16 with a tolerance out of reach, and rounded up.
constexpr double unit_error(Precision precision) { return precision == Precision::f32 ? 2.2e-7 : 1.1e-15; }

// What tables in f64 are off by, which no grid makes better: polynomials and deconvolution factors. The largest error of 600
// small transforms with a tolerance out of reach was 5.5e-15 (tests/plan/tolerance_test: best_effort).
constexpr double table_error(Precision precision) { return precision == Precision::f32 ? 0 : 5e-15; }

}  // namespace

double window_error(WindowKind kind, double sigma, int width) {
  const double x = decay_rate(sigma);
  const Table& table = kind == WindowKind::semicircle ? semicircle_table : prolate_table;
  return std::exp(evaluate(table, width, x) - std::numbers::pi * width * x);
}

std::optional<double> minimal_sigma(WindowKind kind, int width, double error) {
  if (window_error(kind, max_sigma, width) > error) return std::nullopt;
  if (window_error(kind, min_sigma, width) <= error) return min_sigma;
  double low = min_sigma, high = max_sigma;
  while (high - low > 1e-6) {
    const double middle = (low + high) / 2;
    (window_error(kind, middle, width) > error ? low : high) = middle;
  }
  return high;
}

double worst_case_factor(const Window& window, const Problem& problem) {
  // At the worst position and mode of all: 0.7 to 1 of this from width 3 to 14, for sigma from 1.125 to 2.5.
  if (problem.outermost) return std::min(1 + 10 / window.sigma, 2.0 * window.width - 1);
  const double worst = 1.3 + window.width * (0.1 + 0.5 / window.sigma);  // max over rms, read off aliasing_error
  double edge = 0, all = 1;
  for (int axis = 0; axis < problem.dim; ++axis) {
    const auto modes = static_cast<double>(problem.modes[axis]);
    edge += worst * worst / (1.4 * modes * problem.dim);  // mode -N/2 counts whole, in the rms integral half
    all *= modes;
  }
  constexpr double position = 2.3;  // largest over rms of the error at one position in a cell is 2.1; room for chance
  constexpr double deviations = 5;
  const double few_modes = std::min(worst * worst - 1, edge + deviations * worst / std::sqrt(all));
  return std::sqrt(position * position + few_modes);
}

double axes_factor(const Problem& problem) { return problem.outermost ? problem.dim : std::sqrt(problem.dim); }

int semicircle_width(double tolerance, double sigma) {
  const double slack = 1e-9;  // so that 1e-3 counts as three digits, whatever its last bit
  const double digits = -std::log10(tolerance);
  const double cells = sigma == 2 ? digits + 1 : digits * std::numbers::ln10 / (std::numbers::pi * decay_rate(sigma));
  return std::clamp(static_cast<int>(std::ceil(cells - slack)), min_width, max_width);
}

double rounding_amplification(double sigma, int width) {
  return std::exp(evaluate(amplification_table, width, decay_rate(sigma)));
}

double total_amplification(const Problem& problem, const Sizes& grid, int width) {
  double total = 1;
  for (int axis = 0; axis < problem.dim; ++axis) {
    const double sigma = static_cast<double>(grid[axis]) / static_cast<double>(problem.modes[axis]);
    total *= std::max(1.0, rounding_amplification(sigma, width));
  }
  return total;
}

double rounding_floor(const Problem& problem, const Sizes& grid, int width) {
  const double axes = problem.precision == Precision::f32 ? 1.0 : std::sqrt(problem.dim);
  return std::hypot(axes * unit_error(problem.precision) * total_amplification(problem, grid, width),
                    table_error(problem.precision));
}

double rounding_of_cells(const Problem& problem) {
  const double axes = problem.precision == Precision::f32 ? 1.0 : std::sqrt(problem.dim);
  return std::hypot(axes * unit_error(problem.precision), table_error(problem.precision));
}

double polynomial_error(const Window& window, Precision precision) {
  const double aliasing = window_error(window.kind, window.sigma, window.width);
  return std::max(0.2 * aliasing / rounding_amplification(window.sigma, window.width), unit_error(precision) / 8);
}

}  // namespace offgrid
