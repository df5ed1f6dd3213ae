// OpenMP.
// ThreadSanitizer learns of OpenMP's barriers from Archer, which comes with clang's libomp: the preset tsan takes clang for
// that. Where a compiler defines __SANITIZE_THREAD__ (clang 14 does not), plain std::threads take OpenMP's place.
#include "cpu/threads.hpp"

#include <atomic>

#if defined(__SANITIZE_THREAD__)
#include <thread>
#include <vector>
#else
#include <omp.h>
#endif

namespace offgrid::cpu {
namespace {

std::atomic<std::int64_t> started{0};

}  // namespace

int available_threads() {
#if defined(__SANITIZE_THREAD__)
  return static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
#else
  return omp_get_max_threads();
#endif
}

std::int64_t teams_started() { return started; }

void run_team(int team, std::int64_t count, TeamBody body, void* context) {
  started.fetch_add(1, std::memory_order_relaxed);
#if defined(__SANITIZE_THREAD__)
  std::atomic<std::int64_t> next{0};
  std::vector<std::jthread> crew;
  for (int thread = 0; thread < team; ++thread)
    crew.emplace_back([&, thread] {
      for (std::int64_t index = next++; index < count; index = next++) body(context, index, thread);
    });
#else
#pragma omp parallel for schedule(dynamic) num_threads(team)
  for (std::int64_t index = 0; index < count; ++index) body(context, index, omp_get_thread_num());
#endif
}

}  // namespace offgrid::cpu
