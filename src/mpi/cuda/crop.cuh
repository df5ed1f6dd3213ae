// Between cells and modes, after and before the FFTs: crop or padding, deconvolution, and the order in which modes are sent.
// Each body is called for one place of what it writes or, where it crops planes, of the modes of a plane.
#pragma once

#include "cuda/fft/axis_modes.hpp"
#include "mpi/cuda/complex.cuh"
#include "mpi/partition.hpp"

namespace offgrid::mpi::inside {

template <class T> struct AxisFactors {
  cuda::AxisModes modes;
  const T* factors;  // [|k|]
};

// The modes of this rank's planes, for each rank r [own][rows of r][length].
struct PackedRows {
  Blocks rows;
  std::int64_t own, length;
  [[nodiscard]] OFFGRID_ANYWHERE std::int64_t place(std::int64_t plane, std::int64_t row, std::int64_t x) const {
    const int rank = rows.owner(row);
    const std::int64_t first = rows.first(rank), count = rows.count(rank);
    return (own * first + plane * count + (row - first)) * length + x;
  }
};

// The axes within a plane: rows are cut and sent, and x runs along a row. In 2D a row has one mode, and x one cell.
template <class T> struct PlaneAxes {
  AxisFactors<T> x, row;
  PackedRows packed;
};

// A division that takes 32 bits where they are enough, which is several times as fast.
[[nodiscard]] OFFGRID_ANYWHERE inline std::int64_t divide(std::int64_t a, std::int64_t b) {
  const bool small = ((a | b) >> 32) == 0;
  return small ? static_cast<std::uint32_t>(a) / static_cast<std::uint32_t>(b) : a / b;
}

// Called for (plane, place in [rows][length]).
template <class T> struct CropPlanes {
  PlaneAxes<T> axes;
  const Number<T>* cells;  // [own][cells of rows][cells of x]
  Number<T>* packed;
  OFFGRID_ANYWHERE void operator()(std::int64_t plane, std::int64_t i) const {
    const std::int64_t row = divide(i, axes.packed.length), x = i - row * axes.packed.length;
    const cuda::AxisModes &along_rows = axes.row.modes, &along_x = axes.x.modes;
    const int row_cell = along_rows.cell(static_cast<int>(row)), x_cell = along_x.cell(static_cast<int>(x));
    const T factor = axes.row.factors[along_rows.k(row_cell)] * axes.x.factors[along_x.k(x_cell)];
    const std::int64_t from = (plane * along_rows.cells + row_cell) * along_x.cells + x_cell;
    packed[axes.packed.place(plane, row, x)] = scaled(cells[from], factor);
  }
};

// Called for (plane, cell of the plane).
template <class T> struct PadPlanes {
  PlaneAxes<T> axes;
  const Number<T>* packed;
  Number<T>* cells;  // [own][cells of rows][cells of x]
  OFFGRID_ANYWHERE void operator()(std::int64_t plane, std::int64_t i) const {
    const cuda::AxisModes &along_rows = axes.row.modes, &along_x = axes.x.modes;
    const int row_cell = static_cast<int>(divide(i, along_x.cells));
    const int x_cell = static_cast<int>(i - std::int64_t{row_cell} * along_x.cells);
    Number<T> value{0, 0};
    if (along_rows.holds(row_cell) && along_x.holds(x_cell)) {
      const T factor = axes.row.factors[along_rows.k(row_cell)] * axes.x.factors[along_x.k(x_cell)];
      value = scaled(packed[axes.packed.place(plane, along_rows.index(row_cell), along_x.index(x_cell))], factor);
    }
    cells[plane * along_rows.cells * along_x.cells + i] = value;
  }
};

// Called for (index of the mode along the last axis, column).
template <class T> struct CropColumns {
  AxisFactors<T> axis;
  std::int64_t count;
  const Number<T>* columns;  // [cells][count]
  Number<T>* modes;          // [modes][count]
  OFFGRID_ANYWHERE void operator()(std::int64_t index, std::int64_t column) const {
    const int cell = axis.modes.cell(static_cast<int>(index));
    modes[index * count + column] = scaled(columns[cell * count + column], axis.factors[axis.modes.k(cell)]);
  }
};

// Called for (cell along the last axis, column).
template <class T> struct PadColumns {
  AxisFactors<T> axis;
  std::int64_t count;
  const Number<T>* modes;  // [modes][count]
  Number<T>* columns;      // [cells][count]
  OFFGRID_ANYWHERE void operator()(std::int64_t at, std::int64_t column) const {
    const int cell = static_cast<int>(at);
    Number<T> value{0, 0};
    if (axis.modes.holds(cell))
      value = scaled(modes[axis.modes.index(cell) * count + column], axis.factors[axis.modes.k(cell)]);
    columns[at * count + column] = value;
  }
};

}  // namespace offgrid::mpi::inside
