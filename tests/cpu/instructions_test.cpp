// The instruction set has the name that its makers gave it.
#include "cpu/instructions.hpp"

#include <gtest/gtest.h>

namespace {

using namespace offgrid::cpu;

TEST(Instructions, avx_512_is_not_called_avx3) {
  for (const char* target : {"AVX3", "AVX3_DL", "AVX3_ZEN4"}) EXPECT_EQ(common_name(target), "AVX-512");
  for (const char* target : {"SSE4", "AVX2", "NEON"}) EXPECT_EQ(common_name(target), target);
  EXPECT_EQ(instruction_set().find("AVX3"), std::string::npos) << instruction_set();
}

}  // namespace
