#include "cpu/simd.hpp"
//
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "cpu/pointwise/direct_sum.cpp"
#include <hwy/foreach_target.h>
//
#include <hwy/highway.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "cpu/pointwise/direct_sum.hpp"
#include "cpu/pointwise/phases-inl.hpp"
#include "cpu/policy.hpp"
#include "cpu/range.hpp"
#include "cpu/threads.hpp"

HWY_BEFORE_NAMESPACE();
namespace offgrid::cpu {
namespace HWY_NAMESPACE {

// Of a chunk of terms: real and imaginary parts of strengths, or cosines and sines.
struct Chunk {
  std::array<double, direct_chunk> first, second;
};

// cos and sin of the phases between a chunk of terms and one value.
template <class T> void find_phases(const DirectSum<T>& sum, const Range& terms, std::int64_t value, Chunk& phases) {
  constexpr std::int64_t lanes = hn::MaxLanes(D64());
  const D64 d;
  for (std::int64_t j = 0; j < terms.size(); j += lanes) {
    V64 turns = hn::Zero(d);
    for (int axis = 0; axis < sum.dim; ++axis) {
      const double s = static_cast<double>(static_cast<int>(sum.sign)) * sum.at[axis * sum.values + value];
      const double rate = s * per_turn, rest = std::fma(s, per_turn, -rate) + s * per_turn_low;
      const T* from = sum.x + axis * sum.terms + terms.begin + j;
      T last[lanes] = {};
      if (j + lanes > terms.size()) from = std::copy_n(from, terms.size() % lanes, last) - terms.size() % lanes;
      const V64 x = load_as_double(d, from), rates = hn::Set(d, rate), product = hn::Mul(x, rates);
      const V64 tail = hn::MulAdd(x, hn::Set(d, rest), product_error(d, x, rates, product));
      turns = hn::Add(turns, hn::Add(hn::Sub(product, hn::Round(product)), tail));
    }
    const CosSin phase = cos_sin(d, hn::Sub(turns, hn::Round(turns)));
    hn::StoreU(phase.cosine, d, phases.first.data() + j);
    hn::StoreU(phase.sine, d, phases.second.data() + j);
  }
}

HWY_INLINE double sum_of_lanes(D64 d, V64 v) {
  double lane[hn::MaxLanes(D64())], sum = 0;
  hn::StoreU(v, d, lane);
  for (const double x : lane) sum += x;
  return sum;
}

// Strengths beyond `terms` are zeros.
std::complex<double> product(const Chunk& strengths, const Chunk& phases, std::int64_t terms) {
  constexpr std::int64_t lanes = hn::MaxLanes(D64());
  const D64 d;
  V64 real = hn::Zero(d), imag = real, real_of_sines = real, imag_of_sines = real;
  for (std::int64_t j = 0; j < terms; j += lanes) {
    const V64 a = hn::LoadU(d, strengths.first.data() + j), b = hn::LoadU(d, strengths.second.data() + j);
    const V64 cosine = hn::LoadU(d, phases.first.data() + j), sine = hn::LoadU(d, phases.second.data() + j);
    real = hn::MulAdd(a, cosine, real);
    imag = hn::MulAdd(b, cosine, imag);
    real_of_sines = hn::MulAdd(b, sine, real_of_sines);
    imag_of_sines = hn::MulAdd(a, sine, imag_of_sines);
  }
  return {sum_of_lanes(d, hn::Sub(real, real_of_sines)), sum_of_lanes(d, hn::Add(imag, imag_of_sines))};
}

template <class T> void sum_any(const DirectSum<T>& sum, const Range& values) {
  std::vector<std::complex<double>> totals(static_cast<std::size_t>(sum.vectors * values.size()));
  std::array<Chunk, direct_values> phases;
  for (std::int64_t first = 0; first < sum.terms; first += direct_chunk) {
    const Range terms{first, std::min(first + direct_chunk, sum.terms)};
    for (std::int64_t value = values.begin; value < values.end; ++value)
      find_phases(sum, terms, value, phases[static_cast<std::size_t>(value - values.begin)]);
    auto total = totals.begin();
    for (std::int64_t v = 0; v < sum.vectors; ++v) {
      Chunk strengths{};
      const std::complex<T>* from = sum.from + v * sum.terms + first;
      for (std::size_t j = 0; j < static_cast<std::size_t>(terms.size()); ++j) {
        strengths.first[j] = from[j].real();
        strengths.second[j] = from[j].imag();
      }
      for (std::int64_t i = 0; i < values.size(); ++i)
        *total++ += product(strengths, phases[static_cast<std::size_t>(i)], terms.size());
    }
  }
  for (std::int64_t v = 0; v < sum.vectors; ++v)
    for (std::int64_t i = 0; i < values.size(); ++i)
      sum.to[v * sum.values + values.begin + i] =
          static_cast<std::complex<T>>(totals[static_cast<std::size_t>(v * values.size() + i)]);
}

void sum_f32(const DirectSum<float>& sum, const Range& values) { sum_any(sum, values); }
void sum_f64(const DirectSum<double>& sum, const Range& values) { sum_any(sum, values); }

}  // namespace HWY_NAMESPACE
}  // namespace offgrid::cpu
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace offgrid::cpu {
namespace {

HWY_EXPORT(sum_f32);
HWY_EXPORT(sum_f64);

void sum_for(const DirectSum<float>& sum, const Range& values) { HWY_DYNAMIC_DISPATCH(sum_f32)(sum, values); }
void sum_for(const DirectSum<double>& sum, const Range& values) { HWY_DYNAMIC_DISPATCH(sum_f64)(sum, values); }

}  // namespace

template <class T> void sum_directly(const DirectSum<T>& sum, int threads) {
  const double pairs = static_cast<double>(sum.terms) * static_cast<double>(sum.values);
  const double pair_time = direct_costs.pair + direct_costs.axis * sum.dim;
  const Work work{threads, pairs * (pair_time + direct_costs.vector * static_cast<double>(sum.vectors))};
  parallel_for(work, (sum.values + direct_values - 1) / direct_values, [&](std::int64_t job, int) {
    sum_for(sum, {job * direct_values, std::min((job + 1) * direct_values, sum.values)});
  });
}

template void sum_directly(const DirectSum<float>&, int);
template void sum_directly(const DirectSum<double>&, int);

}  // namespace offgrid::cpu
#endif
