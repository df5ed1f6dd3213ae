// The ranks of a communicator: the only file of the library that calls MPI is ranks.cpp. Sizes are 64-bit; what is too large
// for one message of MPI goes in several.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "offgrid/mpi.h"

namespace offgrid::mpi::inside {

class NcclRanks;  // cuda/nccl_link.cpp

// Whether MPI says that it reads and writes memory of a GPU. One that has no way to say so is taken not to.
bool takes_gpu_addresses();

[[nodiscard]] inline std::int64_t bytes_of(offgrid_mpi_number kind) {
  return kind == OFFGRID_MPI_F32 || kind == OFFGRID_MPI_I32 ? 4 : 8;
}

class Ranks {
 public:
  // The address of an MPI_Comm, or null for MPI_COMM_WORLD. The communicator is duplicated, so that messages of this library
  // and of the application never meet. `largest_message` counts bytes, or numbers of a sum; it is smaller in a test
  // (tests/mpi/messages_test.cpp).
  explicit Ranks(const void* address_of_mpi_comm, std::int64_t largest_message = std::int64_t{1} << 28);
  ~Ranks();
  // Where this library has initialised MPI, the destructor finalises it. Not before all ranks have agreed that they have one:
  // MPI cannot be initialised again.
  void finalise_at_the_end() const;
  Ranks(const Ranks&) = delete;
  Ranks& operator=(const Ranks&) = delete;

  [[nodiscard]] int rank() const { return rank_; }
  [[nodiscard]] int size() const { return size_; }

  void sum(void* values, std::int64_t count, offgrid_mpi_number kind) const;
  void broadcast(void* data, std::int64_t bytes, int root) const;
  void gather(std::span<const std::byte> mine, std::span<std::byte> all, int root) const;

  // The least over all ranks replaces each value.
  void least(std::span<std::int64_t> values) const;

  // The sum on `root` alone; elsewhere the values stay.
  void sum_on(int root, void* values, std::int64_t count, offgrid_mpi_number kind) const;

  // Bytes for or from another rank, which may be this one. Messages between two ranks keep their order.
  struct Message {
    int peer;
    std::byte* data;
    std::int64_t bytes;
  };
  // All at once; returns when all have arrived and all that was sent may be written to again.
  void exchange(std::span<const Message> sent, std::span<const Message> received) const;
  // One number for each rank, and from each.
  [[nodiscard]] std::vector<std::int64_t> exchange_counts(const std::vector<std::int64_t>& sent) const;

  // Of this rank among those that share its machine.
  [[nodiscard]] int rank_on_machine() const { return rank_on_machine_; }

  // Throws on all ranks where one of them does not say OFFGRID_OK: the status of the lowest such rank, and its message.
  void agree(offgrid_status status, const std::string& message) const;

  void abort() const;

  // NCCL's communicator between the GPUs of these ranks, as long as a plan uses it: to make one takes a good part of a second.
  // It is not kept longer, since ranks may live until the program ends, when NCCL is gone already.
  [[nodiscard]] std::weak_ptr<NcclRanks>& nccl_in_use() const { return nccl_; }

 private:
  struct Handle;  // holds the MPI_Comm
  template <class F> void in_messages(std::int64_t count, F&& part) const;
  std::unique_ptr<Handle> handle_;
  std::int64_t largest_message_;
  int rank_ = 0, size_ = 1, rank_on_machine_ = 0;
  mutable std::weak_ptr<NcclRanks> nccl_;
};

}  // namespace offgrid::mpi::inside
