// Lines of f32.
#include "cuda/line_fft.cuh"

namespace offgrid::cuda {

template void run_lines<LineKind::crop, float, float, float>(LinePass<float>, const std::complex<float>*,
                                                             std::complex<float>*, int, cudaStream_t);
template void run_lines<LineKind::pad, float, float, float>(LinePass<float>, const std::complex<float>*,
                                                            std::complex<float>*, int, cudaStream_t);

}  // namespace offgrid::cuda
