// FFTs of lines in f64.
#include "cuda/fft/stockham.cuh"

namespace offgrid::cuda {

template void run_lines<LineKind::crop, double, double, double>(LinePass<double>, const std::complex<double>*,
                                                                std::complex<double>*, int, const Queue&);
template void run_lines<LineKind::pad, double, double, double>(LinePass<double>, const std::complex<double>*,
                                                               std::complex<double>*, int, const Queue&);

}  // namespace offgrid::cuda
