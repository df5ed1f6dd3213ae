// Arrays of GPUs by NCCL, one GPU per rank. Plans that live at the same time share its communicator.
#include "mpi/cuda/check.hpp"
#include "mpi/cuda/nccl.hpp"
#include "mpi/gpu.hpp"
#include "mpi/guard.hpp"

namespace offgrid::mpi::inside {

namespace {

void check_nccl(int result, const char* what) {
  if (result == 0) return;
  throw Error(OFFGRID_DEVICE_ERROR,
              text(what, ": NCCL: ", nccl()->error_text(result), "; OFFGRID_MPI_EXCHANGE=host goes without it"));
}

}  // namespace

// NCCL's communicator. Collective to make.
class NcclRanks {
 public:
  explicit NcclRanks(const Ranks& ranks) {
    NcclId id{};
    together(ranks, [&] {
      if (ranks.rank() == 0) check_nccl(nccl()->unique_id(&id), "ncclGetUniqueId");
    });
    ranks.broadcast(&id, sizeof id, 0);
    together(ranks, [&] {
      device_ = current_gpu();
      check_nccl(nccl()->init_rank(&comm_, ranks.size(), id, ranks.rank()), "ncclCommInitRank");
    });
  }
  NcclRanks(const NcclRanks&) = delete;
  NcclRanks& operator=(const NcclRanks&) = delete;
  ~NcclRanks() {
    if (comm_ != nullptr) (void)nccl()->destroy(comm_);
  }
  [[nodiscard]] NcclComm comm() const { return comm_; }
  [[nodiscard]] int device() const { return device_; }

 private:
  NcclComm comm_ = nullptr;
  int device_ = -1;
};

namespace {

NcclType type_of(offgrid_mpi_number kind) {
  switch (kind) {
    case OFFGRID_MPI_F32:
      return NcclType::f32;
    case OFFGRID_MPI_F64:
      return NcclType::f64;
    case OFFGRID_MPI_I32:
      return NcclType::i32;
    case OFFGRID_MPI_I64:
      return NcclType::i64;
  }
  throw Error(OFFGRID_INVALID_ARGUMENT, text("kind of numbers is ", static_cast<int>(kind), ", expected 0 to 3"));
}

// Calls between ncclGroupStart and ncclGroupEnd start together, so that their order does not matter.
template <class F> void in_group(F&& calls) {
  check_nccl(nccl()->group_start(), "ncclGroupStart");
  try {
    calls();
  } catch (...) {
    (void)nccl()->group_end();
    throw;
  }
  check_nccl(nccl()->group_end(), "ncclGroupEnd");
}

class NcclLink final : public Link {
 public:
  NcclLink(const Ranks& ranks, std::shared_ptr<const NcclRanks> gpus) : ranks_(ranks), gpus_(std::move(gpus)) {}

  void exchange(std::span<const Message> sent, std::span<const Message> received) override {
    run([&] {
      in_group([&] {
        for (const Message& one : received)
          if (one.bytes > 0)
            check_nccl(nccl()->receive(one.data, size(one.bytes), NcclType::bytes, one.peer, gpus_->comm(), nullptr),
                       "ncclRecv");
        for (const Message& one : sent)
          if (one.bytes > 0)
            check_nccl(nccl()->send(one.data, size(one.bytes), NcclType::bytes, one.peer, gpus_->comm(), nullptr),
                       "ncclSend");
      });
    });
  }

  void sum(void* values, std::int64_t count, offgrid_mpi_number kind) override {
    if (count == 0) return;
    run([&] {
      check_nccl(
          nccl()->all_reduce(values, values, size(count), type_of(kind), NcclOperation::sum, gpus_->comm(), nullptr),
          "ncclAllReduce");
    });
  }

  void sum_on(int root, void* values, std::int64_t count, offgrid_mpi_number kind) override {
    if (count == 0) return;
    run([&] {
      check_nccl(
          nccl()->reduce(values, values, size(count), type_of(kind), NcclOperation::sum, root, gpus_->comm(), nullptr),
          "ncclReduce");
    });
  }

  std::string describe() const override {
    int version = 0;
    (void)nccl()->version(&version);
    return text("by NCCL ", version / 10000, ".", version / 100 % 100, ".", version % 100, " between the GPUs");
  }

 private:
  static std::size_t size(std::int64_t count) { return static_cast<std::size_t>(count); }
  template <class F> void run(F&& calls) const {
    together(ranks_, [&] {
      calls();
      wait_for_gpu("exchange by NCCL");
    });
  }

  const Ranks& ranks_;
  std::shared_ptr<const NcclRanks> gpus_;
};

}  // namespace

bool finds_nccl() { return nccl() != nullptr; }

std::unique_ptr<Link> make_nccl_link(const Ranks& ranks) {
  std::shared_ptr<NcclRanks> gpus = ranks.nccl_in_use().lock();
  std::int64_t unfit = gpus && gpus->device() == current_gpu() ? 0 : 1;
  ranks.sum(&unfit, 1, OFFGRID_MPI_I64);
  if (unfit > 0) {
    gpus = std::make_shared<NcclRanks>(ranks);
    ranks.nccl_in_use() = gpus;
  }
  return std::make_unique<NcclLink>(ranks, gpus);
}

}  // namespace offgrid::mpi::inside
