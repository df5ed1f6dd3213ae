// The same work on several threads.
#pragma once

#include <exception>
#include <thread>
#include <vector>

namespace support {

// body(i) on `count` threads at the same time. What one of them throws, this throws once all have ended.
template <class F> void on_threads(int count, F body) {
  std::vector<std::exception_ptr> thrown(static_cast<std::size_t>(count));
  std::vector<std::thread> threads;
  for (int i = 0; i < count; ++i)
    threads.emplace_back([&, i] {
      try {
        body(i);
      } catch (...) {
        thrown[static_cast<std::size_t>(i)] = std::current_exception();
      }
    });
  for (auto& thread : threads) thread.join();
  for (const auto& one : thrown)
    if (one) std::rethrow_exception(one);
}

}  // namespace support
