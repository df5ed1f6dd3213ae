// What a method of the CUDA engine is: when it is taken, how the points are laid out for it, how exact its sums are, and its
// kernels. Each method is one unit behind this interface, `method/<name>.cpp`; choice.hpp chooses among them.
//
//   GM, GM-sort  global.cpp    every value is added to global memory                                the paper's
//   SM           tile.cpp      subproblems are added up in tiles in shared memory                   the paper's
//   sweep        sweep.cpp     a window of the grid in registers, moved by tensor cores             2D and 3D
//   sums in 1D   sums_1d.cpp   values are summed per cell in shared memory before they are added    1D
//   owner        owner.cpp     one warp owns the cells of a tile and looks for its points           few points, or determinism
//
// All but `spread` and `interpolate` is host code that touches no device.
#pragma once

#include "core/options.hpp"
#include "cuda/device.hpp"
#include "cuda/kernels/stage.hpp"
#include "cuda/launch/enqueue.hpp"
#include "cuda/method/tile.hpp"
#include "cuda/sort/sort.hpp"

namespace offgrid::cuda {

class SpreadMethod;

// --- what is asked, and what is chosen ----------------------------------------------------------------------------------
enum class SumPrecision { as_needed, f64 };

// One direction of a transform, as far as the choice of a method depends on it.
struct MethodRequest {
  int dim = 1, width = 2;
  Precision precision = Precision::f64;  // of strengths and modes
  Direction direction = Direction::to_modes;
  double tolerance = 1e-6;   // as it was asked for
  double goal = 1e-6;        // the tolerance, or what is expected where that is out of reach
  double amplification = 1;  // of rounding errors on the grid, by deconvolution
  GridShape grid{{1, 1, 1}, 1};
  double filled = 1;  // the part of the grid in which the points are
  std::int64_t points = 0;
  std::int64_t vectors = 1;  // worked on together
  SumPrecision sums = SumPrecision::as_needed;
  Options options{};  // the method, deterministic, bins, subproblem and shared_bytes count here
  DeviceLimits device{};

  [[nodiscard]] bool f64() const { return precision == Precision::f64; }
  [[nodiscard]] bool to_modes() const { return direction == Direction::to_modes; }
  [[nodiscard]] double cells() const { return static_cast<double>(grid.cells); }
  [[nodiscard]] double filled_cells() const { return filled * cells(); }
  [[nodiscard]] double density() const { return static_cast<double>(points) / filled_cells(); }  // points per cell
  [[nodiscard]] double reached_cells() const;                                                    // by one point
};

// What becomes of a request: the method, the order of its points, and what its kernels are told.
struct MethodChoice {
  const SpreadMethod* unit = nullptr;
  Method method = Method::gm_sort;  // the unit's word, never automatic
  bool fell_back = false;           // another one was asked for, but does not fit
  bool fixed_point = false;  // a deterministic sweep: cells are integers while points are added (integer_sums.hpp)
  bool wide = false;         // strengths of f32 are added up on a grid of f64
  SortSpec sort{};
  TileSpec tile{};
};

// --- what the kernels are called with -----------------------------------------------------------------------------------
// One set of points. T is the precision of the points, A that of the grid.
template <class T, class A> struct StageCall {
  const MethodChoice& choice;
  const PointSet<T>& set;
  StageArguments<T, A> stage;
  Queue queue;
  // Where a method that asks for it (sums_results) adds up results: [batch][points of the set], in the order of the packed
  // points.
  std::complex<double>* sums = nullptr;
};

// --- the interface ------------------------------------------------------------------------------------------------------
class SpreadMethod {
 public:
  virtual ~SpreadMethod() = default;

  // The value of the option `method` that asks for it, and its name in descriptions.
  [[nodiscard]] virtual Method word() const = 0;
  [[nodiscard]] virtual const char* name() const = 0;

  // Whether it has kernels for this request on this device; and whether, if it has, it should be taken. Methods are asked in
  // the order of choice.cpp, so that `wins` may assume that the methods before it have declined.
  [[nodiscard]] virtual bool can_run(const MethodRequest& request) const = 0;
  [[nodiscard]] virtual bool wins(const MethodRequest& request) const = 0;

  // Picoseconds on an H200 that the points of one vector take, for the choice of sigma and width. Some methods leave
  // out a part that is the same for all designs.
  [[nodiscard]] virtual double time(const MethodRequest& request, Precision of_grid) const = 0;

  // How the points are sorted and cut. `lay_out` sets the bins, what the sort has to do and the tile, and returns false where
  // the method does not fit after all.
  [[nodiscard]] virtual std::int64_t subproblem_points(const MethodRequest& request) const = 0;
  virtual bool lay_out(const MethodRequest& request, MethodChoice& choice) const = 0;

  // Whether f32 could miss the goal before anything is known of where the points are. And how many terms a cell adds up one
  // by one in the grid's precision, once it is: `run` subproblems of a bin or column reach the cell, of `items` in all.
  [[nodiscard]] virtual bool sums_in_f64(const MethodRequest& request, std::int64_t subproblem) const = 0;
  [[nodiscard]] virtual double longest_sum(const MethodChoice& choice, Precision precision, std::int64_t run,
                                           std::int64_t items) const = 0;
  // Whether longer subproblems make its sums more exact, because it rounds once per subproblem.
  [[nodiscard]] virtual bool gains_from_long_subproblems() const { return false; }

  // Spreading: whether it writes all cells, so that nothing needs to be cleared before. Interpolation: whether it reads the
  // grid by itself, or leaves that to one thread per point (interpolate_per_point.hpp); and if by itself, whether it adds up
  // results, and needs memory for that.
  [[nodiscard]] virtual bool writes_all_cells() const { return false; }
  [[nodiscard]] virtual bool reads_itself(const MethodRequest&) const { return false; }
  [[nodiscard]] virtual bool sums_results() const { return false; }
  // Whether all its kernels go through enqueue.hpp, so that they can be recorded and replayed.
  [[nodiscard]] virtual bool can_be_recorded() const { return true; }

  virtual void spread(const StageCall<float, float>& call) const = 0;
  virtual void spread(const StageCall<float, double>& call) const = 0;
  virtual void spread(const StageCall<double, double>& call) const = 0;
  virtual void interpolate(const StageCall<float, float>& call) const = 0;
  virtual void interpolate(const StageCall<double, double>& call) const = 0;
};

// Writes the overloads of a method M that has `template <class T, class A> void spread_as(const StageCall<T, A>&) const` and,
// unless it leaves interpolation to one thread per point, `template <class T> void interpolate_as(..) const`.
template <class M> class SpreadMethodOf : public SpreadMethod {
 public:
  void spread(const StageCall<float, float>& call) const final { self().spread_as(call); }
  void spread(const StageCall<float, double>& call) const final { self().spread_as(call); }
  void spread(const StageCall<double, double>& call) const final { self().spread_as(call); }
  void interpolate(const StageCall<float, float>& call) const final { self().interpolate_as(call); }
  void interpolate(const StageCall<double, double>& call) const final { self().interpolate_as(call); }

  template <class T> void interpolate_as(const StageCall<T, T>& call) const;  // one thread per point

 private:
  const M& self() const { return static_cast<const M&>(*this); }
};

// --- what several methods share (method.cpp) ----------------------------------------------------------------------------
Bins make_bins(const GridShape& grid, const Sizes& size);
Bins countable_bins(const GridShape& grid, Sizes size);  // larger ones where there would be too many to count
Sizes paper_bin(const MethodRequest& request);           // or what the options ask for

// The part of a sort that is the same for all methods.
SortSpec basic_sort(const MethodRequest& request, const Bins& bins);
bool wants_inverse(const MethodRequest& request);  // results are gathered into the caller's order (sort_policy.hpp)

// As many points per subproblem as fill all multiprocessors, within [least, most]; or what the options ask for.
std::int64_t even_subproblem(const MethodRequest& request, std::int64_t least, std::int64_t most);
inline constexpr std::int64_t paper_subproblem = 1024;

// Whether sums of f32 need a grid of f64: under a tolerance that f32 cannot hold, and where sums of `terms` terms of random
// sign, or of `partial_sums` partial sums, would miss the goal.
inline constexpr double wide_sums_tolerance = 5e-6;
bool needs_wide_sums(const MethodRequest& request, std::int64_t terms, std::int64_t partial_sums);
// Whether a sum of this many equal terms would miss the goal in this precision.
bool is_too_long(const MethodRequest& request, Precision precision, double terms);
// How many of `items` subproblems add to one cell, where `run` subproblems of one bin or column do.
double added_subproblems(const SortSpec& sort, std::int64_t run, std::int64_t items);

// Times of one thread per point, which the methods that do not read by themselves have in common, and of the paper's
// spreading.
inline constexpr double scattered_result = 55;  // the least time of a result that is written to a random address
inline constexpr double gathered_result = 10;   // where results are gathered into the caller's order (sort_policy.hpp)
double time_per_point(const MethodRequest& request);
double paper_time(const MethodRequest& request);
double too_large(
    double cells);  // a surcharge: points are few per box of a large grid, and what they reach is not in the cache

}  // namespace offgrid::cuda
