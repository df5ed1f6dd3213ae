// The one-call functions of both drop-in libraries: three dimensions, three types, one transform or many, in two precisions.
// COMPAT_ONE_CALLS defines the 18 of one precision. Each fills a OneCall and hands it to run(), which the file that uses
// the macro has.
#pragma once

#include "common/plan.hpp"

namespace compat {

template <class R> struct OneCall {
  int type;
  int dim;
  int transforms;
  int iflag;
  R tolerance;
  std::int64_t count;
  std::array<const R*, max_dim> points;
  std::array<std::int64_t, max_dim> modes{1, 1, 1};  // of types 1 and 2
  std::int64_t target_count = 0;                     // of type 3
  std::array<const R*, max_dim> targets{};
  void* strengths = nullptr;  // read by types 1 and 3
  void* values = nullptr;     // modes, read by type 2, or values at targets
};

inline void* writable(const void* array) { return const_cast<void*>(array); }  // offgrid takes input and output alike

template <class R, class Opts> int run(const OneCall<R>& call, const Opts* opts);

}  // namespace compat

// The parts of the signatures that grow with the dimension, and their names in braces.
#define COMPAT_POINTS_1(R) const R* xj
#define COMPAT_POINTS_2(R) const R *xj, const R *yj
#define COMPAT_POINTS_3(R) const R *xj, const R *yj, const R *zj
#define COMPAT_POINT_NAMES_1 \
  { xj, nullptr, nullptr }
#define COMPAT_POINT_NAMES_2 \
  { xj, yj, nullptr }
#define COMPAT_POINT_NAMES_3 \
  { xj, yj, zj }
#define COMPAT_MODES_1 std::int64_t ms
#define COMPAT_MODES_2 std::int64_t ms, std::int64_t mt
#define COMPAT_MODES_3 std::int64_t ms, std::int64_t mt, std::int64_t mu
#define COMPAT_MODE_NAMES_1 \
  { ms, 1, 1 }
#define COMPAT_MODE_NAMES_2 \
  { ms, mt, 1 }
#define COMPAT_MODE_NAMES_3 \
  { ms, mt, mu }
#define COMPAT_TARGETS_1(R) const R* s
#define COMPAT_TARGETS_2(R) const R *s, const R *t
#define COMPAT_TARGETS_3(R) const R *s, const R *t, const R *u
#define COMPAT_TARGET_NAMES_1 \
  { s, nullptr, nullptr }
#define COMPAT_TARGET_NAMES_2 \
  { s, t, nullptr }
#define COMPAT_TARGET_NAMES_3 \
  { s, t, u }

#define COMPAT_TO_MODES(TYPE, D, R, TRANSFORMS)                     \
  compat::run(compat::OneCall<R>{.type = TYPE,                      \
                                 .dim = D,                          \
                                 .transforms = TRANSFORMS,          \
                                 .iflag = iflag,                    \
                                 .tolerance = eps,                  \
                                 .count = nj,                       \
                                 .points = COMPAT_POINT_NAMES_##D,  \
                                 .modes = COMPAT_MODE_NAMES_##D,    \
                                 .strengths = compat::writable(cj), \
                                 .values = compat::writable(fk)},   \
              opts)
#define COMPAT_TO_TARGETS(D, R, TRANSFORMS)                          \
  compat::run(compat::OneCall<R>{.type = 3,                          \
                                 .dim = D,                           \
                                 .transforms = TRANSFORMS,           \
                                 .iflag = iflag,                     \
                                 .tolerance = eps,                   \
                                 .count = nj,                        \
                                 .points = COMPAT_POINT_NAMES_##D,   \
                                 .target_count = nk,                 \
                                 .targets = COMPAT_TARGET_NAMES_##D, \
                                 .strengths = compat::writable(cj),  \
                                 .values = compat::writable(fk)},    \
              opts)

// The six functions of one dimension. P: prefix of the names. C: complex type. O: struct of the options.
#define COMPAT_ONE_CALLS_IN(D, P, R, C, O)                                                                         \
  int P##D##d1(std::int64_t nj, COMPAT_POINTS_##D(R), const C* cj, int iflag, R eps, COMPAT_MODES_##D, C* fk,      \
               const O* opts) {                                                                                    \
    return COMPAT_TO_MODES(1, D, R, 1);                                                                            \
  }                                                                                                                \
  int P##D##d2(std::int64_t nj, COMPAT_POINTS_##D(R), C* cj, int iflag, R eps, COMPAT_MODES_##D, const C* fk,      \
               const O* opts) {                                                                                    \
    return COMPAT_TO_MODES(2, D, R, 1);                                                                            \
  }                                                                                                                \
  int P##D##d3(std::int64_t nj, COMPAT_POINTS_##D(R), const C* cj, int iflag, R eps, std::int64_t nk,              \
               COMPAT_TARGETS_##D(R), C* fk, const O* opts) {                                                      \
    return COMPAT_TO_TARGETS(D, R, 1);                                                                             \
  }                                                                                                                \
  int P##D##d1many(int n_transf, std::int64_t nj, COMPAT_POINTS_##D(R), const C* cj, int iflag, R eps,             \
                   COMPAT_MODES_##D, C* fk, const O* opts) {                                                       \
    return COMPAT_TO_MODES(1, D, R, n_transf);                                                                     \
  }                                                                                                                \
  int P##D##d2many(int n_transf, std::int64_t nj, COMPAT_POINTS_##D(R), C* cj, int iflag, R eps, COMPAT_MODES_##D, \
                   const C* fk, const O* opts) {                                                                   \
    return COMPAT_TO_MODES(2, D, R, n_transf);                                                                     \
  }                                                                                                                \
  int P##D##d3many(int n_transf, std::int64_t nj, COMPAT_POINTS_##D(R), const C* cj, int iflag, R eps,             \
                   std::int64_t nk, COMPAT_TARGETS_##D(R), C* fk, const O* opts) {                                 \
    return COMPAT_TO_TARGETS(D, R, n_transf);                                                                      \
  }

#define COMPAT_ONE_CALLS(P, R, C, O) \
  COMPAT_ONE_CALLS_IN(1, P, R, C, O) \
  COMPAT_ONE_CALLS_IN(2, P, R, C, O) \
  COMPAT_ONE_CALLS_IN(3, P, R, C, O)
