// The communication between the steps of local.hpp: halos to the owners of their planes and back, and rows of all planes to the
// ranks that have them. The arrays are the host's or a GPU's; the link knows how they travel.
#pragma once

#include <vector>

#include "mpi/link.hpp"
#include "mpi/local.hpp"
#include "mpi/mover.hpp"
#include "mpi/plan.hpp"

namespace offgrid::mpi::inside {

using Messages = std::vector<Ranks::Message>;

template <class V> Ranks::Message message(int peer, V* data, std::int64_t count) {
  return {.peer = peer, .data = reinterpret_cast<std::byte*>(data), .bytes = count * std::int64_t{sizeof(V)}};
}

template <class T> class SlabExchange {
 public:
  using Complex = std::complex<T>;

  // What this rank's halos stand for, and which of the others' halos stand for its planes.
  SlabExchange(const SlabDesign& design, const SlabShape& shape, const Memory& memory)
      : shape_(shape), plane_(plane_length(design)), row_(row_length(design)) {
    mine_ = halo_runs(shape.slabs.planes, shape.rank, shape.slabs.halo);
    std::int64_t planes = 0;
    for (int rank = 0; rank < shape.slabs.planes.parts; ++rank)
      for (HaloRun run : halo_runs(shape.slabs.planes, rank, shape.slabs.halo))
        if (run.owner == shape.rank) {
          run.owner = rank;  // from here on: the rank whose halo it is
          others_.push_back(run);
          planes += run.count;
        }
    arrivals_ = Buffer<Complex>(memory, planes * plane_);
  }

  // The halos' planes to their owners; add_halos() adds what has arrived.
  void send_halos(Link& link, const LocalSteps<T>& local) const {
    Messages received;
    for_arrivals(
        [&](const HaloRun& run, Complex* at) { received.push_back(message(run.owner, at, run.count * plane_)); });
    link.exchange(halos(local), received);
  }
  void add_halos(const Mover<T>& mover, const LocalSteps<T>& local) const {
    for_arrivals([&](const HaloRun& run, Complex* at) { mover.add(at, own_plane(local, run), run.count * plane_); });
  }

  void fill_halos(Link& link, const LocalSteps<T>& local) const {
    Messages sent;
    for (const HaloRun& run : others_) sent.push_back(message(run.owner, own_plane(local, run), run.count * plane_));
    link.exchange(sent, halos(local));
  }

  // Forward: rank r gets its rows of each plane. What comes from rank q are rows of this rank in all of q's planes, which
  // follow one another in the columns. The adjoint goes the other way.
  void transpose(Link& link, const LocalSteps<T>& local, Way way) const {
    Messages packed, columns;
    const std::int64_t own = shape_.own(), columns_count = shape_.own_rows() * row_;
    Complex* at = local.packed();
    for (int rank = 0; rank < shape_.rows.parts; ++rank) {
      const std::int64_t length = own * shape_.rows.count(rank) * row_;
      const Blocks& planes = shape_.slabs.planes;
      packed.push_back(message(rank, at, length));
      columns.push_back(
          message(rank, local.columns() + planes.first(rank) * columns_count, planes.count(rank) * columns_count));
      at += length;
    }
    way == Way::forward ? link.exchange(packed, columns) : link.exchange(columns, packed);
  }

  [[nodiscard]] std::int64_t memory_bytes() const { return arrivals_.bytes(); }

 private:
  [[nodiscard]] Messages halos(const LocalSteps<T>& local) const {
    Messages all;
    for (const HaloRun& run : mine_)
      all.push_back(message(run.owner, local.planes() + run.plane * plane_, run.count * plane_));
    return all;
  }
  template <class F> void for_arrivals(F&& body) const {
    Complex* at = arrivals_.data();
    for (const HaloRun& run : others_) {
      body(run, at);
      at += run.count * plane_;
    }
  }
  [[nodiscard]] Complex* own_plane(const LocalSteps<T>& local, const HaloRun& run) const {
    return local.planes() + (shape_.slabs.halo + run.owner_plane) * plane_;
  }

  SlabShape shape_;
  std::int64_t plane_, row_;
  std::vector<HaloRun> mine_, others_;
  Buffer<Complex> arrivals_;  // planes of the others' halos
};

}  // namespace offgrid::mpi::inside
