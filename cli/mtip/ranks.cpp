#include "mtip/ranks.hpp"

#include <numeric>

namespace cli::mtip {

// Each rank puts its own part into a vector of zeros, and the sum is the whole.
std::vector<Rotation> gather(std::span<const Rotation> mine, const Ranks& ranks) {
  if (ranks.size == 1) return {mine.begin(), mine.end()};
  std::vector<double> counts(static_cast<std::size_t>(ranks.size));
  counts[static_cast<std::size_t>(ranks.rank)] = static_cast<double>(mine.size());
  ranks.sum(counts);
  const auto before = static_cast<std::size_t>(std::accumulate(counts.begin(), counts.begin() + ranks.rank, 0.0));
  const auto total = static_cast<std::size_t>(std::accumulate(counts.begin(), counts.end(), 0.0));
  std::vector<double> entries(9 * total);
  for (std::size_t i = 0; i < mine.size(); ++i)
    std::copy(mine[i].entries.begin(), mine[i].entries.end(),
              entries.begin() + static_cast<std::ptrdiff_t>(9 * (before + i)));
  ranks.sum(entries);
  std::vector<Rotation> all(total);
  for (std::size_t i = 0; i < total; ++i) std::copy_n(&entries[9 * i], 9, all[i].entries.begin());
  return all;
}

}  // namespace cli::mtip
