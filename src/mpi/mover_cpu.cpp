#include <new>

#include "mpi/mover.hpp"

namespace offgrid::mpi::inside {
namespace {

class HostMemory final : public Memory {
 public:
  void* allocate(std::size_t bytes) const override { return ::operator new(bytes, alignment); }
  void release(void* memory) const noexcept override { ::operator delete(memory, alignment); }

 private:
  static constexpr std::align_val_t alignment{64};
};

template <class T> class MoverCpu final : public Mover<T> {
 public:
  using Complex = std::complex<T>;

  const Memory& memory() const override { return host_memory(); }

  Departure<T> sort_by_owner(const Slabs& slabs, const T* z, std::int64_t count) const override {
    const auto parts = static_cast<std::size_t>(slabs.planes.parts);
    Departure<T> departure{.order = Order(memory(), count),
                           .counts = std::vector<std::int64_t>(parts),
                           .last = Buffer<T>(memory(), count)};
    std::vector<Destination<T>> where(static_cast<std::size_t>(count));
    for (std::size_t j = 0; j < where.size(); ++j) {
      if (!is_coordinate(static_cast<double>(z[j]))) refuse_coordinates();
      where[j] = destination_of(slabs, z[j]);
      ++departure.counts[static_cast<std::size_t>(where[j].owner)];
    }
    std::vector<std::int64_t> next(parts);
    for (std::size_t part = 1; part < parts; ++part) next[part] = next[part - 1] + departure.counts[part - 1];
    for (std::size_t j = 0; j < where.size(); ++j) {
      const std::int64_t at = next[static_cast<std::size_t>(where[j].owner)]++;
      departure.order.data()[at] = static_cast<std::int64_t>(j);
      departure.last.data()[at] = where[j].coordinate;
    }
    return departure;
  }

  void gather(const Order& order, const T* from, T* to) const override { gather_any(order, from, to); }
  void gather(const Order& order, const Complex* from, Complex* to) const override { gather_any(order, from, to); }
  void scatter(const Order& order, const Complex* from, Complex* to) const override {
    for (std::int64_t i = 0; i < order.size(); ++i) to[order.data()[i]] = from[i];
  }
  void add(const Complex* from, Complex* to, std::int64_t count) const override {
    for (std::int64_t i = 0; i < count; ++i) to[i] += from[i];
  }

 private:
  template <class V> static void gather_any(const Order& order, const V* from, V* to) {
    for (std::int64_t i = 0; i < order.size(); ++i) to[i] = from[order.data()[i]];
  }
};

}  // namespace

const Memory& host_memory() {
  static const HostMemory memory;
  return memory;
}

template <class T> std::unique_ptr<Mover<T>> make_mover_cpu() { return std::make_unique<MoverCpu<T>>(); }

template std::unique_ptr<Mover<float>> make_mover_cpu();
template std::unique_ptr<Mover<double>> make_mover_cpu();

}  // namespace offgrid::mpi::inside
