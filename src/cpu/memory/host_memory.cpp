#include "cpu/memory/host_memory.hpp"

#include <sys/sysinfo.h>

#include <algorithm>
#include <fstream>
#include <limits>

namespace offgrid::cpu {
namespace {

constexpr std::int64_t no_limit = std::numeric_limits<std::int64_t>::max();

// A file that holds a number, or "max", or is not there.
std::int64_t limit_in(const std::string& path) {
  std::ifstream file(path);
  std::int64_t bytes = 0;
  return file >> bytes && bytes > 0 ? bytes : no_limit;
}

// The smallest limit in `root`/`group` and in the folders above it. In a container the path of the group is often that
// of the host, which is not mounted: then the root is the container's own group.
std::int64_t smallest_limit(const std::string& root, std::string group, const char* name) {
  std::int64_t smallest = limit_in(root + "/" + name);
  for (; group.size() > 1; group.resize(group.find_last_of('/')))
    smallest = std::min(smallest, limit_in(root + group + "/" + name));
  return smallest;
}

std::int64_t physical_memory() {
  struct sysinfo machine {};
  if (::sysinfo(&machine) != 0) return no_limit;
  return static_cast<std::int64_t>(machine.totalram) * static_cast<std::int64_t>(machine.mem_unit);
}

MemoryLimit read_host_memory() {
  const std::int64_t physical = physical_memory();
  const std::int64_t group = cgroup_limit("/proc/self/cgroup", "/sys/fs/cgroup");
  if (group < physical) return {group, "the control group (cgroup) of this process is limited to"};
  return {physical};
}

}  // namespace

// A line is "number:controllers:/path". Version 2 has no controllers; version 1 has a list of them and a mount for each.
std::int64_t cgroup_limit(const std::string& list_path, const std::string& mount) {
  std::int64_t smallest = no_limit;
  std::ifstream list(list_path);
  for (std::string line; std::getline(list, line);) {
    const std::size_t first = line.find(':');
    const std::size_t second = first == std::string::npos ? first : line.find(':', first + 1);
    if (second == std::string::npos || line.compare(second + 1, 1, "/") != 0) continue;
    const std::string controllers = line.substr(first + 1, second - first - 1), group = line.substr(second + 1);
    if (controllers.empty()) {
      smallest = std::min(smallest, smallest_limit(mount, group, "memory.max"));
      smallest = std::min(smallest, smallest_limit(mount + "/unified", group, "memory.max"));
    }
    if (("," + controllers + ",").find(",memory,") != std::string::npos)
      smallest = std::min(smallest, smallest_limit(mount + "/memory", group, "memory.limit_in_bytes"));
  }
  return smallest;
}

const MemoryLimit& host_memory() {
  static const MemoryLimit limit = read_host_memory();
  return limit;
}

}  // namespace offgrid::cpu
