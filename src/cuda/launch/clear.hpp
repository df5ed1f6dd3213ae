// The cells of a grid are zeroed.
#pragma once

#include "cuda/check.hpp"

namespace offgrid::cuda {

// Compute capability that the kernels were compiled for which the current GPU runs, 10 major + minor. It is the GPU's own or an
// earlier one, where the driver has compiled PTX, and 0 where the library has nothing that it could run.
int code_capability();

// Whether kernels can be launched dependently (dependent_launch.cuh). Compiled for an older GPU, they cannot on any.
bool has_dependent_launch();

// memory: aligned to 16 bytes; bytes: a multiple of 8. True: by a kernel that a dependent launch may follow.
bool clear_cells(void* memory, std::size_t bytes, cudaStream_t stream);

}  // namespace offgrid::cuda
