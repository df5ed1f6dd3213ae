// Convolutions on the CPU (core/convolution.hpp).
#pragma once

#include <memory>

#include "core/convolution.hpp"
#include "core/design.hpp"

namespace offgrid::cpu {

template <class T> std::unique_ptr<Convolution<T>> make_convolution(const Design& design);

}  // namespace offgrid::cpu
