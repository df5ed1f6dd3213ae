// Which GPUs a list of compute capabilities has code for; no GPU is needed.
#include "cuda/architectures.hpp"

#include <gtest/gtest.h>

#include "cuda/cost.hpp"
#include "cuda/device.hpp"
#include "cuda/launch/clear.hpp"
#include "cuda/method/choice.hpp"
#include "gpu_test.hpp"

using namespace offgrid::cuda;

namespace {

TEST(Architectures, machine_code_runs_on_its_major_capability) {
  EXPECT_TRUE(has_code_for(90, "90-real"));
  EXPECT_TRUE(has_code_for(89, "80-real,90-real"));
  EXPECT_FALSE(has_code_for(80, "86-real"));
  EXPECT_FALSE(has_code_for(100, "80-real,90-real"));
  EXPECT_FALSE(has_code_for(90, "100-real"));
}

TEST(Architectures, ptx_runs_on_later_gpus) {
  EXPECT_TRUE(has_code_for(120, "90"));
  EXPECT_TRUE(has_code_for(86, "80-virtual"));
  EXPECT_TRUE(has_code_for(90, "80-virtual"));
  EXPECT_FALSE(has_code_for(75, "80-virtual,90"));
  EXPECT_FALSE(has_code_for(90, ""));
}

TEST(Architectures, letters_bind_code_to_some_gpus) {
  EXPECT_TRUE(has_code_for(90, "90a"));
  EXPECT_FALSE(has_code_for(100, "90a"));
  EXPECT_TRUE(has_code_for(103, "100f"));
  EXPECT_FALSE(has_code_for(120, "100f"));
}

TEST(Architectures, the_default_serves_every_gpu_from_8_0_on) {
  for (const int gpu : {80, 86, 87, 89, 90, 100, 103, 120, 121}) EXPECT_TRUE(has_code_for(gpu, "80-virtual,90")) << gpu;
}

TEST(Architectures, the_reason_says_what_is_there_and_what_to_do) {
  const std::string reason = no_code_text("NVIDIA A100", 80, "90-real,100");
  for (const char* words : {"NVIDIA A100", "8.0", "9.0, 10.0 and later", "-DOFFGRID_CUDA_ARCHITECTURES=native"})
    EXPECT_NE(reason.find(words), std::string::npos) << reason;
  EXPECT_NE(no_code_text("Tesla T4", 75, "90").find("needs 8.0"), std::string::npos);
}

// What is chosen for many points in 2D, on a GPU of this major capability with code for this one.
offgrid::Method chosen(int major, int code) {
  const offgrid::Problem problem{.type = 1, .dim = 2, .modes = {128, 128, 1}};
  const DeviceLimits device{.multiprocessors = 100, .major = major, .code = code};
  const offgrid::Design design = make_design(problem, {}, cost_traits(device));
  return choose_method(method_request(design, device, 1'000'000, offgrid::Direction::to_modes)).method;
}

TEST(Architectures, methods_follow_the_code_and_not_the_gpu_alone) {
  EXPECT_EQ(chosen(9, 90), offgrid::Method::sweep);
  EXPECT_NE(chosen(9, 80), offgrid::Method::sweep);   // the driver compiled PTX for 8.0: no wide products there
  EXPECT_NE(chosen(12, 90), offgrid::Method::sweep);  // it could, but slowly
}

using GpuCode = support::GpuTest;

// The code that runs may be older than the GPU, but not newer, and is what the list says.
TEST_F(GpuCode, is_known_for_the_current_gpu) {
  const Device device = current_device();
  EXPECT_EQ(device.code, code_capability());
  EXPECT_GE(device.code, oldest_capability);
  EXPECT_LE(device.code, 10 * device.major + device.minor);
  EXPECT_EQ(gpu_without_code(), "");
}

}  // namespace
