// For which GPUs the library holds code. nvcc compiles for a list of compute capabilities, as CMake writes them:
//   90-real     machine code: runs on GPUs of the same major capability, from this minor one on
//   90-virtual  PTX: the driver compiles it when it is first used, for GPUs of this capability and all later ones
//   90          both
// Letters bind code to one GPU (90a) or to those of one major capability (100f).
// Capabilities are numbers 10 major + minor, as in cudaFuncAttributes::ptxVersion.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>

#include "core/text.hpp"

namespace offgrid::cuda {

inline constexpr int oldest_capability = 80;  // tensor cores for f64: owner.cuh

inline std::string capability_text(int capability) { return text(capability / 10, ".", capability % 10); }

// One entry of the list.
struct Architecture {
  int capability = 0;
  char bound = ' ';  // a: to this GPU, f: to those of this major capability
  bool ptx = true;   // later GPUs can run it

  explicit Architecture(std::string_view entry) {
    std::size_t i = 0;
    for (; i < entry.size() && entry[i] >= '0' && entry[i] <= '9'; ++i) capability = 10 * capability + (entry[i] - '0');
    if (i < entry.size() && (entry[i] == 'a' || entry[i] == 'f')) bound = entry[i];
    ptx = !entry.ends_with("-real");
  }
  [[nodiscard]] bool runs_on(int gpu) const {
    if (gpu < capability || (bound == 'a' && gpu != capability)) return false;
    const bool same_major = gpu / 10 == capability / 10;
    return same_major || (ptx && bound == ' ');
  }
};

// body(Architecture) for each entry; they are separated by commas.
template <class Body> void for_each_architecture(std::string_view built_for, Body&& body) {
  while (!built_for.empty()) {
    const std::size_t end = std::min(built_for.find(','), built_for.size());
    body(Architecture(built_for.substr(0, end)));
    built_for.remove_prefix(std::min(end + 1, built_for.size()));
  }
}

inline bool has_code_for(int gpu, std::string_view built_for) {
  bool found = false;
  for_each_architecture(built_for, [&](const Architecture& entry) { found = found || entry.runs_on(gpu); });
  return found;
}

// Such as "8.0 and later, 9.0".
inline std::string architectures_text(std::string_view built_for) {
  std::string all;
  for_each_architecture(built_for, [&](const Architecture& entry) {
    all += text(all.empty() ? "" : ", ", capability_text(entry.capability), entry.runs_on(990) ? " and later" : "");
  });
  return all;
}

// Why a GPU counts as not there.
inline std::string no_code_text(std::string_view name, int gpu, std::string_view built_for) {
  const std::string capability = capability_text(gpu);
  if (gpu < oldest_capability)
    return text(name, " has compute capability ", capability, ", and offgrid needs ",
                capability_text(oldest_capability), " or later");
  return text(name, " has compute capability ", capability,
              ", for which this build of offgrid has no code: it has it for ", architectures_text(built_for),
              "; build it with -DOFFGRID_CUDA_ARCHITECTURES=native on a machine with this GPU");
}

}  // namespace offgrid::cuda
