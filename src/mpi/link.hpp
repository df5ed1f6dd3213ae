// How arrays go from rank to rank.
//   host     MPI reads and writes arrays of the host
//   staged   arrays of a GPU go through pinned memory of the host, since MPI cannot reach them
//   aware    MPI is given addresses of a GPU
//   NCCL     without MPI, where every rank has a GPU of its own
#pragma once

#include <memory>
#include <span>
#include <string>

#include "mpi/ranks.hpp"

namespace offgrid::mpi::inside {

// All functions but describe() are collective, and return when the arrays may be used again.
class Link {
 public:
  using Message = Ranks::Message;
  virtual ~Link() = default;
  virtual void exchange(std::span<const Message> sent, std::span<const Message> received) = 0;
  virtual void sum(void* values, std::int64_t count, offgrid_mpi_number kind) = 0;
  virtual void sum_on(int root, void* values, std::int64_t count, offgrid_mpi_number kind) = 0;
  [[nodiscard]] virtual std::string describe() const = 0;
};

// MPI reads the arrays where they are.
class DirectLink : public Link {
 public:
  explicit DirectLink(const Ranks& ranks) : ranks_(ranks) {}
  void exchange(std::span<const Message> sent, std::span<const Message> received) override {
    ranks_.exchange(sent, received);
  }
  void sum(void* values, std::int64_t count, offgrid_mpi_number kind) override { ranks_.sum(values, count, kind); }
  void sum_on(int root, void* values, std::int64_t count, offgrid_mpi_number kind) override {
    ranks_.sum_on(root, values, count, kind);
  }
  [[nodiscard]] std::string describe() const override { return "by MPI from memory of the host"; }

 private:
  const Ranks& ranks_;
};

// The link of a plan, chosen when arrays first travel, and again when they are in other memory than before.
class ChosenLink {
 public:
  explicit ChosenLink(std::shared_ptr<const Ranks> ranks) : ranks_(std::move(ranks)) {}

  // Collective. `on_gpu`: whether this rank's arrays are.
  Link& choose(bool on_gpu);
  [[nodiscard]] Link& operator*() const { return *link_; }
  [[nodiscard]] std::string describe() const;

 private:
  std::shared_ptr<const Ranks> ranks_;
  int device_ = -1;  // that the link was chosen for; -1: the host
  std::unique_ptr<Link> link_;
};

}  // namespace offgrid::mpi::inside
