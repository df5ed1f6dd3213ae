// How much memory the host gives this process: all that the machine has, or the limit of the control group (cgroup) that
// a container or a batch system runs the process in.
#pragma once

#include <cstdint>
#include <string>

#include "core/memory_limit.hpp"

namespace offgrid::cpu {

// Read once.
const MemoryLimit& host_memory();

// The smallest limit of the control groups that /proc/self/cgroup lists, and of those above them. `mount` is the folder
// where they are mounted, /sys/fs/cgroup. The largest 64-bit number where there is no limit.
std::int64_t cgroup_limit(const std::string& list_path, const std::string& mount);

}  // namespace offgrid::cpu
