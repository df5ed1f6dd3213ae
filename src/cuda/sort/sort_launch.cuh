// What sort.cu hands to its kernels: arguments, compile-time kinds of records and sizes of tiles, and the launch of a
// scatter.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <type_traits>

#include "core/dispatch.hpp"
#include "cuda/check.hpp"
#include "cuda/sort/sort.hpp"
#include "cuda/sort/sort_kernels.cuh"

namespace offgrid::cuda {

template <class T> Coordinates<T> coordinates(const Points<T>& points) {
  Coordinates<T> same{};
  for (int axis = 0; axis < max_dim; ++axis) {
    same.axis[axis] = points.axis[axis];
    same.largest[axis] = static_cast<T>(points.map[axis].largest);
  }
  return same;
}

// Calls body(dim, kind) with both as compile-time values.
template <class T, class Body> void with_record(int dim, CellKind kind, Body&& body) {
  dispatch<1, 3>(dim, [&](auto d) {
    if (kind == CellKind::low_and_high)
      body(d, std::integral_constant<CellKind, CellKind::low_and_high>{});
    else if (kind == CellKind::low)
      body(d, std::integral_constant<CellKind, CellKind::low>{});
    else if constexpr (sizeof(T) == 4)
      body(d, std::integral_constant<CellKind, CellKind::joined>{});
  });
}

// Calls body(number of elements per thread in a pass, as a constant). `bytes` is the size of an element.
template <class Body> void with_items(bool large_tiles, std::int64_t bytes, Body&& body) {
  if (!large_tiles)
    body(std::integral_constant<int, few_items>{});
  else if (bytes <= 16)
    body(std::integral_constant<int, many_items(16)>{});
  else
    body(std::integral_constant<int, many_items(32)>{});
}

template <class T> FoldArguments fold_arguments(const SortSpec& spec, const int* shift, const Points<T>& points) {
  FoldArguments arguments{.axis = {},
                          .bins = spec.bins,
                          .inverse_bin = {},
                          .bin_shift = {},
                          .shift = {},
                          .count = points.count,
                          .fraction_bits = spec.fraction_bits,
                          .levels = static_cast<std::uint32_t>(spec.levels())};
  for (int axis = 0; axis < max_dim; ++axis) {
    const std::uint32_t n = spec.grid.n[axis], size = spec.bins.size[axis];
    arguments.axis[axis] = {.map = points.map[axis],
                            .cells = static_cast<double>(n),
                            .half_width = 0.5 * spec.width,
                            .n = static_cast<int>(n)};
    // FoldArguments::bin then is exact, since cells < 2^31 and size <= 2^(shift - 31).
    const int shift = arguments.bin_shift[axis] = 31 + static_cast<int>(std::bit_width(size - 1));
    arguments.inverse_bin[axis] = static_cast<std::uint32_t>(((std::uint64_t{1} << shift) + size - 1) / size);
  }
  std::copy_n(shift, max_dim + 1, arguments.shift);
  return arguments;
}

// What a scatter reads beside its source, and where it writes.
struct Scatter {
  int tiles;
  std::uint32_t* keys;
  std::byte* to;
  std::uint32_t* keys_to;  // null in the last pass
  bool keep_positions;     // each element's new position replaces its key, for the inverse
  Refusal refusal;
};

template <int Items, class Source>
void launch_scatter(const Source& source, const Pass& pass, const Scatter& scatter, cudaStream_t stream) {
  using Element = typename Source::Element;
  const auto kernel = scatter_kernel<Source, Items>;
  const std::size_t bytes = scatter_bytes<Element, Items>(pass.bits);
  ask_for_shared(kernel, bytes);
  kernel<<<scatter.tiles, pass_threads, bytes, stream>>>(scatter.keys, source, pass,
                                                         reinterpret_cast<Element*>(scatter.to), scatter.keys_to,
                                                         scatter.keep_positions, scatter.refusal);
}

}  // namespace offgrid::cuda
