#include "cpu/spread/halo.hpp"

#include <algorithm>

#include "cpu/threads.hpp"

namespace offgrid::cpu {
namespace {

template <class T> void add(std::complex<T>* target, const std::complex<T>* source, std::int64_t count) {
  for (std::int64_t i = 0; i < count; ++i) target[i] += source[i];
}

double cells_time(std::int64_t cells) { return cell_time * static_cast<double>(cells); }

// Image cells in the rows and columns of all planes.
double images_time(const Layout& layout) {
  return cells_time(layout.padded[2] * (layout.padded[1] + layout.padded[0]) * layout.width);
}

// Calls row(first in the grid, first without padding, count) for all rows of cells along x; long rows come in parts.
template <class Row> void for_each_row(const Layout& layout, int threads, Row row) {
  constexpr std::int64_t part_cells = 4096;
  const auto [nx, ny, nz] = layout.grid;
  const std::int64_t parts = (nx + part_cells - 1) / part_cells;
  const Work work{threads, cells_time(nx * ny * nz)};
  parallel_for(work, parts * ny * nz, [&, nx = nx, ny = ny](std::int64_t i, int) {
    const std::int64_t y = i / parts % ny, z = i / parts / ny, first = i % parts * part_cells;
    row(z * layout.plane_stride + y * layout.padded[0] + first, (z * ny + y) * nx + first,
        std::min(part_cells, nx - first));
  });
}

}  // namespace

template <class T> void clear_cells(std::complex<T>* cells, std::int64_t count, int threads) {
  const std::int64_t parts = threads == 1 ? 1 : std::int64_t{4} * threads;
  parallel_for({threads, cells_time(count)}, parts, [&](std::int64_t part, int) {
    const Range range = part_of(count, parts, part);
    std::fill(cells + range.begin, cells + range.end, std::complex<T>{});
  });
}

// Axis by axis from x on, so that corners arrive where they belong.
template <class T> void add_halo(const Layout& layout, std::complex<T>* grid, int threads) {
  const auto [nx, ny, nz] = layout.grid;
  const std::int64_t row = layout.padded[0], images = layout.width - 1;
  parallel_for({threads, images_time(layout)}, layout.padded[2], [&, ny = ny, nx = nx](std::int64_t z, int) {
    std::complex<T>* plane = grid + z * layout.plane_stride;
    for (std::int64_t y = 0; y < layout.padded[1]; ++y) add(plane + y * row, plane + y * row + nx, images);
    if (layout.dim > 1)
      for (std::int64_t y = 0; y < images; ++y) add(plane + y * row, plane + (ny + y) * row, nx);
  });
  if (layout.dim < 3) return;
  parallel_for({threads, cells_time(images * nx * ny)}, images, [&, nx = nx, ny = ny, nz = nz](std::int64_t z, int) {
    for (std::int64_t y = 0; y < ny; ++y) {
      std::complex<T>* target = grid + z * layout.plane_stride + y * row;
      add(target, target + nz * layout.plane_stride, nx);
    }
  });
}

template <class T> void fill_halo(const Layout& layout, std::complex<T>* grid, int threads) {
  const auto [nx, ny, nz] = layout.grid;
  const std::int64_t row = layout.padded[0], images = layout.width - 1;
  parallel_for({threads, images_time(layout)}, nz, [&, ny = ny, nx = nx](std::int64_t z, int) {
    std::complex<T>* plane = grid + z * layout.plane_stride;
    for (std::int64_t y = 0; y < ny; ++y) {
      std::complex<T>* end = std::copy_n(plane + y * row, images, plane + y * row + nx);
      std::fill(end, plane + (y + 1) * row, std::complex<T>{});
    }
    if (layout.dim > 1) std::copy_n(plane, images * row, plane + ny * row);
  });
  if (layout.dim < 3) return;
  parallel_for({threads, cells_time(images * layout.plane_stride)}, images, [&, nz = nz](std::int64_t z, int) {
    std::copy_n(grid + z * layout.plane_stride, layout.plane_stride, grid + (nz + z) * layout.plane_stride);
  });
}

template <class T>
void copy_from_grid(const Layout& layout, const std::complex<T>* grid, std::complex<T>* cells, int threads) {
  for_each_row(layout, threads, [&](std::int64_t padded, std::int64_t plain, std::int64_t count) {
    std::copy_n(grid + padded, count, cells + plain);
  });
}

template <class T>
void copy_to_grid(const Layout& layout, const std::complex<T>* cells, std::complex<T>* grid, int threads) {
  for_each_row(layout, threads, [&](std::int64_t padded, std::int64_t plain, std::int64_t count) {
    std::copy_n(cells + plain, count, grid + padded);
  });
}

template void clear_cells(std::complex<float>*, std::int64_t, int);
template void clear_cells(std::complex<double>*, std::int64_t, int);
template void add_halo(const Layout&, std::complex<float>*, int);
template void add_halo(const Layout&, std::complex<double>*, int);
template void fill_halo(const Layout&, std::complex<float>*, int);
template void fill_halo(const Layout&, std::complex<double>*, int);
template void copy_from_grid(const Layout&, const std::complex<float>*, std::complex<float>*, int);
template void copy_from_grid(const Layout&, const std::complex<double>*, std::complex<double>*, int);
template void copy_to_grid(const Layout&, const std::complex<float>*, std::complex<float>*, int);
template void copy_to_grid(const Layout&, const std::complex<double>*, std::complex<double>*, int);

}  // namespace offgrid::cpu
