// The seam between core and the backends: the stages of a transform on one kind of device.
// An engine reads its Design and never calls core's plan. Control goes down once per stage, with one way back up: run()
// gets the stages of a batch as a function, and calls it unless it can repeat their work by itself.
#pragma once

#include <algorithm>
#include <complex>
#include <cstddef>
#include <functional>
#include <memory>

#include "core/convolution.hpp"
#include "core/design.hpp"
#include "core/error.hpp"
#include "core/pointwise.hpp"
#include "core/types.hpp"
#include "core/vector_algebra.hpp"

namespace offgrid {

// Scratch of one execute, opaque to core: the grids of a batch in whatever layout the engine likes.
class Grid {
 public:
  virtual ~Grid() = default;
};
using GridLease = std::unique_ptr<Grid, std::function<void(Grid*)>>;

// Factors of the results at points, the same for all vectors. They stay where they are until points are set.
template <class T> struct PointFactors {
  const std::complex<T>* by = nullptr;  // null: all are 1
  bool conjugate = false;               // conj(by) are the factors
  bool operator==(const PointFactors&) const = default;
};

// Vectors that are transformed together. Equal ones take the same stages with the same arguments, until points are set.
template <class T> struct Batch {
  Route route;
  Sign sign;
  std::complex<T>* strengths;  // [count][points]
  std::complex<T>* uniform;    // [count][N3][N2][N1], modes or cells
  std::int64_t count;
  PointFactors<T> factors{};  // of the strengths, to points
  bool operator==(const Batch&) const = default;
};
using Stages = std::function<void(Stream)>;

// One per plan. All calls but set_points are const and may run at the same time, each with a grid of its own.
template <class T> class Engine {
 public:
  using Complex = std::complex<T>;
  virtual ~Engine() = default;

  // Where it throws, the earlier points stay in force, unless lost_points() then says that they do not.
  virtual void set_points(const Points<T>& points, Stream stream) = 0;
  [[nodiscard]] virtual bool lost_points() const { return false; }
  // Whether a new engine of the same design would work on about so many points in the same way as this one.
  [[nodiscard]] virtual bool serves(std::int64_t points) const {
    (void)points;
    return true;
  }
  // Points can go from one engine to another of its kind that was made for another grid. Whether they can now; `not_now`:
  // while the stream is being captured.
  enum class Handover { possible, impossible, not_now };
  [[nodiscard]] virtual Handover handover(Stream stream) const {
    (void)stream;
    return Handover::impossible;
  }
  // Whether this engine has its points in the order that it would give them for this direction.
  [[nodiscard]] virtual bool is_sorted_for(Direction direction) const {
    (void)direction;
    return true;
  }
  // Takes them, and waits for them. False: they would need their coordinates once more; then this engine has no points.
  virtual bool take_points(const Engine& from, Stream stream) {
    (void)from, (void)stream;
    return false;
  }
  // Stages on the grid follow on the same stream.
  virtual GridLease lease_grid(std::int64_t batch, Stream stream) const = 0;
  // Transforms the first vectors of an execute in the engine's own way, without the stages below, and says how many.
  virtual std::int64_t run_vectors(const Batch<T>& all, Stream stream) const {
    (void)all, (void)stream;
    return 0;
  }
  // Runs the stages of a batch on its grid. An engine that has seen the batch before may repeat its work without them.
  virtual void run(const Batch<T>& batch, Grid& grid, const Stages& stages, Stream stream) const {
    (void)batch, (void)grid;
    stages(stream);
  }
  // strengths: [batch][points], consecutive vectors
  virtual void spread(const Complex* strengths, Grid& grid, Stream stream) const = 0;
  // Whether it multiplies results by factors on the way. Where not, its caller does afterwards, and gives none.
  [[nodiscard]] virtual bool multiplies_results() const { return false; }
  // From a grid that modes_to_grid or cells_to_grid has filled: what spread leaves may be of another precision.
  virtual void interpolate(const Grid& grid, const PointFactors<T>& factors, Complex* strengths,
                           Stream stream) const = 0;
  // modes: [batch][N3][N2][N1]. Pruned FFT with crop or padding and deconvolution; grid_to_modes may destroy the grid.
  virtual void grid_to_modes(Grid& grid, Complex* modes, Sign sign, Stream stream) const = 0;
  virtual void modes_to_grid(const Complex* modes, Grid& grid, Sign sign, Stream stream) const = 0;
  // cells: [batch][n3][n2][n1], the grid as its caller sees it. Both are copies; grid_to_cells may destroy the grid.
  virtual void grid_to_cells(Grid& grid, Complex* cells, Stream stream) const = 0;
  virtual void cells_to_grid(const Complex* cells, Grid& grid, Stream stream) const = 0;

  [[nodiscard]] virtual std::size_t workspace_bytes() const = 0;  // of one execute
  // Executes use the caller's memory from here on, one at a time; null: the engine's own again.
  virtual void set_workspace(void* memory, std::size_t bytes) {
    (void)bytes;
    if (memory != nullptr)
      throw Error(Status::invalid_argument, "workspace: this engine takes care of its memory, expected null");
  }
  // What the engine holds on its device now, and held at most: points, grids, tables and, of the peak, scratch.
  [[nodiscard]] virtual std::size_t memory_bytes() const = 0;
  [[nodiscard]] virtual std::size_t peak_bytes() const = 0;
  [[nodiscard]] virtual std::string describe() const = 0;
};

// A backend is a value that is handed to core, so that core names none of them.
inline void accept_any_array(const char*, const void*) {}
inline void clear_host_memory(void* memory, std::size_t bytes, Stream) {
  std::fill_n(static_cast<std::byte*>(memory), bytes, std::byte{});
}

struct Backend {
  BackendTraits traits;
  std::unique_ptr<Engine<float>> (*make_f32)(const Design&) = nullptr;
  std::unique_ptr<Engine<double>> (*make_f64)(const Design&) = nullptr;
  void (*check_array)(const char* what, const void* pointer) = accept_any_array;  // throws where it cannot reach it
  void (*clear)(void* memory, std::size_t bytes, Stream stream) = clear_host_memory;
  // Where there are none, short axes are transformed as all others are.
  std::unique_ptr<Pointwise<float>> (*pointwise_f32)(const Options&) = nullptr;
  std::unique_ptr<Pointwise<double>> (*pointwise_f64)(const Options&) = nullptr;

  template <class T> [[nodiscard]] std::unique_ptr<Engine<T>> make(const Design& design) const {
    if constexpr (sizeof(T) == 4)
      return make_f32(design);
    else
      return make_f64(design);
  }
  // Where there are none, a Gram operator is a pair of transforms.
  std::unique_ptr<Convolution<float>> (*convolution_f32)(const Design&) = nullptr;
  std::unique_ptr<Convolution<double>> (*convolution_f64)(const Design&) = nullptr;

  // Where there are none, there are no solvers.
  std::unique_ptr<VectorAlgebra<float>> (*algebra_f32)(const Options&) = nullptr;
  std::unique_ptr<VectorAlgebra<double>> (*algebra_f64)(const Options&) = nullptr;

  template <class T> [[nodiscard]] auto algebra() const {
    if constexpr (sizeof(T) == 4)
      return algebra_f32;
    else
      return algebra_f64;
  }
  template <class T> [[nodiscard]] auto convolution() const {
    if constexpr (sizeof(T) == 4)
      return convolution_f32;
    else
      return convolution_f64;
  }
  template <class T> [[nodiscard]] auto pointwise() const {
    if constexpr (sizeof(T) == 4)
      return pointwise_f32;
    else
      return pointwise_f64;
  }
};

}  // namespace offgrid
