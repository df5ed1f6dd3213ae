// The memory that a design takes, and the refusal of one that there is none for.
#pragma once

#include <cstdint>
#include <string>

#include "core/design.hpp"

namespace offgrid {

std::int64_t grid_bytes(const Design& design);  // of one vector

// Refuses a design that takes more bytes than the limit, or whose grids of a batch do not fit on the device.
void require_memory(const Design& design, std::int64_t bytes, const MemoryLimit& limit);
void require_grid_memory(const Design& design, const BackendTraits& traits);

std::string readable_sizes(const Sizes& sizes, int dim);  // "64 x 48"

}  // namespace offgrid
