// The padding of a grid. Cells past the end of an axis are images of its first ones:
//   add_halo   after spreading: image cells are added to the cells that they stand for
//   fill_halo  before interpolation: cells are copied to their images; what lies beyond becomes zero, so that vectors that
//              read past a point's last cell read finite numbers
// copy_from_grid and copy_to_grid move the cells without the padding, [n3][n2][n1], out of a grid and into one.
#pragma once

#include <complex>

#include "cpu/spread/layout.hpp"

namespace offgrid::cpu {

template <class T> void clear_cells(std::complex<T>* cells, std::int64_t count, int threads);
template <class T> void add_halo(const Layout& layout, std::complex<T>* grid, int threads);
template <class T> void fill_halo(const Layout& layout, std::complex<T>* grid, int threads);
template <class T>
void copy_from_grid(const Layout& layout, const std::complex<T>* grid, std::complex<T>* cells, int threads);
template <class T>
void copy_to_grid(const Layout& layout, const std::complex<T>* cells, std::complex<T>* grid, int threads);

}  // namespace offgrid::cpu
