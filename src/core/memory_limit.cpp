#include "core/memory_limit.hpp"

#include <array>
#include <cmath>

#include "core/text.hpp"

namespace offgrid {

std::string readable_bytes(std::int64_t bytes) {
  constexpr std::array<const char*, 7> units{"bytes", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
  auto amount = static_cast<double>(bytes);
  std::size_t unit = 0;
  for (; amount >= 1023.95 && unit + 1 < units.size(); ++unit) amount /= 1024;
  return text(std::round(10 * amount) / 10, " ", units[unit]);
}

std::string MemoryLimit::refusal(std::int64_t wanted) const {
  return text("the plan would take ", readable_bytes(wanted), " of memory, ", owner, " ", readable_bytes(bytes));
}

}  // namespace offgrid
