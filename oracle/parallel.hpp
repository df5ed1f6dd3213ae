// Splits a range over the machine's threads, for the work around the library (direct sums, random numbers): the library
// has its own threads. The first exception of a worker is thrown again in the caller.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <exception>
#include <thread>
#include <vector>

namespace oracle {

inline int worker_count() { return std::max(1, static_cast<int>(std::thread::hardware_concurrency())); }

// work(first, last) on disjoint pieces that cover [0, count), in any order.
template <class Work> void parallel_ranges(std::int64_t count, const Work& work) {
  const std::int64_t workers = std::clamp<std::int64_t>(count, 1, worker_count());
  std::vector<std::exception_ptr> failures(static_cast<std::size_t>(workers));
  std::vector<std::thread> threads;
  const auto piece = [&](std::int64_t worker) {
    try {
      const std::int64_t base = count / workers, extra = count % workers;
      const std::int64_t first = worker * base + std::min(worker, extra);
      work(first, first + base + (worker < extra ? 1 : 0));
    } catch (...) {
      failures[static_cast<std::size_t>(worker)] = std::current_exception();
    }
  };
  for (std::int64_t worker = 1; worker < workers; ++worker) threads.emplace_back(piece, worker);
  piece(0);
  for (auto& thread : threads) thread.join();
  for (const auto& failure : failures)
    if (failure) std::rethrow_exception(failure);
}

// work(index) for each index in [0, count), handed out one at a time: for few items of unequal or long work.
template <class Work> void parallel_items(std::int64_t count, const Work& work) {
  std::atomic<std::int64_t> next = 0;
  parallel_ranges(std::min<std::int64_t>(count, worker_count()), [&](std::int64_t, std::int64_t) {
    for (std::int64_t index = next++; index < count; index = next++) work(index);
  });
}

}  // namespace oracle
