// Programmatic dependent launch (CUDA programming guide): a kernel with Launch::dependent starts while the kernel before it
// ends, on devices of compute capability 9.0 and later.
#pragma once

namespace offgrid::cuda {

// After this call, what the kernel before wrote is visible. Every thread calls it, also those with nothing to do: a kernel
// that waits for this one relies on it that the one before this has ended, too.
__device__ inline void wait_for_previous_kernel() {
#if __CUDA_ARCH__ >= 900
  cudaGridDependencySynchronize();
#endif
}

// Once all blocks have called it, the next kernel may start if its launch is dependent; otherwise it starts when all have
// ended. Only for kernels that leave room on all multiprocessors: else the blocks of the next one crowd where there is some.
__device__ inline void let_next_kernel_start() {
#if __CUDA_ARCH__ >= 900
  cudaTriggerProgrammaticLaunchCompletion();
#endif
}

}  // namespace offgrid::cuda
