// Device memory that plans leave for later ones.
#include "cuda/plan_memory.hpp"

#include "cuda/check.hpp"
#include "gpu_test.hpp"

namespace {

using namespace offgrid::cuda;

using PlanMemoryTest = support::GpuTest;

bool is_allocated(const void* memory) {
  cudaPointerAttributes attributes{};
  call("pointer", [&] { return cudaPointerGetAttributes(&attributes, memory); });
  return attributes.type == cudaMemoryTypeDevice;
}

// Two blocks that are together more than is kept: a large plan must not keep the memory of all later plans from them.
TEST_F(PlanMemoryTest, what_was_left_last_is_kept) {
  free_idle_device_memory();
  std::size_t free = 0, total = 0;
  call("memory", [&] { return cudaMemGetInfo(&free, &total); });
  const std::size_t bytes = total / 16 / 2;
  if (free < 3 * bytes) GTEST_SKIP() << "others have the memory";
  void *first = take_device_memory(bytes), *last = take_device_memory(bytes + bytes / 2);
  give_back_device_memory(first, bytes);
  give_back_device_memory(last, bytes + bytes / 2);
  EXPECT_FALSE(is_allocated(first));
  EXPECT_TRUE(is_allocated(last));
  free_idle_device_memory();
  EXPECT_FALSE(is_allocated(last));
}

}  // namespace
