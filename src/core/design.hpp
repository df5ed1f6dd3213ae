// Everything that is chosen from a problem, its tolerance, the options and the number of points, before a device is touched:
// an immutable value. Flow: validate -> choose sigma and width (cost) -> grid -> polynomial and deconvolution factors. A plan
// is designed when its points are set, since the cheapest grid depends on how many there are. A plan that only spreads has
// a kernel and the caller's grid, and no modes (cells_design.hpp). Engines take a design as it is.
// How their device computes it is theirs to choose: the CPU engine sorts as it suits the points, the CUDA engine also picks
// a method, bins and the precision of sums (cuda/method/choice.hpp), when the plan is made and again when points are set.
#pragma once

#include <array>
#include <functional>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "core/kernel/factors.hpp"
#include "core/kernel/polynomial.hpp"
#include "core/kernel/window.hpp"
#include "core/memory_limit.hpp"
#include "core/options.hpp"
#include "core/types.hpp"

namespace offgrid {

// A transform that is weighed: what is known of it before it is chosen.
struct TransformShape {
  const Problem& problem;
  const Sizes& grid;
  int width;
  const Options& options;
  std::int64_t vectors;  // worked on together
  Direction direction;
};

// What a sum straight from its definition costs: the phase of a pair of points, with a part per axis, and a product per pair
// and vector. Fewer values than `full` do not keep all of the device busy.
struct DirectCosts {
  double pair = std::numeric_limits<double>::infinity(), axis = 0, vector = 0, full = 1;
};

// What core knows of an engine when it weighs costs: relative times of its elementary steps. Where an engine's times do not
// go by rows and radix-2 passes, it gives a function of its own.
struct BackendTraits {
  using TransformTime = std::function<double(const TransformShape& shape)>;
  using LongestSum = double (*)(std::int64_t points);  // terms that f64 adds one by one, if all points are at one place
  std::string name;
  int vector_bytes = 8;                               // of FFT and clearing
  int row_bytes = 8;                                  // of the vectors in which a row of w cells is added to or read
  double point = 1;                                   // time per point: its load, the gather of its strength, the loop
  double kernel_axis = 1;                             // per kernel value of an axis
  double row_vector = 1;                              // per vector of a row that is read and written
  double fft = 1;                                     // per vector of cells in one radix-2 pass
  double cell = 1;                                    // per vector of cells that is cleared, folded and read again
  std::int64_t batch_bytes = 0;                       // grids worked on together should fit in here,
  std::int64_t most_vectors = std::int64_t{1} << 20;  // and may not be more
  double f32_rounding = 1;                            // errors of f32, relative to the core's model of them
  std::array<DirectCosts, 2> direct{};                // of f32 and f64
  double call_cost = 0;                               // one more call of the library, whatever it does
  bool fine_sigmas = false;                           // more of them are tried where points are few and the FFT is all
  LongestSum longest_sum = nullptr;                   // none: sums of f64 are never too long
  TransformTime time = nullptr;                       // of one vector, whole: points, clearing and FFT
  std::span<const int> grid_sizes = {};               // ascending, that its FFT likes; smooth ones beyond the last
  std::span<const int> sizes_in_1d = {};              // the same for an axis that is alone; none: those
  MemoryLimit host_memory = {};                       // of the host, where some tables are
  MemoryLimit grid_memory = {};                       // of the device, where the grids are
  std::string kept_as = {};  // designs are kept for later plans under this name; empty: they are not
};

struct Design {
  Problem asked;    // as the caller put it
  Problem problem;  // as the engines see it: an axis of one mode, k = 0, changes nothing and is dropped
  std::array<int, max_dim> axes{0, 1, 2};  // the caller's axis that each axis of `problem` is; the dropped ones follow
  Options options;
  Window window;
  Sizes grid{1, 1, 1};
  Polynomial polynomial;
  std::array<FactorSeries, max_dim> factors;  // deconvolution factors of each axis; none without modes
  std::int64_t batch = 1;                     // vectors worked on together
  double amplification = 1;                   // of rounding errors on the grid, by deconvolution
  double expected_error = 0;                  // relative l2, of the transform as designed
  double reachable_tolerance = 0;             // the smallest tolerance that this problem can be given
  double goal = 0;                            // the tolerance, or what is expected where that is out of reach
  std::int64_t most_points = 0;               // more points than this need another design
  bool empty = false;                         // some axis has no modes

  [[nodiscard]] int dim() const { return problem.dim; }
  [[nodiscard]] std::int64_t grid_along(int asked_axis) const {  // 1 for axes that were dropped
    for (int axis = 0; axis < problem.dim; ++axis)
      if (axes[axis] == asked_axis) return grid[axis];
    return 1;
  }
  [[nodiscard]] std::int64_t real_bytes() const { return problem.precision == Precision::f32 ? 4 : 8; }
  [[nodiscard]] bool has_modes() const { return uniform_side(options) == UniformSide::modes; }
  // Numbers of one vector on the uniform side: modes, or the cells of the grid.
  [[nodiscard]] std::int64_t uniform_count() const { return problem.modes[0] * problem.modes[1] * problem.modes[2]; }
};

// Sets `asked`, and `problem` and `axes` without the axes of one mode; where all axes have one mode, the last one is kept.
void drop_axes(const Problem& asked, Design& design);

// Refuses what no number of points would make possible, in microseconds: bad arguments, more modes than there is memory for,
// and with `strict` a tolerance that cannot be reached.
void require_possible(const Problem& problem, const Options& options, const BackendTraits& traits);

// The smallest tolerance that this problem can be given, however many points there are.
double reachable_tolerance(const Problem& problem, const Options& options, const BackendTraits& traits);

// The cheapest design for options.points_hint points, as far as it is known without making it.
struct Estimate {
  double cost = 0;        // of one vector, in the units of the traits
  double error = 0;       // relative l2
  double grid_bytes = 0;  // of one vector
};
Estimate estimate_design(const Problem& problem, const Options& options, const BackendTraits& traits);

// A design for options.points_hint points; 0 stands for as many as modes.
Design make_design(const Problem& problem, const Options& options, const BackendTraits& traits);

// The same, from the designs of the last plans where it is one of them.
std::shared_ptr<const Design> kept_design(const Problem& problem, const Options& options, const BackendTraits& traits);

// The smallest size of a grid's axis that has at least `cells` cells and for which the engine's FFT is fast.
std::int64_t next_size(std::int64_t cells, int dim, const BackendTraits& traits);

// The number of points that a design for `count` of them is made for: the next half power of two. Numbers that share it
// share their design, so that a design depends on the number of points alone and not on what was set before.
std::int64_t designed_points(std::int64_t count);

// Whether `present` will do where `fresh` is the design for the number of points that was set: the two are the same, or the
// present one costs at most 3 % more at that number. A deterministic plan never keeps another design than the fresh one.
bool suits(const Design& present, const Design& fresh, const BackendTraits& traits);

// Whether two designs of a problem, in one direction or the other, have the same cells and kernel.
bool have_same_grid(const Design& one, const Design& other);

// The choices in words, one per line: of a design, its first line alone, and of a plan that has none yet.
std::string describe(const Design& design);
std::string describe_problem(const Problem& problem, const Options& options);
std::string describe_undesigned(const Problem& problem, const Options& options, double reachable);

}  // namespace offgrid
