// This rank among those of a job, as far as M-TIP needs it: images are shared out, sums are over all ranks, and everything but
// merging and matching is done by each rank alike. Without MPI there is one rank.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "mtip/types.hpp"

namespace cli::mtip {

struct Ranks {
  int rank = 0, size = 1;
  std::function<void(std::span<double>)> sum = [](std::span<double>) {
  };  // over the ranks; all of them get the same bits
};

// The images [first, first + count) that a rank works on.
struct Share {
  std::int64_t first, count;
};
inline Share share_of(std::int64_t images, const Ranks& ranks) {
  const std::int64_t base = images / ranks.size, extra = images % ranks.size;
  const std::int64_t first = ranks.rank * base + std::min<std::int64_t>(ranks.rank, extra);
  return {first, base + (ranks.rank < extra ? 1 : 0)};
}

// The rotations of all ranks' images, in the order of the ranks.
std::vector<Rotation> gather(std::span<const Rotation> mine, const Ranks& ranks);

}  // namespace cli::mtip
