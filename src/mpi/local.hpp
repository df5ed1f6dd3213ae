// The steps that a rank does alone when the grid is cut into slabs, on one kind of device. In 2D a plane of the slab is a row.
//   to modes    spread -> [halos are summed] -> planes_to_blocks -> [blocks become columns] -> columns_to_modes
//   to points   modes_to_columns -> [columns become blocks] -> blocks_to_planes -> [halos are filled] -> interpolate
// What stands in brackets is communication: slabs.cpp does it with the arrays that are given out here.
//   planes      [own + 2 halo][n2][n1] cells, this rank's with a halo on both sides
//   blocks      [own][rows][N1] in 3D and [own][rows] in 2D: planes whose local axes are transformed and cropped; rows is the axis
//               that modes are cut along
//   columns     [n_last][columns]: this rank's rows of all planes
#pragma once

#include <complex>
#include <memory>
#include <span>

#include "mpi/slab_design.hpp"

namespace offgrid::mpi::inside {

struct SlabShape {
  std::int64_t own = 0;   // planes of this rank
  std::int64_t halo = 0;  // planes on either side
  std::int64_t rows = 0;  // of the cut axis, on this rank
};

template <class T> class LocalSteps {
 public:
  using Complex = std::complex<T>;
  virtual ~LocalSteps() = default;

  virtual void set_points(std::int64_t count, const std::array<const T*, 3>& axes) = 0;
  virtual void spread(const Complex* strengths) = 0;
  virtual void interpolate(Complex* strengths) = 0;
  virtual void planes_to_blocks(int sign) = 0;
  virtual void blocks_to_planes(int sign) = 0;
  virtual void columns_to_modes(Complex* modes, int sign) = 0;
  virtual void modes_to_columns(const Complex* modes, int sign) = 0;

  [[nodiscard]] virtual std::span<Complex> planes() = 0;
  [[nodiscard]] virtual std::span<Complex> blocks() = 0;
  [[nodiscard]] virtual std::span<Complex> columns() = 0;
  [[nodiscard]] virtual std::string describe() const = 0;
};

template <class T> std::unique_ptr<LocalSteps<T>> make_local_cpu(const SlabDesign& design, const SlabShape& shape);

}  // namespace offgrid::mpi::inside
