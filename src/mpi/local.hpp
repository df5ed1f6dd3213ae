// The steps that a rank does alone when the grid is cut into slabs, on one kind of device. In 2D a plane of the slab is a row.
//   to modes    spread -> [halos are summed] -> planes_to_blocks, pack -> [blocks become columns] -> columns_to_modes
//   to points   modes_to_columns -> [columns become blocks] -> unpack, blocks_to_planes -> [halos are filled] -> interpolate
// What stands in brackets is communication: slab_exchange.hpp does it with the arrays that are given out here.
//   planes      [own + 2 halo][n2][n1] cells, this rank's with a halo on both sides
//   packed      for each rank r [own][rows of r][N1] in 3D and [own][rows of r] in 2D: planes whose local axes are transformed and
//               cropped, sorted by the rank that gets them; rows are along the axis that modes are cut along
//   columns     [n_last][columns]: this rank's rows of all planes
#pragma once

#include <complex>
#include <memory>
#include <string>

#include "mpi/buffer.hpp"
#include "mpi/slab_design.hpp"
#include "mpi/slab_points.hpp"

namespace offgrid::mpi::inside {

// Who has which planes and rows.
struct SlabShape {
  Slabs slabs;  // planes along the slowest axis
  Blocks rows;  // of the axis that modes are cut along
  int rank = 0;

  [[nodiscard]] std::int64_t own() const { return slabs.planes.count(rank); }
  [[nodiscard]] std::int64_t halo() const { return own() > 0 ? slabs.halo : 0; }  // planes on either side
  [[nodiscard]] std::int64_t own_rows() const { return rows.count(rank); }
};

// Numbers in a plane of cells, and those of a plane's modes that come with one row.
inline std::int64_t plane_length(const SlabDesign& design) {
  return design.dim == 3 ? design.grid[0] * design.grid[1] : design.grid[0];
}
inline std::int64_t row_length(const SlabDesign& design) { return design.dim == 3 ? design.modes[0] : 1; }

template <class T> class LocalSteps {
 public:
  using Complex = std::complex<T>;
  virtual ~LocalSteps() = default;

  virtual void set_points(std::int64_t count, const std::array<const T*, 3>& axes) = 0;
  virtual void spread(const Complex* strengths) = 0;
  virtual void interpolate(Complex* strengths) = 0;
  virtual void planes_to_blocks(int sign) = 0;
  virtual void blocks_to_planes(int sign) = 0;
  virtual void pack() = 0;
  virtual void unpack() = 0;
  virtual void columns_to_modes(Complex* modes, int sign) = 0;
  virtual void modes_to_columns(const Complex* modes, int sign) = 0;

  [[nodiscard]] virtual Complex* planes() const = 0;
  [[nodiscard]] virtual Complex* packed() const = 0;
  [[nodiscard]] virtual Complex* columns() const = 0;
  [[nodiscard]] virtual std::int64_t memory_bytes() const = 0;  // with all that the steps need
};

template <class T> std::unique_ptr<LocalSteps<T>> make_local_cpu(const SlabDesign& design, const SlabShape& shape);
template <class T> std::unique_ptr<LocalSteps<T>> make_local_cuda(const SlabDesign& design, const SlabShape& shape);

}  // namespace offgrid::mpi::inside
