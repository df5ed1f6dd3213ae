#include "core/design/design_memory.hpp"

#include "core/error.hpp"
#include "core/text.hpp"
#include "core/validate.hpp"

namespace offgrid {

std::int64_t grid_bytes(const Design& design) {
  return checked_product("grid", design.grid[0], design.grid[1], design.grid[2], 2 * design.real_bytes());
}

std::string readable_sizes(const Sizes& sizes, int dim) {
  std::string all;
  for (int axis = 0; axis < dim; ++axis) all += text(axis ? " x " : "", sizes[axis]);
  return all;
}

void require_memory(const Design& design, std::int64_t bytes, const MemoryLimit& limit) {
  if (limit.allows(bytes)) return;
  throw Error(
      Status::out_of_memory,
      text(design.has_modes() ? "modes" : "cells", ": with ", readable_sizes(design.problem.modes, design.dim()),
           " and ", design.batch, design.batch == 1 ? " vector" : " vectors", " at a time ", limit.refusal(bytes)));
}

void require_grid_memory(const Design& design, const BackendTraits& traits) {
  require_memory(design, checked_product("grid x batch", grid_bytes(design), design.batch), traits.grid_memory);
}

}  // namespace offgrid
