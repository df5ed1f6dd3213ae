// FFTs of the two passes of an axis in parts, in f32.
#include "cuda/fft/stockham.cuh"

namespace offgrid::cuda {

template void run_lines<LineKind::crop_parts, float, float, float>(LinePass<float>, const std::complex<float>*,
                                                                   std::complex<float>*, int, const Queue&);
template void run_lines<LineKind::pad_parts, float, float, float>(LinePass<float>, const std::complex<float>*,
                                                                  std::complex<float>*, int, const Queue&);
template void run_lines<LineKind::twiddle_after, float, float, float>(LinePass<float>, const std::complex<float>*,
                                                                      std::complex<float>*, int, const Queue&);
template void run_lines<LineKind::twiddle_before, float, float, float>(LinePass<float>, const std::complex<float>*,
                                                                       std::complex<float>*, int, const Queue&);

}  // namespace offgrid::cuda
