// The C++20 interface of liboffgrid_mpi: nonuniform FFTs on many ranks, over the C functions of mpi.h.
//
//   const offgrid::mpi::World ranks;                     // MPI_COMM_WORLD; initialises MPI where nobody has
#pragma once

#include <cstdlib>
#include <memory>
#include <string>

#include "offgrid/communicator.hpp"
#include "offgrid/mpi.h"

namespace offgrid::mpi {
inline namespace api {
namespace detail {

inline void check(offgrid_status status) {
  if (status != OFFGRID_OK) throw Error(status, offgrid_mpi_last_error());
}

struct Destroy {
  void operator()(offgrid_mpi_comm comm) const { offgrid_mpi_comm_destroy(comm); }
};
using CommHandle = std::unique_ptr<std::remove_pointer_t<offgrid_mpi_comm>, Destroy>;

}  // namespace detail

// The ranks of an MPI communicator: by default all that mpirun has started.
class World final : public Communicator {
 public:
  explicit World(const void* address_of_mpi_comm = nullptr) {
    offgrid_mpi_comm raw = nullptr;
    detail::check(offgrid_mpi_comm_create(&raw, address_of_mpi_comm));
    handle_.reset(raw);
  }

  [[nodiscard]] int rank() const override { return offgrid_mpi_comm_rank(handle_.get()); }
  [[nodiscard]] int size() const override { return offgrid_mpi_comm_size(handle_.get()); }
  void agree(offgrid_status status, const std::string& message) const override {
    detail::check(offgrid_mpi_agree(handle_.get(), status, message.c_str()));
  }
  [[noreturn]] void abort() const override {
    offgrid_mpi_abort(handle_.get());
    std::abort();
  }
  [[nodiscard]] offgrid_mpi_comm handle() const noexcept { return handle_.get(); }

 protected:
  void sum_numbers(void* values, std::int64_t count, Number kind) const override {
    detail::check(offgrid_mpi_sum(handle_.get(), values, count, static_cast<offgrid_mpi_number>(kind)));
  }
  void broadcast_bytes(void* data, std::int64_t bytes, int root) const override {
    detail::check(offgrid_mpi_broadcast(handle_.get(), data, bytes, root));
  }
  void gather_bytes(Sent mine, Received all, int root) const override {
    detail::check(offgrid_mpi_gather(handle_.get(), mine.data, mine.bytes, all.data, all.bytes, root));
  }

 private:
  detail::CommHandle handle_;
};

// Whether mpirun, srun or the like has started this process with others. Without them MPI need not be initialised.
inline bool launched() {
  for (const char* variable : {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "PMIX_RANK", "MPI_LOCALNRANKS"})
    if (std::getenv(variable) != nullptr) return true;
  return false;
}

// All ranks that were started together, or this process alone.
inline std::unique_ptr<Communicator> connect() {
  if (launched()) return std::make_unique<World>();
  return std::make_unique<Alone>();
}

}  // namespace api
}  // namespace offgrid::mpi
