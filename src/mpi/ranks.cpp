#include "mpi/ranks.hpp"

#include <mpi.h>
#if __has_include(<mpi-ext.h>)
#include <mpi-ext.h>
#endif

#include <algorithm>
#include <array>
#include <atomic>
#include <vector>

#include "mpi/error.hpp"

namespace offgrid::mpi::inside {
namespace {

void check(int result, const char* what) {
  if (result == MPI_SUCCESS) return;
  std::array<char, MPI_MAX_ERROR_STRING> words{};
  int length = 0;
  MPI_Error_string(result, words.data(), &length);
  throw Error(OFFGRID_INTERNAL_ERROR, std::string(what) + ": " + std::string(words.data(), length));
}

bool asks(int (*question)(int*)) {
  int answer = 0;
  check(question(&answer), "MPI");
  return answer != 0;
}

// Whether this library has initialised MPI, and nothing is to finalise it yet.
std::atomic<bool> left_initialised = false;

void initialise() {
  if (asks(MPI_Finalized))
    throw Error(OFFGRID_WRONG_STATE, "MPI was finalised already, and cannot be initialised again");
  if (asks(MPI_Initialized)) return;
  int provided = 0;
  check(MPI_Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &provided), "MPI_Init_thread");
  left_initialised = true;
}

MPI_Datatype type_of(offgrid_mpi_number kind) {
  switch (kind) {
    case OFFGRID_MPI_F32:
      return MPI_FLOAT;
    case OFFGRID_MPI_F64:
      return MPI_DOUBLE;
    case OFFGRID_MPI_I32:
      return MPI_INT32_T;
    case OFFGRID_MPI_I64:
      return MPI_INT64_T;
  }
  throw Error(OFFGRID_INVALID_ARGUMENT, text("kind of numbers is ", static_cast<int>(kind), ", expected 0 to 3"));
}

}  // namespace

// OpenMPI defines the macro, as 0 where it was built without; others that have the function define it, too.
bool takes_gpu_addresses() {
#ifdef MPIX_CUDA_AWARE_SUPPORT
  return MPIX_Query_cuda_support() != 0;
#else
  return false;
#endif
}

struct Ranks::Handle {
  MPI_Comm comm = MPI_COMM_NULL;
  bool finalises = false;
};

namespace {

int find_rank_on_machine(MPI_Comm all) {
  MPI_Comm machine = MPI_COMM_NULL;
  int rank = 0;
  check(MPI_Comm_split_type(all, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &machine), "MPI_Comm_split_type");
  check(MPI_Comm_rank(machine, &rank), "MPI_Comm_rank");
  MPI_Comm_free(&machine);
  return rank;
}

}  // namespace

// MPI counts in int: part(first, count) for pieces that one message of it can hold.
template <class F> void Ranks::in_messages(std::int64_t count, F&& part) const {
  for (std::int64_t first = 0; first < count; first += largest_message_)
    part(first, static_cast<int>(std::min(largest_message_, count - first)));
}

Ranks::Ranks(const void* address_of_mpi_comm, std::int64_t largest_message)
    : handle_(std::make_unique<Handle>()), largest_message_(largest_message) {
  initialise();
  MPI_Comm given = MPI_COMM_WORLD;
  if (address_of_mpi_comm != nullptr) given = *static_cast<const MPI_Comm*>(address_of_mpi_comm);
  if (given == MPI_COMM_NULL) throw Error(OFFGRID_INVALID_ARGUMENT, "communicator is MPI_COMM_NULL");
  check(MPI_Comm_dup(given, &handle_->comm), "MPI_Comm_dup");
  MPI_Comm_set_errhandler(handle_->comm, MPI_ERRORS_RETURN);
  check(MPI_Comm_rank(handle_->comm, &rank_), "MPI_Comm_rank");
  check(MPI_Comm_size(handle_->comm, &size_), "MPI_Comm_size");
  rank_on_machine_ = find_rank_on_machine(handle_->comm);
}

Ranks::~Ranks() {
  int over = 0;
  MPI_Finalized(&over);
  if (over != 0) return;
  if (handle_->comm != MPI_COMM_NULL) MPI_Comm_free(&handle_->comm);
  if (handle_->finalises) MPI_Finalize();
}

void Ranks::finalise_at_the_end() const { handle_->finalises = left_initialised.exchange(false); }

void Ranks::sum(void* values, std::int64_t count, offgrid_mpi_number kind) const {
  const MPI_Datatype type = type_of(kind);
  in_messages(count, [&](std::int64_t first, int some) {
    auto* at = static_cast<std::byte*>(values) + first * bytes_of(kind);
    check(MPI_Allreduce(MPI_IN_PLACE, at, some, type, MPI_SUM, handle_->comm), "MPI_Allreduce");
  });
}

void Ranks::least(std::span<std::int64_t> values) const {
  const int count = static_cast<int>(values.size());
  check(MPI_Allreduce(MPI_IN_PLACE, values.data(), count, MPI_INT64_T, MPI_MIN, handle_->comm), "MPI_Allreduce");
}

void Ranks::sum_on(int root, void* values, std::int64_t count, offgrid_mpi_number kind) const {
  const MPI_Datatype type = type_of(kind);
  in_messages(count, [&](std::int64_t first, int some) {
    void* at = static_cast<std::byte*>(values) + first * bytes_of(kind);
    const void* from = rank_ == root ? MPI_IN_PLACE : at;
    check(MPI_Reduce(from, rank_ == root ? at : nullptr, some, type, MPI_SUM, root, handle_->comm), "MPI_Reduce");
  });
}

void Ranks::exchange(std::span<const Message> sent, std::span<const Message> received) const {
  constexpr int tag = 1;
  std::vector<MPI_Request> requests;
  for (const Message& message : received)
    in_messages(message.bytes, [&](std::int64_t first, int some) {
      check(MPI_Irecv(message.data + first, some, MPI_BYTE, message.peer, tag, handle_->comm, &requests.emplace_back()),
            "MPI_Irecv");
    });
  for (const Message& message : sent)
    in_messages(message.bytes, [&](std::int64_t first, int some) {
      check(MPI_Isend(message.data + first, some, MPI_BYTE, message.peer, tag, handle_->comm, &requests.emplace_back()),
            "MPI_Isend");
    });
  check(MPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE), "MPI_Waitall");
}

std::vector<std::int64_t> Ranks::exchange_counts(const std::vector<std::int64_t>& sent) const {
  std::vector<std::int64_t> received(sent.size());
  check(MPI_Alltoall(sent.data(), 1, MPI_INT64_T, received.data(), 1, MPI_INT64_T, handle_->comm), "MPI_Alltoall");
  return received;
}

void Ranks::broadcast(void* data, std::int64_t bytes, int root) const {
  in_messages(bytes, [&](std::int64_t first, int some) {
    check(MPI_Bcast(static_cast<std::byte*>(data) + first, some, MPI_BYTE, root, handle_->comm), "MPI_Bcast");
  });
}

// The root receives from one rank after the other.
void Ranks::gather(std::span<const std::byte> mine, std::span<std::byte> all, int root) const {
  const auto bytes = static_cast<std::int64_t>(mine.size());
  std::vector<std::int64_t> sizes(static_cast<std::size_t>(size_));
  check(MPI_Allgather(&bytes, 1, MPI_INT64_T, sizes.data(), 1, MPI_INT64_T, handle_->comm), "MPI_Allgather");
  std::int64_t total = 0;
  for (const std::int64_t size : sizes) total += size;
  const bool fits = rank_ != root || static_cast<std::int64_t>(all.size()) >= total;
  agree(fits ? OFFGRID_OK : OFFGRID_INVALID_ARGUMENT,
        text("room is ", all.size(), " bytes, expected at least ", total, ", the sum over the ranks"));
  if (rank_ != root) {
    in_messages(bytes, [&](std::int64_t first, int some) {
      check(MPI_Send(mine.data() + first, some, MPI_BYTE, root, 0, handle_->comm), "MPI_Send");
    });
    return;
  }
  std::byte* at = all.data();
  for (int from = 0; from < size_; ++from) {
    if (from == rank_)
      std::copy(mine.begin(), mine.end(), at);
    else
      in_messages(sizes[from], [&](std::int64_t first, int some) {
        check(MPI_Recv(at + first, some, MPI_BYTE, from, 0, handle_->comm, MPI_STATUS_IGNORE), "MPI_Recv");
      });
    at += sizes[from];
  }
}

void Ranks::agree(offgrid_status status, const std::string& message) const {
  const int none = size_;
  int lowest = status == OFFGRID_OK ? none : rank_;
  check(MPI_Allreduce(MPI_IN_PLACE, &lowest, 1, MPI_INT, MPI_MIN, handle_->comm), "MPI_Allreduce");
  if (lowest == none) return;
  std::array<std::int64_t, 2> header{status, static_cast<std::int64_t>(message.size())};
  broadcast(header.data(), sizeof header, lowest);
  std::string words = message;
  words.resize(static_cast<std::size_t>(header[1]));
  broadcast(words.data(), header[1], lowest);
  throw Error(static_cast<offgrid_status>(header[0]), size_ == 1 ? words : text("rank ", lowest, ": ", words));
}

void Ranks::abort() const { MPI_Abort(handle_->comm, EXIT_FAILURE); }

}  // namespace offgrid::mpi::inside
