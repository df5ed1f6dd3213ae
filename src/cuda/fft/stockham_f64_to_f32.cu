// FFTs of lines in f64 whose modes are f32.
#include "cuda/fft/stockham.cuh"

namespace offgrid::cuda {

template void run_lines<LineKind::crop, double, double, float>(LinePass<double>, const std::complex<double>*,
                                                               std::complex<float>*, int, const Queue&);

}  // namespace offgrid::cuda
