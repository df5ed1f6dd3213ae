// FFTs of lines in f32 that begin with a product, as those of a convolution do.
#include "cuda/fft/stockham.cuh"

namespace offgrid::cuda {

template void run_lines<LineKind::multiply_and_crop, float, float, float>(LinePass<float>, const std::complex<float>*,
                                                                          std::complex<float>*, int, const Queue&);

}  // namespace offgrid::cuda
