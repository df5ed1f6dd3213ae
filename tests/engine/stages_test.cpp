// The stages of an engine behind its interface, without a plan: each direction against exact sums of the window for every
// width (finufft#475: odd widths were wrong by O(1); finufft#662: one kernel value too many on a
// node), and grids that are leased side by side and again (tensorflow-nufft#20: a grid that was not zeroed).
#include <gtest/gtest.h>

#include "core/kernel/kernel.hpp"
#include "core/kernel/window.hpp"
#include "transform.hpp"

namespace {

using namespace support;
using offgrid::Sign;

class StagesTest : public BackendTest {};

// A design with its engine and points.
template <class T> struct Stage {
  Stage(BackendUnderTest backend, const Spec& spec, PointSet<T> set)
      : where(std::move(backend)),
        design(offgrid::make_design(problem_of<T>(spec), spec.options, where.backend.traits)),
        engine(where.backend.make<T>(design)),
        points(std::move(set)) {
    offgrid::Points<T> raw{points.count(), {}};
    for (const auto& axis : points.axis) arrays.emplace_back(where, axis);
    for (int a = 0; a < points.dim(); ++a) raw.axis[a] = arrays[a].data();
    engine->set_points(raw, nullptr);
  }

  BackendUnderTest where;
  offgrid::Design design;
  std::unique_ptr<offgrid::Engine<T>> engine;
  PointSet<T> points;
  std::vector<DeviceArray<T>> arrays;
};

// What point `j` and the modes along an axis have to do with each other, exactly: for each mode k the deconvolution factor
// times the sum over the cells l that the point reaches of phi(l - x) exp(i sign k l h).
template <class T>
std::vector<std::complex<long double>> axis_sums(const Stage<T>& stage, int axis, std::int64_t j, int sign) {
  using R = long double;
  const offgrid::WindowFunction<R> phi(stage.design.window);
  const std::int64_t modes = stage.design.problem.modes[axis];
  const R h = 2 * std::numbers::pi_v<R> / R(stage.design.grid[axis]), half = R(stage.design.window.width) / 2;
  const R x = stage.points.axis[axis][j] / h;
  std::vector<std::complex<R>> sums(modes);
  for (std::int64_t m = 0; m < modes; ++m) {
    const std::int64_t k = m - modes / 2;
    for (R cell = std::ceil(x - half); cell < x + half; cell += 1)
      sums[m] += phi((cell - x) / half) * std::polar(R(1), R(sign * k) * cell * h);
    sums[m] *= R(stage.design.factors[axis](std::abs(k)));
  }
  return sums;
}

// Calls visit(mode, weight) for all modes, weight: the product of the sums of the axes.
template <class T, class Visit> void for_modes(const Stage<T>& stage, std::int64_t j, int sign, Visit visit) {
  std::vector<std::complex<long double>> along[3]{{1}, {1}, {1}};
  for (int axis = 0; axis < stage.points.dim(); ++axis) along[axis] = axis_sums(stage, axis, j, sign);
  std::size_t mode = 0;
  for (const auto& z : along[2])
    for (const auto& y : along[1])
      for (const auto& x : along[0]) visit(mode++, x * y * z);
}

template <class T> std::vector<std::complex<T>> filled_with_nan(std::size_t size) {
  const T nan = std::numeric_limits<T>::quiet_NaN();
  return std::vector<std::complex<T>>(size, {nan, nan});
}

template <class T>
std::vector<std::complex<T>> spread_to_modes(const Stage<T>& stage, const std::vector<std::complex<T>>& strengths) {
  DeviceArray<std::complex<T>> in(stage.where, strengths);
  DeviceArray<std::complex<T>> out(stage.where, filled_with_nan<T>(stage.design.uniform_count()));
  const auto grid = stage.engine->lease_grid(1, nullptr);
  stage.engine->spread(in.data(), *grid, nullptr);
  stage.engine->grid_to_modes(*grid, out.data(), Sign::minus, nullptr);
  return out.host();
}

template <class T>
std::vector<std::complex<T>> interpolate_modes(const Stage<T>& stage, const std::vector<std::complex<T>>& modes) {
  DeviceArray<std::complex<T>> in(stage.where, modes);
  DeviceArray<std::complex<T>> out(stage.where, filled_with_nan<T>(stage.points.count()));
  const auto grid = stage.engine->lease_grid(1, nullptr);
  stage.engine->modes_to_grid(in.data(), *grid, Sign::plus, nullptr);
  stage.engine->interpolate(*grid, {}, out.data(), nullptr);
  return out.host();
}

template <class T>
void expect_exact_kernel_sums(const BackendUnderTest& where, const Spec& spec, const PointSet<T>& points) {
  SCOPED_TRACE(offgrid::text(spec.name(), " width ", spec.options.width, " bits ", 8 * sizeof(T)));
  const Stage<T> stage(where, spec, points);
  const auto strengths = random_values<T>(points.count(), 3), modes = random_values<T>(stage.design.uniform_count(), 4);
  std::vector<std::complex<long double>> exact_modes(modes.size()), exact_values(strengths.size());
  for (std::int64_t j = 0; j < points.count(); ++j) {
    const std::complex<long double> strength(strengths[j]);
    for_modes(stage, j, -1, [&](std::size_t mode, auto weight) { exact_modes[mode] += weight * strength; });
    for_modes(stage, j, +1, [&](std::size_t mode, auto weight) {
      exact_values[j] += weight * std::complex<long double>(modes[mode]);
    });
  }
  EXPECT_EQ(stage.design.window.width, spec.options.width);
  // The polynomial in place of the window is finer than what the window aliases.
  const auto& window = stage.design.window;
  const double bound = std::max(offgrid::window_error(window.kind, window.sigma, window.width), rounding<T>);
  EXPECT_LE(relative_error(spread_to_modes(stage, strengths), exact_modes), bound);
  EXPECT_LE(relative_error(interpolate_modes(stage, modes), exact_values), bound);
}

// Inside a quarter of the period, so that no kernel reaches around its end: there an engine may keep a margin.
template <class T> PointSet<T> inner_points(int dim, std::int64_t count) {
  return points_between<T>(0.9, 2.2, dim, count, 17);
}

TEST_P(StagesTest, spreading_and_interpolation_are_exact_for_every_width) {
  for_both_precisions([&](auto zero) {
    using T = decltype(zero);
    for (int width = 2; width <= 16; ++width)
      for (const Sizes& modes : std::vector<Sizes>{{64}, {30, 31}, {16, 17, 18}})
        expect_exact_kernel_sums<T>(where(), {.modes = modes, .options = {.upsampling = 2, .width = width}},
                                    inner_points<T>(static_cast<int>(modes.size()), 30));
  });
}

TEST_P(StagesTest, points_on_nodes_and_half_way_are_exact_for_every_width) {
  for_both_precisions([&](auto zero) {
    using T = decltype(zero);
    for (int width = 2; width <= 16; ++width) {
      const Spec spec{.modes = {64}, .options = {.upsampling = 2, .width = width}};
      const auto grid = offgrid::make_design(problem_of<T>(spec), spec.options, where().backend.traits).grid[0];
      auto points = inner_points<T>(1, 40);
      for (T& x : points.axis[0]) {  // every other cell, alternately a node and the middle between two
        const double half_cells = std::floor(x / std::numbers::pi * static_cast<double>(grid));
        x = static_cast<T>(half_cells * std::numbers::pi / static_cast<double>(grid));
      }
      expect_exact_kernel_sums<T>(where(), spec, points);
    }
  });
}

TEST_P(StagesTest, semicircle_kernel_is_exact_too) {
  for_both_precisions([&](auto zero) {
    using T = decltype(zero);
    for (const int width : {2, 3, 5, 7, 8})
      expect_exact_kernel_sums<T>(
          where(),
          {.modes = {40, 41}, .options = {.upsampling = 2, .width = width, .window = offgrid::WindowKind::semicircle}},
          inner_points<T>(2, 60));
  });
}

// Two transforms whose stages take turns, as concurrent executes do: each grid is its own.
TEST_P(StagesTest, grids_leased_at_the_same_time_are_apart) {
  for_both_precisions([&](auto zero) {
    using T = decltype(zero);
    const Spec spec{.modes = {12, 9}, .tolerance = usual_tolerance<T>};
    const Stage<T> stage(where(), spec, uniform_points<T>(2, 80));
    const auto a = random_values<T>(80, 1), b = random_values<T>(80, 2);
    DeviceArray<std::complex<T>> in_a(where(), a), in_b(where(), b);
    DeviceArray<std::complex<T>> out_a(where(), random_values<T>(108, 5)), out_b(where(), random_values<T>(108, 6));
    const auto grid_a = stage.engine->lease_grid(1, nullptr), grid_b = stage.engine->lease_grid(1, nullptr);
    stage.engine->spread(in_a.data(), *grid_a, nullptr);
    stage.engine->spread(in_b.data(), *grid_b, nullptr);
    stage.engine->grid_to_modes(*grid_a, out_a.data(), Sign::minus, nullptr);
    stage.engine->grid_to_modes(*grid_b, out_b.data(), Sign::minus, nullptr);
    EXPECT_LE(relative_error(out_a.host(), direct_sum<T>(To::modes, spec.forward_sum(), stage.points, a)),
              spec.tolerance);
    EXPECT_LE(relative_error(out_b.host(), direct_sum<T>(To::modes, spec.forward_sum(), stage.points, b)),
              spec.tolerance);
  });
}

TEST_P(StagesTest, a_grid_leased_again_starts_from_zero) {
  for_both_precisions([&](auto zero) {
    using T = decltype(zero);
    const Stage<T> stage(where(), {.modes = {64}, .options = {.deterministic = true, .upsampling = 2, .width = 7}},
                         inner_points<T>(1, 60));
    const auto strengths = random_values<T>(60, 3);
    const auto first = spread_to_modes(stage, strengths);
    DeviceArray<std::complex<T>> modes(where(), std::vector<std::complex<T>>(64, T(1e6)));
    stage.engine->modes_to_grid(modes.data(), *stage.engine->lease_grid(1, nullptr), Sign::plus, nullptr);
    EXPECT_EQ(spread_to_modes(stage, strengths), first);
  });
}

// One grid for several transforms, one after the other: spread does not add to what it finds there.
TEST_P(StagesTest, a_grid_used_twice_holds_the_second_only) {
  for_both_precisions([&](auto zero) {
    using T = decltype(zero);
    const Spec spec{.modes = {30}, .tolerance = usual_tolerance<T>};
    const Stage<T> stage(where(), spec, uniform_points<T>(1, 50));
    const auto strengths = random_values<T>(50, 3);
    DeviceArray<std::complex<T>> in(where(), strengths), out(where(), std::vector<std::complex<T>>(30));
    const auto grid = stage.engine->lease_grid(1, nullptr);
    for (int round = 0; round < 2; ++round) stage.engine->spread(in.data(), *grid, nullptr);
    stage.engine->grid_to_modes(*grid, out.data(), Sign::minus, nullptr);
    EXPECT_LE(relative_error(out.host(), direct_sum<T>(To::modes, spec.forward_sum(), stage.points, strengths)),
              spec.tolerance);
  });
}

TEST_P(StagesTest, workspace_holds_the_grids_of_a_batch) {
  for_both_precisions([&](auto zero) {
    using T = decltype(zero);
    const auto bytes = [&](std::int64_t batch) {
      const Spec spec{.modes = {30, 31}, .options = {.transforms = 8, .batch = batch}};
      const Stage<T> stage(where(), spec, uniform_points<T>(2, 10));
      const auto cells = static_cast<std::size_t>(stage.design.grid[0] * stage.design.grid[1] * batch);
      EXPECT_GE(stage.engine->workspace_bytes(), cells * sizeof(std::complex<T>));
      return stage.engine->workspace_bytes();
    };
    EXPECT_GT(bytes(4), bytes(1));
  });
}

// Lines of a label and words, as the plan's own: the engine by its name first, and the memory that an execute takes.
TEST_P(StagesTest, engine_says_what_it_is) {
  for_both_precisions([&](auto zero) {
    using T = decltype(zero);
    const Stage<T> stage(where(), {.modes = {300, 31}}, uniform_points<T>(2, 3));
    const std::string words = stage.engine->describe();
    EXPECT_EQ(words.rfind("engine       " + where().name + ", ", 0), 0U) << words;
    const std::string memory = offgrid::text(stage.engine->workspace_bytes() >> 10, " KiB");
    EXPECT_NE(words.find("\nmemory       " + memory), std::string::npos) << memory << " in:\n" << words;
    EXPECT_EQ(words.back(), '\n');
  });
}

TEST_P(StagesTest, engine_says_how_many_threads_it_has_or_which_method) {
  Spec spec{.modes = {30, 31}};
  spec.options.threads = 3;
  spec.options.method = offgrid::Method::gm_sort;
  const Stage<double> stage(where(), spec, uniform_points<double>(2, 3));
  const std::string expected = where().name == "cpu" ? "3 threads" : "spreading GM-sort";
  EXPECT_NE(stage.engine->describe().find(expected), std::string::npos) << stage.engine->describe();
}

OFFGRID_RUN_ON_BACKENDS(StagesTest);

}  // namespace
