#include "cpu/halo.hpp"

#include <algorithm>

#include "cpu/threads.hpp"

namespace offgrid::cpu {
namespace {

template <class T> void add(std::complex<T>* target, const std::complex<T>* source, std::int64_t count) {
  for (std::int64_t i = 0; i < count; ++i) target[i] += source[i];
}

}  // namespace

template <class T> void clear_grid(const Layout& layout, std::complex<T>* grid, int threads) {
  const std::int64_t parts = threads == 1 ? 1 : std::int64_t{4} * threads;
  parallel_for(threads, parts, [&](std::int64_t part, int) {
    const Range range = part_of(layout.cells, parts, part);
    std::fill(grid + range.begin, grid + range.end, std::complex<T>{});
  });
}

// Axis by axis from x on, so that corners arrive where they belong.
template <class T> void add_halo(const Layout& layout, std::complex<T>* grid, int threads) {
  const auto [nx, ny, nz] = layout.grid;
  const std::int64_t row = layout.padded[0], images = layout.width - 1;
  parallel_for(threads, layout.padded[2], [&, ny = ny, nx = nx](std::int64_t z, int) {
    std::complex<T>* plane = grid + z * layout.plane_stride;
    for (std::int64_t y = 0; y < layout.padded[1]; ++y) add(plane + y * row, plane + y * row + nx, images);
    if (layout.dim > 1)
      for (std::int64_t y = 0; y < images; ++y) add(plane + y * row, plane + (ny + y) * row, nx);
  });
  if (layout.dim < 3) return;
  parallel_for(threads, images, [&, nx = nx, ny = ny, nz = nz](std::int64_t z, int) {
    for (std::int64_t y = 0; y < ny; ++y) {
      std::complex<T>* target = grid + z * layout.plane_stride + y * row;
      add(target, target + nz * layout.plane_stride, nx);
    }
  });
}

template <class T> void fill_halo(const Layout& layout, std::complex<T>* grid, int threads) {
  const auto [nx, ny, nz] = layout.grid;
  const std::int64_t row = layout.padded[0], images = layout.width - 1;
  parallel_for(threads, nz, [&, ny = ny, nx = nx](std::int64_t z, int) {
    std::complex<T>* plane = grid + z * layout.plane_stride;
    for (std::int64_t y = 0; y < ny; ++y) {
      std::complex<T>* end = std::copy_n(plane + y * row, images, plane + y * row + nx);
      std::fill(end, plane + (y + 1) * row, std::complex<T>{});
    }
    if (layout.dim > 1) std::copy_n(plane, images * row, plane + ny * row);
  });
  if (layout.dim < 3) return;
  parallel_for(threads, images, [&, nz = nz](std::int64_t z, int) {
    std::copy_n(grid + z * layout.plane_stride, layout.plane_stride, grid + (nz + z) * layout.plane_stride);
  });
}

template void clear_grid(const Layout&, std::complex<float>*, int);
template void clear_grid(const Layout&, std::complex<double>*, int);
template void add_halo(const Layout&, std::complex<float>*, int);
template void add_halo(const Layout&, std::complex<double>*, int);
template void fill_halo(const Layout&, std::complex<float>*, int);
template void fill_halo(const Layout&, std::complex<double>*, int);

}  // namespace offgrid::cpu
