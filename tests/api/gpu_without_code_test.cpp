// A GPU that the library was not built for counts as not there. To see these tests run, build for another GPU than the
// machine's, on a Hopper with -DOFFGRID_CUDA_ARCHITECTURES=100-real.
#include "c_calls.hpp"
#include "gpu_memory.hpp"

using namespace support;

namespace {

class GpuWithoutCode : public testing::Test {
 protected:
  void SetUp() override {
    const std::string devices = offgrid_devices();
    if (devices.find("not used: ") == std::string::npos)
      GTEST_SKIP() << "there is no GPU that this build has no code for";
  }
};

TEST_F(GpuWithoutCode, cuda_is_refused_and_says_how_to_build) {
  const auto options = make_options();
  ASSERT_EQ(offgrid_options_set_text(options.get(), "device", "cuda"), OFFGRID_OK);
  offgrid_plan plan = nullptr;
  expect_refused(create(&plan, {}, options.get()), OFFGRID_DEVICE_ERROR,
                 {"compute capability", "OFFGRID_CUDA_ARCHITECTURES"});
  EXPECT_EQ(plan, nullptr);
}

TEST_F(GpuWithoutCode, auto_takes_the_cpu_and_describe_says_why) {
  const auto plan = make_plan({.dim = 1, .modes = {8}});
  const std::string words = offgrid_plan_describe(plan.get());
  EXPECT_NE(words.find("GPU          not used: "), std::string::npos) << words;
  const double x[] = {0.5, 1.0, 4.0};
  std::complex<double> strengths[] = {1, 2, 3}, modes[8];
  ASSERT_EQ(offgrid_set_points(plan.get(), 3, x, nullptr, nullptr, nullptr), OFFGRID_OK) << offgrid_last_error();
  ASSERT_EQ(offgrid_execute(plan.get(), strengths, modes, nullptr), OFFGRID_OK) << offgrid_last_error();
  EXPECT_NEAR(std::abs(modes[4] - 6.0), 0, 1e-4);
}

TEST_F(GpuWithoutCode, auto_refuses_arrays_of_that_gpu) {
  const auto plan = make_plan({.dim = 1, .modes = {8}});
  const double x[] = {0.5, 1.0, 4.0};
  const auto there = copy_to_gpu(x, sizeof x);
  expect_refused(offgrid_set_points(plan.get(), 3, there.get(), nullptr, nullptr, nullptr), OFFGRID_DEVICE_ERROR,
                 {"compute capability", "OFFGRID_CUDA_ARCHITECTURES"});
}

}  // namespace
