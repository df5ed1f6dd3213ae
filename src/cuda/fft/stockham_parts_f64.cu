// FFTs of the two passes of an axis in parts, in f64, also with modes of f32.
#include "cuda/fft/stockham.cuh"

namespace offgrid::cuda {

template void run_lines<LineKind::crop_parts, double, double, double>(LinePass<double>, const std::complex<double>*,
                                                                      std::complex<double>*, int, const Queue&);
template void run_lines<LineKind::pad_parts, double, double, double>(LinePass<double>, const std::complex<double>*,
                                                                     std::complex<double>*, int, const Queue&);
template void run_lines<LineKind::twiddle_after, double, double, double>(LinePass<double>, const std::complex<double>*,
                                                                         std::complex<double>*, int, const Queue&);
template void run_lines<LineKind::twiddle_before, double, double, double>(LinePass<double>, const std::complex<double>*,
                                                                          std::complex<double>*, int, const Queue&);
template void run_lines<LineKind::crop_parts, double, double, float>(LinePass<double>, const std::complex<double>*,
                                                                     std::complex<float>*, int, const Queue&);

}  // namespace offgrid::cuda
