// Sums straight from their definition on the GPU (core/pointwise.hpp), enqueued on the queue's stream.
#pragma once

#include "core/design.hpp"
#include "core/pointwise.hpp"
#include "cuda/launch/enqueue.hpp"

namespace offgrid::cuda {

template <class T> void sum_directly(const DirectSum<T>& sum, const Queue& queue);

// Picoseconds, by bench/type3_time.py on an H200: of f32 and f64.
std::array<DirectCosts, 2> direct_costs(int multiprocessors);

}  // namespace offgrid::cuda
