// The same work on several threads.
#pragma once

#include <thread>
#include <vector>

namespace support {

// body(i) on `count` threads at the same time.
template <class F> void on_threads(int count, F body) {
  std::vector<std::thread> threads;
  for (int i = 0; i < count; ++i) threads.emplace_back([&body, i] { body(i); });
  for (auto& thread : threads) thread.join();
}

}  // namespace support
