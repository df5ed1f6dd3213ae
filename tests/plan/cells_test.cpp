// Spread only and interpolate only: cells against direct sums of the kernel in long double, the transpose, and the kernel's
// value and Fourier transform.
#include <gtest/gtest.h>

#include <complex>

#include "core/design/cells_design.hpp"
#include "core/kernel/kernel.hpp"
#include "core/kernel/quadrature.hpp"
#include "kernel_sum.hpp"
#include "refusal.hpp"
#include "transform.hpp"

namespace {

using namespace support;
using offgrid::WindowKind;

class CellsTest : public BackendTest {};

Spec cells_spec(Sizes cells, double tolerance, offgrid::Options options = {}) {
  options.spread_only = true;
  return {.modes = std::move(cells), .tolerance = tolerance, .options = options};
}

template <class T> offgrid::Window window_of(const Spec& spec) {
  return offgrid::window_of_cells(problem_of<T>(spec), spec.options);
}

// What a result may differ by from the direct sum: the polynomial in place of the window is finer than what that aliases.
template <class T> double bound_of(const offgrid::Window& window) {
  return std::max(offgrid::window_error(window.kind, window.sigma, window.width), rounding<T>);
}

// `more`: what the bound leaves room for besides.
template <class T>
void expect_kernel_sums(const BackendUnderTest& where, Spec spec, const PointSet<T>& points, double more = 0) {
  for (const int type : {1, 2}) {
    spec.type = type;
    SCOPED_TRACE(
        offgrid::text(spec.name(), " width ", spec.options.width, " points ", points.count(), " bits ", 8 * sizeof(T)));
    Transform<T> transform(where, spec);
    transform.set_points(points);
    const offgrid::Window window = window_of<T>(spec);
    EXPECT_EQ(transform.get("width"), window.width);
    const KernelSum sum(window, spec.modes);
    const double bound = bound_of<T>(window) + more;
    const auto strengths = random_values<T>(transform.size_of(To::points), 3);
    const auto cells = random_values<T>(transform.size_of(To::modes), 4);
    const auto spread = type == 1 ? transform.execute(strengths) : transform.adjoint(strengths);
    const auto read = type == 1 ? transform.adjoint(cells) : transform.execute(cells);
    EXPECT_LE(relative_error(spread, sum.to_cells<T>(points, strengths)), bound);
    EXPECT_LE(relative_error(read, sum.to_points<T>(points, cells)), bound);
  }
}

TEST_P(CellsTest, are_direct_sums_of_the_kernel_for_every_width_and_dimension) {
  for_both_precisions([&](auto zero) {
    using T = decltype(zero);
    for (const Sizes& cells : {Sizes{97}, Sizes{31, 20}, Sizes{17, 19, 16}})
      for (int width = 2; width <= 16; width += cells.size() == 3 ? 3 : 1) {
        const auto points = points_between<T>(-10, 10, static_cast<int>(cells.size()), 60, width);
        expect_kernel_sums<T>(where(), cells_spec(cells, 1e-6, {.width = width}), points);
      }
  });
}

TEST_P(CellsTest, of_axes_as_short_as_the_kernel) {
  for_both_precisions([&](auto zero) {
    using T = decltype(zero);
    for (const int width : {2, 3, 5, 8, 13, 16})
      for (int dim = 1; dim <= 3; ++dim) {
        const Sizes cells(dim, width);
        expect_kernel_sums<T>(where(), cells_spec(cells, 1e-6, {.width = width}),
                              points_between<T>(-10, 10, dim, 40, 5));
      }
  });
}

TEST_P(CellsTest, keep_the_tolerance_with_any_upsampling) {
  for_both_precisions([&](auto zero) {
    using T = decltype(zero);
    for (const double sigma : {0.0, 1.02, 1.1, 1.25, 1.7, 2.5, 3.0, 1000.0})
      for (const double tolerance : {1e-2, 1e-4, usual_tolerance<T>})
        expect_kernel_sums<T>(where(), cells_spec({29, 32}, tolerance, {.upsampling = sigma}),
                              uniform_points<T>(2, 80));
  });
}

TEST_P(CellsTest, of_the_semicircle) {
  for_both_precisions([&](auto zero) {
    using T = decltype(zero);
    expect_kernel_sums<T>(where(), cells_spec({40, 41}, 1e-4, {.window = WindowKind::semicircle}),
                          uniform_points<T>(2, 80));
  });
}

// A point on an edge of the kernel's support reaches one of two cells at the distance w/2, as its rounding decides.
TEST_P(CellsTest, of_points_on_nodes_and_on_edges_between_cells) {
  for_both_precisions([&](auto zero) {
    using T = decltype(zero);
    for (const int width : {4, 5, 6, 7}) {
      const Spec spec = cells_spec({24, 15}, 1e-6, {.width = width});
      const auto edge = static_cast<double>(KernelSum(window_of<T>(spec), spec.modes).at(width / 2.0L));
      PointSet<T> points = points_on_nodes<T>(spec.modes, 100);
      expect_kernel_sums<T>(where(), spec, points, width % 2 == 0 ? 4 * edge : 0);
      for (std::size_t a = 0; a < 2; ++a)
        for (T& x : points.axis[a]) x += static_cast<T>(std::numbers::pi / static_cast<double>(spec.modes[a]));
      expect_kernel_sums<T>(where(), spec, points, width % 2 == 1 ? 4 * edge : 0);
    }
    expect_kernel_sums<T>(where(), cells_spec({24}, 1e-6, {.width = 7}),
                          choose_from(delicate_coordinates<T>(), 1, 100));
  });
}

TEST_P(CellsTest, of_batches_of_vectors) {
  for_both_precisions([&](auto zero) {
    using T = decltype(zero);
    for (const std::int64_t batch : {0, 1, 3}) {
      const Spec spec = cells_spec({23, 18}, usual_tolerance<T>, {.transforms = 7, .batch = batch});
      expect_kernel_sums<T>(where(), spec, uniform_points<T>(2, 50));
    }
  });
}

TEST_P(CellsTest, of_one_point_and_of_many_at_one_place) {
  for_both_precisions([&](auto zero) {
    using T = decltype(zero);
    for (const std::int64_t count : {1, 3000})
      expect_kernel_sums<T>(where(), cells_spec({50, 40}, usual_tolerance<T>), clustered_points<T>(2, count));
    for (const Sizes& cells : {Sizes{20}, Sizes{20, 20}}) {
      const auto same = make_points<T>(static_cast<int>(cells.size()), 4000, [](std::int64_t) { return 0.3; });
      expect_kernel_sums<T>(where(), cells_spec(cells, usual_tolerance<T>), same);
    }
  });
}

// Equal strengths at one place are the worst for sums: their rounding errors have the same sign.
TEST_P(CellsTest, of_equal_strengths_at_one_place_keep_the_tolerance) {
  const Spec spec = cells_spec({64}, 1e-6);
  Transform<float> transform(where(), spec);
  const auto points = make_points<float>(1, 200'000, [](std::int64_t) { return 0.3; });
  transform.set_points(points);
  const auto one = KernelSum(window_of<float>(spec), spec.modes)
                       .to_cells<float>(make_points<float>(1, 1, [](std::int64_t) { return 0.3; }), {{0.1F, 0.3F}});
  Sums all = one;
  for (auto& value : all) value *= 200'000;
  EXPECT_LE(relative_error(transform.execute(std::vector<std::complex<float>>(200'000, {0.1F, 0.3F})), all), 1e-6);
}

TEST_P(CellsTest, are_zero_without_points) {
  for_both_precisions([&](auto zero) {
    using T = decltype(zero);
    Transform<T> transform(where(), cells_spec({16, 16}, 1e-4));
    transform.set_points(PointSet<T>{std::vector<std::vector<T>>(2)});
    EXPECT_EQ(transform.execute({}), std::vector<std::complex<T>>(256));
    EXPECT_TRUE(transform.adjoint(random_values<T>(256, 1)).empty());
  });
}

TEST_P(CellsTest, the_adjoint_is_the_transpose_without_a_sign) {
  for_both_precisions([&](auto zero) {
    using T = decltype(zero);
    for (const int sign : {-1, 1})
      for (const auto order : {offgrid::ModeOrder::centred, offgrid::ModeOrder::fft}) {
        const Spec spec = cells_spec({21, 22, 23}, 1e-5, {.sign = sign, .mode_order = order});
        Transform<T> transform(where(), spec);
        transform.set_points(uniform_points<T>(3, 200));
        const auto x = random_values<T>(200, 1), y = random_values<T>(21 * 22 * 23, 2);
        const auto sx = transform.execute(x), ty = transform.adjoint(y);
        std::complex<double> left = 0, right = 0;
        double size = 0;
        for (std::size_t i = 0; i < y.size(); ++i) left += std::complex<double>(sx[i]) * std::complex<double>(y[i]);
        for (std::size_t j = 0; j < x.size(); ++j) {
          right += std::complex<double>(x[j]) * std::complex<double>(ty[j]);
          size += std::abs(x[j] * ty[j]);
        }
        EXPECT_LE(std::abs(left - right), rounding<T> * size);
      }
  });
}

TEST_P(CellsTest, points_may_be_set_again_and_in_other_numbers) {
  const Spec spec = cells_spec({32, 27}, 1e-8);
  Transform<double> transform(where(), spec);
  const KernelSum sum(window_of<double>(spec), spec.modes);
  for (const std::int64_t count : {100, 20'000, 0, 1, 100}) {
    const auto points = uniform_points<double>(2, count, 9);
    const auto strengths = random_values<double>(count, 2);
    transform.set_points(points);
    const auto cells = transform.execute(strengths);
    EXPECT_LE(relative_error(cells, sum.to_cells<double>(points, strengths)), count == 0 ? 0 : 1e-8);
  }
}

// --- the kernel -------------------------------------------------------------------------------------------------------------
// (w/2) int phi(z) cos(pi w k z / n) dz, by a rule for smooth functions; z = sin(theta) smooths the ends of the semicircle.
double transform_by_quadrature(const offgrid::AnyPlan& plan, int width, double k, double n) {
  const auto rule = offgrid::gauss_legendre<double>(400);
  double sum = 0;
  for (std::size_t i = 0; i < rule.node.size(); ++i) {
    const double theta = std::numbers::pi / 2 * rule.node[i], z = std::sin(theta);
    sum += std::numbers::pi / 2 * rule.weight[i] * std::cos(theta) * plan.kernel(z * width / 2) *
           std::cos(std::numbers::pi * width * k * z / n);
  }
  return width * sum / 2;
}

TEST_P(CellsTest, the_kernel_and_its_transform_can_be_asked_for) {
  for (const WindowKind kind : {WindowKind::prolate, WindowKind::semicircle})
    for (const int width : {2, 5, 8, 13}) {
      const Spec spec = cells_spec({40, 17}, 1e-6, {.upsampling = 1.5, .width = width, .window = kind});
      const Transform<double> transform(where(), spec);  // without points
      const offgrid::AnyPlan& plan = transform.plan();
      const KernelSum sum(window_of<double>(spec), spec.modes);
      EXPECT_NEAR(plan.kernel(0), 1, 1e-15);
      EXPECT_EQ(plan.kernel(width / 2.0 + 1e-9), 0);
      for (const double distance : {0.1, -0.1, 0.7, width / 2.0 - 0.3})
        EXPECT_NEAR(plan.kernel(distance), static_cast<double>(sum.at(distance)), 1e-15);
      for (const int axis : {0, 1})
        for (const double k : {0.0, 1.0, -3.0, 2.5, 8.0, 20.0, 33.0, 136.0})
          EXPECT_NEAR(plan.kernel_transform(axis, k), transform_by_quadrature(plan, width, k, axis == 0 ? 40 : 17),
                      1e-14 * width)
              << width << " " << axis << " " << k;
    }
}

// One point at x = 0, on cell 0: the cells are the kernel, and their discrete Fourier transform is the kernel's but for
// aliases.
TEST_P(CellsTest, a_point_at_zero_lies_on_cell_zero) {
  const Spec spec = cells_spec({32}, 1e-12);
  Transform<double> transform(where(), spec);
  transform.set_points(make_points<double>(1, 1, [](std::int64_t) { return 0.0; }));
  const auto cells = transform.execute({{1, 0}});
  EXPECT_NEAR(cells[0].real(), 1, 1e-12);
  EXPECT_NEAR(cells[1].real(), transform.plan().kernel(1), 1e-12);
  EXPECT_NEAR(cells[31].real(), transform.plan().kernel(1), 1e-12);
  for (int k = 0; k <= 8; ++k) {
    double sum = 0;
    for (int l = 0; l < 32; ++l) sum += cells[l].real() * std::cos(2 * std::numbers::pi * k * l / 32);
    EXPECT_NEAR(sum / transform.plan().kernel_transform(0, k), 1, 1e-11) << k;
  }
}

// --- what is refused ------------------------------------------------------------------------------------------------------
TEST_P(CellsTest, what_is_refused) {
  using offgrid::Status;
  const auto plan = [&](const Spec& spec) { return [&, spec] { (void)Transform<double>(where(), spec); }; };
  const std::string small = refusal(plan(cells_spec({20, 6}, 1e-6, {.width = 7})), Status::invalid_argument);
  EXPECT_NE(small.find("an axis has 6 cells, expected at least 7"), std::string::npos) << small;
  refusal(plan(cells_spec({0}, 1e-6)), Status::invalid_argument);
  EXPECT_NE(refusal(plan({.modes = {20}, .options = {.upsampling = 3}}), Status::invalid_argument).find("spread_only"),
            std::string::npos);
  refusal(plan(cells_spec({20}, 1e-6, {.strict = true, .width = 3})), Status::invalid_argument);
  const auto transforms = cells_spec({std::int64_t{1} << 40, 1 << 10}, 1e-6);
  EXPECT_NE(refusal(plan(transforms), Status::out_of_memory).find("cells: with"), std::string::npos);

  const Transform<double> modes(where(), {.modes = {20}}), cells(where(), cells_spec({20}, 1e-6));
  EXPECT_NE(refusal([&] { (void)modes.plan().kernel(0); }, Status::wrong_state).find("spread_only"), std::string::npos);
  refusal([&] { (void)modes.plan().kernel_transform(0, 1); }, Status::wrong_state);
  refusal([&] { (void)cells.plan().kernel_transform(1, 1); }, Status::invalid_argument);
  refusal([&] { (void)cells.plan().kernel_transform(0, 161); }, Status::invalid_argument);
  refusal([&] { (void)cells.plan().kernel_transform(0, std::nan("")); }, Status::invalid_argument);
  refusal([&] { (void)cells.plan().kernel(std::nan("")); }, Status::invalid_argument);
  refusal([&] { (void)cells.get("workspace_bytes"); }, Status::wrong_state);
  EXPECT_EQ(cells.get("grid1"), 20);
  EXPECT_EQ(cells.get("upsampling"), 2);
  EXPECT_NE(cells.plan().describe().find("20 cells"), std::string::npos);
}

OFFGRID_RUN_ON_BACKENDS(CellsTest);

}  // namespace
