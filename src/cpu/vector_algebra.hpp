// The CPU's part of the solvers (core/vector_algebra.hpp).
#pragma once

#include <memory>

#include "core/options.hpp"
#include "core/vector_algebra.hpp"

namespace offgrid::cpu {

template <class T> std::unique_ptr<VectorAlgebra<T>> make_algebra(const Options& options);

}  // namespace offgrid::cpu
