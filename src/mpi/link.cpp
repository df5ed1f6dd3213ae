#include "mpi/link.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <vector>

#include "mpi/gpu.hpp"
#include "mpi/guard.hpp"

namespace offgrid::mpi::inside {
namespace {

constexpr const char* variable = "OFFGRID_MPI_EXCHANGE";

// What the variable of the environment asks for, in the order of `words`.
enum class Wish { automatic, nccl, mpi, host };

Wish read_wish() {
  constexpr std::array<const char*, 4> words{"auto", "nccl", "mpi", "host"};
  const char* value = std::getenv(variable);
  if (value == nullptr || *value == '\0') return Wish::automatic;
  for (std::size_t i = 0; i < words.size(); ++i)
    if (std::string(value) == words[i]) return static_cast<Wish>(i);
  throw Error(OFFGRID_INVALID_ARGUMENT, text(variable, " is \"", value, "\", expected auto, nccl, mpi or host"));
}

// Rank 0's, so that no two ranks follow different ones.
Wish wish_of_all(const Ranks& ranks) {
  Wish wish = Wish::automatic;
  together(ranks, [&] {
    if (ranks.rank() == 0) wish = read_wish();
  });
  ranks.broadcast(&wish, sizeof wish, 0);
  return wish;
}

// Whether no two ranks have the same GPU. NCCL refuses to work between two ranks on one.
bool has_gpu_each(const Ranks& ranks) {
  std::vector<std::array<std::int64_t, 2>> names(static_cast<std::size_t>(ranks.size()), {0, 0});
  together(ranks, [&] { names[static_cast<std::size_t>(ranks.rank())] = name_of_current_gpu(); });
  ranks.sum(names.data(), 2 * static_cast<std::int64_t>(names.size()), OFFGRID_MPI_I64);
  std::sort(names.begin(), names.end());
  return std::adjacent_find(names.begin(), names.end()) == names.end();
}

bool true_on_all(const Ranks& ranks, bool here) {
  std::int64_t count = here ? 1 : 0;
  ranks.sum(&count, 1, OFFGRID_MPI_I64);
  return count == ranks.size();
}

// All arrays are on GPUs.
std::unique_ptr<Link> make_link_of_gpus(const Ranks& ranks) {
  const Wish wish = wish_of_all(ranks);
  if (wish == Wish::host) return make_staged_link(ranks);
  if (wish == Wish::mpi) return make_aware_link(ranks);
  const bool apart = has_gpu_each(ranks), found = true_on_all(ranks, finds_nccl());
  if (wish == Wish::nccl && !(apart && found))
    throw Error(OFFGRID_INVALID_ARGUMENT,
                text(variable, " is \"nccl\", but ",
                     found ? "two ranks share a GPU, which NCCL refuses" : "not every rank finds libnccl.so.2"));
  const bool worth_it = wish == Wish::nccl || ranks.size() > 1;  // a rank alone only copies
  if (apart && found && worth_it) return make_nccl_link(ranks);
  return true_on_all(ranks, takes_gpu_addresses()) ? make_aware_link(ranks) : make_staged_link(ranks);
}

std::unique_ptr<Link> make_link(const Ranks& ranks, std::int64_t ranks_on_gpus) {
  if (ranks_on_gpus == 0) return std::make_unique<DirectLink>(ranks);
  if (ranks_on_gpus < ranks.size()) return make_staged_link(ranks);
  return make_link_of_gpus(ranks);
}

}  // namespace

Link& ChosenLink::choose(bool on_gpu) {
  const int device = on_gpu ? current_gpu() : -1;
  std::array<std::int64_t, 2> counts{on_gpu ? 1 : 0, !link_ || device != device_ ? 1 : 0};
  ranks_->sum(counts.data(), 2, OFFGRID_MPI_I64);
  if (counts[1] == 0) return *link_;
  link_.reset();
  device_ = device;
  link_ = make_link(*ranks_, counts[0]);
  return *link_;
}

std::string ChosenLink::describe() const {
  if (link_) return link_->describe();
  return "by MPI from memory of the host; for arrays on a GPU it is chosen when they first travel";
}

}  // namespace offgrid::mpi::inside
