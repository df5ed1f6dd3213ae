#include "cuda/pointwise.hpp"

#include <algorithm>
#include <array>

#include "core/error.hpp"
#include "core/text.hpp"
#include "cuda/device.hpp"
#include "cuda/direct_sum.hpp"
#include "cuda/kernels/boxes_and_factors.cuh"
#include "cuda/kernels/complex.cuh"
#include "cuda/launch/enqueue.hpp"
#include "cuda/launch/graph.hpp"
#include "cuda/memory.hpp"
#include "cuda/multiply.hpp"

namespace offgrid::cuda {
namespace {

constexpr int threads = pointwise_threads;
constexpr int blocks_per_multiprocessor = 16;  // kernels stride over what is left

cudaStream_t native(Stream stream) { return static_cast<cudaStream_t>(stream); }

// A room that another stream has used is waited for there.
template <class T> struct CudaRoom final : Room<T> {
  CudaRoom(std::int64_t elements, int id, MemoryCount& count) : memory(elements, count), device(id) {
    this->data = memory.data();
    this->size = elements;
  }
  ~CudaRoom() override {
    int now = device;
    (void)cudaGetDevice(&now);
    if (now != device) (void)cudaSetDevice(device);
    memory = {};
    if (now != device) (void)cudaSetDevice(now);
  }
  DeviceBuffer<std::complex<T>> memory;
  Event done;
  int device;
  bool captured = false;  // by the caller, in its last use
};

// In double whatever T is: coordinates up to largest_coordinate keep their phase.
template <class T>
__global__ void __launch_bounds__(threads) phases_kernel(const T* x, std::int64_t count, Complex<T>* phases, int* bad) {
  for (std::int64_t j = first_index(); j < count; j += all_threads()) {
    const double angle = x[j];
    if (!(fabs(angle) <= largest_coordinate)) *bad = 1;
    double sine = 0, cosine = 0;
    sincos(angle, &sine, &cosine);
    phases[j] = {static_cast<T>(cosine), static_cast<T>(sine)};
  }
}

// What modulation takes, as kernels have it.
template <class T> struct DeviceModulation {
  ShortModes modes;
  const Complex<T>* phases[max_short_axes];
  std::int64_t points, vectors;
};

template <class T> struct PointPhases {
  Complex<T> phase[max_short_axes];
  __device__ PointPhases(const DeviceModulation<T>& by, std::int64_t point) {
    for (int axis = 0; axis < max_short_axes; ++axis)
      phase[axis] = by.phases[axis] != nullptr ? by.phases[axis][point] : Complex<T>{1, 0};
  }
  __device__ Complex<T> product(Complex<T> value, const DeviceModulation<T>& by, int mode) const {
    for (int axis = 0; axis < max_short_axes; ++axis) {
      const int k = by.modes.k[mode][axis];
      if (k != 0) value = times<T>(value, {phase[axis].x, static_cast<T>(k) * phase[axis].y});
    }
    return value;
  }
};

// One thread per point and vector of the caller's.
template <class T>
__global__ void __launch_bounds__(threads) modulate_kernel(const __grid_constant__ DeviceModulation<T> by,
                                                           const Complex<T>* strengths, Complex<T>* modulated) {
  for (std::int64_t i = first_index(); i < by.vectors * by.points; i += all_threads()) {
    const std::int64_t vector = i / by.points, point = i % by.points;
    const PointPhases<T> phases(by, point);
    const Complex<T> strength = strengths[i];
    Complex<T>* to = modulated + vector * by.modes.count * by.points + point;
    for (int mode = 0; mode < by.modes.count; ++mode) to[mode * by.points] = phases.product(strength, by, mode);
  }
}

template <class T>
__global__ void __launch_bounds__(threads) demodulate_kernel(const __grid_constant__ DeviceModulation<T> by,
                                                             const Complex<T>* modulated, Complex<T>* strengths) {
  for (std::int64_t i = first_index(); i < by.vectors * by.points; i += all_threads()) {
    const std::int64_t vector = i / by.points, point = i % by.points;
    const PointPhases<T> phases(by, point);
    const Complex<T>* from = modulated + vector * by.modes.count * by.points + point;
    Complex<T> sum{0, 0};
    for (int mode = 0; mode < by.modes.count; ++mode) {
      const Complex<T> term = phases.product(from[mode * by.points], by, mode);
      sum = {sum.x + term.x, sum.y + term.y};
    }
    strengths[i] = sum;
  }
}

// One thread per mode of the other axes and vector: neighbours share cache lines in both orders.
template <class T, bool ToParts>
__global__ void __launch_bounds__(threads)
    move_kernel(const __grid_constant__ ModeOrders orders, const Complex<T>* from, Complex<T>* to) {
  const std::int64_t rest = orders.size[0] * orders.size[1];
  for (std::int64_t i = first_index(); i < orders.vectors * rest; i += all_threads()) {
    const std::int64_t vector = i / rest, mode = i % rest;
    const std::int64_t row = mode / orders.size[0], column = mode % orders.size[0];
    const std::int64_t asked = vector * orders.parts * rest + row * orders.stride[1] + column * orders.stride[0];
    for (int part = 0; part < orders.parts; ++part) {
      const std::int64_t in_part = (vector * orders.parts + part) * rest + mode;
      const std::int64_t in_asked = asked + orders.first[part];
      if constexpr (ToParts)
        to[in_part] = from[in_asked];
      else
        to[in_asked] = from[in_part];
    }
  }
}

template <class T>
__global__ void __launch_bounds__(threads)
    add_kernel(const Complex<T>* terms, std::int64_t count, Complex<T>* sums, Complex<T>* lost) {
  for (std::int64_t i = first_index(); i < count; i += all_threads()) {
    const Complex<T> before = sums[i], term{terms[i].x - lost[i].x, terms[i].y - lost[i].y};
    const Complex<T> sum{before.x + term.x, before.y + term.y};
    lost[i] = {(sum.x - before.x) - term.x, (sum.y - before.y) - term.y};
    sums[i] = sum;
  }
}

template <class T> const Complex<T>* on_device(const std::complex<T>* data) {
  return reinterpret_cast<const Complex<T>*>(data);
}
template <class T> Complex<T>* on_device(std::complex<T>* data) { return reinterpret_cast<Complex<T>*>(data); }

template <class T> DeviceModulation<T> on_device(const Modulation<T>& by) {
  DeviceModulation<T> same{by.modes, {}, by.points, by.vectors};
  for (int axis = 0; axis < max_short_axes; ++axis) same.phases[axis] = on_device(by.phases[axis]);
  return same;
}

template <class T> class CudaPointwise final : public Pointwise<T> {
 public:
  using Numbers = std::complex<T>;

  CudaPointwise() : device_(current_device()) {}

  std::unique_ptr<Room<T>> make_room(std::int64_t size) override {
    const DeviceGuard guard(device_.id);
    return std::make_unique<CudaRoom<T>>(size, device_.id, memory_);
  }

  void begin(Room<T>& room, Stream stream) const override {
    const DeviceGuard guard(device_.id);
    auto& mine = static_cast<CudaRoom<T>&>(room);
    mine.captured = is_captured(native(stream));
    if (!mine.captured && mine.stream != stream) mine.done.make_wait(native(stream));
  }

  void end(Room<T>& room, Stream stream) const noexcept override {
    auto& mine = static_cast<CudaRoom<T>&>(room);
    if (!mine.captured) (void)cudaEventRecord(*mine.done, native(stream));
  }

  void find_phases(const T* x, std::int64_t count, Numbers* phases, Stream stream) override {
    const DeviceGuard guard(device_.id);
    *bad_ = 0;
    enqueue("phases", phases_kernel<T>, launch(count, stream), x, count, on_device(phases), bad_.get());
    call("waiting for the device", [&] { return cudaStreamSynchronize(native(stream)); });
    if (*bad_ != 0) throw Error(Status::invalid_argument, bad_coordinate);
  }

  void modulate(const Modulation<T>& by, const Numbers* strengths, Numbers* modulated, Stream stream) const override {
    const DeviceGuard guard(device_.id);
    enqueue("modulation", modulate_kernel<T>, launch(by.vectors * by.points, stream), on_device(by),
            on_device(strengths), on_device(modulated));
  }

  void demodulate(const Modulation<T>& by, const Numbers* modulated, Numbers* strengths, Stream stream) const override {
    const DeviceGuard guard(device_.id);
    enqueue("demodulation", demodulate_kernel<T>, launch(by.vectors * by.points, stream), on_device(by),
            on_device(modulated), on_device(strengths));
  }

  void to_parts(const ModeOrders& orders, const Numbers* modes, Numbers* parts, Stream stream) const override {
    move<true>(orders, modes, parts, stream);
  }
  void from_parts(const ModeOrders& orders, const Numbers* parts, Numbers* modes, Stream stream) const override {
    move<false>(orders, parts, modes, stream);
  }

  Extent find_extent(const char* what, const Points<T>& points, int dim, Stream stream) override {
    const DeviceGuard guard(device_.id);
    if (points.count == 0) return {};
    if (keys_.size() == 0) {
      keys_ = DeviceBuffer<BoxKeys>(1, memory_);
      samples_ = DeviceBuffer<T>(max_dim * extent_samples, memory_);
    }
    std::array<T, max_dim * extent_samples> samples;
    enqueue_clear("box", keys_.data(), sizeof(BoxKeys), native(stream));
    enqueue("box", box_kernel<T>, box_launch(points.count, dim, stream), axes_of(points), points.count, keys_.data());
    enqueue("samples", sample_kernel<T>, Launch{dim3(1), static_cast<int>(extent_samples), 0, native(stream)},
            axes_of(points), dim, points.count, samples_.data());
    call("box", [&] {
      return cudaMemcpyAsync(box_.get(), keys_.data(), sizeof(BoxKeys), cudaMemcpyDeviceToHost, native(stream));
    });
    call("samples", [&] {
      return cudaMemcpyAsync(samples.data(), samples_.data(), samples_.bytes(), cudaMemcpyDeviceToHost, native(stream));
    });
    call("waiting for the device", [&] { return cudaStreamSynchronize(native(stream)); });
    if ((*box_).bad != 0) throw Error(Status::invalid_argument, text(what, ": a coordinate is not finite"));
    Box box;
    for (int axis = 0; axis < dim; ++axis) {
      box.low[axis] = -number_of((*box_).low[axis]);
      box.high[axis] = number_of((*box_).high[axis]);
    }
    return extent_of(box, dim, samples.data());
  }

  void find_factors(const FactorRule& rule, const Points<T>& points, Numbers* factors, Stream stream) override {
    const DeviceGuard guard(device_.id);
    enqueue("factors", factors_kernel<T>, launch(points.count, stream), rule, axes_of(points), points.count,
            on_device(factors));
  }

  void keep_points(const Points<T>& points, int dim, T* to, Stream stream) override {
    const DeviceGuard guard(device_.id);
    const auto bytes = static_cast<std::size_t>(points.count) * sizeof(T);
    for (int axis = 0; axis < dim; ++axis)
      call("copy of points", [&] {
        return cudaMemcpyAsync(to + axis * points.count, points.axis[axis], bytes, cudaMemcpyDeviceToDevice,
                               native(stream));
      });
    call("waiting for the device", [&] { return cudaStreamSynchronize(native(stream)); });
  }

  void sum_directly(const DirectSum<T>& sum, Stream stream) const override {
    const DeviceGuard guard(device_.id);
    cuda::sum_directly(sum, {native(stream), device_.multiprocessors});
  }

  void add(const Numbers* terms, std::int64_t count, Numbers* sums, Numbers* lost, Stream stream) const override {
    const DeviceGuard guard(device_.id);
    enqueue("sums", add_kernel<T>, launch(count, stream), on_device(terms), count, on_device(sums), on_device(lost));
  }

  void multiply(const Product<T>& product, Stream stream) const override {
    const DeviceGuard guard(device_.id);
    cuda::multiply(product, {native(stream), device_.multiprocessors});
  }

  std::size_t memory_bytes() const override { return memory_.bytes; }
  std::size_t peak_bytes() const override { return memory_.peak; }

 private:
  template <bool ToParts> void move(const ModeOrders& orders, const Numbers* from, Numbers* to, Stream stream) const {
    const DeviceGuard guard(device_.id);
    const std::int64_t count = orders.vectors * orders.size[0] * orders.size[1];
    enqueue("moving modes", move_kernel<T, ToParts>, launch(count, stream), orders, on_device(from), on_device(to));
  }

  Launch launch(std::int64_t count, Stream stream) const {
    const std::int64_t most = std::int64_t{blocks_per_multiprocessor} * device_.multiprocessors;
    const std::int64_t blocks = std::min((count + threads - 1) / threads, most);
    return {dim3(static_cast<unsigned>(blocks)), threads, 0, native(stream)};
  }

  Launch box_launch(std::int64_t count, int dim, Stream stream) const {
    const std::int64_t needed = (count + box_threads * box_loads - 1) / (box_threads * box_loads);
    const std::int64_t most = box_blocks_per_multiprocessor * device_.multiprocessors / dim;
    const std::int64_t blocks = std::clamp<std::int64_t>(most, 1, needed);
    return {dim3(static_cast<unsigned>(blocks), static_cast<unsigned>(dim)), box_threads, 0, native(stream)};
  }

  Device device_;
  MemoryCount memory_;
  HostValue<int> bad_;  // kernels write to it
  DeviceBuffer<BoxKeys> keys_;
  DeviceBuffer<T> samples_;
  HostValue<BoxKeys> box_;
};

}  // namespace

template <class T> std::unique_ptr<Pointwise<T>> make_pointwise(const Options&) {
  return std::make_unique<CudaPointwise<T>>();
}

template std::unique_ptr<Pointwise<float>> make_pointwise(const Options&);
template std::unique_ptr<Pointwise<double>> make_pointwise(const Options&);

}  // namespace offgrid::cuda
