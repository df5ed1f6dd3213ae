// OpenMP, and what a fork does to it.
// ThreadSanitizer learns of OpenMP's barriers from Archer, which comes with clang's libomp: the preset tsan takes clang for
// that. Where a compiler defines __SANITIZE_THREAD__ (clang 14 does not), plain std::threads take OpenMP's place.
#include "cpu/threads.hpp"

#include <pthread.h>
#include <sys/stat.h>

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
std::atomic<bool> is_alone{true}, is_lost{false};

// Linux counts the threads of a process as folders. Where it cannot be known, there may be others.
bool has_one_thread() {
  struct stat tasks {};
  constexpr nlink_t no_folders = 2;
  return ::stat("/proc/self/task", &tasks) == 0 && tasks.st_nlink == no_folders + 1;
}

// OpenMP's threads stay once they were started, by whatever library. A process that is alone when it forks has none.
[[maybe_unused]] const int handlers = ::pthread_atfork([] { is_alone = started == 0 && has_one_thread(); }, nullptr,
                                                       [] { is_lost = is_lost || !is_alone; });

}  // namespace

int available_threads() {
#if defined(__SANITIZE_THREAD__)
  return static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
#else
  return omp_get_max_threads();
#endif
}

bool lost_team() { return is_lost.load(std::memory_order_relaxed); }

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
