// Transforms on grids of every length that has kernels of its own, along rows and along columns, and on longer ones.
#include "cuda/line_plan.hpp"
#include "gpu_test.hpp"

namespace {

using namespace support;

class FftTest : public GpuTest {};

TEST_F(FftTest, lines_of_every_length) {
  for_both_precisions([&](auto zero) {
    using T = decltype(zero);
    for (const int n : offgrid::cuda::line_sizes)
      for (const bool rows : {true, false}) {
        if (n < 8) continue;  // lines_that_are_short has them
        const std::int64_t modes = n / 2;
        Spec spec{.modes = rows ? Sizes{modes, 5} : Sizes{5, modes}};
        spec.options = {.transforms = 2, .upsampling = static_cast<double>(n) / static_cast<double>(modes), .width = 7};
        spec.tolerance = 1;  // of the kernel itself: read from the plan
        Transform<T> transform(where(), spec);
        const auto points = uniform_points<T>(2, 60);
        transform.set_points(points);
        const Errors errors = measure(transform, points);
        SCOPED_TRACE(offgrid::text(spec.name(), " line ", n, rows ? " along x" : " along y"));
        EXPECT_LE(errors.forward, 3 * transform.get("expected_error"));  // few outputs
        EXPECT_LE(errors.adjoint, 3 * transform.get("expected_error"));
      }
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

// Too long for the kernels: cuFFT transforms them.
TEST_F(FftTest, lines_that_are_long) {
  for_both_precisions([&](auto zero) {
    using T = decltype(zero);
    for (const Sizes& modes : {Sizes{3000}, Sizes{2500, 3}, Sizes{3, 2500}, Sizes{2, 3, 2100}})
      for (const auto order : {offgrid::ModeOrder::centred, offgrid::ModeOrder::fft}) {
        Spec spec{.modes = modes, .tolerance = usual_tolerance<T>};
        spec.options.transforms = 3, spec.options.mode_order = order;
        expect_accurate<T>(where(), spec, uniform_points<T>(static_cast<int>(modes.size()), 100));
      }
  });
}

}  // namespace
