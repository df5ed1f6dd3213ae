// Ranks without MPI: threads of this program that meet for each sum, broadcast and agreement.
#pragma once

#include <algorithm>
#include <barrier>
#include <functional>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "mtip/ranks.hpp"

namespace cli::mtip {

// Runs a body as each of the ranks at the same time, with sums, broadcasts and agreement between them.
class RanksAsThreads {
 public:
  explicit RanksAsThreads(int size) : size_(size), reasons_(static_cast<std::size_t>(size)), meeting_(size) {}

  void run(const std::function<void(const Ranks&)>& body) {
    std::vector<std::thread> threads;
    threads.reserve(reasons_.size());
    for (int rank = 0; rank < size_; ++rank)
      threads.emplace_back([&, rank] {
        body({.rank = rank,
              .size = size_,
              .sum = [this, rank](std::span<double> values) { sum(rank, values); },
              .broadcast = [this, rank](std::span<std::byte> bytes) { broadcast(rank, bytes); },
              .agree = [this, rank](const std::string& reason) { agree(rank, reason); }});
      });
    for (auto& thread : threads) thread.join();
  }

 private:
  void sum(int rank, std::span<double> values) {
    if (rank == 0) total_.assign(values.size(), 0);
    meeting_.arrive_and_wait();
    {
      const std::lock_guard lock(adding_);
      for (std::size_t i = 0; i < values.size(); ++i) total_[i] += values[i];
    }
    meeting_.arrive_and_wait();
    std::copy(total_.begin(), total_.end(), values.begin());
    meeting_.arrive_and_wait();
  }
  void broadcast(int rank, std::span<std::byte> bytes) {
    if (rank == 0) sent_.assign(bytes.begin(), bytes.end());
    meeting_.arrive_and_wait();
    std::copy(sent_.begin(), sent_.end(), bytes.begin());
    meeting_.arrive_and_wait();
  }
  void agree(int rank, const std::string& reason) {
    reasons_[static_cast<std::size_t>(rank)] = reason;
    meeting_.arrive_and_wait();
    const auto lowest = std::find_if(reasons_.begin(), reasons_.end(), [](const auto& r) { return !r.empty(); });
    const std::string words = lowest == reasons_.end() ? "" : *lowest;
    meeting_.arrive_and_wait();
    if (!words.empty()) throw AgreedError(words);
  }

  int size_;
  std::vector<std::string> reasons_;
  std::barrier<> meeting_;
  std::mutex adding_;
  std::vector<double> total_;
  std::vector<std::byte> sent_;
};

}  // namespace cli::mtip
