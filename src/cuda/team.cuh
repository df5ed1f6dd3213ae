// A team of lanes works on one point: its lanes evaluate the kernel together and then share the w^d cells among them.
// Lane l has x = l mod LX, y = (l / LX) mod LY, z = l / (LX LY), and from there steps of LX, LY, LZ:
//
//   w = 7, 3D, 32 lanes: LX = 7, LY = 4, LZ = 1, four lanes idle       y ^  21 22 23 24 25 26 27
//   cells of a plane are visited in two steps, rows 0-3 and 4-6;         |  14 15 16 17 18 19 20
//   neighbouring lanes touch neighbouring cells, and no two lanes        |   7  8  9 10 11 12 13
//   of a team the same one                                               |   0  1  2  3  4  5  6  -> x
#pragma once

#include <algorithm>
#include <cstdint>

#include "core/polynomial.hpp"
#include "cuda/complex.cuh"
#include "cuda/policy.hpp"
#include "cuda/stage.hpp"

namespace offgrid::cuda {

// L: lanes of a team.
template <int D, int W, int L> struct TeamShape {
  static constexpr int lanes = L;
  static constexpr int x_lanes = smaller(W, lanes);
  static constexpr int y_lanes = D > 1 ? larger(1, smaller(W, lanes / x_lanes)) : 1;
  static constexpr int z_lanes = D > 2 ? larger(1, smaller(W, lanes / (x_lanes * y_lanes))) : 1;
  static constexpr int busy_lanes = x_lanes * y_lanes * z_lanes;
  static constexpr int x_steps = (W + x_lanes - 1) / x_lanes;
  static constexpr int y_steps = D > 1 ? (W + y_lanes - 1) / y_lanes : 1;
  static constexpr int z_steps = D > 2 ? (W + z_lanes - 1) / z_lanes : 1;
  static constexpr int values = D * W;  // in shared memory
};

// The polynomials, in shared memory because lanes look up different pieces.
template <class T, int W> struct KernelCoefficients {
  static constexpr int degree = max_degree(W, precision_of<T>);
  T values[(degree + 1) * W];

  __device__ void load(const T* from) {
    for (int i = threadIdx.x; i < (degree + 1) * W; i += blockDim.x) values[i] = from[i];
  }
  __device__ T operator()(int piece, T t) const {
    T sum = values[degree * W + piece];
#pragma unroll
    for (int power = degree - 1; power >= 0; --power) sum = fma(sum, t, values[power * W + piece]);
    return sum;
  }
};

// The polynomials in the kernel's parameters, which are constant memory: all lanes read the same one.
// p_i(t) = even(t^2) + t odd(t^2), and p_{w-1-i} = even - t odd.
template <class T, int W> struct Polynomials {
  static constexpr int degree = max_degree(W, precision_of<T>);
  static constexpr int low_degree = degree > 4 ? degree - 2 : degree;
  T coefficients[degree + 1][(W + 1) / 2];
  bool is_low;  // low_degree suffices

  // Degree: the coefficients beyond it are 0.
  template <int Degree = degree> __device__ void evaluate(T t, T (&values)[W]) const {
    const T square = t * t;
#pragma unroll
    for (int i = 0; i < (W + 1) / 2; ++i) {
      constexpr int top_even = Degree / 2 * 2, top_odd = (Degree + 1) / 2 * 2 - 1;
      T even = coefficients[top_even][i], odd = coefficients[top_odd][i];
#pragma unroll
      for (int power = top_even - 2; power >= 0; power -= 2) even = fma(even, square, coefficients[power][i]);
#pragma unroll
      for (int power = top_odd - 2; power >= 1; power -= 2) odd = fma(odd, square, coefficients[power][i]);
      values[i] = fma(t, odd, even), values[W - 1 - i] = fma(-t, odd, even);
    }
  }
  __device__ T piece(int i, T t) const {
    if (2 * i >= W) i = W - 1 - i, t = -t;
    T sum = coefficients[degree][i];
#pragma unroll
    for (int power = degree - 1; power >= 0; --power) sum = fma(sum, t, coefficients[power][i]);
    return sum;
  }
};

template <int W, class T> Polynomials<T, W> polynomials_of(const KernelView<T>& kernel) {
  Polynomials<T, W> all;
  all.is_low = true;
  for (int power = 0; power <= Polynomials<T, W>::degree; ++power)
    for (int piece = 0; piece < (W + 1) / 2; ++piece) {
      const T coefficient = kernel.host_coefficients[power * W + piece];
      all.coefficients[power][piece] = coefficient;
      if (power > Polynomials<T, W>::low_degree && coefficient != 0) all.is_low = false;
    }
  return all;
}

// The middle of what fraction_bits bits can tell apart.
__device__ inline float joined_t(std::uint32_t word, int fraction_bits) {
  const float step = __uint_as_float(static_cast<std::uint32_t>(128 - fraction_bits) << 23);  // 2^(1 - fraction_bits)
  return fmaf(static_cast<float>(word & ((1u << fraction_bits) - 1)), step, 0.5f * step - 1);
}

// A point as it is read from memory. Reading the next one before the present one is worked on hides the latency. All kinds
// of records are read alike: a branch for each would have words moved behind it, and so waited for.
template <class T, int D> struct RawPoint {
  static constexpr CellKind smallest = sizeof(T) == 4 ? CellKind::joined : CellKind::low;
  static constexpr int least_units = sizeof(Record<T, D, smallest>) / 8;
  static constexpr int most_units = sizeof(Record<T, D, CellKind::low_and_high>) / 8;
  std::uint32_t words[2 * most_units];

  __device__ void fetch(const PackedPoints<T>& points, std::uint32_t i) {
    const auto* from = reinterpret_cast<const uint2*>(static_cast<const char*>(points.records) +
                                                      std::uint64_t{i} * points.record_bytes);
#pragma unroll
    for (int u = 0; u < most_units; ++u)
      if (u < least_units || 8 * u < points.record_bytes) {
        const uint2 unit = from[u];
        words[2 * u] = unit.x, words[2 * u + 1] = unit.y;
      }
  }

  __device__ std::uint32_t index() const { return words[0]; }
  __device__ T t(const PackedPoints<T>& points, int axis) const {
    if constexpr (sizeof(T) == 8) {
      return __hiloint2double(static_cast<int>(words[3 + 2 * axis]), static_cast<int>(words[2 + 2 * axis]));
    } else {
      if (points.fraction_bits > 0) return joined_t(words[1 + axis], points.fraction_bits);
      return __uint_as_float(words[2 + axis]);
    }
  }
  // The first cell along an axis that the point reaches. What `high` is does not matter where `low` has them all.
  __device__ std::uint32_t cell(const PackedPoints<T>& points, int axis) const {
    if constexpr (sizeof(T) == 4)
      if (points.fraction_bits > 0) return words[1 + axis] >> points.fraction_bits;
    const std::uint64_t packed = std::uint64_t{words[2 + D * sizeof(T) / 4]} << 32 | words[1];
    const int bits = points.shift[axis + 1] - points.shift[axis];
    return static_cast<std::uint32_t>(packed >> points.shift[axis]) & (bits >= 32 ? ~0u : (1u << bits) - 1);
  }
};

// What a lane knows of its team's point.
template <class T, int D, int W, int L> struct TeamPoint {
  using Shape = TeamShape<D, W, L>;

  std::uint32_t cell[max_dim];
  int x, y, z;  // the lane's first cell of the window
  bool busy;
  T kx[Shape::x_steps], ky[Shape::y_steps];
  const T* shared_kz;

  // values: numbers of shared memory that belong to the team. All lanes of the warp call it together.
  __device__ void load(const PackedPoints<T>& points, const RawPoint<T, D>& raw,
                       const KernelCoefficients<T, W>& coefficients, T* values) {
#pragma unroll
    for (int axis = 0; axis < D; ++axis) cell[axis] = raw.cell(points, axis);
    const int lane = threadIdx.x % L;
    busy = lane < Shape::busy_lanes;
    x = lane % Shape::x_lanes, y = lane / Shape::x_lanes % Shape::y_lanes, z = lane / (Shape::x_lanes * Shape::y_lanes);
    ky[0] = T(1);
    T t[D];
#pragma unroll
    for (int axis = 0; axis < D; ++axis) t[axis] = raw.t(points, axis);
    __syncwarp();  // the values of the point before have been read
#pragma unroll
    for (int first = 0; first < D * W; first += L) {
      const int v = first + lane;
      T mine = t[0];
      if (D > 1 && v >= W) mine = t[D > 1 ? 1 : 0];
      if (D > 2 && v >= 2 * W) mine = t[D > 2 ? 2 : 0];
      if (v < D * W) values[v] = coefficients(v % W, mine);
    }
    __syncwarp();
#pragma unroll
    for (int s = 0; s < Shape::x_steps; ++s) kx[s] = has_x(s) ? values[x + s * Shape::x_lanes] : T(0);
    if constexpr (D > 1)
#pragma unroll
      for (int s = 0; s < Shape::y_steps; ++s) ky[s] = has_y(s) ? values[W + y + s * Shape::y_lanes] : T(0);
    shared_kz = values + 2 * W;
  }

  __device__ bool has_x(int step) const { return busy && (W % Shape::x_lanes == 0 || x + step * Shape::x_lanes < W); }
  __device__ bool has_y(int step) const { return D < 2 || W % Shape::y_lanes == 0 || y + step * Shape::y_lanes < W; }

  // visit(place, x step, ky kz) for every cell of the lane. at(axis, i): where the i-th cell of the window along an axis
  // lies, in elements; wrapped around or relative to a tile, as the caller likes.
  template <class At, class Visit> __device__ void for_cells(At at, Visit visit) const {
    using Place = decltype(at(0, 0));
    Place px[Shape::x_steps];
#pragma unroll
    for (int s = 0; s < Shape::x_steps; ++s) px[s] = at(0, x + s * Shape::x_lanes);
    if constexpr (D == 1) {
      visit_row(Place(0), px, T(1), visit);
    } else {
      Place py[Shape::y_steps];
#pragma unroll
      for (int s = 0; s < Shape::y_steps; ++s) py[s] = at(1, y + s * Shape::y_lanes);
      if constexpr (D == 2) {
        visit_plane(Place(0), px, py, T(1), visit);
      } else {
#pragma unroll 1
        for (int s = 0; s < Shape::z_steps; ++s) {
          const int iz = z + s * Shape::z_lanes;
          if (W % Shape::z_lanes != 0 && iz >= W) break;
          visit_plane(at(2, iz), px, py, shared_kz[busy ? iz : 0], visit);
        }
      }
    }
  }

  template <class Place, class Visit>
  __device__ void visit_plane(Place pz, const Place* px, const Place* py, T weight, Visit& visit) const {
#pragma unroll
    for (int s = 0; s < Shape::y_steps; ++s)
      if (has_y(s)) visit_row(pz + py[s], px, ky[s] * weight, visit);
  }

  template <class Place, class Visit>
  __device__ void visit_row(Place row, const Place* px, T weight, Visit& visit) const {
#pragma unroll
    for (int s = 0; s < Shape::x_steps; ++s)
      if (has_x(s)) visit(row + px[s], s, weight);
  }
};

// Tiles and windows may reach around a short axis more than once.
__device__ inline std::uint32_t wrap(std::uint32_t place, std::uint32_t n) {
  while (place >= n) place -= n;
  return place;
}

// Places in the whole grid, wrapped around. Place: 32 bits where they suffice for the grid.
template <class Place> struct GridPlaces {
  const GridShape& grid;
  const std::uint32_t* cell;
  __device__ Place operator()(int axis, int i) const {
    std::uint32_t wrapped = cell[axis] + static_cast<std::uint32_t>(i);  // n < 2^31
    if (wrapped >= grid.n[axis]) wrapped -= grid.n[axis];
    if (axis == 0) return wrapped;
    return (axis == 1 ? Place{wrapped} : Place{wrapped} * grid.n[1]) * grid.n[0];
  }
};

// Where the result of a point goes, the i-th of the packed ones; and that place of a vector.
template <class T, class A>
__device__ std::uint32_t place_of_result(const StageArguments<T, A>& a, std::uint32_t i, std::uint32_t index) {
  return a.in_order ? i : index;
}
template <class T, class A>
__device__ Complex<T>& result_at(const StageArguments<T, A>& a, std::uint32_t place, int vector) {
  return reinterpret_cast<Complex<T>*>(a.strengths)[vector * a.stride + a.points.first + place];
}

// Where points or vectors are few, they are spread over more blocks.
template <class Arguments> dim3 cut_work(Arguments& a, int teams) {
  const std::int64_t blocks_of_one_round = (a.points.count + teams - 1) / teams;
  a.rounds = static_cast<int>(std::clamp<std::int64_t>(blocks_of_one_round / enough_blocks, 1, most_rounds));
  const std::int64_t blocks = (blocks_of_one_round + a.rounds - 1) / a.rounds;
  const auto groups = static_cast<int>(std::clamp<std::int64_t>(enough_blocks / blocks, 1, a.batch));
  a.vectors = (a.batch + groups - 1) / groups;
  return {static_cast<unsigned>(blocks), static_cast<unsigned>((a.batch + a.vectors - 1) / a.vectors), 1};
}

// Calls body(Place{}) with the type that holds any place of the grid.
template <class Body> void with_place(const GridShape& grid, Body&& body) {
  if (grid.cells <= ~std::uint32_t{0})
    body(std::uint32_t{});
  else
    body(std::uint64_t{});
}

}  // namespace offgrid::cuda
