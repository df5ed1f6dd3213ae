// The GPU's part of exact sums along short axes (core/pointwise.hpp). All but find_phases is enqueued on the caller's stream.
#pragma once

#include <memory>

#include "core/options.hpp"
#include "core/pointwise.hpp"

namespace offgrid::cuda {

template <class T> std::unique_ptr<Pointwise<T>> make_pointwise(const Options& options);

}  // namespace offgrid::cuda
