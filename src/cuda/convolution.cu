#include "cuda/convolution.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <vector>

#include "core/solve/gram_design.hpp"
#include "cuda/device.hpp"
#include "cuda/fft/stockham_plan.hpp"
#include "cuda/grid_pool.hpp"
#include "cuda/kernels/complex.cuh"
#include "cuda/method/choice.hpp"
#include "cuda/multiply.hpp"
#include "cuda/policy.hpp"

namespace offgrid::cuda {
namespace {

constexpr int threads = 256;
constexpr std::int64_t most_blocks = 4096;

cudaStream_t native(Stream stream) { return static_cast<cudaStream_t>(stream); }

// The real part of the transformed kernel, or all of it, over the number of cells. One of the two results is null.
template <class T>
__global__ void __launch_bounds__(threads)
    spectrum_kernel(const Complex<T>* cells, std::int64_t count, T* real, Complex<T>* complex) {
  const T scale = T(1) / static_cast<T>(count);
  for (std::int64_t i = std::int64_t{blockIdx.x} * threads + threadIdx.x; i < count;
       i += std::int64_t{gridDim.x} * threads) {
    const Complex<T> value = cells[i];
    if (real != nullptr)
      real[i] = scale * value.x;
    else
      complex[i] = {scale * value.x, scale * value.y};
  }
}

// An axis that is too long for the kernels that convolve (longest_convolution) is folded into two, which have such kernels. With
// k = L a + b and k' = L a' + b', t[k - k'] depends on a - a' and b - b' alone,
//   h[a, b] = sum over a', b' of t[L (a - a') + b - b'] f[a', b'],
// which is a convolution in 2D on twice as many cells. Only from the lowest k up, and where the number of modes has fitting
// factors.
Design folded(const Design& design) {
  constexpr std::int64_t longest = longest_convolution / 2;
  const std::int64_t modes = design.problem.modes[0];
  if (design.dim() != 1 || design.grid[0] <= longest_convolution || design.options.mode_order != ModeOrder::centred)
    return design;
  auto length = static_cast<std::int64_t>(std::sqrt(static_cast<double>(modes)));
  while (length > 0 && modes % length != 0) --length;  // the other factor is the larger one
  if (length == 0 || modes / length > longest) return design;
  Design in_two = design;
  in_two.problem.dim = 2;
  in_two.problem.modes = {modes / length, length, 1};
  for (int axis = 0; axis < 2; ++axis)
    in_two.grid[axis] =
        *std::lower_bound(std::begin(line_sizes), std::end(line_sizes), 2 * in_two.problem.modes[axis] - 1);
  in_two.batch = std::max<std::int64_t>(1, design.batch / 2);
  return in_two;
}

// The kernel of a folded axis, [2 J - 1][2 L - 1] for J rows of L modes: its rows overlap in that of the axis.
template <class T>
DeviceBuffer<std::complex<T>> folded_kernel(const std::complex<T>* kernel, const Design& design, MemoryCount& memory,
                                            cudaStream_t stream) {
  const std::int64_t length = design.problem.modes[0], rows = 2 * design.problem.modes[1] - 1, row = 2 * length - 1;
  DeviceBuffer<std::complex<T>> folded(rows * row, memory);
  for (const std::int64_t first : {std::int64_t{0}, length}) {  // a copy's rows must not overlap
    const auto bytes = static_cast<std::size_t>(std::min(length, row - first)) * sizeof(std::complex<T>);
    if (bytes == 0) continue;
    call("copy of the kernel", [&] {
      return cudaMemcpy2DAsync(folded.data() + first, static_cast<std::size_t>(row) * sizeof(std::complex<T>),
                               kernel + first, static_cast<std::size_t>(length) * sizeof(std::complex<T>), bytes,
                               static_cast<std::size_t>(rows), cudaMemcpyDeviceToDevice, stream);
    });
  }
  return folded;
}

// What the FFT reads from tables: there is no deconvolution, so that all factors are one, and the twiddle factors of its
// lines.
template <class T> class PlainTables {
 public:
  PlainTables(const Design& design, MemoryCount& memory) {
    const std::int64_t longest = *std::max_element(design.grid.begin(), design.grid.end());
    std::vector<T> host(static_cast<std::size_t>(longest / 2 + 4) / 4 * 4, T(1));  // pairs follow, aligned
    std::size_t begins[max_dim]{};
    const std::array<int, max_dim> lengths = line_lengths(design);
    for (int pass = 0; pass < max_dim; ++pass) {
      if (lengths[pass] == 0) continue;
      const std::vector<T>& twiddles = twiddles_of<T>(lengths[pass]);
      begins[pass] = host.size();
      host.insert(host.end(), twiddles.begin(), twiddles.end());
    }
    device_ = DeviceBuffer<T>(static_cast<std::int64_t>(host.size()), memory);
    copy_to_device("tables", device_.data(), host.data(), host.size() * sizeof(T));
    for (int axis = 0; axis < max_dim; ++axis) {
      factors_.axis[axis] = device_.data();
      factors_.twiddles[axis] = device_.data() + begins[axis];
    }
  }
  [[nodiscard]] const Deconvolution<T>& factors() const { return factors_; }
  void clear() { device_ = {}; }

 private:
  DeviceBuffer<T> device_;
  Deconvolution<T> factors_{};
};

template <class T> class CudaConvolution final : public Convolution<T> {
 public:
  using Numbers = std::complex<T>;

  explicit CudaConvolution(const Design& design)
      : is_folded_(folded(design).dim() != design.dim()),
        design_(folded(design)),
        device_(current_device()),
        shape_(shape_of(design_.grid, design_.dim())),
        tables_(design_, memory_),
        grids_(design_, device_.multiprocessors, memory_) {
    auto grid = grids_.make(needs());
    workspace_bytes_ = grid->bytes;
    grids_.give_back(std::move(grid));
  }

  // Once the applications are done that may still be running on the caller's streams.
  ~CudaConvolution() override {
    try {
      const DeviceGuard guard(device_.id);
      const QuietDevice quiet;
      grids_.clear();
      real_ = {};
      complex_ = {};
      tables_.clear();
    } catch (const Error&) {  // the device is gone, and with it its memory
    }
  }

  void set_kernel(const Numbers* kernel, Spectrum spectrum, Stream stream) override {
    const DeviceGuard guard(device_.id);
    const auto count = static_cast<std::int64_t>(shape_.cells);
    const bool real = spectrum == Spectrum::real;
    real_ = DeviceBuffer<T>(real ? count : 0, memory_);
    complex_ = DeviceBuffer<Numbers>(real ? 0 : count, memory_);
    const Design of_kernel = kernel_design(design_);
    GridFft<T> fft(of_kernel, shape_, device_.multiprocessors);
    const DeviceBuffer<Numbers> cells(count, memory_);
    const DeviceBuffer<std::byte> work(static_cast<std::int64_t>(fft.work_bytes()), memory_);
    fft.set_work_area(work.data());
    DeviceBuffer<Numbers> rows;
    if (is_folded_) {
      rows = folded_kernel<T>(kernel, design_, memory_, native(stream));
      kernel = rows.data();
    }
    fft.modes_to_grid(kernel, cells.data(), 1, Sign::plus, tables_.factors(), native(stream));
    const auto blocks = static_cast<unsigned>(std::min((count + threads - 1) / threads, most_blocks));
    enqueue("spectrum", spectrum_kernel<T>, {dim3(blocks), threads, 0, native(stream)},
            reinterpret_cast<const Complex<T>*>(cells.data()), count, real_.data(),
            reinterpret_cast<Complex<T>*>(complex_.data()));
  }  // waits for the device, since memory is given back

  void apply(const Numbers* f, Numbers* h, Stream stream) const override {
    const DeviceGuard guard(device_.id);
    const std::int64_t transforms = design_.options.transforms, modes = design_.uniform_count();
    for (std::int64_t first = 0; first < transforms; first += design_.batch) {
      // The key of a replay: what is read and what is written.
      const Batch<T> batch{Route::to_modes, Sign::plus, h + first * modes, const_cast<Numbers*>(f) + first * modes,
                           std::min(design_.batch, transforms - first)};
      const bool captured = is_captured(native(stream));
      const GridLease lease = grids_.lease(needs(), static_cast<int>(batch.count), native(stream), captured);
      auto& grid = static_cast<CudaGrid<T>&>(*lease);
      const auto stages = [&](Stream on) { run(batch, grid, native(on)); };
      const bool replayed =
          !captured && can_be_recorded() && grid.replays.run({batch, 0}, std::ref(stages), native(stream), grid.done);
      if (!replayed) stages(stream);
    }
  }

  std::size_t workspace_bytes() const override { return workspace_bytes_; }
  std::size_t memory_bytes() const override { return memory_.bytes; }
  std::size_t peak_bytes() const override { return memory_.peak; }

 private:
  GridNeeds needs() const { return {shape_, precision_of<T>, 0}; }

  bool can_be_recorded() const {
    const std::int64_t cells = static_cast<std::int64_t>(shape_.cells) * design_.batch;
    return cells <= most_replayed_convolution_cells && goes_by_lines(design_);
  }

  void run(const Batch<T>& batch, CudaGrid<T>& grid, cudaStream_t stream) const {
    Numbers* cells = grid.template cells<T>();
    const auto count = static_cast<int>(batch.count);
    const Numbers* f = batch.uniform;
    if (grid.fft->can_convolve() && real_.data() != nullptr)
      return grid.fft->convolve(f, cells, real_.data(), batch.strengths, count, tables_.factors(), stream);
    grid.fft->modes_to_grid(f, cells, count, Sign::plus, tables_.factors(), stream);
    const Product<T> product{.from = cells,
                             .real = real_.data(),
                             .complex = complex_.data(),
                             .to = cells,
                             .count = static_cast<std::int64_t>(shape_.cells),
                             .vectors = batch.count};
    multiply(product, {stream, device_.multiprocessors});
    grid.fft->grid_to_modes(cells, batch.strengths, count, Sign::minus, tables_.factors(), stream);
  }

  bool is_folded_;
  Design design_;
  Device device_;
  GridShape shape_;
  mutable MemoryCount memory_;
  PlainTables<T> tables_;
  DeviceBuffer<T> real_;  // the spectrum: one of these two
  DeviceBuffer<Numbers> complex_;
  std::size_t workspace_bytes_ = 0;
  mutable GridPool<T> grids_;
};

}  // namespace

template <class T> std::unique_ptr<Convolution<T>> make_convolution(const Design& design) {
  return std::make_unique<CudaConvolution<T>>(design);
}

template std::unique_ptr<Convolution<float>> make_convolution(const Design&);
template std::unique_ptr<Convolution<double>> make_convolution(const Design&);

}  // namespace offgrid::cuda
