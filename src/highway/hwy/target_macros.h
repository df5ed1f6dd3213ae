// See targets.h: the macros of HWY_TARGET, its namespace and its instructions. highway.h reads this once per target.
#undef HWY_NAMESPACE
#undef HWY_NATIVE_FMA
#undef HWY_BEFORE_NAMESPACE
#undef HWY_AFTER_NAMESPACE
#undef OFFGRID_HWY_BYTES
#undef OFFGRID_HWY_FEATURES
#if HWY_TARGET == HWY_AVX3
#define HWY_NAMESPACE N_AVX3
#define HWY_NATIVE_FMA 1
#define OFFGRID_HWY_BYTES 64
#define OFFGRID_HWY_FEATURES "avx,avx2,bmi,bmi2,fma,f16c,avx512f,avx512vl,avx512dq,avx512bw"
#elif HWY_TARGET == HWY_AVX2
#define HWY_NAMESPACE N_AVX2
#define HWY_NATIVE_FMA 1
#define OFFGRID_HWY_BYTES 32
#define OFFGRID_HWY_FEATURES "avx,avx2,bmi,bmi2,fma,f16c"
#elif HWY_TARGET == HWY_SSE4
#define HWY_NAMESPACE N_SSE4
#define HWY_NATIVE_FMA 0
#define OFFGRID_HWY_BYTES 16
#define OFFGRID_HWY_FEATURES "sse4.2"
#else
#define HWY_NAMESPACE N_NEON
#define HWY_NATIVE_FMA 1
#define OFFGRID_HWY_BYTES 16
#endif

#ifndef HWY_INLINE
#define HWY_INLINE inline __attribute__((always_inline))
#define HWY_NOINLINE __attribute__((noinline))
#define HWY_RESTRICT __restrict__
#define HWY_ALIGN alignas(64)
#define HWY_LIKELY(condition) __builtin_expect(!!(condition), 1)
#define OFFGRID_HWY_TEXT(tokens) _Pragma(#tokens)
#define OFFGRID_HWY_PRAGMA(tokens) OFFGRID_HWY_TEXT(tokens)
#if defined(__clang__)
#define HWY_UNROLL(n)
#else
#define HWY_UNROLL(n) OFFGRID_HWY_PRAGMA(GCC unroll n)
#endif
#endif

// What stands between these is compiled with the instructions of the target, and nothing else is: a function of the standard
// library that some file instantiates must run on every machine.
#if !defined(OFFGRID_HWY_FEATURES)
#define HWY_BEFORE_NAMESPACE() static_assert(true)
#define HWY_AFTER_NAMESPACE() static_assert(true)
#elif defined(__clang__)
#define HWY_BEFORE_NAMESPACE()                                                                                 \
  OFFGRID_HWY_PRAGMA(clang attribute push(__attribute__((target(OFFGRID_HWY_FEATURES))), apply_to = function)) \
  static_assert(true)
#define HWY_AFTER_NAMESPACE() OFFGRID_HWY_PRAGMA(clang attribute pop) static_assert(true)
#else
#define HWY_BEFORE_NAMESPACE() \
  OFFGRID_HWY_PRAGMA(GCC push_options) OFFGRID_HWY_PRAGMA(GCC target OFFGRID_HWY_FEATURES) static_assert(true)
#define HWY_AFTER_NAMESPACE() OFFGRID_HWY_PRAGMA(GCC pop_options) static_assert(true)
#endif
