// The padding of a grid. Cells past the end of an axis are images of its first ones:
//   add_halo   after spreading: image cells are added to the cells that they stand for
//   fill_halo  before interpolation: cells are copied to their images; what lies beyond becomes zero, so that vectors that
//              read past a point's last cell read finite numbers
#pragma once

#include <complex>

#include "cpu/layout.hpp"

namespace offgrid::cpu {

template <class T> void clear_cells(std::complex<T>* cells, std::int64_t count, int threads);
template <class T> void add_halo(const Layout& layout, std::complex<T>* grid, int threads);
template <class T> void fill_halo(const Layout& layout, std::complex<T>* grid, int threads);

}  // namespace offgrid::cpu
