// Sets the cells of a grid to zero, and says what the library's code can do on the current GPU.
#pragma once

#include "cuda/check.hpp"

namespace offgrid::cuda {

// The compute capability, 10 major + minor, that the kernels which the current GPU runs were compiled for. It is the
// GPU's own, or an earlier one where the driver has compiled PTX, and 0 where the library holds no code that the GPU
// could run.
int code_capability();

// Whether programmatic dependent launch is possible (dependent_launch.cuh). Kernels that were compiled for an older GPU
// cannot do it on any GPU.
bool has_dependent_launch();

// Needs memory that is aligned to 16 bytes, and bytes that are a multiple of 8. Returns whether a kernel of ours does
// it, which a dependent launch may follow.
bool clear_cells(void* memory, std::size_t bytes, cudaStream_t stream);

}  // namespace offgrid::cuda
