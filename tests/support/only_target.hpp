// Each instruction set that this machine has, in turn.
#pragma once

#include <hwy/targets.h>

#include <cstdint>

namespace support {

// Restricts what run-time dispatch may take, for as long as it lives.
class OnlyTarget {
 public:
  explicit OnlyTarget(std::int64_t target) { set(target); }
  ~OnlyTarget() { set(0); }
  OnlyTarget(const OnlyTarget&) = delete;
  OnlyTarget& operator=(const OnlyTarget&) = delete;

 private:
  static void set(std::int64_t targets) {
    hwy::SetSupportedTargetsForTest(targets);
    hwy::GetChosenTarget().Update(hwy::SupportedTargets());
  }
};

// body(target) with every one of them.
template <class F> void with_each_target(F&& body) {
  const std::int64_t all = hwy::SupportedTargets();
  for (int bit = 0; bit < 62; ++bit) {
    const std::int64_t target = all & (std::int64_t{1} << bit);
    if (target == 0) continue;
    const OnlyTarget only(target);
    body(target);
  }
}

}  // namespace support
