// cuFFT, loaded when the first plan needs it: grids of more than 4096 cells along an axis (4,194,304 in 1D) are transformed by
// it, and by nothing else. A library that was built with CUDA therefore starts where no part of CUDA is installed.
#pragma once

#include <cufft.h>

#include <span>
#include <string>

namespace offgrid::cuda {

struct Cufft {
  decltype(&cufftCreate) create;
  decltype(&cufftDestroy) destroy;
  decltype(&cufftSetAutoAllocation) set_auto_allocation;
  decltype(&cufftMakePlanMany64) make_plan_many;
  decltype(&cufftSetWorkArea) set_work_area;
  decltype(&cufftSetStream) set_stream;
  decltype(&cufftExecC2C) exec_c2c;
  decltype(&cufftExecZ2Z) exec_z2z;
};

// From the first of these files that can be loaded. Throws a device error that says what is missing where none can.
Cufft load_cufft(std::span<const std::string> files);

// cuFFT of the version that the build saw: where the dynamic loader looks (LD_LIBRARY_PATH, the library's RUNPATH, its
// cache), or where it was at build time. It stays loaded. A failure is not remembered, and the next call tries again.
const Cufft& cufft();

}  // namespace offgrid::cuda
