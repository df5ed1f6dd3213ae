// See targets.h: vectors of HWY_TARGET and what can be done with them. Included once per target.
#include <hwy/targets.h>
//
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>
#if defined(__x86_64__)
#include <immintrin.h>
#else
#include <arm_neon.h>
#endif

#if defined(OFFGRID_HWY_HIGHWAY) == defined(HWY_TARGET_TOGGLE)
#ifdef OFFGRID_HWY_HIGHWAY
#undef OFFGRID_HWY_HIGHWAY
#else
#define OFFGRID_HWY_HIGHWAY
#endif

#include <hwy/target_macros.h>

HWY_BEFORE_NAMESPACE();
namespace offgrid_vectors::HWY_NAMESPACE {

// --- types: a tag stands for N lanes of T ----------------------------------------------------------------------------
template <class T, std::size_t N> struct Simd {
  using Lane = T;
  static constexpr std::size_t lanes = N;
};
template <class T> inline constexpr std::size_t most_lanes = OFFGRID_HWY_BYTES / sizeof(T);
template <class T> using ScalableTag = Simd<T, most_lanes<T>>;
template <class T, std::size_t N> using CappedTag = Simd<T, (N < most_lanes<T> ? N : most_lanes<T>)>;
template <class D> using TFromD = typename D::Lane;
template <class D> using Half = Simd<TFromD<D>, D::lanes / 2>;
template <class T, class D> using Rebind = Simd<T, D::lanes>;
template <class T, class D> using Repartition = Simd<T, D::lanes * sizeof(TFromD<D>) / sizeof(T)>;
template <std::size_t Bytes> using SignedOf = std::conditional_t<Bytes == 4, std::int32_t, std::int64_t>;
template <class D> using RebindToSigned = Rebind<SignedOf<sizeof(TFromD<D>)>, D>;
template <class D> using RebindToUnsigned = Rebind<std::make_unsigned_t<SignedOf<sizeof(TFromD<D>)>>, D>;

template <class T, std::size_t N> struct Vector {
  typedef T Raw __attribute__((vector_size(N * sizeof(T))));
  typedef T Aligned __attribute__((vector_size(N * sizeof(T)), may_alias));
  typedef T Anywhere __attribute__((vector_size(N * sizeof(T)), may_alias, aligned(alignof(T))));
  Raw raw;
};
template <class T, std::size_t N> struct Mask { typename Vector<SignedOf<sizeof(T)>, N>::Raw raw; };  // 0 or all bits
template <class D> using VFromD = Vector<TFromD<D>, D::lanes>;
template <class D> using Vec = VFromD<D>;
template <class D> using MFromD = Mask<TFromD<D>, D::lanes>;

template <class D> constexpr std::size_t MaxLanes(D) { return D::lanes; }
template <class D> constexpr std::size_t Lanes(D) { return D::lanes; }

// --- making, loading, storing ----------------------------------------------------------------------------------------
template <std::size_t, class T> HWY_INLINE T same(T value) { return value; }
template <class D, std::size_t... I> HWY_INLINE Vec<D> set_lanes(D, TFromD<D> value, std::index_sequence<I...>) {
  return {typename Vec<D>::Raw{same<I>(value)...}};
}
template <class D, std::size_t... I> HWY_INLINE Vec<D> count_lanes(D, std::index_sequence<I...>) {
  return {typename Vec<D>::Raw{static_cast<TFromD<D>>(I)...}};
}
template <class D> HWY_INLINE Vec<D> Zero(D) { return {typename Vec<D>::Raw{}}; }
template <class D> HWY_INLINE Vec<D> Set(D d, TFromD<D> value) {
  return set_lanes(d, value, std::make_index_sequence<D::lanes>());
}
template <class D> HWY_INLINE Vec<D> Iota(D d, TFromD<D> first) {
  return {count_lanes(d, std::make_index_sequence<D::lanes>()).raw + Set(d, first).raw};
}
template <class D> HWY_INLINE Vec<D> Load(D, const TFromD<D>* p) {
  return {*reinterpret_cast<const typename Vec<D>::Aligned*>(p)};
}
template <class D> HWY_INLINE Vec<D> LoadU(D, const TFromD<D>* p) {
  return {*reinterpret_cast<const typename Vec<D>::Anywhere*>(p)};
}
template <class D> HWY_INLINE void Store(Vec<D> v, D, TFromD<D>* p) {
  *reinterpret_cast<typename Vec<D>::Aligned*>(p) = v.raw;
}
template <class D> HWY_INLINE void StoreU(Vec<D> v, D, TFromD<D>* p) {
  *reinterpret_cast<typename Vec<D>::Anywhere*>(p) = v.raw;
}

// --- arithmetic ------------------------------------------------------------------------------------------------------
template <class T, std::size_t N> HWY_INLINE Vector<T, N> Add(Vector<T, N> a, Vector<T, N> b) {
  return {a.raw + b.raw};
}
template <class T, std::size_t N> HWY_INLINE Vector<T, N> Sub(Vector<T, N> a, Vector<T, N> b) {
  return {a.raw - b.raw};
}
template <class T, std::size_t N> HWY_INLINE Vector<T, N> Mul(Vector<T, N> a, Vector<T, N> b) {
  return {a.raw * b.raw};
}
template <class T, std::size_t N> HWY_INLINE Vector<T, N> Or(Vector<T, N> a, Vector<T, N> b) { return {a.raw | b.raw}; }
template <int Bits, class T, std::size_t N> HWY_INLINE Vector<T, N> ShiftLeft(Vector<T, N> v) {
  return {v.raw << Bits};
}
template <int Bits, class T, std::size_t N> HWY_INLINE Vector<T, N> ShiftRight(Vector<T, N> v) {
  return {v.raw >> Bits};
}

// MulAdd: a b + c, MulSub: a b - c, NegMulAdd: c - a b, rounded once where the target can.
#if HWY_NATIVE_FMA && defined(__x86_64__)
#define OFFGRID_HWY_FUSED(T, N, Native, prefix, suffix)                                                \
  HWY_INLINE Vector<T, N> MulAdd(Vector<T, N> a, Vector<T, N> b, Vector<T, N> c) {                     \
    return {(Vector<T, N>::Raw)prefix##_fmadd_##suffix((Native)a.raw, (Native)b.raw, (Native)c.raw)};  \
  }                                                                                                    \
  HWY_INLINE Vector<T, N> MulSub(Vector<T, N> a, Vector<T, N> b, Vector<T, N> c) {                     \
    return {(Vector<T, N>::Raw)prefix##_fmsub_##suffix((Native)a.raw, (Native)b.raw, (Native)c.raw)};  \
  }                                                                                                    \
  HWY_INLINE Vector<T, N> NegMulAdd(Vector<T, N> a, Vector<T, N> b, Vector<T, N> c) {                  \
    return {(Vector<T, N>::Raw)prefix##_fnmadd_##suffix((Native)a.raw, (Native)b.raw, (Native)c.raw)}; \
  }
OFFGRID_HWY_FUSED(float, 4, __m128, _mm, ps)
OFFGRID_HWY_FUSED(double, 2, __m128d, _mm, pd)
OFFGRID_HWY_FUSED(float, 8, __m256, _mm256, ps)
OFFGRID_HWY_FUSED(double, 4, __m256d, _mm256, pd)
#if OFFGRID_HWY_BYTES == 64
OFFGRID_HWY_FUSED(float, 16, __m512, _mm512, ps)
OFFGRID_HWY_FUSED(double, 8, __m512d, _mm512, pd)
#endif
#undef OFFGRID_HWY_FUSED
#elif HWY_NATIVE_FMA
#define OFFGRID_HWY_FUSED(T, N, Native, suffix)                                              \
  HWY_INLINE Vector<T, N> MulAdd(Vector<T, N> a, Vector<T, N> b, Vector<T, N> c) {           \
    return {(Vector<T, N>::Raw)vfmaq_##suffix((Native)c.raw, (Native)a.raw, (Native)b.raw)}; \
  }                                                                                          \
  HWY_INLINE Vector<T, N> NegMulAdd(Vector<T, N> a, Vector<T, N> b, Vector<T, N> c) {        \
    return {(Vector<T, N>::Raw)vfmsq_##suffix((Native)c.raw, (Native)a.raw, (Native)b.raw)}; \
  }                                                                                          \
  HWY_INLINE Vector<T, N> MulSub(Vector<T, N> a, Vector<T, N> b, Vector<T, N> c) { return {-NegMulAdd(a, b, c).raw}; }
OFFGRID_HWY_FUSED(float, 4, float32x4_t, f32)
OFFGRID_HWY_FUSED(double, 2, float64x2_t, f64)
#undef OFFGRID_HWY_FUSED
#else
template <class T, std::size_t N> HWY_INLINE Vector<T, N> MulAdd(Vector<T, N> a, Vector<T, N> b, Vector<T, N> c) {
  return {a.raw * b.raw + c.raw};
}
template <class T, std::size_t N> HWY_INLINE Vector<T, N> MulSub(Vector<T, N> a, Vector<T, N> b, Vector<T, N> c) {
  return {a.raw * b.raw - c.raw};
}
template <class T, std::size_t N> HWY_INLINE Vector<T, N> NegMulAdd(Vector<T, N> a, Vector<T, N> b, Vector<T, N> c) {
  return {c.raw - a.raw * b.raw};
}
#endif

// Whole numbers: the nearest (even in the middle), the next below, the next above.
#if defined(__x86_64__)
template <int Mode, std::size_t N> HWY_INLINE Vector<double, N> round_to(Vector<double, N> v) {
  using Raw = typename Vector<double, N>::Raw;
#if OFFGRID_HWY_BYTES == 64
  if constexpr (N == 8) return {(Raw)_mm512_maskz_roundscale_pd(0xff, (__m512d)v.raw, Mode)};
#endif
#if OFFGRID_HWY_BYTES >= 32
  if constexpr (N == 4) return {(Raw)_mm256_round_pd((__m256d)v.raw, Mode)};
#endif
  if constexpr (N == 2) return {(Raw)_mm_round_pd((__m128d)v.raw, Mode)};
}
template <std::size_t N> HWY_INLINE Vector<double, N> Round(Vector<double, N> v) { return round_to<8>(v); }
template <std::size_t N> HWY_INLINE Vector<double, N> Floor(Vector<double, N> v) { return round_to<9>(v); }
template <std::size_t N> HWY_INLINE Vector<double, N> Ceil(Vector<double, N> v) { return round_to<10>(v); }
#else
#define OFFGRID_HWY_ROUND(Name, function)                                           \
  template <std::size_t N> HWY_INLINE Vector<double, N> Name(Vector<double, N> v) { \
    for (std::size_t i = 0; i < N; ++i) v.raw[i] = function(v.raw[i]);              \
    return v;                                                                       \
  }
OFFGRID_HWY_ROUND(Round, __builtin_nearbyint)
OFFGRID_HWY_ROUND(Floor, __builtin_floor)
OFFGRID_HWY_ROUND(Ceil, __builtin_ceil)
#undef OFFGRID_HWY_ROUND
#endif

// --- conversion ------------------------------------------------------------------------------------------------------
template <class D, class T, std::size_t N> HWY_INLINE Vec<D> BitCast(D, Vector<T, N> v) {
  return {(typename Vec<D>::Raw)v.raw};
}
template <class D, class T, std::size_t N> HWY_INLINE Vec<D> PromoteTo(D, Vector<T, N> v) {
  return {__builtin_convertvector(v.raw, typename Vec<D>::Raw)};
}
template <class D, class T, std::size_t N> HWY_INLINE Vec<D> DemoteTo(D, Vector<T, N> v) {
  return {__builtin_convertvector(v.raw, typename Vec<D>::Raw)};
}
template <class T, std::size_t N> HWY_INLINE Vector<T, N> Abs(Vector<T, N> v) {
  using Bits = RebindToUnsigned<Simd<T, N>>;
  const auto bits = BitCast(Bits(), v);
  return BitCast(Simd<T, N>(), Vec<Bits>{bits.raw & Set(Bits(), static_cast<TFromD<Bits>>(~TFromD<Bits>{0} >> 1)).raw});
}

// --- comparison and masks --------------------------------------------------------------------------------------------
template <class T, std::size_t N> HWY_INLINE Mask<T, N> Eq(Vector<T, N> a, Vector<T, N> b) { return {a.raw == b.raw}; }
template <class T, std::size_t N> HWY_INLINE Mask<T, N> Lt(Vector<T, N> a, Vector<T, N> b) { return {a.raw < b.raw}; }
template <class T, std::size_t N> HWY_INLINE Mask<T, N> Le(Vector<T, N> a, Vector<T, N> b) { return {a.raw <= b.raw}; }
template <class T, std::size_t N> HWY_INLINE Mask<T, N> And(Mask<T, N> a, Mask<T, N> b) { return {a.raw & b.raw}; }
template <class T, std::size_t N> HWY_INLINE Vector<T, N> IfThenElse(Mask<T, N> m, Vector<T, N> yes, Vector<T, N> no) {
  return {m.raw ? yes.raw : no.raw};
}
template <class D> HWY_INLINE bool AllTrue(D, MFromD<D> m) {
  bool all = true;
  for (std::size_t i = 0; i < D::lanes; ++i) all = all && m.raw[i] != 0;
  return all;
}
template <class D> HWY_INLINE MFromD<D> FirstN(D, std::size_t count) {
  const RebindToSigned<D> d;
  return {Iota(d, 0).raw < Set(d, static_cast<TFromD<RebindToSigned<D>>>(count)).raw};
}

// Only the lanes of the mask are read or written; the others read as zero.
#if OFFGRID_HWY_BYTES == 64
#define OFFGRID_HWY_MASKED(T, N, bits, suffix)                                                              \
  HWY_INLINE Vector<T, N> MaskedLoad(Mask<T, N> m, Simd<T, N>, const T* p) {                                \
    return {(Vector<T, N>::Raw)_mm512_maskz_loadu_##suffix(_mm512_movepi##bits##_mask((__m512i)m.raw), p)}; \
  }                                                                                                         \
  HWY_INLINE void BlendedStore(Vector<T, N> v, Mask<T, N> m, Simd<T, N>, T* p) {                            \
    _mm512_mask_storeu_##suffix(p, _mm512_movepi##bits##_mask((__m512i)m.raw), v.raw);                      \
  }
OFFGRID_HWY_MASKED(float, 16, 32, ps)
OFFGRID_HWY_MASKED(double, 8, 64, pd)
#undef OFFGRID_HWY_MASKED
#elif OFFGRID_HWY_BYTES == 32
#define OFFGRID_HWY_MASKED(T, N, suffix)                                         \
  HWY_INLINE Vector<T, N> MaskedLoad(Mask<T, N> m, Simd<T, N>, const T* p) {     \
    return {(Vector<T, N>::Raw)_mm256_maskload_##suffix(p, (__m256i)m.raw)};     \
  }                                                                              \
  HWY_INLINE void BlendedStore(Vector<T, N> v, Mask<T, N> m, Simd<T, N>, T* p) { \
    _mm256_maskstore_##suffix(p, (__m256i)m.raw, v.raw);                         \
  }
OFFGRID_HWY_MASKED(float, 8, ps)
OFFGRID_HWY_MASKED(double, 4, pd)
#undef OFFGRID_HWY_MASKED
#else
template <class D> HWY_INLINE Vec<D> MaskedLoad(MFromD<D> m, D, const TFromD<D>* p) {
  Vec<D> v{};
  for (std::size_t i = 0; i < D::lanes; ++i)
    if (m.raw[i] != 0) v.raw[i] = p[i];
  return v;
}
template <class D> HWY_INLINE void BlendedStore(Vec<D> v, MFromD<D> m, D, TFromD<D>* p) {
  for (std::size_t i = 0; i < D::lanes; ++i)
    if (m.raw[i] != 0) p[i] = v.raw[i];
}
#endif

// --- lanes to other lanes --------------------------------------------------------------------------------------------
// pick<Order>(a, b): lane i of the result is lane Order::of(i) of a and b, one behind the other.
template <class Order, class T, std::size_t N, std::size_t... I>
HWY_INLINE Vector<T, sizeof...(I)> pick_lanes(Vector<T, N> a, Vector<T, N> b, std::index_sequence<I...>) {
  return {__builtin_shufflevector(a.raw, b.raw, Order::of(I)...)};
}
template <class Order, std::size_t M, class T, std::size_t N>
HWY_INLINE Vector<T, M> pick(Vector<T, N> a, Vector<T, N> b) {
  return pick_lanes<Order>(a, b, std::make_index_sequence<M>());
}

template <int N> struct OddAndEven {
  static constexpr int of(int i) { return i % 2 == 1 ? i : N + i; }
};
template <class T, std::size_t N> HWY_INLINE Vector<T, N> OddEven(Vector<T, N> odd, Vector<T, N> even) {
  return pick<OddAndEven<N>, N>(odd, even);
}
#if defined(__x86_64__)
// GCC would build a vector of two numbers in turn from a pair in memory, which waits for the stores of its halves.
#define OFFGRID_HWY_BLEND(T, N, Native, blend)                           \
  HWY_INLINE Vector<T, N> OddEven(Vector<T, N> odd, Vector<T, N> even) { \
    const Native o = (Native)odd.raw, e = (Native)even.raw;              \
    return {(Vector<T, N>::Raw)blend};                                   \
  }
OFFGRID_HWY_BLEND(float, 4, __m128, _mm_blend_ps(o, e, 0x5))
OFFGRID_HWY_BLEND(double, 2, __m128d, _mm_blend_pd(o, e, 0x1))
#if OFFGRID_HWY_BYTES >= 32
OFFGRID_HWY_BLEND(float, 8, __m256, _mm256_blend_ps(o, e, 0x55))
OFFGRID_HWY_BLEND(double, 4, __m256d, _mm256_blend_pd(o, e, 0x5))
#endif
#if OFFGRID_HWY_BYTES == 64
OFFGRID_HWY_BLEND(float, 16, __m512, _mm512_mask_blend_ps(0x5555, o, e))
OFFGRID_HWY_BLEND(double, 8, __m512d, _mm512_mask_blend_pd(0x55, o, e))
#endif
#undef OFFGRID_HWY_BLEND
#endif
struct EvenTwice {
  static constexpr int of(int i) { return i / 2 * 2; }
};
template <class T, std::size_t N> HWY_INLINE Vector<T, N> DupEven(Vector<T, N> v) { return pick<EvenTwice, N>(v, v); }
struct OddTwice {
  static constexpr int of(int i) { return i / 2 * 2 + 1; }
};
template <class T, std::size_t N> HWY_INLINE Vector<T, N> DupOdd(Vector<T, N> v) { return pick<OddTwice, N>(v, v); }

template <int N> struct LowerLower {
  static constexpr int of(int i) { return i < N / 2 ? i : N + i - N / 2; }
};
template <class D> HWY_INLINE Vec<D> ConcatLowerLower(D, Vec<D> high, Vec<D> low) {
  return pick<LowerLower<D::lanes>, D::lanes>(low, high);
}
template <int N> struct UpperUpper {
  static constexpr int of(int i) { return i < N / 2 ? i + N / 2 : N + i; }
};
template <class D> HWY_INLINE Vec<D> ConcatUpperUpper(D, Vec<D> high, Vec<D> low) {
  return pick<UpperUpper<D::lanes>, D::lanes>(low, high);
}
template <int First> struct From {
  static constexpr int of(int i) { return First + i; }
};
template <class D, class T, std::size_t N> HWY_INLINE Vec<D> LowerHalf(D, Vector<T, N> v) {
  return pick<From<0>, N / 2>(v, v);
}
template <class D, class T, std::size_t N> HWY_INLINE Vec<D> UpperHalf(D, Vector<T, N> v) {
  return pick<From<N / 2>, N / 2>(v, v);
}

// Blocks of 128 bits, B lanes each.
template <class T> inline constexpr int block_lanes = 16 / sizeof(T);
template <int N, int B> struct OddAndEvenBlocks {
  static constexpr int of(int i) { return i / B % 2 == 1 ? i : N + i; }
};
template <class T, std::size_t N> HWY_INLINE Vector<T, N> OddEvenBlocks(Vector<T, N> odd, Vector<T, N> even) {
  return pick<OddAndEvenBlocks<N, block_lanes<T>>, N>(odd, even);
}
template <int B> struct OtherBlock {
  static constexpr int of(int i) { return i ^ B; }
};
template <class T, std::size_t N> HWY_INLINE Vector<T, N> SwapAdjacentBlocks(Vector<T, N> v) {
  return pick<OtherBlock<block_lanes<T>>, N>(v, v);
}
template <int N, int B, int First> struct Interleave {
  static constexpr int of(int i) { return i % 2 * N + i / B * B + i % B / 2 + First; }
};
template <class D> HWY_INLINE Vec<D> InterleaveLower(D, Vec<D> a, Vec<D> b) {
  return pick<Interleave<D::lanes, block_lanes<TFromD<D>>, 0>, D::lanes>(a, b);
}
template <class D> HWY_INLINE Vec<D> InterleaveUpper(D, Vec<D> a, Vec<D> b) {
  return pick<Interleave<D::lanes, block_lanes<TFromD<D>>, block_lanes<TFromD<D>> / 2>, D::lanes>(a, b);
}

// The lower halves of wider whole numbers: the even ones of their halves.
struct EvenLanes {
  static constexpr int of(int i) { return 2 * i; }
};
template <class D, class T, std::size_t N> HWY_INLINE Vec<D> TruncateTo(D, Vector<T, N> v) {
  const auto halves = BitCast(Simd<TFromD<D>, 2 * N>(), v);
  return pick<EvenLanes, N>(halves, halves);
}

// Lane i of the result is lane indices[i].
template <class D, class I> HWY_INLINE I IndicesFromVec(D, I indices) { return indices; }
template <class T, std::size_t N, class I> HWY_INLINE Vector<T, N> TableLookupLanes(Vector<T, N> v, I indices) {
#if defined(__x86_64__) && OFFGRID_HWY_BYTES >= 32
  if constexpr (std::is_same_v<T, float> && N == 8)
    return {(typename Vector<T, N>::Raw)_mm256_permutevar8x32_ps((__m256)v.raw, (__m256i)indices.raw)};
#endif
#if defined(__clang__)
  Vector<T, N> result{};
  for (std::size_t i = 0; i < N; ++i) result.raw[i] = v.raw[indices.raw[i]];
  return result;
#else
  return {__builtin_shuffle(v.raw, indices.raw)};
#endif
}

// Lane 0 of each vector, lane 1 of each, ..: value j comes from vector j mod 2 or 3.
template <int N, int First> struct Pairs {
  static constexpr int of(int i) { return (First + i) % 2 * N + (First + i) / 2; }
};
template <class D> HWY_INLINE void StoreInterleaved2(Vec<D> a, Vec<D> b, D d, TFromD<D>* p) {
  constexpr std::size_t N = D::lanes;
  StoreU(pick<Pairs<N, 0>, N>(a, b), d, p);
  StoreU(pick<Pairs<N, N>, N>(a, b), d, p + N);
}
template <int N, int First> struct TwoOfTriples {
  static constexpr int of(int i) { return (First + i) % 3 == 2 ? 0 : (First + i) % 3 * N + (First + i) / 3; }
};
template <int N, int First> struct ThirdOfTriples {
  static constexpr int of(int i) { return (First + i) % 3 == 2 ? N + (First + i) / 3 : i; }
};
template <int First, class D> HWY_INLINE void store_triples(Vec<D> a, Vec<D> b, Vec<D> c, D d, TFromD<D>* p) {
  constexpr std::size_t N = D::lanes;
  StoreU(pick<ThirdOfTriples<N, First>, N>(pick<TwoOfTriples<N, First>, N>(a, b), c), d, p + First);
}
template <class D> HWY_INLINE void StoreInterleaved3(Vec<D> a, Vec<D> b, Vec<D> c, D d, TFromD<D>* p) {
  store_triples<0>(a, b, c, d, p);
  store_triples<D::lanes>(a, b, c, d, p);
  store_triples<2 * D::lanes>(a, b, c, d, p);
}

}  // namespace offgrid_vectors::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
