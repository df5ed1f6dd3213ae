// What is done with arrays between the exchanges, in the memory of the host or of a GPU.
#pragma once

#include <complex>
#include <memory>
#include <vector>

#include "mpi/buffer.hpp"
#include "mpi/slab_points.hpp"

namespace offgrid::mpi::inside {

using Order = Buffer<std::int64_t>;

// The points of one rank, ordered by owner; those of one owner stay in the caller's order.
template <class T> struct Departure {
  Order order;                       // point order[i] is the i-th that is sent
  std::vector<std::int64_t> counts;  // to each rank
  Buffer<T> last;  // coordinates along the slowest axis, as the owners need them, in the order of sending
};

template <class T> class Mover {
 public:
  using Complex = std::complex<T>;
  virtual ~Mover() = default;

  [[nodiscard]] virtual const Memory& memory() const = 0;
  // Refuses coordinates that are not finite.
  [[nodiscard]] virtual Departure<T> sort_by_owner(const Slabs& slabs, const T* z, std::int64_t count) const = 0;
  virtual void gather(const Order& order, const T* from, T* to) const = 0;               // to[i] = from[order[i]]
  virtual void gather(const Order& order, const Complex* from, Complex* to) const = 0;   // to[i] = from[order[i]]
  virtual void scatter(const Order& order, const Complex* from, Complex* to) const = 0;  // to[order[i]] = from[i]
  virtual void add(const Complex* from, Complex* to, std::int64_t count) const = 0;      // to[i] += from[i]
};

template <class T> std::unique_ptr<Mover<T>> make_mover_cpu();
template <class T> std::unique_ptr<Mover<T>> make_mover_cuda();

}  // namespace offgrid::mpi::inside
