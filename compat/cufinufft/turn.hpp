// The one kernel of libcufinufft: coordinates half a turn on, for spreadinterponly (common/plan.hpp).
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>

namespace compat {

cudaError_t turn(const float* from, float* to, std::int64_t count, cudaStream_t stream);
cudaError_t turn(const double* from, double* to, std::int64_t count, cudaStream_t stream);

}  // namespace compat
