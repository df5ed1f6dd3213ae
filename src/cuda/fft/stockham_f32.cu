// FFTs of lines in f32.
#include "cuda/fft/stockham.cuh"

namespace offgrid::cuda {

template void run_lines<LineKind::crop, float, float, float>(LinePass<float>, const std::complex<float>*,
                                                             std::complex<float>*, int, const Queue&);
template void run_lines<LineKind::pad, float, float, float>(LinePass<float>, const std::complex<float>*,
                                                            std::complex<float>*, int, const Queue&);

}  // namespace offgrid::cuda
