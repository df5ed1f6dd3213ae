/* A drop-in for FINUFFT's C and C++ interface (versions 2.5 and 2.6) over offgrid: the same names, arguments, structs and
 * codes. Link libfinufft.so, which needs liboffgrid.so. docs/from-finufft.md says what differs.
 *
 * Every function comes in double (finufft_) and in float (finufftf_). All but the default options return 0, or one of the
 * codes in finufft_errors.h. opts may be null, and then has the defaults. iflag >= 0 is the sign +i of the exponent, else -i.
 * Arrays have x as the fastest axis, and the transforms as the slowest. */
#ifndef FINUFFT_H
#define FINUFFT_H

#include <finufft_common/defines.h>
#include <finufft_errors.h>
#include <finufft_opts.h>
#include <stdint.h>

#ifdef __cplusplus
#include <complex>
#define FINUFFT_COMPLEX(R) std::complex<R>
extern "C" {
#else
#include <complex.h>
#define FINUFFT_COMPLEX(R) R _Complex
#endif

typedef struct finufft_plan_s* finufft_plan;
typedef struct finufftf_plan_s* finufftf_plan;

/* What finufft_default_opts writes to fftw. */
FINUFFT_EXPORT extern const int FINUFFT_FFT_DEFAULT;

/* P: prefix of the names. R: real type. C: complex type. */
#define FINUFFT_DECLARE(P, R, C)                                                                                    \
  FINUFFT_EXPORT void P##_default_opts(finufft_opts* opts);                                                         \
  FINUFFT_EXPORT int P##_makeplan(int type, int dim, const int64_t* n_modes, int iflag, int n_transf, R tol,        \
                                  P##_plan* plan, const finufft_opts* opts);                                        \
  FINUFFT_EXPORT int P##_setpts(P##_plan plan, int64_t nj, const R* xj, const R* yj, const R* zj, int64_t nk,       \
                                const R* s, const R* t, const R* u);                                                \
  FINUFFT_EXPORT int P##_execute(P##_plan plan, C* cj, C* fk);                                                      \
  FINUFFT_EXPORT int P##_execute_adjoint(P##_plan plan, C* cj, C* fk);                                              \
  FINUFFT_EXPORT int P##_destroy(P##_plan plan);                                                                    \
                                                                                                                    \
  FINUFFT_EXPORT int P##1d1(int64_t nj, const R* xj, const C* cj, int iflag, R eps, int64_t ms, C* fk,              \
                            const finufft_opts* opts);                                                              \
  FINUFFT_EXPORT int P##1d2(int64_t nj, const R* xj, C* cj, int iflag, R eps, int64_t ms, const C* fk,              \
                            const finufft_opts* opts);                                                              \
  FINUFFT_EXPORT int P##1d3(int64_t nj, const R* xj, const C* cj, int iflag, R eps, int64_t nk, const R* s, C* fk,  \
                            const finufft_opts* opts);                                                              \
  FINUFFT_EXPORT int P##2d1(int64_t nj, const R* xj, const R* yj, const C* cj, int iflag, R eps, int64_t ms,        \
                            int64_t mt, C* fk, const finufft_opts* opts);                                           \
  FINUFFT_EXPORT int P##2d2(int64_t nj, const R* xj, const R* yj, C* cj, int iflag, R eps, int64_t ms, int64_t mt,  \
                            const C* fk, const finufft_opts* opts);                                                 \
  FINUFFT_EXPORT int P##2d3(int64_t nj, const R* xj, const R* yj, const C* cj, int iflag, R eps, int64_t nk,        \
                            const R* s, const R* t, C* fk, const finufft_opts* opts);                               \
  FINUFFT_EXPORT int P##3d1(int64_t nj, const R* xj, const R* yj, const R* zj, const C* cj, int iflag, R eps,       \
                            int64_t ms, int64_t mt, int64_t mu, C* fk, const finufft_opts* opts);                   \
  FINUFFT_EXPORT int P##3d2(int64_t nj, const R* xj, const R* yj, const R* zj, C* cj, int iflag, R eps, int64_t ms, \
                            int64_t mt, int64_t mu, const C* fk, const finufft_opts* opts);                         \
  FINUFFT_EXPORT int P##3d3(int64_t nj, const R* xj, const R* yj, const R* zj, const C* cj, int iflag, R eps,       \
                            int64_t nk, const R* s, const R* t, const R* u, C* fk, const finufft_opts* opts);       \
                                                                                                                    \
  FINUFFT_EXPORT int P##1d1many(int n_transf, int64_t nj, const R* xj, const C* cj, int iflag, R eps, int64_t ms,   \
                                C* fk, const finufft_opts* opts);                                                   \
  FINUFFT_EXPORT int P##1d2many(int n_transf, int64_t nj, const R* xj, C* cj, int iflag, R eps, int64_t ms,         \
                                const C* fk, const finufft_opts* opts);                                             \
  FINUFFT_EXPORT int P##1d3many(int n_transf, int64_t nj, const R* xj, const C* cj, int iflag, R eps, int64_t nk,   \
                                const R* s, C* fk, const finufft_opts* opts);                                       \
  FINUFFT_EXPORT int P##2d1many(int n_transf, int64_t nj, const R* xj, const R* yj, const C* cj, int iflag, R eps,  \
                                int64_t ms, int64_t mt, C* fk, const finufft_opts* opts);                           \
  FINUFFT_EXPORT int P##2d2many(int n_transf, int64_t nj, const R* xj, const R* yj, C* cj, int iflag, R eps,        \
                                int64_t ms, int64_t mt, const C* fk, const finufft_opts* opts);                     \
  FINUFFT_EXPORT int P##2d3many(int n_transf, int64_t nj, const R* xj, const R* yj, const C* cj, int iflag, R eps,  \
                                int64_t nk, const R* s, const R* t, C* fk, const finufft_opts* opts);               \
  FINUFFT_EXPORT int P##3d1many(int n_transf, int64_t nj, const R* xj, const R* yj, const R* zj, const C* cj,       \
                                int iflag, R eps, int64_t ms, int64_t mt, int64_t mu, C* fk,                        \
                                const finufft_opts* opts);                                                          \
  FINUFFT_EXPORT int P##3d2many(int n_transf, int64_t nj, const R* xj, const R* yj, const R* zj, C* cj, int iflag,  \
                                R eps, int64_t ms, int64_t mt, int64_t mu, const C* fk, const finufft_opts* opts);  \
  FINUFFT_EXPORT int P##3d3many(int n_transf, int64_t nj, const R* xj, const R* yj, const R* zj, const C* cj,       \
                                int iflag, R eps, int64_t nk, const R* s, const R* t, const R* u, C* fk,            \
                                const finufft_opts* opts);

FINUFFT_DECLARE(finufft, double, FINUFFT_COMPLEX(double))
FINUFFT_DECLARE(finufftf, float, FINUFFT_COMPLEX(float))

#undef FINUFFT_DECLARE
#undef FINUFFT_COMPLEX

#ifdef __cplusplus
}
#endif

#endif
