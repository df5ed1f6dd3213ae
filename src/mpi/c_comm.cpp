// The C functions of mpi.h that are about communicators: each checks its handle and calls one function of Ranks.
#include "mpi/c_comm.hpp"

#include <cstddef>

#include "mpi/alike.hpp"

using namespace offgrid::mpi::inside;

namespace {

void require_root(const Ranks& ranks, int root) {
  if (root < 0 || root >= ranks.size())
    throw Error(OFFGRID_INVALID_ARGUMENT, text("root is ", root, ", expected 0 to ", ranks.size() - 1));
}

void require_kind(offgrid_mpi_number kind) {
  if (kind < OFFGRID_MPI_F32 || kind > OFFGRID_MPI_I64)
    throw Error(OFFGRID_INVALID_ARGUMENT, text("kind of numbers is ", static_cast<int>(kind), ", expected 0 to 3"));
}

void require_array(const char* name, const void* data, std::int64_t count) {
  if (count < 0) throw Error(OFFGRID_INVALID_ARGUMENT, text(name, " has ", count, " elements, expected 0 or more"));
  if (count > 0 && data == nullptr) throw Error(OFFGRID_INVALID_ARGUMENT, text(name, " is null"));
}

template <class Byte, class Data> std::span<Byte> bytes_at(Data* data, std::int64_t bytes) {
  return {static_cast<Byte*>(data), static_cast<std::size_t>(bytes)};
}

}  // namespace

namespace offgrid::mpi::inside {

const Ranks& checked(offgrid_mpi_comm comm) {
  if (comm == nullptr) throw Error(OFFGRID_INVALID_ARGUMENT, "comm is null");
  if (comm->magic != comm_magic)
    throw Error(OFFGRID_INVALID_ARGUMENT, "comm is not a live communicator: destroyed already?");
  return *comm->ranks;
}

}  // namespace offgrid::mpi::inside

const char* offgrid_mpi_last_error() { return remembered_error(); }

offgrid_status offgrid_mpi_comm_create(offgrid_mpi_comm* comm, const void* address_of_mpi_comm) {
  return guard([&] {
    if (comm != nullptr) *comm = nullptr;
    auto ranks = std::make_shared<const Ranks>(address_of_mpi_comm);
    together(*ranks, [&] {
      if (comm == nullptr) throw Error(OFFGRID_INVALID_ARGUMENT, "comm is null, expected a place for the handle");
    });
    *comm = new offgrid_mpi_comm_s{comm_magic, std::move(ranks)};
    (*comm)->ranks->finalise_at_the_end();
  });
}

offgrid_status offgrid_mpi_comm_destroy(offgrid_mpi_comm comm) {
  if (comm == nullptr) return OFFGRID_OK;
  return guard([&] {
    checked(comm);
    comm->magic = 0;
    delete comm;
  });
}

int offgrid_mpi_comm_rank(offgrid_mpi_comm comm) {
  return comm == nullptr || comm->magic != comm_magic ? 0 : comm->ranks->rank();
}

int offgrid_mpi_comm_size(offgrid_mpi_comm comm) {
  return comm == nullptr || comm->magic != comm_magic ? 0 : comm->ranks->size();
}

offgrid_status offgrid_mpi_sum(offgrid_mpi_comm comm, void* values, int64_t count, offgrid_mpi_number kind) {
  return guard([&] {
    const Ranks& ranks = checked(comm);
    together(ranks, [&] {
      require_kind(kind);
      require_array("values", values, count);
    });
    require_same(ranks, {{"count", count}, {"kind", kind}});
    ranks.sum(values, count, kind);
  });
}

offgrid_status offgrid_mpi_broadcast(offgrid_mpi_comm comm, void* data, int64_t bytes, int root) {
  return guard([&] {
    const Ranks& ranks = checked(comm);
    together(ranks, [&] {
      require_root(ranks, root);
      require_array("data", data, bytes);
    });
    require_same(ranks, {{"root", root}, {"bytes", bytes}});
    ranks.broadcast(data, bytes, root);
  });
}

offgrid_status offgrid_mpi_gather(offgrid_mpi_comm comm, const void* data, int64_t bytes, void* all, int64_t room,
                                  int root) {
  return guard([&] {
    const Ranks& ranks = checked(comm);
    together(ranks, [&] {
      require_root(ranks, root);
      require_array("data", data, bytes);
      if (ranks.rank() == root) require_array("all", all, room);
    });
    require_same(ranks, {{"root", root}});
    const std::int64_t room_here = ranks.rank() == root ? room : 0;
    ranks.gather(bytes_at<const std::byte>(data, bytes), bytes_at<std::byte>(all, room_here), root);
  });
}

offgrid_status offgrid_mpi_agree(offgrid_mpi_comm comm, offgrid_status status, const char* message) {
  return guard([&] { checked(comm).agree(status, message == nullptr ? "" : message); });
}

void offgrid_mpi_abort(offgrid_mpi_comm comm) {
  guard([&] { checked(comm).abort(); });
}
