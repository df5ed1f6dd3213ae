// See targets.h: into the first-level cache.
#pragma once

namespace offgrid_vectors {

template <class T> inline __attribute__((always_inline)) void Prefetch(const T* p) { __builtin_prefetch(p, 0, 3); }

}  // namespace offgrid_vectors
