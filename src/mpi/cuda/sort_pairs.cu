#include "mpi/cuda/sort_pairs.hpp"

#include <cub/device/device_radix_sort.cuh>

#include <bit>

#include "mpi/buffer.hpp"
#include "mpi/cuda/check.hpp"

namespace offgrid::mpi::inside {

void sort_pairs(const Pairs& from, const Pairs& to, std::int64_t count, std::int32_t keys) {
  const int bits = std::max(1, static_cast<int>(std::bit_width(static_cast<std::uint32_t>(keys - 1))));
  std::size_t bytes = 0;
  const auto sort = [&](void* work) {
    check_cuda(cub::DeviceRadixSort::SortPairs(work, bytes, from.keys, to.keys, from.values, to.values, count, 0, bits),
               "sorting points by owner");
  };
  sort(nullptr);  // says how much memory it needs
  const Buffer<std::byte> work(gpu_memory(), static_cast<std::int64_t>(bytes));
  sort(work.data());
  wait_for_gpu("sorting points by owner");
}

}  // namespace offgrid::mpi::inside
