// The FFT of the CPU engine against direct sums in extended precision: single passes over lines of every smooth size,
// and the pruned transform between grid and modes in 1D, 2D and 3D.
#include "cpu/fft/fft.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <limits>
#include <numbers>
#include <vector>

#include "cpu/memory/memory.hpp"
#include "points.hpp"

namespace offgrid::cpu {
namespace {

using support::random_values;
using Wide = std::complex<long double>;

// sum_l x_l exp(sign 2 pi i k l / n), for the modes `first` .. `first` + count - 1.
std::vector<Wide> direct_sums(const std::vector<Wide>& x, std::int64_t first, std::int64_t count, Sign sign) {
  const auto n = static_cast<std::int64_t>(x.size());
  std::vector<Wide> roots(n), sums(count);
  std::vector<std::int64_t> nonzero;
  for (std::int64_t j = 0; j < n; ++j) {
    roots[j] = std::polar(1.0L, static_cast<int>(sign) * 2 * std::numbers::pi_v<long double> * j / n);
    if (x[j] != Wide(0)) nonzero.push_back(j);
  }
  for (std::int64_t i = 0; i < count; ++i) {
    const std::int64_t k = ((first + i) % n + n) % n;
    for (const std::int64_t l : nonzero) {
      const Wide w = roots[k * l % n];
      sums[i] += Wide{x[l].real() * w.real() - x[l].imag() * w.imag(), x[l].real() * w.imag() + x[l].imag() * w.real()};
    }
  }
  return sums;
}

template <class T> class RelativeError {
 public:
  void add(std::complex<T> value, Wide expected) {
    error_ += std::norm(Wide(value) - expected);
    norm_ += std::norm(expected);
  }
  // In roundings of T, over the growth sqrt(log2 n) that the passes of an FFT allow.
  [[nodiscard]] double in_roundings(double points) const {
    const long double rounding = std::numeric_limits<T>::epsilon() / 2;
    return static_cast<double>(std::sqrt(error_ / norm_) / (rounding * std::sqrt(1 + std::log2(points))));
  }

 private:
  long double error_ = 0, norm_ = 0;
};

constexpr double bound = 1.5;  // a lone mode may be a sum that cancels; all others stay below 1

std::vector<std::int64_t> smooth_sizes(std::int64_t last) {
  std::vector<std::int64_t> sizes;
  for (std::int64_t n = 1; n <= last; ++n) {
    std::int64_t rest = n;
    for (const int p : {2, 3, 5, 7})
      while (rest % p == 0) rest /= p;
    if (rest == 1) sizes.push_back(n);
  }
  return sizes;
}

template <class T> class Fft : public testing::Test {};
using Precisions = testing::Types<float, double>;
TYPED_TEST_SUITE(Fft, Precisions);

// Lines of n points in place, `spacing` lines apart in memory and the points of a line next to each other or not.
template <class T> void check_lines(std::int64_t n, std::int64_t lines, bool adjacent_lines, Sign sign) {
  const std::int64_t spacing = lines + 3;
  const auto input = random_values<T>(n * spacing, static_cast<unsigned>(n));
  auto data = input;
  const FftPlan<T> plan(n);
  AxisPass<T> pass;
  pass.plan = &plan;
  pass.in.data = pass.out.data = data.data();
  pass.in.stride = pass.out.stride = adjacent_lines ? spacing : 1;
  pass.in.line_stride = pass.out.line_stride = adjacent_lines ? 1 : n;
  pass.in.segments = pass.out.segments = {Segment{0, n}};
  pass.lines = lines;
  pass.sign = sign;
  const Buffer<T> scratch(pass_scratch(plan));
  run_pass(pass, Workers<T>{1, scratch.data(), pass_scratch(plan)});

  RelativeError<T> error;
  for (std::int64_t line = 0; line < spacing; ++line) {
    const auto at = [&](std::int64_t i) { return i * pass.in.stride + line * pass.in.line_stride; };
    if (line >= lines) {
      for (std::int64_t i = 0; i < n; ++i) ASSERT_EQ(data[at(i)], input[at(i)]) << "a line that is not ours, n = " << n;
      continue;
    }
    std::vector<Wide> x(n);
    for (std::int64_t i = 0; i < n; ++i) x[i] = input[at(i)];
    const auto expected = direct_sums(x, 0, n, sign);
    for (std::int64_t i = 0; i < n; ++i) error.add(data[at(i)], expected[i]);
  }
  EXPECT_LT(error.in_roundings(n), bound) << "n = " << n << ", lines = " << lines;
}

TYPED_TEST(Fft, LinesOfEverySmoothSize) {
  for (const std::int64_t n : smooth_sizes(130))
    for (const Sign sign : {Sign::minus, Sign::plus})
      for (const bool adjacent : {true, false}) check_lines<TypeParam>(n, 17, adjacent, sign);
}

TYPED_TEST(Fft, LongerLines) {
  for (const std::int64_t n : {256, 343, 512, 625, 750, 1000, 1440, 2187, 4096})
    check_lines<TypeParam>(n, 1, true, Sign::minus);
}

TYPED_TEST(Fft, BlocksThatAreNotFull) {
  for (std::int64_t lines = 1; lines <= 33; ++lines)
    for (const bool adjacent : {true, false}) check_lines<TypeParam>(12, lines, adjacent, Sign::plus);
}

// What GridFft is asked for, with everything that its results are compared with.
template <class T> struct GridCase {
  GridLayout layout;
  std::array<std::vector<double>, max_dim> factors;
  std::int64_t cells = 0;

  GridCase(int dim, Sizes modes, Sizes grid, ModeOrder order) {
    constexpr std::int64_t padding = 3;
    const std::int64_t row = grid[0] + padding, plane = row * (grid[1] + 1);
    layout = {dim, modes, grid, row, plane, order, {}};
    for (int axis = 0; axis < dim; ++axis) {
      for (std::int64_t k = 0; k <= modes[axis] / 2; ++k) factors[axis].push_back(1.0 + 0.25 * axis + 1.0 / (k + 3));
      layout.deconvolution[axis] = factors[axis].data();
    }
    cells = plane * grid[2];
  }

  [[nodiscard]] bool is_padding(std::int64_t cell) const {
    return cell % layout.row_stride >= layout.grid[0] ||
           cell % layout.plane_stride / layout.row_stride >= layout.grid[1];
  }
  [[nodiscard]] std::int64_t mode_count() const { return layout.modes[0] * layout.modes[1] * layout.modes[2]; }
  [[nodiscard]] std::int64_t mode_of(int axis, std::int64_t index) const {
    const std::int64_t count = layout.modes[axis], half = count / 2;
    if (layout.order == ModeOrder::centred) return index - half;
    return index < count - half ? index : index - count;
  }
  [[nodiscard]] double points() const { return static_cast<double>(layout.grid[0] * layout.grid[1] * layout.grid[2]); }
};

// A dense array [n3][n2][n1] of which one axis at a time is transformed by direct sums.
struct Box {
  Sizes size;
  std::vector<Wide> values;

  template <class F> void map_lines(int axis, std::int64_t new_size, F&& transform) {
    Sizes to = size;
    to[axis] = new_size;
    Box result{to, std::vector<Wide>(to[0] * to[1] * to[2])};
    const std::int64_t inner = axis == 0 ? 1 : axis == 1 ? size[0] : size[0] * size[1];
    const std::int64_t lines = static_cast<std::int64_t>(values.size()) / size[axis];
    for (std::int64_t line = 0; line < lines; ++line) {
      std::vector<Wide> x(size[axis]);
      for (std::int64_t i = 0; i < size[axis]; ++i)
        x[i] = values[line % inner + inner * (i + line / inner * size[axis])];
      const std::vector<Wide> y = transform(x);
      for (std::int64_t i = 0; i < new_size; ++i)
        result.values[line % inner + inner * (i + line / inner * new_size)] = y[i];
    }
    *this = std::move(result);
  }
};

template <class T> Box expected_modes(const GridCase<T>& c, const std::vector<std::complex<T>>& grid, Sign sign) {
  Box box{c.layout.grid, {}};
  for (std::int64_t cell = 0; cell < c.cells; ++cell)
    if (!c.is_padding(cell)) box.values.push_back(grid[cell]);
  for (int axis = 0; axis < c.layout.dim; ++axis) {
    const std::int64_t count = c.layout.modes[axis];
    box.map_lines(axis, count, [&](const std::vector<Wide>& x) {
      const auto sums = direct_sums(x, -(count / 2), count, sign);
      std::vector<Wide> y(count);
      for (std::int64_t i = 0; i < count; ++i) {
        const std::int64_t k = c.mode_of(axis, i);
        y[i] = sums[k + count / 2] * static_cast<long double>(c.factors[axis][std::abs(k)]);
      }
      return y;
    });
  }
  return box;
}

template <class T> Box expected_grid(const GridCase<T>& c, const std::vector<std::complex<T>>& modes, Sign sign) {
  Box box{c.layout.modes, {modes.begin(), modes.end()}};
  for (int axis = 0; axis < c.layout.dim; ++axis) {
    const std::int64_t n = c.layout.grid[axis];
    box.map_lines(axis, n, [&](const std::vector<Wide>& x) {
      std::vector<Wide> padded(n);
      for (std::int64_t i = 0; i < c.layout.modes[axis]; ++i) {
        const std::int64_t k = c.mode_of(axis, i);
        padded[(k + n) % n] = x[i] * static_cast<long double>(c.factors[axis][std::abs(k)]);
      }
      return direct_sums(padded, 0, n, sign);
    });
  }
  return box;
}

template <class T> void check_grid_to_modes(const GridCase<T>& c, Sign sign, int threads) {
  const GridFft<T> fft(c.layout, threads);
  const Buffer<T> scratch(fft.scratch_elements());
  auto grid = random_values<T>(c.cells, 1);
  const Box expected = expected_modes(c, grid, sign);
  const std::complex<T> guard{7, 7};
  std::vector<std::complex<T>> modes(c.mode_count() + 32, guard);
  fft.grid_to_modes(grid.data(), modes.data() + 16, sign, fft.workers(scratch.data()));
  RelativeError<T> error;
  for (std::int64_t i = 0; i < c.mode_count(); ++i) error.add(modes[16 + i], expected.values[i]);
  EXPECT_LT(error.in_roundings(c.points()), bound) << "grid " << c.layout.grid[0] << " modes " << c.layout.modes[0];
  for (int i = 0; i < 16; ++i) {
    EXPECT_EQ(modes[i], guard);
    EXPECT_EQ(modes[16 + c.mode_count() + i], guard);
  }
}

template <class T> void check_modes_to_grid(const GridCase<T>& c, Sign sign, int threads) {
  const GridFft<T> fft(c.layout, threads);
  const Buffer<T> scratch(fft.scratch_elements());
  const auto modes = random_values<T>(c.mode_count(), 2);
  const Box expected = expected_grid(c, modes, sign);
  const std::complex<T> guard{std::numeric_limits<T>::quiet_NaN(), 7};
  std::vector<std::complex<T>> grid(c.cells, guard);
  fft.modes_to_grid(modes.data(), grid.data(), sign, fft.workers(scratch.data()));
  RelativeError<T> error;
  std::int64_t i = 0;
  for (std::int64_t cell = 0; cell < c.cells; ++cell)
    if (!c.is_padding(cell))
      error.add(grid[cell], expected.values[i++]);
    else
      EXPECT_TRUE(std::isnan(grid[cell].real()) && grid[cell].imag() == 7) << "padding was written";
  EXPECT_LT(error.in_roundings(c.points()), bound) << "grid " << c.layout.grid[0] << " modes " << c.layout.modes[0];
}

template <class T> void check_grid(int dim, Sizes modes, Sizes grid) {
  for (const ModeOrder order : {ModeOrder::centred, ModeOrder::fft})
    for (const Sign sign : {Sign::minus, Sign::plus}) {
      const GridCase<T> c(dim, modes, grid, order);
      check_grid_to_modes(c, sign, 1);
      check_modes_to_grid(c, sign, 2);
    }
}

TYPED_TEST(Fft, OneDimension) {
  for (const std::int64_t n : smooth_sizes(130))
    for (const std::int64_t count : {n, n / 2, n / 2 + 1, 2 * n / 3, std::int64_t{1}})
      if (count > 0) check_grid<TypeParam>(1, {count, 1, 1}, {n, 1, 1});
}

TYPED_TEST(Fft, OneDimensionWithManyBlocks) {
  check_grid<TypeParam>(1, {400, 1, 1}, {800, 1, 1});
  check_grid<TypeParam>(1, {777, 1, 1}, {1260, 1, 1});
}

TYPED_TEST(Fft, TwoDimensions) {
  check_grid<TypeParam>(2, {10, 7, 1}, {20, 15, 1});
  check_grid<TypeParam>(2, {9, 16, 1}, {21, 20, 1});
  check_grid<TypeParam>(2, {36, 35, 1}, {36, 35, 1});
  check_grid<TypeParam>(2, {1, 2, 1}, {2, 40, 1});
}

TYPED_TEST(Fft, ThreeDimensions) {
  check_grid<TypeParam>(3, {8, 9, 10}, {16, 18, 20});
  check_grid<TypeParam>(3, {17, 5, 3}, {32, 8, 7});
  check_grid<TypeParam>(3, {1, 6, 20}, {4, 9, 25});
}

TYPED_TEST(Fft, RowsTooLongForOnePass) { check_grid<TypeParam>(2, {50, 2, 1}, {8400, 3, 1}); }

// Too many modes to sum them all: the k-th exponential in, one mode out.
TYPED_TEST(Fft, LongLineOfOneExponential) {
  using T = TypeParam;
  const std::int64_t n = 100000, count = 50001;
  const GridCase<T> c(1, {count, 1, 1}, {n, 1, 1}, ModeOrder::centred);
  const GridFft<T> fft(c.layout, 1);
  const Buffer<T> scratch(fft.scratch_elements());
  for (const std::int64_t k : {-25000, -12345, -1, 0, 1, 777, 25000}) {
    std::vector<std::complex<T>> modes(count), grid(c.cells);
    modes[k + count / 2] = 1;
    fft.modes_to_grid(modes.data(), grid.data(), Sign::plus, fft.workers(scratch.data()));
    RelativeError<T> error;
    const long double step = 2 * std::numbers::pi_v<long double> / n, factor = c.factors[0][std::abs(k)];
    for (std::int64_t l = 0; l < n; ++l) error.add(grid[l], std::polar(factor, step * ((k + n) * l % n)));
    EXPECT_LT(error.in_roundings(n), bound) << "k = " << k;
    fft.grid_to_modes(grid.data(), modes.data(), Sign::minus, fft.workers(scratch.data()));
    RelativeError<T> back;
    for (std::int64_t i = 0; i < count; ++i)
      back.add(modes[i], i == k + count / 2 ? Wide(n * factor * factor) : Wide(0));
    EXPECT_LT(back.in_roundings(n), 2 * bound) << "k = " << k;
  }
}

}  // namespace
}  // namespace offgrid::cpu
