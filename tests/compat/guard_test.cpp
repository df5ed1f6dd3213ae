// How errors inside become codes: those of offgrid, and exceptions that nobody expects, which no arguments can bring about.
#include "common/guard.hpp"

#include <gtest/gtest.h>

#include <stdexcept>

namespace {

constexpr compat::Library cpu{.name = "finufft", .out_of_memory = FINUFFT_ERR_ALLOC};
constexpr compat::Library gpu{.name = "cufinufft", .out_of_memory = FINUFFT_ERR_CUDA_FAILURE};

// The code for a status of offgrid, and what is printed with it.
int code_of(const compat::Library& library, offgrid_status status) {
  testing::internal::CaptureStderr();
  const int code = compat::guard(library, "execute", [&] { compat::check(library, status); });
  const std::string printed = testing::internal::GetCapturedStderr();
  const std::string start = std::string("[") + library.name + "_execute] error " + std::to_string(code) + ": ";
  EXPECT_EQ(printed.substr(0, start.size()), code == 0 ? "" : start);
  return code;
}

TEST(Guard, codes_of_offgrids_status) {
  for (const compat::Library& library : {cpu, gpu}) {
    EXPECT_EQ(code_of(library, OFFGRID_OK), 0);
    EXPECT_EQ(code_of(library, OFFGRID_INVALID_ARGUMENT), FINUFFT_ERR_INVALID_ARGUMENT);
    EXPECT_EQ(code_of(library, OFFGRID_WRONG_STATE), FINUFFT_ERR_PLAN_NOTVALID);
    EXPECT_EQ(code_of(library, OFFGRID_OUT_OF_MEMORY), library.out_of_memory);
    EXPECT_EQ(code_of(library, OFFGRID_DEVICE_ERROR), FINUFFT_ERR_CUDA_FAILURE);
    EXPECT_EQ(code_of(library, OFFGRID_INTERNAL_ERROR), FINUFFT_ERR_UNKNOWN_EXCEPTION);
  }
}

TEST(Guard, codes_of_exceptions) {
  testing::internal::CaptureStderr();
  EXPECT_EQ(compat::guard(cpu, "setpts", [] { throw std::bad_alloc(); }), FINUFFT_ERR_ALLOC);
  EXPECT_EQ(compat::guard(cpu, "setpts", [] { throw std::runtime_error("a fault"); }), FINUFFT_ERR_UNKNOWN_EXCEPTION);
  EXPECT_EQ(testing::internal::GetCapturedStderr(),
            "[finufft_setpts] error 11: out of memory\n[finufft_setpts] error 25: a fault\n");
}

TEST(Guard, a_body_may_return_the_code_of_a_warning) {
  EXPECT_EQ(compat::guard(cpu, "setpts", [] { return FINUFFT_WARN_EPS_TOO_SMALL; }), FINUFFT_WARN_EPS_TOO_SMALL);
}

}  // namespace
