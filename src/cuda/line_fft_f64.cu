// Lines of f64.
#include "cuda/line_fft.cuh"

namespace offgrid::cuda {

template void run_lines<LineKind::crop, double, double, double>(LinePass<double>, const std::complex<double>*,
                                                                std::complex<double>*, int, cudaStream_t);
template void run_lines<LineKind::pad, double, double, double>(LinePass<double>, const std::complex<double>*,
                                                               std::complex<double>*, int, cudaStream_t);

}  // namespace offgrid::cuda
