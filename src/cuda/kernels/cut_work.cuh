// How the launchers of methods with one thread or one team per point divide their points and vectors among blocks.
#pragma once

#include <algorithm>
#include <cstdint>

#include "cuda/kernels/stage.hpp"

namespace offgrid::cuda {

// Divides points and vectors among blocks of `teams` teams; each team works on `rounds` points, one after the other.
// Where points or vectors are few, it takes fewer rounds and more blocks: eight per multiprocessor keep the device
// busy.
inline constexpr int most_rounds = 8;
inline constexpr int busy_blocks_per_multiprocessor = 8;
template <class Arguments> dim3 cut_work(Arguments& a, int teams, int multiprocessors) {
  const std::int64_t enough_blocks = std::int64_t{busy_blocks_per_multiprocessor} * multiprocessors;
  const std::int64_t blocks_of_one_round = (a.points.count + teams - 1) / teams;
  a.rounds = static_cast<int>(std::clamp<std::int64_t>(blocks_of_one_round / enough_blocks, 1, most_rounds));
  const std::int64_t blocks = (blocks_of_one_round + a.rounds - 1) / a.rounds;
  const auto groups = static_cast<int>(std::clamp<std::int64_t>(enough_blocks / blocks, 1, a.batch));
  a.vectors = (a.batch + groups - 1) / groups;
  return {static_cast<unsigned>(blocks), static_cast<unsigned>((a.batch + a.vectors - 1) / a.vectors), 1};
}

}  // namespace offgrid::cuda
