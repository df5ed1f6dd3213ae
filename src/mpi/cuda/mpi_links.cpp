// Arrays of GPUs by MPI: through pinned memory of the host, or by their own addresses.
#include <vector>

#include "mpi/cuda/check.hpp"
#include "mpi/gpu.hpp"
#include "mpi/guard.hpp"

namespace offgrid::mpi::inside {
namespace {

// Pinned memory, which copies at the full speed of the bus. It is kept, since pinning takes longer than copying.
class Pinned {
 public:
  Pinned() = default;
  Pinned(const Pinned&) = delete;
  Pinned& operator=(const Pinned&) = delete;
  ~Pinned() { release(); }

  // Room for so many bytes; what it held is lost when it has to grow.
  std::byte* reserve(std::int64_t bytes) {
    if (bytes <= size_) return data_;
    release();
    void* memory = nullptr;
    check_cuda(cudaMallocHost(&memory, static_cast<std::size_t>(bytes)), "pinned memory of the host");
    data_ = static_cast<std::byte*>(memory);
    size_ = bytes;
    return data_;
  }

 private:
  void release() noexcept {
    if (data_ != nullptr) (void)cudaFreeHost(data_);
    data_ = nullptr;
    size_ = 0;
  }
  std::byte* data_ = nullptr;
  std::int64_t size_ = 0;
};

class StagedLink final : public Link {
 public:
  explicit StagedLink(const Ranks& ranks) : ranks_(ranks) {}

  void exchange(std::span<const Message> sent, std::span<const Message> received) override {
    std::vector<Message> out, in;
    together(ranks_, [&] {
      copy_own(sent, received);
      std::byte* at = pinned_.reserve(bytes_of_others(sent) + bytes_of_others(received));
      out = staged(sent, at);
      in = staged(received, at + bytes_of_others(sent));
      copy_others(sent, [&](std::size_t i, const Message& one) { copy_bytes(out[i].data, one.data, one.bytes); });
    });
    ranks_.exchange(out, in);
    together(ranks_, [&] {
      copy_others(received, [&](std::size_t i, const Message& one) { copy_bytes(one.data, in[i].data, one.bytes); });
    });
  }

  void sum(void* values, std::int64_t count, offgrid_mpi_number kind) override {
    through_host(values, count * bytes_of(kind), [&](void* host) { ranks_.sum(host, count, kind); });
  }
  void sum_on(int root, void* values, std::int64_t count, offgrid_mpi_number kind) override {
    through_host(values, count * bytes_of(kind), [&](void* host) { ranks_.sum_on(root, host, count, kind); });
  }

  std::string describe() const override {
    return "by MPI through pinned memory of the host; MPI gets no address of a GPU";
  }

 private:
  [[nodiscard]] std::int64_t bytes_of_others(std::span<const Message> messages) const {
    std::int64_t bytes = 0;
    for (const Message& one : messages)
      if (one.peer != ranks_.rank()) bytes += one.bytes;
    return bytes;
  }

  // The messages to or from other ranks, one behind the other in the memory at `at`.
  [[nodiscard]] std::vector<Message> staged(std::span<const Message> messages, std::byte* at) const {
    std::vector<Message> all;
    for (const Message& one : messages) {
      if (one.peer == ranks_.rank()) continue;
      all.push_back({.peer = one.peer, .data = at, .bytes = one.bytes});
      at += one.bytes;
    }
    return all;
  }

  // copy(i, message) for the i-th message of those to or from other ranks; waits for the copies.
  template <class Copy> void copy_others(std::span<const Message> messages, Copy copy) const {
    std::size_t i = 0;
    for (const Message& one : messages)
      if (one.peer != ranks_.rank()) copy(i++, one);
    wait_for_gpu("exchange");
  }

  // What a rank sends to itself stays on the GPU: the first of such messages meets the first that is received, and so on.
  void copy_own(std::span<const Message> sent, std::span<const Message> received) const {
    auto to = received.begin();
    for (const Message& one : sent) {
      if (one.peer != ranks_.rank()) continue;
      while (to->peer != ranks_.rank()) ++to;
      copy_bytes(to->data, one.data, one.bytes);
      ++to;
    }
  }

  // Calls sum(array of the host), which all ranks do together. An array that is the host's already is not copied.
  template <class Sum> void through_host(void* values, std::int64_t bytes, Sum sum) {
    const bool moves = is_on_gpu(values) && ranks_.size() > 1;
    void* host = values;
    together(ranks_, [&] {
      if (moves) copy_bytes(host = pinned_.reserve(bytes), values, bytes);
      if (is_on_gpu(values)) wait_for_gpu("sum");
    });
    if (ranks_.size() > 1) sum(host);
    together(ranks_, [&] {
      if (!moves) return;
      copy_bytes(values, host, bytes);
      wait_for_gpu("sum");
    });
  }

  const Ranks& ranks_;
  Pinned pinned_;
};

// MPI does not know of streams: what it is to read must be there before it is called.
class AwareLink final : public DirectLink {
 public:
  explicit AwareLink(const Ranks& ranks) : DirectLink(ranks), ranks_(ranks) {}
  void exchange(std::span<const Message> sent, std::span<const Message> received) override {
    wait();
    DirectLink::exchange(sent, received);
  }
  void sum(void* values, std::int64_t count, offgrid_mpi_number kind) override {
    wait();
    DirectLink::sum(values, count, kind);
  }
  void sum_on(int root, void* values, std::int64_t count, offgrid_mpi_number kind) override {
    wait();
    DirectLink::sum_on(root, values, count, kind);
  }
  std::string describe() const override { return "by MPI, which is given addresses of GPUs"; }

 private:
  void wait() const {
    together(ranks_, [] { wait_for_gpu("exchange"); });
  }
  const Ranks& ranks_;
};

}  // namespace

std::unique_ptr<Link> make_staged_link(const Ranks& ranks) { return std::make_unique<StagedLink>(ranks); }
std::unique_ptr<Link> make_aware_link(const Ranks& ranks) { return std::make_unique<AwareLink>(ranks); }

}  // namespace offgrid::mpi::inside
