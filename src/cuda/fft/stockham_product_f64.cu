// FFTs of lines in f64 that begin with a product, as those of a convolution do.
#include "cuda/fft/stockham.cuh"

namespace offgrid::cuda {

template void run_lines<LineKind::multiply_and_crop, double, double, double>(LinePass<double>,
                                                                             const std::complex<double>*,
                                                                             std::complex<double>*, int, const Queue&);

}  // namespace offgrid::cuda
