// The CPU's part of exact sums along short axes (core/pointwise.hpp).
#pragma once

#include <memory>

#include "core/options.hpp"
#include "core/pointwise.hpp"

namespace offgrid::cpu {

template <class T> std::unique_ptr<Pointwise<T>> make_pointwise(const Options& options);

}  // namespace offgrid::cpu
