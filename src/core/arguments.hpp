// The arrays of a call, checked before anything is done with them: they are there, aligned, where the device can reach them,
// and apart from one another.
#pragma once

#include <array>
#include <complex>

#include "core/engine.hpp"
#include "core/execute.hpp"
#include "core/text.hpp"
#include "core/validate.hpp"

namespace offgrid {

template <class T> void require_reach(const Backend& backend, const char* what, const void* array, std::int64_t size) {
  require_array<T>(what, array, size);
  if (size > 0) backend.check_array(what, array);
}

template <class T>
void require_points(const Backend& backend, int dim, std::int64_t transforms, std::int64_t count,
                    const std::array<const void*, max_dim>& axes, const char* what = "points") {
  if (count < 0) throw Error(Status::invalid_argument, text("count of ", what, " is ", count, ", expected 0 or more"));
  checked_product("points x transforms", count, transforms, std::int64_t{sizeof(std::complex<T>)});
  for (int axis = 0; axis < dim; ++axis)
    require_reach<T>(backend, text(what, ' ', "xyz"[axis]).c_str(), axes[axis], count);
}

// strengths, uniform: how many elements each has; name: what the uniform side is called
template <class T>
void require_vectors(const Backend& backend, const Vectors<T>& vectors, std::int64_t strengths, std::int64_t uniform,
                     const char* name = "modes") {
  require_reach<T>(backend, "strengths", vectors.strengths, strengths);
  require_reach<T>(backend, name, vectors.uniform, uniform);
  require_apart<std::complex<T>>({"strengths", vectors.strengths, strengths}, {name, vectors.uniform, uniform});
}

inline void require_set(std::int64_t points) {
  if (points < 0) throw Error(Status::wrong_state, "execute: the plan has no points yet, call set_points first");
}

}  // namespace offgrid
