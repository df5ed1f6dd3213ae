// What plans that are made of other plans ask of a device, beside the engines of those: memory, and products of values at
// points. One that sums its short axes exactly (short_axes.hpp) asks for phases and for modes in another order, one of type 3
// (type3/plan.hpp) for boxes and factors.
#pragma once

#include <array>
#include <complex>
#include <cstdint>
#include <memory>

#include "core/type3/extent.hpp"
#include "core/types.hpp"

namespace offgrid {

inline constexpr int max_short_axes = max_dim - 1;
inline constexpr int most_short_modes = 9;  // 3 x 3

// Memory of the device, for one execute or for the phases of points.
template <class T> class Room {
 public:
  virtual ~Room() = default;
  std::complex<T>* data = nullptr;
  std::int64_t size = 0;
  Stream stream = nullptr;  // where it was last used
};

// One factor per mode of the short axes and point: exp(i (k[0] x_0 + k[1] x_1)), where each k is -1, 0 or 1.
struct ShortModes {
  std::array<std::array<int, max_short_axes>, most_short_modes> k{};
  int count = 1;
};

template <class T> struct Modulation {
  ShortModes modes;
  std::array<const std::complex<T>*, max_short_axes> phases;  // exp(i x) of each point; null: no such axis
  std::int64_t points;
  std::int64_t vectors;
};

// Modes as the caller has them, [vectors][N3][N2][N1], and as the inner plan does, [vectors][parts][rest]: there is one part
// per mode of the short axes.
struct ModeOrders {
  std::int64_t vectors = 1;
  int parts = 1;
  std::array<std::int64_t, most_short_modes> first{};  // where a part begins in the caller's vector
  std::array<std::int64_t, max_dim - 1> size{1, 1};    // of the rest, the faster axis first
  std::array<std::int64_t, max_dim - 1> stride{};      // of the rest in the caller's vector
  [[nodiscard]] std::int64_t rest() const { return size[0] * size[1]; }
  [[nodiscard]] std::int64_t modes() const { return parts * rest(); }  // of one vector
};

// The factor of a point: exp(2 pi i turns) times, where there is a series, exp(sum_j series[j] T_j(s)), with a term of each
// axis in both exponents:
//   turns  (x - centre) (rate + rate_low)        s  2 ((x - centre) scale)^2 - 1
// Turns are carried in more than double precision, since they may be millions.
struct FactorAxis {
  double centre = 0, rate = 0, rate_low = 0, scale = 0;
};
struct FactorRule {
  static constexpr int most_terms = 40;
  int dim = 1, terms = 0;
  std::array<FactorAxis, max_dim> axis{};
  std::array<double, most_terms> series{};
};

// to[v][i] = from[v][i] by[i], where a null `from` stands for ones, and without factors by[i] is 1. It may be done in place.
template <class T> struct Product {
  const std::complex<T>* from = nullptr;
  const T* real = nullptr;  // the factors: one of these two, or none
  const std::complex<T>* complex = nullptr;
  std::complex<T>* to = nullptr;
  std::int64_t count = 0, vectors = 1;
  bool conjugate = false;  // by conj(by[i])
};

// to[v][k] = sum over j of from[v][j] exp(+-i at[k].x[j]), from this definition. Phases are right to 2^-32 of a turn in f32 and
// to rounding in f64, as long as they are at most `most_direct_turns`; sums are short or of f64, so that equal terms do not
// lose digits. The order of the terms is fixed.
template <class T> constexpr double most_direct_turns = sizeof(T) == 4 ? 0x1p18 : 0x1p40;
template <class T> struct DirectSum {
  int dim = 1;
  Sign sign = Sign::plus;
  const T* x = nullptr;   // [dim][terms]
  const T* at = nullptr;  // [dim][values]
  std::int64_t terms = 0, values = 0, vectors = 1;
  const std::complex<T>* from = nullptr;  // [vectors][terms]
  std::complex<T>* to = nullptr;          // [vectors][values]
};

// All const calls may run at the same time, each with a room of its own.
template <class T> class Pointwise {
 public:
  using Complex = std::complex<T>;
  virtual ~Pointwise() = default;

  virtual std::unique_ptr<Room<T>> make_room(std::int64_t size) = 0;
  // What follows on the stream may use the room, however it was used before; and the end of that use.
  virtual void begin(Room<T>& room, Stream stream) const { (void)room, (void)stream; }
  virtual void end(Room<T>& room, Stream stream) const noexcept { (void)room, (void)stream; }

  // exp(i x) of each point, in place when this returns. Throws invalid_argument where a coordinate cannot be folded.
  virtual void find_phases(const T* x, std::int64_t count, Complex* phases, Stream stream) = 0;
  // strengths: [vectors][points] -> modulated: [vectors][modes.count][points]
  virtual void modulate(const Modulation<T>& by, const Complex* strengths, Complex* modulated, Stream stream) const = 0;
  // The adjoint: modulated -> strengths, a sum over the modes of the short axes.
  virtual void demodulate(const Modulation<T>& by, const Complex* modulated, Complex* strengths,
                          Stream stream) const = 0;
  virtual void to_parts(const ModeOrders& orders, const Complex* modes, Complex* parts, Stream stream) const = 0;
  virtual void from_parts(const ModeOrders& orders, const Complex* parts, Complex* modes, Stream stream) const = 0;

  // Throws invalid_argument where a coordinate is not finite. `what`: how the points are called.
  virtual Extent find_extent(const char* what, const Points<T>& points, int dim, Stream stream) = 0;
  virtual void find_factors(const FactorRule& rule, const Points<T>& points, Complex* factors, Stream stream) = 0;
  // to: [dim][count], for later sums; in place when this returns
  virtual void keep_points(const Points<T>& points, int dim, T* to, Stream stream) = 0;
  virtual void sum_directly(const DirectSum<T>& sum, Stream stream) const = 0;
  // sums += terms, one of many such additions: `lost` has what rounding has added to the sums so far (summation.hpp).
  virtual void add(const Complex* terms, std::int64_t count, Complex* sums, Complex* lost, Stream stream) const = 0;
  virtual void multiply(const Product<T>& product, Stream stream) const = 0;

  [[nodiscard]] virtual std::size_t memory_bytes() const = 0;
  [[nodiscard]] virtual std::size_t peak_bytes() const = 0;
};

}  // namespace offgrid
