// The GPU's part of the solvers (core/vector_algebra.hpp). All but read() is enqueued on the stream.
#pragma once

#include <memory>

#include "core/options.hpp"
#include "core/vector_algebra.hpp"

namespace offgrid::cuda {

template <class T> std::unique_ptr<VectorAlgebra<T>> make_algebra(const Options& options);

}  // namespace offgrid::cuda
