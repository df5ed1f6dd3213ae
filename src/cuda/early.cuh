// Kernels that start while the one in front of them ends (Launch::early), on devices that can.
#pragma once

namespace offgrid::cuda {

// From here on, what the kernel in front wrote is there. Every thread passes here, those with nothing to do too: who waits
// for this kernel takes it that the one in front of it has ended.
__device__ inline void wait_for_kernel_in_front() {
#if __CUDA_ARCH__ >= 900
  cudaGridDependencySynchronize();
#endif
}

// Once all blocks are here, the next kernel may start, if it is an early one; otherwise it does once all have ended. Only for
// kernels that leave all multiprocessors room: blocks of the next one crowd where there is some.
__device__ inline void let_next_kernel_start() {
#if __CUDA_ARCH__ >= 900
  cudaTriggerProgrammaticLaunchCompletion();
#endif
}

}  // namespace offgrid::cuda
