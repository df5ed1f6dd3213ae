// The most memory that this process can have, and the words that refuse more. Where the kernel overcommits memory an
// allocation of terabytes succeeds and the process is killed when it writes there, so that sizes are compared with this
// limit before anything is allocated.
#pragma once

#include <cstdint>
#include <limits>
#include <string>

namespace offgrid {

struct MemoryLimit {
  std::int64_t bytes = std::numeric_limits<std::int64_t>::max();
  const char* owner = "this machine has";  // the words in front of the number

  [[nodiscard]] bool allows(std::int64_t wanted) const { return wanted <= bytes; }
  // "the plan would take 14.6 TiB of memory, this machine has 23.5 GiB"
  [[nodiscard]] std::string refusal(std::int64_t wanted) const;
};

std::string readable_bytes(std::int64_t bytes);  // "23.5 GiB"

}  // namespace offgrid
