// Products of arrays on the device, element by element.
#pragma once

#include "core/pointwise.hpp"
#include "cuda/launch/enqueue.hpp"

namespace offgrid::cuda {

template <class T> void multiply(const Product<T>& product, const Queue& queue);

}  // namespace offgrid::cuda
