// Convolutions of lines in f32: two FFTs, with a product between them.
#include "cuda/fft/stockham.cuh"

namespace offgrid::cuda {

template void run_lines<LineKind::convolve, float, float, float>(LinePass<float>, const std::complex<float>*,
                                                                 std::complex<float>*, int, const Queue&);

}  // namespace offgrid::cuda
