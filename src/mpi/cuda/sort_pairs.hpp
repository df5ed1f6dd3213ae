// The one use of CUB: a stable radix sort of pairs by key.
#pragma once

#include <cstdint>

namespace offgrid::mpi::inside {

struct Pairs {
  std::int32_t* keys;  // 0 or more
  std::int64_t* values;
};

// The pairs `from` in ascending order of their keys, which are below `keys`; `from` stays as it is. Both arrays are on the GPU.
void sort_pairs(const Pairs& from, const Pairs& to, std::int64_t count, std::int32_t keys);

}  // namespace offgrid::mpi::inside
