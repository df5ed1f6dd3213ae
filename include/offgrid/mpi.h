/* liboffgrid_mpi: nonuniform FFTs on many ranks of MPI, a library beside liboffgrid. This is its C interface.
 *
 * Every function that takes a communicator or a plan is collective, unless it says otherwise: all ranks call it, in the same
 * order. Where one rank fails, all ranks return that rank's status, and offgrid_mpi_last_error() names the rank and its
 * message everywhere. So no rank waits for one that has given up.
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
typedef enum offgrid_mpi_number {
  OFFGRID_MPI_F32 = 0,
  OFFGRID_MPI_F64 = 1,
  OFFGRID_MPI_I32 = 2,
  OFFGRID_MPI_I64 = 3
} offgrid_mpi_number;

/* What was wrong with this thread's last call that failed. Not collective. */
OFFGRID_API const char* offgrid_mpi_last_error(void);

/* The ranks of an MPI communicator, given as the address of an MPI_Comm; it is duplicated. Null stands for MPI_COMM_WORLD.
 * Where nobody has initialised MPI, this does, and offgrid_mpi_comm_destroy then finalises it. */
OFFGRID_API offgrid_status offgrid_mpi_comm_create(offgrid_mpi_comm* comm, const void* address_of_mpi_comm);
OFFGRID_API offgrid_status offgrid_mpi_comm_destroy(offgrid_mpi_comm comm);

/* Not collective. A null handle is rank 0 of 0. */
OFFGRID_API int offgrid_mpi_comm_rank(offgrid_mpi_comm comm);
OFFGRID_API int offgrid_mpi_comm_size(offgrid_mpi_comm comm);

/* Arrays on the host. Sum: over all ranks, in place, the same on every rank bit by bit. Broadcast: from `root` to all ranks.
 * Gather: `bytes` of every rank, which may differ from rank to rank, one after the other on `root`, in the order of the ranks;
 * `all` is read on `root` only and has room for `room` bytes. */
OFFGRID_API offgrid_status offgrid_mpi_sum(offgrid_mpi_comm comm, void* values, int64_t count, offgrid_mpi_number kind);
OFFGRID_API offgrid_status offgrid_mpi_broadcast(offgrid_mpi_comm comm, void* data, int64_t bytes, int root);
OFFGRID_API offgrid_status offgrid_mpi_gather(offgrid_mpi_comm comm, const void* data, int64_t bytes, void* all,
                                              int64_t room, int root);

/* Every rank says how it fared: OFFGRID_OK, or what went wrong and a message (null: none). Where all are well, this returns
 * OFFGRID_OK everywhere. Otherwise it returns the status of the lowest rank that failed, everywhere. */
OFFGRID_API offgrid_status offgrid_mpi_agree(offgrid_mpi_comm comm, offgrid_status status, const char* message);

/* Ends all ranks at once. Not collective: for a rank that cannot go on and cannot reach the others either. */
OFFGRID_API void offgrid_mpi_abort(offgrid_mpi_comm comm);

#ifdef __cplusplus
}
#endif

#endif
