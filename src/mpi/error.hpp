// Errors inside liboffgrid_mpi are those of offgrid.hpp. A message is put together by text().
#pragma once

#include <sstream>
#include <string>

#include "offgrid/offgrid.hpp"

namespace offgrid::mpi::inside {

using offgrid::Error;

template <class... Parts> std::string text(const Parts&... parts) {
  std::ostringstream stream;
  (stream << ... << parts);
  return stream.str();
}

}  // namespace offgrid::mpi::inside
