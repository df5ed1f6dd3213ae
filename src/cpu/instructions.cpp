#include "cpu/simd.hpp"
//
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "cpu/instructions.cpp"
#include <hwy/foreach_target.h>
//
#include <hwy/highway.h>

#include "cpu/instructions.hpp"

HWY_BEFORE_NAMESPACE();
namespace offgrid::cpu {
namespace HWY_NAMESPACE {

int bytes_of_a_vector() {
  return static_cast<int>(hwy::HWY_NAMESPACE::Lanes(hwy::HWY_NAMESPACE::ScalableTag<std::uint8_t>()));
}
const char* name_of_target() { return hwy::TargetName(HWY_TARGET); }

}  // namespace HWY_NAMESPACE
}  // namespace offgrid::cpu
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace offgrid::cpu {
namespace {

HWY_EXPORT(bytes_of_a_vector);
HWY_EXPORT(name_of_target);

}  // namespace

std::string common_name(std::string_view target) {
  return std::string(target.starts_with("AVX3") ? "AVX-512" : target);  // AVX3_DL, AVX3_ZEN4: parts that come later
}

std::string instruction_set() { return common_name(HWY_DYNAMIC_DISPATCH(name_of_target)()); }
int vector_bytes() { return HWY_DYNAMIC_DISPATCH(bytes_of_a_vector)(); }

}  // namespace offgrid::cpu
#endif
