// text(a, b, ...): its arguments written one after the other, for messages and reports.
#pragma once

#include <sstream>
#include <string>

namespace offgrid {

template <class... Parts> std::string text(const Parts&... parts) {
  std::ostringstream out;
  (out << ... << parts);
  return out.str();
}

}  // namespace offgrid
