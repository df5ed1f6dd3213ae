// The modes along an axis: their order in the caller's array, and the cells of the grid that hold them.
#pragma once

#include <cstdint>

namespace offgrid::cuda {

// The first cells of the grid hold the modes k >= 0, the last ones those with k < 0.
struct AxisModes {
  int cells, end, begin;   // k >= 0 is in [0, end), k < 0 in [begin, cells)
  int shift, later_shift;  // from one of the first or last cells to its index in the caller's order

  constexpr AxisModes(std::int64_t n, std::int64_t modes, bool fft_order)
      : cells(static_cast<int>(n)),
        end(static_cast<int>(modes - modes / 2)),
        begin(static_cast<int>(n - modes / 2)),
        shift(static_cast<int>(fft_order ? 0 : modes / 2)),
        later_shift(static_cast<int>((fft_order ? modes : modes / 2) - n)) {}

  constexpr bool holds(int cell) const { return cell < end || cell >= begin; }
  constexpr int index(int cell) const { return cell + (cell < end ? shift : later_shift); }
  constexpr int k(int cell) const { return cell < end ? cell : cells - cell; }  // |k|
  constexpr int cell(int index) const {
    const int first = index - shift;
    return first >= 0 && first < end ? first : index - later_shift;
  }
};

}  // namespace offgrid::cuda
