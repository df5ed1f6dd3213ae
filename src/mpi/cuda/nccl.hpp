// NCCL, loaded when ranks on GPUs first need it, so that the library starts where it is missing. The few functions that are
// used are declared here as its version 2 has them, which keeps them: no header of NCCL is needed to build.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <string>

namespace offgrid::mpi::inside {

struct NcclId {
  char bytes[128];
};
using NcclComm = void*;
enum class NcclType : int { bytes = 0, i32 = 2, i64 = 4, f32 = 7, f64 = 8 };
enum class NcclOperation : int { sum = 0 };

struct Nccl {
  int (*version)(int*);
  int (*unique_id)(NcclId*);
  int (*init_rank)(NcclComm*, int size, NcclId, int rank);
  int (*destroy)(NcclComm);
  const char* (*error_text)(int);
  int (*group_start)();
  int (*group_end)();
  int (*send)(const void*, std::size_t, NcclType, int peer, NcclComm, cudaStream_t);
  int (*receive)(void*, std::size_t, NcclType, int peer, NcclComm, cudaStream_t);
  int (*all_reduce)(const void*, void*, std::size_t, NcclType, NcclOperation, NcclComm, cudaStream_t);
  int (*reduce)(const void*, void*, std::size_t, NcclType, NcclOperation, int root, NcclComm, cudaStream_t);
};

// Null where libnccl.so.2 is not found, or has not all of these functions. It stays loaded.
const Nccl* nccl();

}  // namespace offgrid::mpi::inside
