// Cells between a grid and the caller's array, where the plan has cells in place of modes: copies on the device, and from a
// grid of f64 with a conversion.
#pragma once

#include <cuda_runtime_api.h>

#include <complex>
#include <cstdint>

namespace offgrid::cuda {

template <class T>
void copy_cells(const std::complex<T>* from, std::complex<T>* to, std::int64_t count, cudaStream_t stream);
void copy_cells(const std::complex<double>* from, std::complex<float>* to, std::int64_t count, cudaStream_t stream);

}  // namespace offgrid::cuda
