// Programmatic dependent launch (CUDA programming guide): a kernel with Launch::dependent starts while the kernel before it
// ends, on devices of compute capability 9.0 and later.
#pragma once

namespace offgrid::cuda {

// After this call, all that the previous kernel wrote is visible. Every thread calls it, even if it has nothing to do:
// a third kernel that waits for this one relies on the first one having ended, too.
__device__ inline void wait_for_previous_kernel() {
#if __CUDA_ARCH__ >= 900
  cudaGridDependencySynchronize();
#endif
}

// Once all blocks have called this, the next kernel may start if its launch is dependent; without the call it starts
// when all blocks have ended. Only kernels that leave room on all multiprocessors should call it: otherwise the blocks
// of the next kernel pile up on the few multiprocessors that have room.
__device__ inline void let_next_kernel_start() {
#if __CUDA_ARCH__ >= 900
  cudaTriggerProgrammaticLaunchCompletion();
#endif
}

}  // namespace offgrid::cuda
