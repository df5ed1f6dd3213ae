// Convolutions of lines in f64: two FFTs, with a product between them.
#include "cuda/fft/stockham.cuh"

namespace offgrid::cuda {

template void run_lines<LineKind::convolve, double, double, double>(LinePass<double>, const std::complex<double>*,
                                                                    std::complex<double>*, int, const Queue&);

}  // namespace offgrid::cuda
