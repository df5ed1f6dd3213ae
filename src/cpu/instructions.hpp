// What the SIMD code found on this machine.
#pragma once

#include <string>
#include <string_view>

namespace offgrid::cpu {

std::string instruction_set();                     // such as "AVX-512"
std::string common_name(std::string_view target);  // of a target of Highway's, which has names of its own
int vector_bytes();

}  // namespace offgrid::cpu
