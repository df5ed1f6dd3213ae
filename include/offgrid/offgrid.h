/* offgrid's C interface: nonuniform FFTs of types 1, 2 and 3 in one, two and three dimensions.
 *
 *   type 1, points to modes:    f[k] = sum_j c[j] exp(sign i k.x[j])      (default sign -1)
 *   type 2, modes to points:    c[j] = sum_k f[k] exp(sign i k.x[j])      (default sign +1)
 *   type 3, points to targets:  f[k] = sum_j c[j] exp(sign i s[k].x[j])   (default sign +1), points and targets anywhere
 *
 * with N1 x .. x Nd modes, k_a from -floor(N_a/2) to ceil(N_a/2)-1, and points x[j] anywhere, 2 pi periodic.
 * With the option "spread_only" a plan has cells of a grid in place of modes, and spreads and interpolates without a
 * transform; see offgrid_plan_kernel below.
 * Complex numbers are pairs (real, imaginary) of float or double. Modes are stored with the first axis contiguous.
 *
 * What can fail returns a status; offgrid_last_error() says in words what was wrong. A refused call changes nothing. */
#ifndef OFFGRID_OFFGRID_H
#define OFFGRID_OFFGRID_H

#include <stddef.h>
#include <stdint.h>

#include "offgrid/version.h"

#if defined(__GNUC__)
#define OFFGRID_API __attribute__((visibility("default")))
#else
#define OFFGRID_API
#endif

/* In C++ an enumeration may hold any int, so that a wrong number can be handed over and refused. */
#ifdef __cplusplus
#define OFFGRID_OF_INT : int
#else
#define OFFGRID_OF_INT
#endif

#ifdef __cplusplus
extern "C" {
#endif

typedef enum offgrid_status OFFGRID_OF_INT {
  OFFGRID_OK = 0,
  OFFGRID_INVALID_ARGUMENT = 1,
  OFFGRID_WRONG_STATE = 2,
  OFFGRID_OUT_OF_MEMORY = 3,
  OFFGRID_DEVICE_ERROR = 4,
  OFFGRID_INTERNAL_ERROR = 5
} offgrid_status;

typedef enum offgrid_precision OFFGRID_OF_INT { OFFGRID_F32 = 0, OFFGRID_F64 = 1 } offgrid_precision;

typedef struct offgrid_options_s* offgrid_options;
typedef struct offgrid_plan_s* offgrid_plan;
typedef struct offgrid_gram_s* offgrid_gram;

/* Of a Gram operator: numbers of the precision, or pairs of them. */
typedef enum offgrid_weights OFFGRID_OF_INT { OFFGRID_REAL_WEIGHTS = 0, OFFGRID_COMPLEX_WEIGHTS = 1 } offgrid_weights;

/* The version of the library that is loaded, such as "0.1.0". */
OFFGRID_API const char* offgrid_version(void);

/* The engines that are built in and the devices that they find, one per line. */
OFFGRID_API const char* offgrid_devices(void);

/* What was wrong with this thread's last call that failed. Valid until this thread's next failing call. */
OFFGRID_API const char* offgrid_last_error(void);

/* Options: created with defaults, set by name; offgrid_options_help() lists every name, range and meaning. A word is read
 * back as its place in the list of words, from 0. */
OFFGRID_API offgrid_status offgrid_options_create(offgrid_options* options);
OFFGRID_API offgrid_status offgrid_options_set(offgrid_options options, const char* name, double value);
OFFGRID_API offgrid_status offgrid_options_set_text(offgrid_options options, const char* name, const char* value);
OFFGRID_API offgrid_status offgrid_options_get(offgrid_options options, const char* name, double* value);
OFFGRID_API const char* offgrid_options_help(void);
OFFGRID_API void offgrid_options_destroy(offgrid_options options);

/* A plan: the arguments are checked, and nothing is chosen yet, unless the option points_hint says for how many points.
 * `options` may be null. A type 3 has no modes: there `modes` is not read. On failure *plan is null. */
OFFGRID_API offgrid_status offgrid_plan_create(offgrid_plan* plan, int type, int dim, const int64_t* modes,
                                               double tolerance, offgrid_precision precision, offgrid_options options);

/* Chooses the grid for the number of points, unless the present one will do, reads the points and sorts them; the arrays
 * need not be kept. x, y, z: arrays of `count` reals of the plan's precision, null beyond the dimension. A refused call
 * leaves the earlier points in force. `stream`: null on the CPU. On a GPU, a grid of more than 4096 cells along an axis, or
 * 4,194,304 in 1D, loads cuFFT, and is refused with OFFGRID_DEVICE_ERROR where that is missing. Nothing else needs a part of
 * CUDA but the driver. */
OFFGRID_API offgrid_status offgrid_set_points(offgrid_plan plan, int64_t count, const void* x, const void* y,
                                              const void* z, void* stream);

/* Type 3. The grids depend on the boxes around points and targets, so that both are set in one call: arrays as in
 * offgrid_set_points, one for each axis. Boxes that fit the earlier ones keep grids and tables.
 * Or the boxes are given beforehand, low and high ends for each axis. Then offgrid_plan_get answers "memory_bytes" before
 * anything is allocated, what does not fit is refused with the bytes that it would take, and points and targets may be set one
 * without the other, as often as you like, wherever they are in their boxes; outside of them they are refused.
 * After a call that has set both, either may be set alone, too, in the box around the earlier ones. Refused are then also those
 * that need finer grids: few, at few places, or at the ends of the box, after many that were spread over it.
 * For more points than fit at once: set some of them by offgrid_set_points, add them by offgrid_add_points, set the next ones,
 * and so on; offgrid_finish then writes the values of all that were added at the targets, and begins a new sum.
 * offgrid_execute and offgrid_execute_adjoint take strengths and, as `modes`, the values at the targets:
 * [transforms][targets]. */
OFFGRID_API offgrid_status offgrid_set_points_and_targets(offgrid_plan plan, int64_t count, const void* const* points,
                                                          int64_t target_count, const void* const* targets,
                                                          void* stream);
OFFGRID_API offgrid_status offgrid_set_boxes(offgrid_plan plan, const double* points_low, const double* points_high,
                                             const double* targets_low, const double* targets_high);
OFFGRID_API offgrid_status offgrid_set_targets(offgrid_plan plan, int64_t count, const void* x, const void* y,
                                               const void* z, void* stream);
OFFGRID_API offgrid_status offgrid_add_points(offgrid_plan plan, const void* strengths, void* stream);
OFFGRID_API offgrid_status offgrid_finish(offgrid_plan plan, void* values, void* stream);

/* The transform: type 1 reads strengths and writes modes, type 2 reads modes and writes strengths. Several threads may
 * execute one plan at the same time. strengths: [transforms][count], modes: [transforms][N3][N2][N1]. The two arrays must
 * not overlap: no transform is done in place, and arrays that share memory are refused, on the CPU and on a GPU. */
OFFGRID_API offgrid_status offgrid_execute(offgrid_plan plan, void* strengths, void* modes, void* stream);

/* The adjoint (conjugate transpose) from the same plan and points: the other direction with the opposite sign. */
OFFGRID_API offgrid_status offgrid_execute_adjoint(offgrid_plan plan, void* strengths, void* modes, void* stream);

/* GPU plans: executes use this memory of the device, at least "workspace_bytes", from here on, one at a time. Null: memory
 * of the plan's own again. */
OFFGRID_API offgrid_status offgrid_set_workspace(offgrid_plan plan, void* memory, size_t bytes);

/* A number about the plan by name: "upsampling", "width", "grid1", "grid2", "grid3", "expected_error",
 * "reachable_tolerance", "workspace_bytes" (of one execute), "memory_bytes" and "peak_bytes" (what the plan holds on its
 * device, now and at most: sorted points, grids, tables; of the peak also scratch of set_points), "points", "targets" (of a
 * type 3), "transforms". Before points are set, or points_hint is given, those that depend on the grid are
 * OFFGRID_WRONG_STATE: all up to "workspace_bytes" but "reachable_tolerance", of a type 3 that one as well. */
OFFGRID_API offgrid_status offgrid_plan_get(offgrid_plan plan, const char* name, double* value);

/* The kernel phi of a plan with the option "spread_only", by its value phi(2 distance / w) at a distance in cells, 0 from w/2
 * on, and by its Fourier transform (w/2) int phi(z) cos(pi w k z / n) dz along an axis (0, 1 or 2) of n cells, |k| <= 8 n.
 * Such a plan's sizes are those of the grid. Type 1 spreads, and type 2 interpolates, with the same weights,
 *   cells[l] = sum_j c[j] prod_a phi(2 (l_a - g_ja) / w),  g_ja = x_ja n_a / (2 pi),  over -w/2 <= l_a - g_ja < w/2,
 * periodic: cell l lies at x = 2 pi l / n, and x = 0 at cell 0. The adjoint is the transpose; nothing depends on the sign. */
OFFGRID_API offgrid_status offgrid_plan_kernel(offgrid_plan plan, double distance, double* value);
OFFGRID_API offgrid_status offgrid_plan_kernel_transform(offgrid_plan plan, int axis, double k, double* value);

/* What was chosen and why, in words. Valid until the next call of this function with the same plan. */
OFFGRID_API const char* offgrid_plan_describe(offgrid_plan plan);

/* Frees the plan. Null is allowed. */
OFFGRID_API offgrid_status offgrid_plan_destroy(offgrid_plan plan);

/* Plans leave memory behind, which later plans find at once: on a GPU up to 1/16 of its memory, on the CPU up to 256 MiB or
 * 1/16 of the host's. This gives it back. */
OFFGRID_API offgrid_status offgrid_release_memory(void);

/* One call for a single transform: plan, set points, execute, destroy. */
OFFGRID_API offgrid_status offgrid_transform(int type, int dim, const int64_t* modes, double tolerance,
                                             offgrid_precision precision, offgrid_options options, int64_t count,
                                             const void* const* points, void* strengths, void* values_of_modes);

/* The same for a type 3: `dim` arrays of points and `dim` arrays of targets. strengths: [transforms][count], values:
 * [transforms][target_count]. The adjoint is this call with points and targets exchanged and the opposite sign. */
OFFGRID_API offgrid_status offgrid_transform3(int dim, double tolerance, offgrid_precision precision,
                                              offgrid_options options, int64_t count, const void* const* points,
                                              int64_t target_count, const void* const* targets, const void* strengths,
                                              void* values);

/* --- The Gram operator -----------------------------------------------------------------------------------------------------
 * f -> A* W A f of fixed points and weights, where A is the transform of type 2, modes to points, and W the diagonal of the
 * weights: what the normal equations of least squares have. With real weights it is Hermitian, and with none below 0 positive.
 * It is a convolution, two FFTs of twice the modes for each vector however many points there are, or a pair of transforms; the
 * option "gram" asks for one of them, and by default the cheaper one is taken. The relative l2 error is at most the tolerance,
 * as far as the result is not the small difference of large terms. */

/* Reads the points, as in offgrid_set_points, and `count` weights of the given kind, or null for ones; the arrays need not be
 * kept. points: `dim` arrays. The options are those of a plan of type 2; sign and mode_order are those of A, and transforms
 * says how many vectors are worked on in a call. `options` may be null. On failure *gram is null. */
OFFGRID_API offgrid_status offgrid_gram_create(offgrid_gram* gram, int dim, const int64_t* modes, double tolerance,
                                               offgrid_precision precision, offgrid_options options, int64_t count,
                                               const void* const* points, const void* weights, offgrid_weights kind,
                                               void* stream);

/* The convolution with a given kernel, h[k] = sum over k' of t[k - k'] f[k']. The kernel of points and weights is
 * t[m] = sum_j w[j] exp(-sign i m.x[j]), a transform of type 1 with 2N - 1 modes along each axis and the opposite sign; kernels
 * of several sets of points add up. kernel: [2 N3 - 1][2 N2 - 1][2 N1 - 1] complex numbers from the lowest m up, which need not
 * be kept. `kind`: of the weights; with real ones t[-m] = conj(t[m]), and the operator is Hermitian. On failure *gram is
 * null. */
OFFGRID_API offgrid_status offgrid_gram_create_from_kernel(offgrid_gram* gram, int dim, const int64_t* modes,
                                                           offgrid_precision precision, offgrid_options options,
                                                           const void* kernel, offgrid_weights kind, void* stream);

/* h = A* W A f. Both are [transforms][N3][N2][N1]; they may be the same array, and may not overlap otherwise. Several threads
 * may apply one operator at the same time. On a GPU the work is enqueued on the stream, and can be captured in a graph. */
OFFGRID_API offgrid_status offgrid_gram_apply(offgrid_gram gram, const void* f, void* h, void* stream);

/* A number about the operator by name: "convolution" (1, or 0 for a pair of transforms), "grid1", "grid2", "grid3",
 * "expected_error", "reachable_tolerance", "memory_bytes", "peak_bytes", "points", "transforms". */
OFFGRID_API offgrid_status offgrid_gram_get(offgrid_gram gram, const char* name, double* value);

/* What was chosen and why, in words. Valid until the next call of this function with the same operator. */
OFFGRID_API const char* offgrid_gram_describe(offgrid_gram gram);

/* Frees the operator. Null is allowed. */
OFFGRID_API offgrid_status offgrid_gram_destroy(offgrid_gram gram);

/* --- Solvers ---------------------------------------------------------------------------------------------------------------
 * When a solver stops. All zeros are the defaults. */
typedef struct offgrid_iteration {
  int64_t iterations; /* at most; 0: 20 */
  double rtol; /* it stops at a residual or change of this, relative; 0: the solver's default; below 0: not for this */
  /* Called after each step, in the thread of the call, with the relative residual or change, or null. It stops where this
   * returns anything but 0, and keeps what it has reached. Without it and with rtol below 0, no step waits for a GPU;
   * otherwise each reads one or two numbers back. */
  int (*callback)(void* context, int64_t step, double residual);
  void* context; /* for the callback */
} offgrid_iteration;

/* What an inverse takes beside points and values. All zeros are the defaults. Arrays lie where the points do, and are of the
 * plan's precision. Weights below 0 or NaN are not refused, but the iteration may then end nowhere; those of
 * offgrid_density_weights make steps count for more. */
typedef struct offgrid_least_squares {
  const void* weights;   /* [count], real, not below 0; null: ones */
  double regularisation; /* the factor of |f|^2, 0 or more */
  const void* coils;  /* sensitivities of receivers, complex, [coil_count][N3][N2][N1]; null: there is one, of ones */
  int64_t coil_count; /* 0 without coils */
  const void* start;  /* the modes to begin with, [N3][N2][N1]; null: zeros. It may be what the result is written to */
  offgrid_iteration iteration; /* rtol: of the residual of the normal equations, 1e-6 by default */
} offgrid_least_squares;

/* Least squares: the modes f whose values at the points come nearest to `values`, by conjugate gradients with the Gram
 * operator. f minimises  sum over c, j of w[j] |(A (coil[c] f))[j] - values[c][j]|^2 + regularisation |f|^2,  where A is the
 * transform of type 2. values: [count], or [coil_count][count] (SENSE). modes_found: [N3][N2][N1], apart from the arrays that
 * are read. tolerance: of A; sign and mode_order of the options are those of A, and transforms stays 1. A residual that is not
 * finite, as that of values or weights that are NaN, is refused once it is read, and modes_found then hold no solution.
 * `options` and `asked` may be null. On a GPU it gives back memory before it returns, and waits for the device then; it cannot
 * be captured in a graph. */
OFFGRID_API offgrid_status offgrid_inverse(int dim, const int64_t* modes, double tolerance, offgrid_precision precision,
                                           offgrid_options options, int64_t count, const void* const* points,
                                           const void* values, const offgrid_least_squares* asked, void* modes_found,
                                           void* stream);

/* Weights for the density of points, `count` reals: where points are dense, each has little. w <- w / |G G^T w|, with G the
 * interpolation from a grid of twice the modes by a kernel of 5 cells, until all of G G^T w is 1 (Pipe and Menon, Magnetic
 * Resonance in Medicine 41, 179, 1999). A weight is the part of the period that its point stands for: they sum to 1 where the
 * points leave no gaps, and then the adjoint of weighted values is about the modes. rtol: of the change of w in a step, 1e-2 by
 * default. Of the options only device, threads, deterministic and those of methods on a GPU matter. `options` and `iteration`
 * may be null. On a GPU it waits as offgrid_inverse does. */
OFFGRID_API offgrid_status offgrid_density_weights(int dim, const int64_t* modes, offgrid_precision precision,
                                                   offgrid_options options, int64_t count, const void* const* points,
                                                   const offgrid_iteration* iteration, void* weights, void* stream);

#ifdef __cplusplus
}
#endif

#endif
