// How many points there are at one place, or so near to each other that sums cannot tell: within a small part of a cell.
// Counted in a table that is indexed by a hash of the place, of all points or of a sample of them.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "core/types.hpp"
#include "cpu/sort/fold.hpp"
#include "cpu/sort/sort.hpp"
#include "cpu/spread/layout.hpp"

namespace offgrid::cpu {

// Random numbers by index, so that they do not depend on who asks for which. Points that follow a pattern must not meet a
// sample that does.
inline std::int64_t random_below(std::int64_t count, std::uint64_t index) {  // count < 2^32
  std::uint64_t mixed = (index + 1) * 0x9e3779b97f4a7c15U;
  mixed = (mixed ^ (mixed >> 30)) * 0xbf58476d1ce4e5b9U;
  mixed ^= mixed >> 29;
  return static_cast<std::int64_t>(((mixed >> 32) * static_cast<std::uint64_t>(count)) >> 32);
}

// How a place becomes an entry of the table.
struct PlaceHash {
  int dim = 1;
  int places = 1;  // of a cell along an axis that are told apart
  int bits = 0;    // of the table's index
  std::array<std::uint32_t, max_dim> stride{1, 0, 0};
};

// Each thread counts in a table of its own.
class PlaceCounts {
 public:
  static constexpr int many_an_entry = 32, few_an_entry = 4;  // points that an entry of the table holds on average

  PlaceCounts() = default;  // counts nothing
  PlaceCounts(const Layout& layout, std::int64_t points, int threads, int points_an_entry = many_an_entry);

  [[nodiscard]] bool is_counting() const { return !counts_.empty(); }
  template <class T> void add(int thread, const FoldedChunk<T>& chunk, std::int64_t count);
  [[nodiscard]] double most() const;  // in one entry of the table
  // The same, less what chance puts into the fullest entry.
  [[nodiscard]] double most_repeats() const;

 private:
  PlaceHash hash_;
  std::int64_t points_ = 0;
  std::vector<std::uint32_t> counts_;  // [thread][place]
};

// The counts of a sample, one point at random of each `step`; of all points where that is 1. A sample is counted more finely,
// so that its fullest entry holds little by chance.
template <class T>
PlaceCounts count_places(const SortedPoints& points, const Layout& layout, std::int64_t step, int threads);

}  // namespace offgrid::cpu
