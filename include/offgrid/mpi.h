/* liboffgrid_mpi: nonuniform FFTs on many ranks of MPI, a library beside liboffgrid. This is its C interface.
 *
 * Every function that takes a communicator or a plan is collective, unless it says otherwise: all ranks call it, in the same
 * order. Where one rank fails, all ranks return that rank's status, and offgrid_mpi_last_error() names the rank and its
 * message everywhere. So no rank waits for one that has given up. A handle that is null or destroyed has no ranks to tell: it
 * is refused on its rank alone.
 *
 * This header does not need MPI's own: a communicator is given by its address. */
#ifndef OFFGRID_MPI_H
#define OFFGRID_MPI_H

#include "offgrid/offgrid.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct offgrid_mpi_comm_s* offgrid_mpi_comm;

/* Numbers that can be summed over the ranks. A complex number counts as two. */
typedef enum offgrid_mpi_number OFFGRID_OF_INT {
  OFFGRID_MPI_F32 = 0,
  OFFGRID_MPI_F64 = 1,
  OFFGRID_MPI_I32 = 2,
  OFFGRID_MPI_I64 = 3
} offgrid_mpi_number;

/* What was wrong with this thread's last call that failed. Not collective. */
OFFGRID_API const char* offgrid_mpi_last_error(void);

/* The ranks of an MPI communicator, given as the address of an MPI_Comm; it is duplicated. Null stands for MPI_COMM_WORLD.
 * Where nobody has initialised MPI, this does, and offgrid_mpi_comm_destroy of the first communicator then finalises it. A call
 * that fails leaves MPI initialised, so that a later one can succeed. */
OFFGRID_API offgrid_status offgrid_mpi_comm_create(offgrid_mpi_comm* comm, const void* address_of_mpi_comm);
OFFGRID_API offgrid_status offgrid_mpi_comm_destroy(offgrid_mpi_comm comm);

/* Not collective. A null handle is rank 0 of 0. */
OFFGRID_API int offgrid_mpi_comm_rank(offgrid_mpi_comm comm);
OFFGRID_API int offgrid_mpi_comm_size(offgrid_mpi_comm comm);

/* Arrays on the host. Sum: over all ranks, in place, the same on every rank bit by bit. Broadcast: from `root` to all ranks.
 * Gather: `bytes` of every rank, which may differ from rank to rank, one after the other on `root`, in the order of the ranks;
 * `all` is read on `root` only and has room for `room` bytes. `count`, `kind`, `root` and the `bytes` of a broadcast are the
 * same on all ranks, which compare them; where they differ all ranks return OFFGRID_INVALID_ARGUMENT. */
OFFGRID_API offgrid_status offgrid_mpi_sum(offgrid_mpi_comm comm, void* values, int64_t count, offgrid_mpi_number kind);
OFFGRID_API offgrid_status offgrid_mpi_broadcast(offgrid_mpi_comm comm, void* data, int64_t bytes, int root);
OFFGRID_API offgrid_status offgrid_mpi_gather(offgrid_mpi_comm comm, const void* data, int64_t bytes, void* all,
                                              int64_t room, int root);

/* Every rank says how it fared: OFFGRID_OK, or what went wrong and a message (null: none). Where all are well, this returns
 * OFFGRID_OK everywhere. Otherwise it returns the status of the lowest rank that failed, everywhere. */
OFFGRID_API offgrid_status offgrid_mpi_agree(offgrid_mpi_comm comm, offgrid_status status, const char* message);

/* One rank per GPU: makes the GPU of this rank's number on its machine the current one of this thread, round-robin where
 * there are fewer GPUs than ranks. *device becomes its number, or -1 where there is no GPU or the build has no CUDA. Not
 * collective. */
OFFGRID_API offgrid_status offgrid_mpi_use_device(offgrid_mpi_comm comm, int* device);

/* Ends all ranks at once. Not collective: for a rank that cannot go on and cannot reach the others either. */
OFFGRID_API void offgrid_mpi_abort(offgrid_mpi_comm comm);

/* --- Plans -----------------------------------------------------------------------------------------------------------------
 * Every rank has points of its own, any number of them, none too; together they are the points of the transform.
 *   replicated  every rank has all modes. To modes: a local transform, then a sum over the ranks. To points: no communication.
 *   slabs       the grid is cut along its slowest axis, for grids that do not fit one rank: 2D and 3D, types 1 and 2.
 *               Points are sent to the rank whose cells they are in. Modes are cut, too: see offgrid_mpi_local_modes.
 * Arrays are the host's, or on the GPU that is current (offgrid_mpi_use_device). Where the option "device" is auto, a plan of
 * slabs works where the points are, and all ranks that have points must have them in the same kind of memory. Between GPUs
 * arrays travel by NCCL where every rank has a GPU of its own and libnccl.so.2 is found, by MPI where it says that it takes
 * addresses of GPUs, or else by MPI through pinned memory of the host. The variable of the environment OFFGRID_MPI_EXCHANGE of
 * rank 0 overrules that: nccl, mpi or host. offgrid_mpi_plan_describe says what is done. */
typedef struct offgrid_mpi_plan_s* offgrid_mpi_plan;

typedef enum offgrid_mpi_layout OFFGRID_OF_INT { OFFGRID_MPI_REPLICATED = 0, OFFGRID_MPI_SLABS = 1 } offgrid_mpi_layout;

/* Where the sum over the ranks of replicated modes goes.
 *   everywhere  every rank has all of it
 *   on_root     rank 0 has it; what the modes hold elsewhere is not said
 *   scattered   each rank has it for its own part of the vectors (option "transforms"), by offgrid_mpi_local_vectors; the others
 *               hold anything
 *   nowhere     no sum: for a type 3 whose targets, and not whose points, are spread over the ranks. Its adjoint then sums the
 *               strengths everywhere. */
typedef enum offgrid_mpi_result OFFGRID_OF_INT {
  OFFGRID_MPI_EVERYWHERE = 0,
  OFFGRID_MPI_ON_ROOT = 1,
  OFFGRID_MPI_SCATTERED = 2,
  OFFGRID_MPI_NOWHERE = 3
} offgrid_mpi_result;

/* Arguments as for offgrid_plan_create, the same on all ranks: they are compared, and where they differ all ranks return
 * OFFGRID_INVALID_ARGUMENT. A rank may have `threads` of its own, with replicated modes `device`, and `points_hint`, the number
 * of its own points; slabs have no use for it, since their grid is chosen by the points of all ranks. `options` may be null. On
 * failure *plan is null. */
OFFGRID_API offgrid_status offgrid_mpi_plan_create(offgrid_mpi_plan* plan, offgrid_mpi_comm comm,
                                                   offgrid_mpi_layout layout, int type, int dim, const int64_t* modes,
                                                   double tolerance, offgrid_precision precision,
                                                   offgrid_options options);

/* Of replicated modes; everywhere, unless this is called. The same on all ranks, which compare it. */
OFFGRID_API offgrid_status offgrid_mpi_plan_set_result(offgrid_mpi_plan plan, offgrid_mpi_result result);

/* This rank's points, and the targets of a type 3: all of them on every rank, or with `nowhere` this rank's. Where one rank is
 * refused its points, the plan has none on any rank, and an execute is OFFGRID_WRONG_STATE until a later call succeeds. So is
 * one of a type 3 that would sum values at other numbers of targets on some ranks, or with `nowhere` strengths of other numbers
 * of points. */
OFFGRID_API offgrid_status offgrid_mpi_set_points(offgrid_mpi_plan plan, int64_t count, const void* x, const void* y,
                                                  const void* z);
OFFGRID_API offgrid_status offgrid_mpi_set_points_and_targets(offgrid_mpi_plan plan, int64_t count,
                                                              const void* const* points, int64_t target_count,
                                                              const void* const* targets);

/* strengths: of this rank's points. modes: all of them, or with slabs this rank's. Both are where the points are. On a GPU
 * the work of replicated plans is enqueued on the default stream; sums, and everything with slabs, are done when the call
 * returns. */
OFFGRID_API offgrid_status offgrid_mpi_execute(offgrid_mpi_plan plan, void* strengths, void* modes);
OFFGRID_API offgrid_status offgrid_mpi_execute_adjoint(offgrid_mpi_plan plan, void* strengths, void* modes);

/* Which modes this rank has: along axis a the indices first[a] .. first[a] + count[a] - 1 of the array of all modes. Its own
 * array is [transforms][count[2]][count[1]][count[0]]. With slabs the axis before the slowest one is cut, the second in 3D
 * and the first in 2D, into parts that differ by one at most. Not collective. */
OFFGRID_API offgrid_status offgrid_mpi_local_modes(offgrid_mpi_plan plan, int64_t* first, int64_t* count);
/* Which vectors this rank has of a scattered sum. Not collective. */
OFFGRID_API offgrid_status offgrid_mpi_local_vectors(offgrid_mpi_plan plan, int64_t* first, int64_t* count);

/* A number about this rank's part of the plan: "points" (that it works on), "expected_error", "width", "upsampling", "grid1" ..
 * "grid3", "memory_bytes" (that it holds now; more from the first execute on), and seconds of the last execute,
 * "seconds_points" (to their owners), "seconds_spread" (or interpolate), "seconds_halo", "seconds_fft", "seconds_transpose",
 * "seconds_sum". Not collective. */
OFFGRID_API offgrid_status offgrid_mpi_plan_get(offgrid_mpi_plan plan, const char* name, double* value);

/* What was chosen, in words. Valid until the next call of this function with the same plan. Not collective. */
OFFGRID_API const char* offgrid_mpi_plan_describe(offgrid_mpi_plan plan);

/* Collective, as is offgrid_mpi_comm_destroy: all ranks destroy the same plans, in the same order. With arrays of the host
 * no rank waits here. But NCCL's communicator goes with the last plan that uses it, and a plan keeps the MPI communicator
 * whose handle was destroyed before it; to free these may wait for all ranks. */
OFFGRID_API offgrid_status offgrid_mpi_plan_destroy(offgrid_mpi_plan plan);

/* The Gram operator of the points and weights of all ranks (offgrid.h): its kernel is summed over the ranks, and then every
 * rank has the whole operator, which it applies alone. Arguments as for offgrid_gram_create, compared as those of a plan
 * are. `kind` is the same on all ranks that have weights; one without (null) has ones, whatever its kind. Points and weights
 * are the host's. */
OFFGRID_API offgrid_status offgrid_mpi_gram_create(offgrid_gram* gram, offgrid_mpi_comm comm, int dim,
                                                   const int64_t* modes, double tolerance, offgrid_precision precision,
                                                   offgrid_options options, int64_t count, const void* const* points,
                                                   const void* weights, offgrid_weights kind);

#ifdef __cplusplus
}
#endif

#endif
