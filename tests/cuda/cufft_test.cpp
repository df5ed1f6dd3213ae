// cuFFT is loaded when it is needed; no GPU is needed for that.
#include "cuda/cufft.hpp"

#include <gtest/gtest.h>

#include <array>

#include "core/error.hpp"

namespace {

using offgrid::cuda::load_cufft;

std::string refusal(std::span<const std::string> files) {
  try {
    load_cufft(files);
  } catch (const offgrid::Error& error) {
    EXPECT_EQ(error.status(), offgrid::Status::device_error);
    return error.what();
  }
  return "nothing was thrown";
}

TEST(Cufft, is_found_where_the_toolkit_is) {
  const offgrid::cuda::Cufft& cufft = offgrid::cuda::cufft();
  for (const bool there : {cufft.create != nullptr, cufft.destroy != nullptr, cufft.make_plan_many != nullptr,
                           cufft.exec_c2c != nullptr, cufft.exec_z2z != nullptr})
    EXPECT_TRUE(there);
}

TEST(Cufft, says_what_is_missing_and_who_needs_it) {
  const std::string words = refusal(std::array<std::string, 2>{"libcufft.so.0", "/nowhere/libcufft.so.0"});
  for (const char* part : {"libcufft.so.0", "more than 4096 cells", "CUDA toolkit", "nvidia-cufft", "LD_LIBRARY_PATH"})
    EXPECT_NE(words.find(part), std::string::npos) << part << " in: " << words;
  EXPECT_NE(refusal(std::array<std::string, 1>{"libdl.so.2"}).find("no function cufftCreate"), std::string::npos);
}

}  // namespace
