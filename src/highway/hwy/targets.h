// The part of Highway's interface that src/cpu uses, for machines that have no Highway: the same names over the vector
// extensions of GCC and Clang, so that src/cpu is compiled from the same lines at the same speed. Nothing of Highway is in
// here. CMake takes this folder where pkg-config finds no libhwy, or with -DOFFGRID_HIGHWAY=OFF.
//
// This file: which instruction sets there are, and which of them the machine has. A set is a bit, the best one the lowest,
// and HWY_TARGET is the one that is being compiled.
#pragma once

#include <atomic>
#include <cstdint>

#define HWY_AVX3 1  // AVX-512
#define HWY_AVX2 2
#define HWY_SSE4 4     // the baseline of x86-64 (-march=x86-64-v2)
#define HWY_NEON 8     // the baseline of ARM
#define HWY_SCALAR 16  // one lane; not made here

#if defined(__x86_64__)
#define HWY_STATIC_TARGET HWY_SSE4
#elif defined(__aarch64__)
#define HWY_STATIC_TARGET HWY_NEON
#else
#error "offgrid's own vectors know x86-64 and ARM only: install Highway"
#endif
#ifndef HWY_TARGET
#define HWY_TARGET HWY_STATIC_TARGET
#endif
#define HWY_ONCE (HWY_TARGET == HWY_STATIC_TARGET)

namespace offgrid_vectors {

inline std::int64_t detected_targets() {
  std::int64_t targets = HWY_STATIC_TARGET;
#if defined(__x86_64__)
  __builtin_cpu_init();
  const bool avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
  const bool avx512 = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") &&
                      __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512bw");
  if (avx2) targets |= HWY_AVX2;
  if (avx2 && avx512) targets |= HWY_AVX3;
#endif
  return targets;
}

inline std::int64_t targets_for_test = 0;  // 0: those that the machine has
inline void SetSupportedTargetsForTest(std::int64_t targets) { targets_for_test = targets; }
inline std::int64_t SupportedTargets() { return targets_for_test != 0 ? targets_for_test : detected_targets(); }

// The place of the target that is used in a table with the best one first.
class ChosenTarget {
 public:
  void Update(std::int64_t targets) { place_ = __builtin_ctzll(static_cast<unsigned long long>(targets)); }
  [[nodiscard]] int place() const { return place_.load(std::memory_order_relaxed); }

 private:
  std::atomic<int> place_{__builtin_ctzll(static_cast<unsigned long long>(SupportedTargets()))};
};
inline ChosenTarget& GetChosenTarget() {
  static ChosenTarget chosen;
  return chosen;
}

inline const char* TargetName(std::int64_t target) {
  return target == HWY_AVX3 ? "AVX3" : target == HWY_AVX2 ? "AVX2" : target == HWY_SSE4 ? "SSE4" : "NEON";
}

}  // namespace offgrid_vectors

namespace hwy = offgrid_vectors;

// HWY_EXPORT(f): a table of the functions f of all targets. HWY_DYNAMIC_DISPATCH(f): the one for this machine.
#if defined(__x86_64__)
#define HWY_EXPORT(f) constexpr decltype(&N_SSE4::f) f##_of_targets[] = {&N_AVX3::f, &N_AVX2::f, &N_SSE4::f}
#define HWY_DYNAMIC_DISPATCH(f) (*f##_of_targets[::offgrid_vectors::GetChosenTarget().place()])
#else
#define HWY_EXPORT(f) static_assert(true)
#define HWY_DYNAMIC_DISPATCH(f) N_NEON::f
#endif
