// How the methods call their kernels: included by method/*.cpp.
#pragma once

#include "cuda/method/interpolate_per_point.hpp"
#include "cuda/method/method.hpp"

namespace offgrid::cuda {

template <class M> template <class T> void SpreadMethodOf<M>::interpolate_as(const StageCall<T, T>& call) const {
  interpolate_per_point(call.choice.sort.dim, call.stage, call.queue);
}

}  // namespace offgrid::cuda
