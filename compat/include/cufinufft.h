/* A drop-in for cuFINUFFT's C interface (versions 2.5 and 2.6) over offgrid: the same names, arguments, structs and codes.
 * Link libcufinufft.so, which needs liboffgrid.so, and loads and returns 15 where there is no GPU or no part of CUDA.
 * docs/from-finufft.md says what differs.
 *
 * Every function but the default options comes in double (cufinufft_) and in float (cufinufftf_), and returns 0 or one of the
 * codes in finufft_errors.h. Arrays of points and of complex numbers are in the memory of the GPU. opts may be null, and then
 * has the defaults. iflag >= 0 is the sign +i of the exponent, else -i. Arrays have x as the fastest axis, and the transforms
 * as the slowest. Results are there when opts.gpu_stream has come that far. */
#ifndef CUFINUFFT_H
#define CUFINUFFT_H

#include <cufinufft_opts.h>
#include <finufft_common/defines.h>
#include <finufft_errors.h>
#include <stdint.h>

#if defined(__has_include)
#if __has_include(<cuComplex.h>)
#include <cuComplex.h>
#define CUFINUFFT_HAS_COMPLEX
#endif
#endif
#ifndef CUFINUFFT_HAS_COMPLEX /* a program that only passes pointers on needs no part of CUDA */
typedef struct cuFloatComplex {
  float x, y;
} cuFloatComplex;
typedef struct cuDoubleComplex {
  double x, y;
} cuDoubleComplex;
#endif

#ifdef __cplusplus
extern "C" {
#endif

typedef struct cufinufft_plan_s* cufinufft_plan;
typedef struct cufinufft_fplan_s* cufinufftf_plan;

FINUFFT_EXPORT void cufinufft_default_opts(cufinufft_opts* opts);

/* P: prefix of the names. R: real type. C: complex type. */
#define CUFINUFFT_DECLARE(P, R, C)                                                                                    \
  FINUFFT_EXPORT int P##_makeplan(int type, int dim, const int64_t* n_modes, int iflag, int n_transf, R tol,          \
                                  P##_plan* plan, const cufinufft_opts* opts);                                        \
  FINUFFT_EXPORT int P##_setpts(P##_plan plan, int64_t nj, const R* xj, const R* yj, const R* zj, int nk, const R* s, \
                                const R* t, const R* u);                                                              \
  FINUFFT_EXPORT int P##_execute(P##_plan plan, C* cj, C* fk);                                                        \
  FINUFFT_EXPORT int P##_destroy(P##_plan plan);                                                                      \
                                                                                                                      \
  FINUFFT_EXPORT int P##1d1(int64_t nj, const R* xj, const C* cj, int iflag, R eps, int64_t ms, C* fk,                \
                            const cufinufft_opts* opts);                                                              \
  FINUFFT_EXPORT int P##1d2(int64_t nj, const R* xj, C* cj, int iflag, R eps, int64_t ms, const C* fk,                \
                            const cufinufft_opts* opts);                                                              \
  FINUFFT_EXPORT int P##1d3(int64_t nj, const R* xj, const C* cj, int iflag, R eps, int64_t nk, const R* s, C* fk,    \
                            const cufinufft_opts* opts);                                                              \
  FINUFFT_EXPORT int P##2d1(int64_t nj, const R* xj, const R* yj, const C* cj, int iflag, R eps, int64_t ms,          \
                            int64_t mt, C* fk, const cufinufft_opts* opts);                                           \
  FINUFFT_EXPORT int P##2d2(int64_t nj, const R* xj, const R* yj, C* cj, int iflag, R eps, int64_t ms, int64_t mt,    \
                            const C* fk, const cufinufft_opts* opts);                                                 \
  FINUFFT_EXPORT int P##2d3(int64_t nj, const R* xj, const R* yj, const C* cj, int iflag, R eps, int64_t nk,          \
                            const R* s, const R* t, C* fk, const cufinufft_opts* opts);                               \
  FINUFFT_EXPORT int P##3d1(int64_t nj, const R* xj, const R* yj, const R* zj, const C* cj, int iflag, R eps,         \
                            int64_t ms, int64_t mt, int64_t mu, C* fk, const cufinufft_opts* opts);                   \
  FINUFFT_EXPORT int P##3d2(int64_t nj, const R* xj, const R* yj, const R* zj, C* cj, int iflag, R eps, int64_t ms,   \
                            int64_t mt, int64_t mu, const C* fk, const cufinufft_opts* opts);                         \
  FINUFFT_EXPORT int P##3d3(int64_t nj, const R* xj, const R* yj, const R* zj, const C* cj, int iflag, R eps,         \
                            int64_t nk, const R* s, const R* t, const R* u, C* fk, const cufinufft_opts* opts);       \
                                                                                                                      \
  FINUFFT_EXPORT int P##1d1many(int n_transf, int64_t nj, const R* xj, const C* cj, int iflag, R eps, int64_t ms,     \
                                C* fk, const cufinufft_opts* opts);                                                   \
  FINUFFT_EXPORT int P##1d2many(int n_transf, int64_t nj, const R* xj, C* cj, int iflag, R eps, int64_t ms,           \
                                const C* fk, const cufinufft_opts* opts);                                             \
  FINUFFT_EXPORT int P##1d3many(int n_transf, int64_t nj, const R* xj, const C* cj, int iflag, R eps, int64_t nk,     \
                                const R* s, C* fk, const cufinufft_opts* opts);                                       \
  FINUFFT_EXPORT int P##2d1many(int n_transf, int64_t nj, const R* xj, const R* yj, const C* cj, int iflag, R eps,    \
                                int64_t ms, int64_t mt, C* fk, const cufinufft_opts* opts);                           \
  FINUFFT_EXPORT int P##2d2many(int n_transf, int64_t nj, const R* xj, const R* yj, C* cj, int iflag, R eps,          \
                                int64_t ms, int64_t mt, const C* fk, const cufinufft_opts* opts);                     \
  FINUFFT_EXPORT int P##2d3many(int n_transf, int64_t nj, const R* xj, const R* yj, const C* cj, int iflag, R eps,    \
                                int64_t nk, const R* s, const R* t, C* fk, const cufinufft_opts* opts);               \
  FINUFFT_EXPORT int P##3d1many(int n_transf, int64_t nj, const R* xj, const R* yj, const R* zj, const C* cj,         \
                                int iflag, R eps, int64_t ms, int64_t mt, int64_t mu, C* fk,                          \
                                const cufinufft_opts* opts);                                                          \
  FINUFFT_EXPORT int P##3d2many(int n_transf, int64_t nj, const R* xj, const R* yj, const R* zj, C* cj, int iflag,    \
                                R eps, int64_t ms, int64_t mt, int64_t mu, const C* fk, const cufinufft_opts* opts);  \
  FINUFFT_EXPORT int P##3d3many(int n_transf, int64_t nj, const R* xj, const R* yj, const R* zj, const C* cj,         \
                                int iflag, R eps, int64_t nk, const R* s, const R* t, const R* u, C* fk,              \
                                const cufinufft_opts* opts);

CUFINUFFT_DECLARE(cufinufft, double, cuDoubleComplex)
CUFINUFFT_DECLARE(cufinufftf, float, cuFloatComplex)

#undef CUFINUFFT_DECLARE

#ifdef __cplusplus
}
#endif

#endif
