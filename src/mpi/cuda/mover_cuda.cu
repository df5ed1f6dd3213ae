// Arrays between the exchanges on a GPU. Points are sorted by owner with a radix sort; where the owners' points begin is read
// off the sorted owners.
#include "mpi/cuda/complex.cuh"
#include "mpi/cuda/launch.cuh"
#include "mpi/cuda/sort_pairs.hpp"
#include "mpi/mover.hpp"

namespace offgrid::mpi::inside {
namespace {

template <class T> struct FindOwners {
  Slabs slabs;
  const T* z;
  std::int32_t* owners;
  std::int64_t* order;
  T* coordinates;
  int* refused;  // becomes 1 where a coordinate is not finite or too large
  OFFGRID_ANYWHERE void operator()(std::int64_t, std::int64_t j) const {
    const bool fine = is_coordinate(static_cast<double>(z[j]));
    if (!fine) *refused = 1;
    const Destination<T> to = destination_of(slabs, fine ? z[j] : T(0));
    owners[j] = to.owner;
    order[j] = j;
    coordinates[j] = to.coordinate;
  }
};

// begins[r] = the first place whose owner is r or more, r = 0 .. parts. Called for places 0 .. count.
struct FindBegins {
  const std::int32_t* owners;  // sorted
  std::int64_t count;
  std::int32_t parts;
  std::int64_t* begins;
  OFFGRID_ANYWHERE void operator()(std::int64_t, std::int64_t i) const {
    const std::int32_t before = i == 0 ? -1 : owners[i - 1], here = i == count ? parts : owners[i];
    for (std::int32_t r = before + 1; r <= here; ++r) begins[r] = i;
  }
};

template <class V> struct Gather {
  const std::int64_t* order;
  const V* from;
  V* to;
  OFFGRID_ANYWHERE void operator()(std::int64_t, std::int64_t i) const { to[i] = from[order[i]]; }
};

template <class V> struct Scatter {
  const std::int64_t* order;
  const V* from;
  V* to;
  OFFGRID_ANYWHERE void operator()(std::int64_t, std::int64_t i) const { to[order[i]] = from[i]; }
};

template <class V> struct Add {
  const V* from;
  V* to;
  OFFGRID_ANYWHERE void operator()(std::int64_t, std::int64_t i) const {
    const V a = to[i], b = from[i];
    to[i] = {a.x + b.x, a.y + b.y};
  }
};

template <class T> class MoverCuda final : public Mover<T> {
 public:
  using Complex = std::complex<T>;

  const Memory& memory() const override { return gpu_memory(); }

  Departure<T> sort_by_owner(const Slabs& slabs, const T* z, std::int64_t count) const override {
    const int parts = slabs.planes.parts;
    const Buffer<std::int32_t> owners(memory(), count), sorted_owners(memory(), count);
    const Order unsorted(memory(), count);
    const Buffer<T> coordinates(memory(), count);
    find_owners({slabs, z, owners.data(), unsorted.data(), coordinates.data(), nullptr}, count);
    Departure<T> departure{.order = Order(memory(), count), .counts = {}, .last = Buffer<T>(memory(), count)};
    if (count > 0)
      sort_pairs({owners.data(), unsorted.data()}, {sorted_owners.data(), departure.order.data()}, count, parts);
    gather(departure.order, coordinates.data(), departure.last.data());
    departure.counts = counts_of(sorted_owners, parts);
    return departure;
  }

  void gather(const Order& order, const T* from, T* to) const override { gather_any(order, from, to); }
  void gather(const Order& order, const Complex* from, Complex* to) const override {
    gather_any(order, numbers(from), numbers(to));
  }
  void scatter(const Order& order, const Complex* from, Complex* to) const override {
    launch("scatter", 1, order.size(), Scatter<Number<T>>{order.data(), numbers(from), numbers(to)});
    wait_for_gpu("scatter");
  }
  void add(const Complex* from, Complex* to, std::int64_t count) const override {
    launch("sum of halos", 1, count, Add<Number<T>>{numbers(from), numbers(to)});
    wait_for_gpu("sum of halos");
  }

 private:
  void find_owners(FindOwners<T> body, std::int64_t count) const {
    const Buffer<int> refused(memory(), 1);
    int answer = 0;
    copy_bytes(refused.data(), &answer, sizeof answer);
    body.refused = refused.data();
    launch("owners of points", 1, count, body);
    copy_bytes(&answer, refused.data(), sizeof answer);
    wait_for_gpu("owners of points");
    if (answer != 0) refuse_coordinates();
  }

  [[nodiscard]] std::vector<std::int64_t> counts_of(const Buffer<std::int32_t>& sorted_owners, int parts) const {
    const Buffer<std::int64_t> begins(memory(), parts + 1);
    const std::int64_t count = sorted_owners.size();
    launch("points of owners", 1, count + 1, FindBegins{sorted_owners.data(), count, parts, begins.data()});
    std::vector<std::int64_t> counts(static_cast<std::size_t>(parts) + 1);
    copy_bytes(counts.data(), begins.data(), begins.bytes());
    wait_for_gpu("points of owners");
    for (std::size_t r = 0; r + 1 < counts.size(); ++r) counts[r] = counts[r + 1] - counts[r];
    counts.pop_back();
    return counts;
  }

  template <class V> static void gather_any(const Order& order, const V* from, V* to) {
    launch("gather", 1, order.size(), Gather<V>{order.data(), from, to});
    wait_for_gpu("gather");
  }
};

}  // namespace

template <class T> std::unique_ptr<Mover<T>> make_mover_cuda() { return std::make_unique<MoverCuda<T>>(); }

template std::unique_ptr<Mover<float>> make_mover_cuda();
template std::unique_ptr<Mover<double>> make_mover_cuda();

}  // namespace offgrid::mpi::inside
