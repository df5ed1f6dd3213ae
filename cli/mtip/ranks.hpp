// This rank among those of a job, as far as M-TIP needs it: images are shared out, sums are over all ranks, and everything but
// merging and matching is done by each rank alike. Without MPI there is one rank.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "mtip/types.hpp"
#include "text.hpp"

namespace cli::mtip {

// An error that all ranks have thrown, with the same words: one of them prints it, and none waits for another.
class AgreedError : public InputError {
 public:
  using InputError::InputError;
};

struct Ranks {
  int rank = 0, size = 1;
  std::function<void(std::span<double>)> sum = [](std::span<double>) {
  };  // over the ranks; all of them get the same bits
  std::function<void(std::span<std::byte>)> broadcast = [](std::span<std::byte>) {};  // from rank 0 to all ranks
  // Each rank gives its reason to refuse, or an empty string. Where there is a reason, all ranks throw that of the lowest rank.
  std::function<void(const std::string&)> agree = [](const std::string& reason) {
    if (!reason.empty()) throw AgreedError(reason);
  };

  // Rank 0's value, on all ranks.
  [[nodiscard]] double of_first(double value) const {
    broadcast(std::as_writable_bytes(std::span(&value, 1)));
    return value;
  }

  // Runs the body, which must not communicate, on each rank. Where one refuses its input, all ranks do.
  template <class Body> void together(Body&& body) const {
    std::string reason;
    try {
      body();
    } catch (const InputError& error) {
      reason = error.what();
    }
    agree(reason);
  }
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

// The file of a rank where each has one of its own.
inline std::string file_of_rank(const std::string& path, const Ranks& ranks) {
  return ranks.size == 1 ? path : path + "." + std::to_string(ranks.rank);
}

// The rotations of all ranks' images, in the order of the ranks.
std::vector<Rotation> gather(std::span<const Rotation> mine, const Ranks& ranks);

}  // namespace cli::mtip
