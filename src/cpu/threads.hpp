// Loops over threads. How many take part is decided here, by the work that there is (thread_policy.hpp): small work stays
// on the calling thread. threads.cpp is the only file that knows OpenMP.
#pragma once

#include <algorithm>
#include <cstdint>
#include <type_traits>

#include "core/options.hpp"
#include "cpu/range.hpp"
#include "cpu/thread_policy.hpp"

namespace offgrid::cpu {

int available_threads();

// How many the options ask for.
inline int threads_of(const Options& options) { return options.threads > 0 ? options.threads : available_threads(); }

// Whether this process was forked from one that had several threads. The team that OpenMP keeps waiting for its next loop
// did not come along, and a loop would wait for it for ever: all work stays on the calling thread.
bool lost_team();

// How often threads were woken so far, for tests.
std::int64_t teams_started();

struct Work {
  int threads = 1;         // at most this many,
  double nanoseconds = 0;  // for what one core would do in about this time
};

// body(context, index, thread) for each index in [0, count), by `team` threads.
using TeamBody = void (*)(void* context, std::int64_t index, int thread);
void run_team(int team, std::int64_t count, TeamBody body, void* context);

// body(index, thread) for each index in [0, count), handed out one at a time; 0 <= thread < work.threads. body must not
// throw. The team may be smaller than work.threads (little work, a parallel region of the caller's, a forked process), so
// results must not depend on who does what.
template <class F> void parallel_for(const Work& work, std::int64_t count, F&& body) {
  const auto team = static_cast<int>(std::min<std::int64_t>(threads_for(work.nanoseconds, work.threads), count));
  if (team <= 1 || lost_team()) {
    for (std::int64_t index = 0; index < count; ++index) body(index, 0);
    return;
  }
  using Body = std::remove_reference_t<F>;
  const TeamBody call = [](void* context, std::int64_t index, int thread) {
    (*static_cast<Body*>(context))(index, thread);
  };
  run_team(team, count, call, const_cast<void*>(static_cast<const void*>(&body)));
}

// Rows of elements, and how many of them are a unit of work.
struct Rows {
  std::int64_t rows, size, chunk;
};

// body(row, range of its elements). The ranges do not depend on the number of threads.
template <class F> void for_ranges(int threads, const Rows& rows, double element_time, F&& body) {
  const std::int64_t chunks = (rows.size + rows.chunk - 1) / rows.chunk;
  const Work work{threads, element_time * static_cast<double>(rows.rows * rows.size)};
  parallel_for(work, rows.rows * chunks, [&](std::int64_t index, int) {
    const std::int64_t begin = index % chunks * rows.chunk;
    body(index / chunks, Range{begin, std::min(begin + rows.chunk, rows.size)});
  });
}

}  // namespace offgrid::cpu
