#include <algorithm>
#include <array>

#include "cuda/device.hpp"
#include "cuda/kernels/boxes_and_factors.cuh"
#include "cuda/kernels/complex.cuh"
#include "cuda/launch/enqueue.hpp"
#include "cuda/memory.hpp"
#include "cuda/vector_algebra.hpp"

namespace offgrid::cuda {
namespace {

constexpr int threads = pointwise_threads;
constexpr int blocks_per_multiprocessor = 8;  // kernels stride over what is left

cudaStream_t native(Stream stream) { return static_cast<cudaStream_t>(stream); }

// Sums are added up in two kernels, each in an order that depends on the number of blocks only: the sums of each block, then
// one block for the sums of the blocks. `Sums` of them are found together, and stored one after another.
template <int Sums> struct Values { double value[Sums]; };

// The sums over the threads of a block; thread 0 has them.
template <int Sums> __device__ Values<Sums> sum_of_block(Values<Sums> mine) {
  __shared__ double shared[Sums][threads];
  for (int sum = 0; sum < Sums; ++sum) shared[sum][threadIdx.x] = mine.value[sum];
  for (int half = threads / 2; half > 0; half /= 2) {
    __syncthreads();
    if (static_cast<int>(threadIdx.x) < half)
      for (int sum = 0; sum < Sums; ++sum) shared[sum][threadIdx.x] += shared[sum][threadIdx.x + half];
  }
  for (int sum = 0; sum < Sums; ++sum) mine.value[sum] = shared[sum][threadIdx.x];
  return mine;
}

template <int Sums> __device__ void store_sums_of_block(const Values<Sums>& mine, Values<Sums>* blocks) {
  const Values<Sums> total = sum_of_block(mine);
  if (threadIdx.x == 0) blocks[blockIdx.x] = total;
}

template <int Sums> struct Places { int place[Sums]; };

// One block: sums[places] = the sums over the blocks.
template <int Sums>
__global__ void __launch_bounds__(threads)
    add_blocks_kernel(const Values<Sums>* blocks, int count, Places<Sums> places, double* sums) {
  Values<Sums> mine{};
  for (int block = static_cast<int>(threadIdx.x); block < count; block += threads)
    for (int sum = 0; sum < Sums; ++sum) mine.value[sum] += blocks[block].value[sum];
  const Values<Sums> total = sum_of_block(mine);
  if (threadIdx.x != 0) return;
  for (int sum = 0; sum < Sums; ++sum) sums[places.place[sum]] = total.value[sum];
}

template <class T>
__global__ void __launch_bounds__(threads)
    inner_kernel(const Complex<T>* a, const Complex<T>* b, std::int64_t count, Values<1>* blocks) {
  Values<1> mine{};
  for (std::int64_t i = first_index(); i < count; i += all_threads()) {
    const Complex<T> left = a[i], right = b[i];
    mine.value[0] += static_cast<double>(left.x) * right.x + static_cast<double>(left.y) * right.y;
  }
  store_sums_of_block(mine, blocks);
}

__device__ double value_of(const Factor& factor, const double* sums) {
  if (factor.over < 0) return factor.constant;
  const double under = sums[factor.under];
  return under == 0 ? 0 : factor.constant * sums[factor.over] / under;
}

template <class T>
__global__ void __launch_bounds__(threads)
    combine_kernel(Factor of_own, Complex<T>* to, Factor of_from, const Complex<T>* from, std::int64_t count,
                   const double* sums) {
  const T own = static_cast<T>(value_of(of_own, sums)), by = static_cast<T>(value_of(of_from, sums));
  for (std::int64_t i = first_index(); i < count; i += all_threads()) {
    const Complex<T> old = to[i], more = from[i];
    to[i] = {own * old.x + by * more.x, own * old.y + by * more.y};
  }
}

template <class T>
__global__ void __launch_bounds__(threads)
    sum_products_kernel(const Complex<T>* by, const Complex<T>* from, Complex<T>* to, std::int64_t count,
                        std::int64_t vectors) {
  for (std::int64_t i = first_index(); i < count; i += all_threads()) {
    Complex<T> sum{0, 0};
    for (std::int64_t vector = 0; vector < vectors; ++vector) {
      const Complex<T> a = by[vector * count + i], b = from[vector * count + i];
      sum = {sum.x + a.x * b.x + a.y * b.y, sum.y + a.x * b.y - a.y * b.x};
    }
    to[i] = sum;
  }
}

template <class T> __global__ void __launch_bounds__(threads) fill_kernel(T* weights, std::int64_t count, T value) {
  for (std::int64_t j = first_index(); j < count; j += all_threads()) weights[j] = value;
}

// Of each block: the squared changes of its weights, and the squares of the new ones.
template <class T>
__global__ void __launch_bounds__(threads)
    renew_kernel(T* weights, const Complex<T>* found, std::int64_t count, double scale, Values<2>* blocks) {
  Values<2> mine{};
  for (std::int64_t j = first_index(); j < count; j += all_threads()) {
    const double re = found[j].x, im = found[j].y;
    const T before = weights[j], next = static_cast<T>(scale * before / sqrt(re * re + im * im));
    const double change = static_cast<double>(next) - before;
    mine.value[0] += change * change;
    mine.value[1] += static_cast<double>(next) * next;
    weights[j] = next;
  }
  store_sums_of_block(mine, blocks);
}

template <class T> const Complex<T>* on_device(const std::complex<T>* data) {
  return reinterpret_cast<const Complex<T>*>(data);
}
template <class T> Complex<T>* on_device(std::complex<T>* data) { return reinterpret_cast<Complex<T>*>(data); }

template <class T> class CudaAlgebra final : public VectorAlgebra<T> {
 public:
  using Numbers = std::complex<T>;

  CudaAlgebra() : device_(current_device()) {
    const DeviceGuard guard(device_.id);
    sums_ = DeviceBuffer<double>(most_sums, memory_);
    blocks_ = DeviceBuffer<Values<2>>(std::int64_t{blocks_per_multiprocessor} * device_.multiprocessors, memory_);
  }
  ~CudaAlgebra() override {
    int now = device_.id;
    (void)cudaGetDevice(&now);
    if (now != device_.id) (void)cudaSetDevice(device_.id);
    sums_ = {};
    blocks_ = {};
    if (now != device_.id) (void)cudaSetDevice(now);
  }

  void inner(const Numbers* a, const Numbers* b, std::int64_t count, int place, Stream stream) override {
    const DeviceGuard guard(device_.id);
    auto* blocks = reinterpret_cast<Values<1>*>(blocks_.data());
    const Launch all = launch(count, stream);
    enqueue("inner product", inner_kernel<T>, all, on_device(a), on_device(b), count, blocks);
    add_blocks<1>(blocks, all, {{place}});
  }

  void combine(const Combination<T>& c, Stream stream) override {
    const DeviceGuard guard(device_.id);
    enqueue("combination", combine_kernel<T>, launch(c.count, stream), c.own, on_device(c.to), c.by, on_device(c.from),
            c.count, sums_.data());
  }

  void sum_products(const SumOfProducts<T>& sum, Stream stream) override {
    const DeviceGuard guard(device_.id);
    enqueue("sum of products", sum_products_kernel<T>, launch(sum.count, stream), on_device(sum.by),
            on_device(sum.from), on_device(sum.to), sum.count, sum.vectors);
  }

  void renew(const Renewal<T>& renewal, Stream stream) override {
    const DeviceGuard guard(device_.id);
    const Launch all = launch(renewal.count, stream);
    if (renewal.found == nullptr) {
      enqueue("weights", fill_kernel<T>, all, renewal.weights, renewal.count, static_cast<T>(renewal.scale));
      return;
    }
    enqueue("weights", renew_kernel<T>, all, renewal.weights, on_device(renewal.found), renewal.count, renewal.scale,
            blocks_.data());
    add_blocks<2>(blocks_.data(), all, {{renewal.change, renewal.square}});
  }

  double read(int place, Stream stream) override {
    const DeviceGuard guard(device_.id);
    call("sum", [&] {
      return cudaMemcpyAsync(read_.get(), sums_.data() + place, sizeof(double), cudaMemcpyDeviceToHost, native(stream));
    });
    call("waiting for the device", [&] { return cudaStreamSynchronize(native(stream)); });
    return *read_;
  }

 private:
  template <int Sums> void add_blocks(const Values<Sums>* blocks, const Launch& of, const Places<Sums>& places) {
    enqueue("sum", add_blocks_kernel<Sums>, Launch{dim3(1), threads, 0, of.stream}, blocks,
            static_cast<int>(of.blocks.x), places, sums_.data());
  }

  Launch launch(std::int64_t count, Stream stream) const {
    const std::int64_t most = std::int64_t{blocks_per_multiprocessor} * device_.multiprocessors;
    const std::int64_t blocks = std::clamp<std::int64_t>((count + threads - 1) / threads, 1, most);
    return {dim3(static_cast<unsigned>(blocks)), threads, 0, native(stream)};
  }

  Device device_;
  MemoryCount memory_;
  DeviceBuffer<double> sums_;
  DeviceBuffer<Values<2>> blocks_;  // sums of blocks
  HostValue<double> read_;
};

}  // namespace

template <class T> std::unique_ptr<VectorAlgebra<T>> make_algebra(const Options&) {
  return std::make_unique<CudaAlgebra<T>>();
}

template std::unique_ptr<VectorAlgebra<float>> make_algebra(const Options&);
template std::unique_ptr<VectorAlgebra<double>> make_algebra(const Options&);

}  // namespace offgrid::cuda
