// What the SIMD code found on this machine.
#pragma once

#include <string>

namespace offgrid::cpu {

std::string instruction_set();  // such as "AVX3" (AVX-512)
int vector_bytes();

}  // namespace offgrid::cpu
