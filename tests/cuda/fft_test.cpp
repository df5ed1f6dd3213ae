// Transforms on grids of every length that has kernels of its own, along rows and along columns, and on longer ones.
#include <numbers>
#include <set>

#include "cuda/fft/stockham_plan.hpp"
#include "cuda/method/method.hpp"
#include "gpu_test.hpp"

namespace {

using namespace support;

namespace cuda = offgrid::cuda;

// The stages as the kernels take them, on the host.
TEST(LinePlanTest, stages_make_a_transform_of_every_length) {
  const auto root = [](double part, double whole) { return std::polar(1.0, 2 * std::numbers::pi * part / whole); };
  for (const int n : cuda::line_sizes)
    for (const std::size_t real_bytes : {4, 8}) {
      SCOPED_TRACE(offgrid::text(n, " cells of ", real_bytes, " bytes"));
      const cuda::LinePlan plan = cuda::line_plan(n, real_bytes);
      ASSERT_GE(plan.stages, 2);
      EXPECT_LE(plan.threads, cuda::most_line_threads(real_bytes, plan.threads));
      EXPECT_LE(cuda::most_line_threads(real_bytes, plan.threads), 1024);  // of a block
      const auto turns = cuda::make_twiddles<double>(plan);
      const auto in = random_values<double>(n, 7);
      auto x = in;
      for (int s = 0; s < plan.stages; ++s) {
        const auto [radix, m, apart, groups] = plan.stage[s];
        EXPECT_EQ(radix * apart, n);
        EXPECT_GE(groups * plan.threads, apart);
        EXPECT_LE(groups * radix, cuda::line_values(real_bytes).more);
        std::vector<std::complex<double>> y(x.size());
        for (int j = 0; j < apart; ++j)
          for (int k = 0; k < radix; ++k) {
            std::complex<double> sum = 0;
            for (int i = 0; i < radix; ++i) {
              const std::size_t at = 2 * static_cast<std::size_t>(j % m + i * m - plan.stage[0].radix);
              const auto turn = s > 0 && i > 0 ? std::complex(turns.at(at), turns.at(at + 1)) : 1.0;
              sum += x[j + i * apart] * turn * root(i * k % radix, radix);
            }
            y[j / m * m * radix + j % m + k * m] = sum;
          }
        x = y;
      }
      for (const int k : {0, 1, n / 3, n - 1}) {
        std::complex<double> sum = 0;
        for (std::int64_t j = 0; j < n; ++j) sum += in[j] * root(j * k % n, n);
        EXPECT_LE(std::abs(sum - x[k]), 1e-12 * n) << k;
      }
    }
}

class FftTest : public GpuTest {
 protected:
  // Calls body(transform) with a grid whose lines along x, or along y, have each of the lengths. f32 has grids of f64, too.
  template <class Body> void for_every_length(std::int64_t others, std::int64_t transforms, Body body) const {
    for_both_precisions([&](auto zero) {
      using T = decltype(zero);
      for (const double tolerance : {1.0, 0.5 * cuda::wide_sums_tolerance})  // the width decides what is reached
        for (const int n : cuda::line_sizes)
          for (const bool rows : {true, false}) {
            if (sizeof(T) == 8 && tolerance < 1) continue;
            if (n < 8) continue;  // lines_that_are_short has them
            const std::int64_t modes = n / 2;
            Spec spec{.modes = rows ? Sizes{modes, others} : Sizes{others, modes}, .tolerance = tolerance};
            spec.options = {.transforms = transforms,
                            .upsampling = static_cast<double>(n) / static_cast<double>(modes),
                            .width = 7,
                            .batch = transforms};
            SCOPED_TRACE(offgrid::text(spec.name(), " line ", n, rows ? " along x" : " along y"));
            body(Transform<T>(where(), spec));
          }
    });
  }
};

TEST_F(FftTest, lines_of_every_length) {
  for_every_length(5, 2, [&]<class T>(Transform<T> transform) {
    const auto points = uniform_points<T>(2, 60);
    transform.set_points(points);
    const Errors errors = measure(transform, points);
    EXPECT_LE(errors.forward, error_of_width<T>(2, 7));
    EXPECT_LE(errors.adjoint, error_of_width<T>(2, 7));
  });
}

// Enough for blocks that have as many as fit. A vector among many has the same result as alone.
TEST_F(FftTest, many_lines_of_every_length) {
  const std::int64_t others = 24, transforms = 96;
  for_every_length(others, transforms, [&]<class T>(Transform<T> many) {
    const auto points = uniform_points<T>(2, 8);
    Spec spec = many.spec();
    spec.options.transforms = spec.options.batch = 1;
    Transform<T> alone(where(), spec);
    many.set_points(points), alone.set_points(points);
    const auto expect_same = [&](auto call, To from) {
      const auto in = random_values<T>(many.size_of(from), 3), out = (many.*call)(in);
      const auto of = [](const auto& values, std::int64_t v) {
        const auto size = static_cast<std::int64_t>(values.size()) / transforms;
        return std::vector<std::complex<T>>(values.begin() + v * size, values.begin() + (v + 1) * size);
      };
      for (const std::int64_t v : {std::int64_t{0}, transforms / 2 - 1, transforms - 1})
        EXPECT_LE(relative_error(of(out, v), (alone.*call)(of(in, v))), rounding<T>) << v;
    };
    expect_same(&Transform<T>::execute, To::points);
    expect_same(&Transform<T>::adjoint, To::modes);
  });
}

// Their blocks have many lines, and their lines few threads.
TEST_F(FftTest, lines_that_are_short) {
  for_both_precisions([&](auto zero) {
    using T = decltype(zero);
    for (const Sizes& modes : {Sizes{1, 1, 1}, Sizes{1, 2, 3}, Sizes{3, 1, 40}, Sizes{40, 2, 1}, Sizes{2, 700}})
      for (const auto order : {offgrid::ModeOrder::centred, offgrid::ModeOrder::fft})
        for (const double tolerance : {1e-1, 1e-3, usual_tolerance<T>}) {
          Spec spec{.modes = modes, .tolerance = tolerance};
          spec.options.transforms = 3, spec.options.mode_order = order;
          expect_accurate<T>(where(), spec, uniform_points<T>(static_cast<int>(modes.size()), 100));
        }
  });
}

// Every length that a part has, as rows and as columns, in both orders of modes, from f64 to f32 where tight tolerances in f32
// take a grid of f64; with few modes, with many, and vectors that are many.
TEST_F(FftTest, long_axes_in_two_parts) {
  std::set<int> rows_seen, lengths_seen;
  for (const int cells : cuda::lengths_in_1d()) {
    const auto [rows, length] = cuda::parts_of(cells);
    if (rows == 0 || (rows_seen.count(rows) != 0 && lengths_seen.count(length) != 0)) continue;
    rows_seen.insert(rows), lengths_seen.insert(length);
    for_both_precisions([&](auto zero) {
      using T = decltype(zero);
      for (const double tolerance : {1e-4, 0.5 * cuda::wide_sums_tolerance})  // the width decides what is reached
        for (const double sigma : {1.3, 2.0}) {
          if ((sizeof(T) == 8 && tolerance < 1e-4) || (sigma < 2 && cells > 100'000)) continue;
          const auto modes = static_cast<std::int64_t>(cells / sigma);
          Spec spec{.modes = Sizes{modes}, .tolerance = tolerance};
          spec.options = {.transforms = sigma == 2 && cells < 100'000 ? 5 : 1,
                          .upsampling = static_cast<double>(cells) / static_cast<double>(modes),
                          .width = 7};
          spec.options.mode_order = cells % 4 == 0 ? offgrid::ModeOrder::fft : offgrid::ModeOrder::centred;
          SCOPED_TRACE(offgrid::text(spec.name(), " rows ", rows, " length ", length));
          Transform<T> transform(where(), spec);
          const auto points = uniform_points<T>(1, 8);
          transform.set_points(points);
          ASSERT_EQ(transform.get("grid1"), cells);
          const Errors errors = measure(transform, points);
          // What the kernel misses by; a wrong turn gives an error of the size of the result.
          const double most = 4 * transform.get("expected_error") + 10 * rounding<T>;
          EXPECT_LE(errors.forward, most);
          EXPECT_LE(errors.adjoint, most);
        }
    });
  }
  EXPECT_EQ(rows_seen.size(), std::size(cuda::part_lengths));
  EXPECT_GE(lengths_seen.size() + 2, std::size(cuda::part_lengths));  // 60 and 64 are rows alone
}

// Every way that a grid is transformed: by lines along each axis, from f64 to f32 where tight tolerances in f32 take a grid
// of f64, in two parts, and by cuFFT where an axis is too long for the kernels, wherever it stands; a full batch and a rest.
TEST_F(FftTest, every_way_of_the_fft) {
  std::vector<Sizes> all{{700},           {40, 41}, {281, 280}, {1, 700}, {50, 51, 52},
                         {110, 101, 104}, {3000},   {30'000},   {2500, 3}};
  for (const Sizes& modes : std::vector<Sizes>{{4500, 9}, {9, 4500}, {4100, 8, 9}, {8, 4100, 9}, {8, 9, 4100}})
    all.push_back(modes);
  for_both_precisions([&](auto zero) {
    using T = decltype(zero);
    for (const Sizes& modes : all)
      for (const auto order : {offgrid::ModeOrder::centred, offgrid::ModeOrder::fft})
        for (const double tolerance : {usual_tolerance<T>, 0.5 * cuda::wide_sums_tolerance}) {
          Spec spec{.modes = modes, .tolerance = tolerance};
          spec.options = {.transforms = 3, .mode_order = order, .batch = 2};
          const auto points = uniform_points<T>(static_cast<int>(modes.size()), 8);
          expect_accurate<T>(where(), spec, points);
          spec.options.points_hint = 8;
          expect_fft_of(Transform<T>(where(), spec).plan(), modes);
        }
  });
}

TEST_F(FftTest, a_single_axis_beyond_two_parts) {
  const Spec spec{.modes = {3'000'000}, .tolerance = 1e-5, .options = {.upsampling = 2}};
  expect_accurate<double>(where(), spec, uniform_points<double>(1, 3));
  Spec hinted = spec;
  hinted.options.points_hint = 3;
  EXPECT_NE(Transform<double>(where(), hinted).plan().describe().find("FFT by cuFFT"), std::string::npos);
}

}  // namespace
