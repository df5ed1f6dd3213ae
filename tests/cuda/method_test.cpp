// What the CUDA engine chooses for a design: the method, its bins and tile, the precision of its sums, and the times by
// which the grid was chosen before. Pure host code, which takes the device's numbers as they are given: no GPU is needed.
#include "cuda/method/choice.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <vector>

#include "core/text.hpp"
#include "cuda/cost.hpp"
#include "cuda/fft/fft_cost.hpp"
#include "cuda/fft/stockham_plan.hpp"
#include "cuda/method/owner.hpp"

namespace {

using namespace offgrid;
using cuda::DeviceLimits;
using cuda::MethodChoice;

// An H200, and an A100 as an older GPU.
const DeviceLimits hopper{.multiprocessors = 132, .major = 9, .code = 90, .shared_bytes = 227 << 10};
const DeviceLimits ampere{.multiprocessors = 108, .major = 8, .code = 80, .shared_bytes = 163 << 10};

const std::vector<Sizes> shapes{{1000, 1, 1}, {200, 210, 1}, {60, 50, 40}};

int dim_of(const Sizes& modes) { return modes[2] > 1 ? 3 : modes[1] > 1 ? 2 : 1; }

Problem problem_of(const Sizes& modes, Precision precision = Precision::f64, double tolerance = 1e-6, int type = 1) {
  return {type, dim_of(modes), modes, precision, tolerance};
}

Design design_of(const Problem& problem, const Options& options = {}) {
  return make_design(problem, options, cuda::cost_traits(hopper));
}

MethodChoice choose_method(const Design& design, const DeviceLimits& device, std::int64_t points) {
  return cuda::choose_method(method_request(design, device, points, direction_of(design.problem)));
}

double cells_of(const Design& design) {
  return static_cast<double>(design.grid[0]) * static_cast<double>(design.grid[1]) *
         static_cast<double>(design.grid[2]);
}

TEST(ChooseMethod, a_method_that_is_asked_for_is_taken) {
  for (const Sizes& modes : shapes)
    for (const Method method : {Method::gm, Method::gm_sort, Method::sm, Method::sweep, Method::owner}) {
      const MethodChoice choice = choose_method(design_of(problem_of(modes), {.method = method}), hopper, 10'000);
      EXPECT_EQ(choice.method, method) << modes[0];
      EXPECT_FALSE(choice.fell_back);
      EXPECT_EQ(choice.sort.sorted, method != Method::gm);
    }
}

// The table of docs/gpu.md.
TEST(ChooseMethod, automatic_follows_the_density_and_the_device) {
  const auto chosen = [](const Sizes& modes, const DeviceLimits& device, double points_per_cell, int type) {
    const Design design = design_of(problem_of(modes, Precision::f32, 1e-3, type));
    return choose_method(design, device, static_cast<std::int64_t>(points_per_cell * cells_of(design))).method;
  };
  for (const Sizes& modes : {Sizes{200, 210, 1}, Sizes{60, 50, 40}}) {
    EXPECT_EQ(chosen(modes, hopper, 1, 1), Method::sweep);
    EXPECT_EQ(chosen(modes, hopper, 1, 2), Method::sweep);
    EXPECT_EQ(chosen(modes, ampere, 1, 1), Method::sm);
  }
  EXPECT_EQ(chosen({100'000, 1, 1}, hopper, 1, 1), Method::sweep);
  EXPECT_EQ(chosen({100'000, 1, 1}, ampere, 1, 1), Method::sweep);
  EXPECT_EQ(chosen({128, 128, 128}, hopper, 0.05, 1), Method::owner);
  EXPECT_EQ(chosen({128, 128, 128}, ampere, 0.05, 1), Method::owner);
  EXPECT_EQ(chosen({128, 128, 128}, hopper, 0.2, 1), Method::sweep);
  EXPECT_EQ(chosen({16, 16, 16}, hopper, 0.05, 1), Method::sweep);  // too few tiles for owners
  EXPECT_EQ(chosen({1000, 1000, 1}, hopper, 0.01, 2), Method::gm_sort);
}

// A design of 128^3 or 1024^2 modes with twice as many cells along each axis.
MethodChoice chosen_by_width(const Problem& problem, int width, const DeviceLimits& device, double points_per_cell) {
  const Design design = design_of(problem, {.upsampling = 2, .width = width});
  return choose_method(design, device, static_cast<std::int64_t>(points_per_cell * cells_of(design)));
}

// By the times of bench/method_density.py on an H200: wide kernels in 3D bear more points per cell than narrow ones.
TEST(ChooseMethod, owners_and_the_sweep_go_by_their_times_in_3d) {
  const Problem f32 = problem_of({128, 128, 128}, Precision::f32, 1e-3), f64 = problem_of({128, 128, 128});
  EXPECT_EQ(chosen_by_width(f64, 16, hopper, 0.2).method, Method::owner);
  EXPECT_EQ(chosen_by_width(f64, 16, hopper, 0.6).method, Method::sweep);
  EXPECT_EQ(chosen_by_width(f32, 4, hopper, 0.15).method, Method::sweep);
  EXPECT_EQ(chosen_by_width(f64, 16, ampere, 0.08).method, Method::owner);
  EXPECT_NE(chosen_by_width(f64, 16, ampere, 0.2).method, Method::owner);
  // Targets of a type 3 that fill half of each axis lie eight times as close together.
  Problem filled = f64;
  filled.filled = 0.5;
  EXPECT_EQ(chosen_by_width(filled, 16, hopper, 0.2).method, Method::sweep);
}

TEST(ChooseMethod, owners_spread_in_2d_where_the_sweep_would_add_to_cells_of_f64) {
  const Problem spread = problem_of({1024, 1024, 1});
  EXPECT_EQ(chosen_by_width(spread, 8, hopper, 0.1).method, Method::owner);
  EXPECT_EQ(chosen_by_width(spread, 8, hopper, 0.15).method, Method::sweep);
  EXPECT_EQ(chosen_by_width(spread, 7, hopper, 0.1).method, Method::sweep);
  EXPECT_NE(chosen_by_width(problem_of({1024, 1024, 1}, Precision::f64, 1e-6, 2), 8, hopper, 0.1).method,
            Method::owner);
  EXPECT_NE(chosen_by_width(spread, 8, ampere, 0.1).method, Method::owner);
}

// An owner rounds a sum of f64 once, so that cells of f32 serve; the sweep would add to cells of f64, and copy them.
TEST(ChooseMethod, owners_write_cells_of_f32_where_cells_are_the_result) {
  const Problem f32 = problem_of({1100, 1000, 1}, Precision::f32);
  const Options options{.spread_only = true, .upsampling = 2, .width = 8};
  const auto chosen = [&](const Options& asked, std::int64_t points) {
    return choose_method(design_of(f32, asked), hopper, points);
  };
  const MethodChoice few = chosen(options, 30'000), more = chosen(options, 300'000), many = chosen(options, 600'000);
  for (const MethodChoice& choice : {few, more}) {
    EXPECT_EQ(choice.method, Method::owner);
    EXPECT_FALSE(choice.wide);
    EXPECT_EQ(choice.unit->longest_sum(choice, Precision::f32, 100, 1000), 0);  // however crowded they are
  }
  EXPECT_EQ(many.method, Method::sweep);
  EXPECT_TRUE(many.wide);
  EXPECT_TRUE(
      choose_method(design_of(problem_of({1100, 1000, 1}, Precision::f32), {.width = 8, .method = Method::owner}),
                    hopper, 30'000)
          .wide);  // an FFT follows
}

TEST(ChooseMethod, the_sweep_falls_back_where_there_are_no_fast_tensor_cores) {
  const MethodChoice choice =
      choose_method(design_of(problem_of({200, 210, 1}), {.method = Method::sweep}), ampere, 10'000);
  EXPECT_EQ(choice.method, Method::sm);
  EXPECT_TRUE(choice.fell_back);
}

TEST(ChooseMethod, a_tile_fits_into_shared_memory_or_there_is_none) {
  for (const Sizes& modes : shapes)
    for (const Precision precision : {Precision::f32, Precision::f64})
      for (int width = 2; width <= 16; ++width)
        for (const std::int64_t bytes : {1 << 10, 8 << 10, 48 << 10, 100 << 10, 0}) {
          Options options{.upsampling = 2, .width = width, .method = Method::sm};
          options.shared_bytes = bytes;
          const MethodChoice choice =
              choose_method(design_of(problem_of(modes, precision, 1), options), hopper, 10'000);
          const std::size_t limit = bytes > 0 ? static_cast<std::size_t>(bytes) : hopper.shared_bytes;
          SCOPED_TRACE(text(modes[0], " modes, width ", width, ", ", bytes, " bytes"));
          EXPECT_EQ(choice.fell_back, choice.method == Method::gm_sort);
          if (choice.method != Method::sm) continue;
          EXPECT_LT(choice.tile.bytes(precision == Precision::f32 ? 4 : 8), limit);
          for (int axis = 0; axis < dim_of(modes); ++axis)
            EXPECT_EQ(choice.tile.size[axis], choice.sort.bins.size[axis] + static_cast<unsigned>(width) - 1);
        }
}

TEST(ChooseMethod, bins_cover_the_grid_and_can_be_counted) {
  for (const Sizes& modes : {Sizes{1000, 1, 1}, Sizes{200, 210, 1}, Sizes{60, 50, 40}, Sizes{40'000, 40'000, 1}})
    for (const Method method : {Method::automatic, Method::gm_sort, Method::sm, Method::owner}) {
      const Design design = design_of(problem_of(modes), {.method = method, .bin1 = 1, .bin2 = 1, .bin3 = 1});
      const MethodChoice choice = choose_method(design, hopper, 1'000'000);
      const auto& bins = choice.sort.bins;
      for (int axis = 0; axis < max_dim; ++axis) {
        const std::int64_t covered = std::int64_t{bins.size[axis]} * bins.count[axis];
        EXPECT_GE(covered, design.grid[axis]);
        EXPECT_LT(covered - bins.size[axis], design.grid[axis]) << "a bin without cells";
      }
      EXPECT_LE(bins.total(), std::int64_t{1} << 30);
    }
}

// A second subproblem for the few points that a column has too many costs nearly as much as the first.
TEST(ChooseMethod, columns_of_the_sweep_in_2d_are_cut_evenly) {
  for (const Precision precision : {Precision::f32, Precision::f64})
    for (const double tolerance : {1e-1, 1e-2, 1e-3, 1e-4, 1e-5})
      for (const std::int64_t points : {2'000'000, 5'000'000, 10'000'000, 20'000'000}) {
        const Design design = design_of(problem_of({1000, 1000, 1}, precision, tolerance), {.points_hint = points});
        const MethodChoice choice = choose_method(design, hopper, points);
        ASSERT_EQ(choice.method, Method::sweep);
        const auto& bins = choice.sort.bins;
        const double cells = static_cast<double>(bins.size[0]) * static_cast<double>(bins.size[1]);
        const double mean = static_cast<double>(points) * cells / cells_of(design), most = mean + 4 * std::sqrt(mean);
        const auto part = static_cast<double>(choice.sort.subproblem_points);
        if (most < part || part < 1024) continue;  // where points are few, parts are as small as fill the device
        SCOPED_TRACE(text("tolerance ", tolerance, ", ", points, " points: ", most, " in parts of ", part));
        EXPECT_LT(std::ceil(most / part) * part - most, 0.02 * most);
        EXPECT_LE(part, 2 * std::max<double>(1024, static_cast<double>(points) / (32 * hopper.multiprocessors)) + 1);
      }
}

TEST(ChooseMethod, deterministic_sums_are_integers_or_those_of_owners) {
  const auto chosen = [](const Sizes& modes, double tolerance, const DeviceLimits& device) {
    return choose_method(design_of(problem_of(modes, Precision::f64, tolerance), {.deterministic = true}), device,
                         10'000);
  };
  for (const Sizes& modes : {Sizes{200, 210, 1}, Sizes{60, 50, 40}}) {
    EXPECT_EQ(chosen(modes, 1e-9, hopper).method, Method::sweep);
    EXPECT_TRUE(chosen(modes, 1e-9, hopper).fixed_point);
    EXPECT_EQ(chosen(modes, 1e-12, hopper).method, Method::owner);
    EXPECT_EQ(chosen(modes, 1e-9, ampere).method, Method::owner);
    EXPECT_FALSE(chosen(modes, 1e-9, ampere).fixed_point);
  }
  EXPECT_EQ(chosen({1000, 1, 1}, 1e-9, hopper).method, Method::owner);
}

TEST(ChooseMethod, sums_are_made_in_f64_where_f32_would_miss_the_tolerance) {
  for (const Sizes& modes : shapes) {
    EXPECT_FALSE(choose_method(design_of(problem_of(modes, Precision::f64, 1e-12)), hopper, 10'000).wide);
    EXPECT_TRUE(choose_method(design_of(problem_of(modes, Precision::f32, 1e-6)), hopper, 10'000).wide);
    EXPECT_FALSE(choose_method(design_of(problem_of(modes, Precision::f32, 1e-3)), hopper, 10'000).wide);
  }
  // As many partial sums as points: what faults_test and its change of precision rely on.
  Options options{.points_hint = 100, .upsampling = 2, .method = Method::sweep};
  options.subproblem = 1;
  const Design design = design_of(problem_of({2050, 4, 1}, Precision::f32, 6e-6), options);
  EXPECT_GT(design.grid[0], cuda::longest_line);
  EXPECT_FALSE(choose_method(design, hopper, 100).wide);
  EXPECT_TRUE(choose_method(design, hopper, 7'000).wide);
}

TEST(ChooseMethod, a_grid_of_two_thousand_million_cells_along_an_axis_is_refused) {
  Design design = design_of(problem_of({1000, 1, 1}));
  design.grid[0] = std::int64_t{1} << 31;
  EXPECT_THROW((void)choose_method(design, hopper, 1000), Error);
}

// --- one choice, for the cost of a design and for the engine ------------------------------------------------------------
// The grid is chosen by the time of a method, and it is that method that runs, in the same precision.
TEST(OneChoice, the_method_that_a_design_was_weighed_with_is_the_one_that_runs) {
  for (const DeviceLimits& device : {hopper, ampere})
    for (const Sizes& modes : {Sizes{5000, 1, 1}, Sizes{200, 210, 1}, Sizes{80, 80, 80}})
      for (const Precision precision : {Precision::f32, Precision::f64})
        for (const int type : {1, 2})
          for (const std::int64_t points : {10, 10'000, 3'000'000})
            for (const std::int64_t transforms : {1, 64}) {
              const Problem problem = problem_of(modes, precision, precision == Precision::f32 ? 1e-4 : 1e-9, type);
              const Options options{.transforms = transforms, .points_hint = points};
              const Design design = make_design(problem, options, cuda::cost_traits(device));
              SCOPED_TRACE(text(modes[0], " modes, type ", type, ", ", points, " points, ", transforms, " transforms"));
              const auto weighed = pick_method(cuda::method_request(
                  {problem, design.grid, design.window.width, options, design.batch, direction_of(problem)}, device));
              const MethodChoice runs = choose_method(design, device, points);
              EXPECT_EQ(weighed.unit, runs.unit) << weighed.unit->name() << " and " << runs.unit->name();
              EXPECT_EQ(weighed.wide, runs.wide);
            }
}

TEST(OneChoice, owners_are_counted_on_where_they_will_run) {
  const Problem problem = problem_of({80, 80, 80}, Precision::f32, 1e-3);
  for (const std::int64_t transforms : {1, 8, 64})
    for (const std::int64_t batch : {0, 1, 2, 64}) {
      const Options options{.transforms = transforms, .points_hint = 10'000, .batch = batch};
      const Design design = design_of(problem, options);
      const MethodChoice runs = choose_method(design, hopper, options.points_hint);
      const cuda::MethodRequest request = method_request(design, hopper, options.points_hint, Direction::to_modes);
      const double time = cuda::transform_time(
          {problem, design.grid, design.window.width, options, design.batch, Direction::to_modes}, hopper);
      const double by_owners = cuda::owner_method().time(request, Precision::f32) +
                               cuda::fft_time(problem, design.grid, transforms, Precision::f32);
      EXPECT_EQ(time == by_owners, runs.unit == &cuda::owner_method()) << transforms << " transforms, batch " << batch;
    }
}

// An adjoint is a transform of the other direction, whatever the type of its plan.
TEST(OneChoice, the_direction_that_runs_decides_and_not_the_type) {
  for (const Sizes& modes : shapes)
    for (const Precision precision : {Precision::f32, Precision::f64})
      for (const std::int64_t points : {100, 5'000'000}) {
        const Design first = design_of(problem_of(modes, precision, 1e-4, 1), {.upsampling = 2, .width = 7});
        const Design second = design_of(problem_of(modes, precision, 1e-4, 2), {.upsampling = 2, .width = 7});
        for (const Direction direction : {Direction::to_modes, Direction::to_points}) {
          const MethodChoice a = cuda::choose_method(method_request(first, hopper, points, direction));
          const MethodChoice b = cuda::choose_method(method_request(second, hopper, points, direction));
          EXPECT_EQ(a.unit, b.unit);
          EXPECT_EQ(a.sort.inverse, b.sort.inverse);
          EXPECT_EQ(a.sort.rows, b.sort.rows);
          EXPECT_FALSE(direction == Direction::to_modes && (a.sort.inverse || a.sort.rows));
        }
      }
  const Design design = design_of(problem_of({1000, 1000, 1}, Precision::f32, 1e-3, 1));
  EXPECT_EQ(cuda::choose_method(method_request(design, hopper, 10'000, Direction::to_points)).method, Method::gm_sort);
  EXPECT_EQ(cuda::choose_method(method_request(design, hopper, 10'000, Direction::to_modes)).method, Method::sweep);
}

// A design knows when the sweep will not run, and is made for what runs instead.
TEST(OneChoice, designs_follow_the_device) {
  const Problem problem = problem_of({1000, 1000, 1}, Precision::f64, 1e-9);
  const Options options{.points_hint = 10'000'000};
  const Design swept = make_design(problem, options, cuda::cost_traits(hopper));
  const Design tiled = make_design(problem, options, cuda::cost_traits(ampere));
  EXPECT_LT(tiled.window.width, swept.window.width);  // a value costs SM more, and a finer grid has fewer of them
}

TEST(CudaCost, times_are_positive_and_grow_with_the_points) {
  for (const Sizes& modes : shapes)
    for (const Precision precision : {Precision::f32, Precision::f64})
      for (const int type : {1, 2})
        for (const Method method : {Method::automatic, Method::gm_sort, Method::sm, Method::sweep, Method::owner})
          for (int width = 2; width <= 16; ++width) {
            const Problem problem = problem_of(modes, precision, 1e-4, type);
            Sizes grid = modes;
            for (int axis = 0; axis < problem.dim; ++axis) grid[axis] *= 2;
            const auto time = [&](std::int64_t points) {
              const Options options{.points_hint = points, .method = method};
              return cuda::transform_time({problem, grid, width, options, 1, direction_of(problem)}, hopper);
            };
            SCOPED_TRACE(text(modes[0], " modes, width ", width, ", method ", static_cast<int>(method)));
            EXPECT_GT(time(1'000'000), 0);
            EXPECT_GT(time(20'000'000), 4 * time(1'000'000));
          }
}

TEST(CudaCost, an_fft_of_f64_costs_more_than_one_of_f32_and_cufft_more_than_lines) {
  for (const Sizes& modes : {Sizes{1000, 1, 1}, Sizes{500, 510, 1}, Sizes{60, 50, 40}}) {
    Sizes grid{1, 1, 1};
    for (int axis = 0; axis < dim_of(modes); ++axis) grid[axis] = 2 * modes[axis];
    const auto time = [&](Precision precision, const Sizes& of) {
      return cuda::fft_time(problem_of(modes, precision, 1e-3), of, 1, precision);
    };
    EXPECT_GT(time(Precision::f32, grid), 0);
    EXPECT_GT(time(Precision::f64, grid), time(Precision::f32, grid));
    Sizes beyond = grid;
    beyond[0] = 4320;  // the next one that no line has
    Sizes last = grid;
    last[0] = 4096;
    if (dim_of(modes) > 1) {  // one line alone is bound by its latency
      EXPECT_GT(time(Precision::f64, beyond), time(Precision::f64, last));
    }
  }
}

TEST(CudaCost, grids_take_the_lengths_that_have_kernels_up_to_the_longest) {
  const std::vector<int>& lengths = cuda::lengths_in_1d();
  EXPECT_TRUE(std::is_sorted(lengths.begin(), lengths.end()));
  EXPECT_TRUE(std::includes(lengths.begin(), lengths.end(), std::begin(cuda::line_sizes), std::end(cuda::line_sizes)));
  for (const std::int64_t n : {1, 7, 97, 333, 640, 800, 2100, 50'000, 1'000'000, 5'000'000})
    for (const double tolerance : {1e-2, 1e-5, 1e-10}) {
      const std::int64_t cells = design_of(problem_of({n, 1, 1}, Precision::f64, tolerance)).grid[0];
      EXPECT_EQ(std::binary_search(lengths.begin(), lengths.end(), cells), n < 5'000'000) << n;
    }
}

TEST(CudaCost, long_axes_have_two_parts) {
  for (const int cells : cuda::lengths_in_1d()) {
    const auto [rows, length] = cuda::parts_of(cells);
    if (cells <= cuda::longest_line) {
      EXPECT_EQ(rows, 0) << cells;
      continue;
    }
    EXPECT_EQ(rows * length, cells);
    EXPECT_LE(rows, length);
    for (const int part : {rows, length})
      EXPECT_TRUE(std::binary_search(std::begin(cuda::part_lengths), std::end(cuda::part_lengths), part)) << cells;
  }
}

// What the tests of the FFT ask for in f32 can be reached, so that their bound is the tolerance.
TEST(CudaCost, tolerances_of_f32_with_sums_in_f64_can_be_reached) {
  for (const Sizes& modes : {Sizes{700, 1, 1}, Sizes{281, 280, 1}, Sizes{110, 101, 104}, Sizes{3000, 1, 1},
                             Sizes{3, 2500, 1}, Sizes{2, 2100, 3}, Sizes{2, 3, 2100}}) {
    const double tolerance = 0.5 * cuda::wide_sums_tolerance;
    EXPECT_LE(design_of(problem_of(modes, Precision::f32, tolerance)).expected_error, tolerance) << modes[0];
  }
}

}  // namespace
