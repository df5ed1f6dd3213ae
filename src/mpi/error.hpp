// The one exception of liboffgrid_mpi. It is a type of its own, so that files that see core's and files that see the public
// headers throw the same one. A message is put together by text().
#pragma once

#include <sstream>
#include <stdexcept>
#include <string>

#include "offgrid/offgrid.h"

namespace offgrid::mpi::inside {

class Error : public std::runtime_error {
 public:
  Error(offgrid_status status, const std::string& message) : std::runtime_error(message), status_(status) {}
  [[nodiscard]] offgrid_status status() const noexcept { return status_; }

 private:
  offgrid_status status_;
};

template <class... Parts> std::string text(const Parts&... parts) {
  std::ostringstream stream;
  (stream << ... << parts);
  return stream.str();
}

// For a call of liboffgrid.
inline void check(offgrid_status status) {
  if (status != OFFGRID_OK) throw Error(status, offgrid_last_error());
}

}  // namespace offgrid::mpi::inside
