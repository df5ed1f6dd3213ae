// Loops over threads: the only file that knows OpenMP.
// ThreadSanitizer learns of OpenMP's barriers from Archer, which comes with clang's libomp: the preset tsan takes clang for
// that. Where a compiler defines __SANITIZE_THREAD__ (clang 14 does not), plain std::threads take OpenMP's place.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>

#if defined(__SANITIZE_THREAD__)
#include <thread>
#include <vector>
#else
#include <omp.h>
#endif

#include "cpu/range.hpp"

namespace offgrid::cpu {

inline int available_threads() {
#if defined(__SANITIZE_THREAD__)
  return static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
#else
  return omp_get_max_threads();
#endif
}

// body(index, thread) for each index in [0, count), handed out one at a time; 0 <= thread < threads. body must not
// throw. The team may be smaller than `threads` (inside a parallel region of the caller's), so results must not depend
// on who does what.
template <class F> void parallel_for(int threads, std::int64_t count, F&& body) {
  const int team = static_cast<int>(std::min<std::int64_t>(threads, count));
  if (team <= 1) {
    for (std::int64_t index = 0; index < count; ++index) body(index, 0);
    return;
  }
#if defined(__SANITIZE_THREAD__)
  std::atomic<std::int64_t> next{0};
  std::vector<std::jthread> crew;
  for (int thread = 0; thread < team; ++thread)
    crew.emplace_back([&, thread] {
      for (std::int64_t index = next++; index < count; index = next++) body(index, thread);
    });
#else
#pragma omp parallel for schedule(dynamic) num_threads(team)
  for (std::int64_t index = 0; index < count; ++index) body(index, omp_get_thread_num());
#endif
}

}  // namespace offgrid::cpu
