#include "mpi/cuda/nccl.hpp"

#include <dlfcn.h>

#include <optional>

namespace offgrid::mpi::inside {
namespace {

template <class Function> bool find(void* library, const char* name, Function*& function) {
  function = reinterpret_cast<Function*>(dlsym(library, name));
  return function != nullptr;
}

std::optional<Nccl> load() {
  void* library = dlopen("libnccl.so.2", RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) return std::nullopt;
  Nccl all{};
  const bool complete =
      find(library, "ncclGetVersion", all.version) && find(library, "ncclGetUniqueId", all.unique_id) &&
      find(library, "ncclCommInitRank", all.init_rank) && find(library, "ncclCommDestroy", all.destroy) &&
      find(library, "ncclGetErrorString", all.error_text) && find(library, "ncclGroupStart", all.group_start) &&
      find(library, "ncclGroupEnd", all.group_end) && find(library, "ncclSend", all.send) &&
      find(library, "ncclRecv", all.receive) && find(library, "ncclAllReduce", all.all_reduce) &&
      find(library, "ncclReduce", all.reduce);
  return complete ? std::optional(all) : std::nullopt;
}

}  // namespace

const Nccl* nccl() {
  static const std::optional<Nccl> loaded = load();
  return loaded ? &*loaded : nullptr;
}

}  // namespace offgrid::mpi::inside
