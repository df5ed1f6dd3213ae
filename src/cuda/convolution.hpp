// Convolutions on the GPU (core/convolution.hpp): FFT, product with the spectrum, FFT, all on the caller's stream. A small one
// that came before is replayed as a graph (launch/graph.hpp).
#pragma once

#include <memory>

#include "core/convolution.hpp"
#include "core/design.hpp"

namespace offgrid::cuda {

template <class T> std::unique_ptr<Convolution<T>> make_convolution(const Design& design);

}  // namespace offgrid::cuda
