#include <algorithm>
#include <mutex>
#include <vector>

#include "cuda/fft/axis_modes.hpp"
#include "cuda/fft/fft.hpp"
#include "cuda/fft/line_passes.hpp"
#include "cuda/fft/stockham.hpp"
#include "cuda/fft/stockham_plan.hpp"
#include "cuda/kernels/complex.cuh"
#include "cuda/launch/clear.hpp"

namespace offgrid::cuda {
namespace {

constexpr int threads = 256, warps = threads / 32;
constexpr int together = 8;           // loads that a lane has in flight
constexpr int piece = 32 * together;  // the most values of a row that a warp works on

// The crop and pad kernels go with cuFFT. Their blocks are numbered by rows of a plane (x), vectors (y) and planes (z).
// A warp takes a piece of a row. for_row calls row(y, first, end): this lane has the values first, first + 32, ..
// before end.
template <class Row> __device__ void for_row(std::uint32_t length, std::uint32_t rows, Row row) {
  const std::uint32_t pieces = (length + piece - 1) / piece, mine = blockIdx.x * warps + threadIdx.x / 32;
  const std::uint32_t y = mine / pieces, first = (mine - y * pieces) * piece, end = min(length, first + piece);
  if (y < rows) row(static_cast<int>(y), static_cast<int>(min(first + threadIdx.x % 32, end)), static_cast<int>(end));
}

// Calls load(i, x) for all of the lane's values, so that its loads are in flight together, and then store(i, x) for
// those before `end`.
template <class Load, class Store> __device__ void load_and_store(int first, int end, Load load, Store store) {
#pragma unroll
  for (int i = 0; i < together; ++i) load(i, first + min(32 * i, end - 1 - first));
#pragma unroll
  for (int i = 0; i < together; ++i)
    if (32 * i < end - first) store(i, first + 32 * i);
}

dim3 blocks_of(std::int64_t length, std::int64_t rows, std::int64_t planes, int batch) {
  const auto limited = [](std::int64_t count) { return static_cast<unsigned>(std::min<std::int64_t>(count, 65535)); };
  const std::int64_t all = (length + piece - 1) / piece * rows;
  return {static_cast<unsigned>((all + warps - 1) / warps), limited(batch), limited(planes)};
}

template <class T, class A>
__global__ void __launch_bounds__(threads) crop_kernel(const Complex<A>* cells, Complex<T>* modes, GridShape grid,
                                                       ModeBox box, Deconvolution<A> factors, int batch) {
  const AxisModes ax(grid.n[0], box.modes[0], box.fft_order), ay(grid.n[1], box.modes[1], box.fft_order),
      az(grid.n[2], box.modes[2], box.fft_order);
  for_row(box.modes[0], box.modes[1], [&](int y, int first, int end) {
    const int cy = ay.cell(y);
    for (std::int64_t z = blockIdx.z; z < box.modes[2]; z += gridDim.z) {
      const int cz = az.cell(z);
      const A factor = factors.axis[1][ay.k(cy)] * factors.axis[2][az.k(cz)];
      for (std::int64_t vector = blockIdx.y; vector < batch; vector += gridDim.y) {
        const Complex<A>* from = cells + vector * grid.cells + (std::int64_t{cz} * grid.n[1] + cy) * grid.n[0];
        Complex<T>* to = modes + ((vector * box.modes[2] + z) * box.modes[1] + y) * box.modes[0];
        Complex<A> value[together];
        A all[together];
        const auto load = [&](int i, int x) {
          const int cx = ax.cell(x);
          value[i] = from[cx];
          all[i] = factors.axis[0][ax.k(cx)];
        };
        load_and_store(first, end, load, [&](int i, int x) {
          const A scale = factor * all[i];
          to[x] = {static_cast<T>(value[i].x * scale), static_cast<T>(value[i].y * scale)};
        });
      }
    }
  });
}

template <class T, class A>
__global__ void __launch_bounds__(threads) pad_kernel(const Complex<T>* modes, Complex<A>* cells, GridShape grid,
                                                      ModeBox box, Deconvolution<A> factors, int batch) {
  const AxisModes ax(grid.n[0], box.modes[0], box.fft_order), ay(grid.n[1], box.modes[1], box.fft_order),
      az(grid.n[2], box.modes[2], box.fft_order);
  for_row(grid.n[0], grid.n[1], [&](int y, int first, int end) {
    for (int z = blockIdx.z; z < az.cells; z += gridDim.z) {
      const bool empty = !ay.holds(y) || !az.holds(z);
      const A factor = empty ? A(0) : factors.axis[1][ay.k(y)] * factors.axis[2][az.k(z)];
      for (std::int64_t vector = blockIdx.y; vector < batch; vector += gridDim.y) {
        Complex<A>* to = cells + vector * grid.cells + (std::int64_t{z} * grid.n[1] + y) * grid.n[0];
        const Complex<T>* from =
            modes + ((vector * box.modes[2] + az.index(z)) * box.modes[1] + ay.index(y)) * box.modes[0];
        if (empty) {
          for (int i = 0; i < end - first; i += 32) to[first + i] = {0, 0};
          continue;
        }
        Complex<T> mode[together];
        A all[together];
        const auto load = [&](int i, int x) {
          const bool holds = ax.holds(x);
          mode[i] = from[holds ? ax.index(x) : 0];
          all[i] = factors.axis[0][holds ? ax.k(x) : 0];
        };
        load_and_store(first, end, load, [&](int i, int x) {
          const A scale = factor * all[i];
          Complex<A> value{0, 0};
          if (ax.holds(x)) value = {static_cast<A>(mode[i].x) * scale, static_cast<A>(mode[i].y) * scale};
          to[x] = value;
        });
      }
    }
  });
}

template <class A> constexpr cufftType type_of = sizeof(A) == 4 ? CUFFT_C2C : CUFFT_Z2Z;

}  // namespace

bool has_whole_lines(const Design& design) {
  return std::all_of(design.grid.begin(), design.grid.begin() + design.dim(), [](std::int64_t n) {
    return std::binary_search(std::begin(line_sizes), std::end(line_sizes), n);
  });
}

AxisParts parts_of(const Design& design) { return design.dim() == 1 ? parts_of(design.grid[0]) : AxisParts{}; }

bool goes_by_lines(const Design& design) { return has_whole_lines(design) || parts_of(design).rows != 0; }

std::array<int, max_dim> line_lengths(const Design& design) {
  if (const AxisParts parts = parts_of(design); parts.rows != 0) return {parts.length, parts.rows};
  std::array<int, max_dim> lengths{};
  if (!has_whole_lines(design)) return lengths;
  for (int axis = 0; axis < design.dim(); ++axis) lengths[axis] = static_cast<int>(design.grid[axis]);
  return lengths;
}

namespace {

// Plans of cuFFT that no grid uses at present. They are kept because making one takes longer than running it.
class KeptPlans {
 public:
  struct Kept {
    FftPlan::Kind kind;
    cufftHandle handle;
    std::size_t work_bytes;
  };
  std::optional<Kept> take(const FftPlan::Kind& kind) {
    const std::scoped_lock lock(mutex_);
    const auto found = std::find_if(kept_.begin(), kept_.end(), [&](const Kept& one) { return one.kind == kind; });
    if (found == kept_.end()) return std::nullopt;
    const Kept taken = *found;
    kept_.erase(found);
    return taken;
  }
  void keep(const Kept& one) {
    constexpr std::size_t most = 16;
    const std::scoped_lock lock(mutex_);
    kept_.push_back(one);
    if (kept_.size() <= most) return;
    (void)cufft().destroy(kept_.front().handle);
    kept_.erase(kept_.begin());
  }
  void clear() {
    const std::scoped_lock lock(mutex_);
    for (const Kept& one : kept_) (void)cufft().destroy(one.handle);
    kept_.clear();
  }

 private:
  std::mutex mutex_;
  std::vector<Kept> kept_;  // the oldest first
};
KeptPlans& kept_plans() {
  static auto* plans = new KeptPlans;  // plans may outlive static objects
  return *plans;
}

}  // namespace

void destroy_kept_fft_plans() { kept_plans().clear(); }

std::size_t FftPlan::make(const Layout& layout, cufftType type) {
  Kind kind{0, layout, type};
  call("current device", [&] { return cudaGetDevice(&kind.device); });
  call("FFT plan", [&] {
    if (const auto kept = kept_plans().take(kind)) {
      kind_ = kind;
      handle_ = kept->handle;
      work_bytes_ = kept->work_bytes;
      return CUFFT_SUCCESS;
    }
    return cufft().create(&handle_);
  });
  if (kind_) return work_bytes_;
  try {
    call("FFT plan", [&] { return cufft().set_auto_allocation(handle_, 0); });
    Layout l = layout;
    call("FFT plan", [&] {
      return cufft().make_plan_many(handle_, l.rank, l.size.data(), l.size.data(), l.stride, l.distance, l.size.data(),
                                    l.stride, l.distance, type, l.batch, &work_bytes_);
    });
  } catch (...) {
    (void)cufft().destroy(handle_);
    throw;
  }
  kind_ = kind;
  return work_bytes_;
}

FftPlan::~FftPlan() {
  if (kind_) kept_plans().keep({*kind_, handle_, work_bytes_});
}

void FftPlan::set_work_area(void* memory) {
  if (kind_) call("FFT work area", [&] { return cufft().set_work_area(handle_, memory); });
}

template <class A> void FftPlan::run(std::complex<A>* cells, Sign sign, cudaStream_t stream) const {
  const int direction = sign == Sign::minus ? CUFFT_FORWARD : CUFFT_INVERSE;
  call("FFT stream", [&] { return cufft().set_stream(handle_, stream); });
  call("FFT", [&] {
    if constexpr (sizeof(A) == 4) {
      auto* data = reinterpret_cast<cufftComplex*>(cells);
      return cufft().exec_c2c(handle_, data, data, direction);
    } else {
      auto* data = reinterpret_cast<cufftDoubleComplex*>(cells);
      return cufft().exec_z2z(handle_, data, data, direction);
    }
  });
}

template <class A>
GridFft<A>::GridFft(const Design& design, const GridShape& grid, int multiprocessors)
    : dim_(design.dim()), grid_(grid), batch_(design.batch), multiprocessors_(multiprocessors) {
  box_ = {{design.problem.modes[0], design.problem.modes[1], design.problem.modes[2]},
          design.options.mode_order == ModeOrder::fft};
  parts_ = parts_of(design);
  by_lines_ = goes_by_lines(design);
  can_convolve_ = has_whole_lines(design) && *std::max_element(grid.n, grid.n + dim_) <= longest_convolution;
  dependent_ = by_lines_ && has_dependent_launch();
  if (by_lines_) return;
  FftPlan::Layout layout{
      .rank = dim_, .size = {}, .stride = 1, .distance = static_cast<long long>(grid.cells), .batch = batch_};
  for (int axis = 0; axis < dim_; ++axis) layout.size[dim_ - 1 - axis] = grid.n[axis];
  work_bytes_ = whole_.make(layout, type_of<A>);
  layout.batch = design.options.transforms % batch_;
  if (layout.batch > 0) work_bytes_ = std::max(work_bytes_, rest_.make(layout, type_of<A>));
}

template <class A> void GridFft<A>::set_work_area(void* memory) {
  for (FftPlan* plan : {&whole_, &rest_}) plan->set_work_area(memory);
}

template <class A> void GridFft<A>::run_whole(std::complex<A>* cells, int batch, Sign sign, cudaStream_t stream) const {
  (batch == batch_ ? whole_ : rest_).run(cells, sign, stream);
}

template <class A>
template <class T>
void GridFft<A>::crop_along(int axis, const Passes<A>& all, std::complex<A>* cells, std::complex<T>* modes, int batch,
                            Sign sign, cudaStream_t stream) const {
  const LinePass<A> pass = pass_along(axis, all, sign, LineKind::crop);
  const Queue queue{stream, multiprocessors_};
  if (axis == dim_ - 1)
    run_lines<LineKind::crop>(pass, cells, modes, batch, queue);
  else
    run_lines<LineKind::crop>(pass, cells, cells, batch, queue);
}

template <class A>
template <class T>
void GridFft<A>::pad_along(int axis, const Passes<A>& all, const std::complex<T>* modes, std::complex<A>* cells,
                           int batch, Sign sign, cudaStream_t stream) const {
  const LinePass<A> pass = pass_along(axis, all, sign, LineKind::pad);
  const Queue queue{stream, multiprocessors_};
  if (axis == dim_ - 1)
    run_lines<LineKind::pad>(pass, modes, cells, batch, queue);
  else
    run_lines<LineKind::pad>(pass, cells, cells, batch, queue);
}

template <class A>
template <class T>
void GridFft<A>::crop_parts(const Passes<A>& all, std::complex<A>* cells, std::complex<T>* modes, int batch, Sign sign,
                            cudaStream_t stream) const {
  const Queue queue{stream, multiprocessors_};
  const LinePass<A> columns = pass_of_columns(parts_, all, sign, LineKind::twiddle_after);
  run_lines<LineKind::twiddle_after>(columns, cells, cells, batch, queue);
  const LinePass<A> rows = pass_of_rows(parts_, all, sign, LineKind::crop_parts);
  run_lines<LineKind::crop_parts>(rows, cells, modes, batch, queue);
}

template <class A>
template <class T>
void GridFft<A>::pad_parts(const Passes<A>& all, const std::complex<T>* modes, std::complex<A>* cells, int batch,
                           Sign sign, cudaStream_t stream) const {
  const Queue queue{stream, multiprocessors_};
  const LinePass<A> rows = pass_of_rows(parts_, all, sign, LineKind::pad_parts);
  run_lines<LineKind::pad_parts>(rows, modes, cells, batch, queue);
  const LinePass<A> columns = pass_of_columns(parts_, all, sign, LineKind::twiddle_before);
  run_lines<LineKind::twiddle_before>(columns, cells, cells, batch, queue);
}

// The fastest axis is the last one on the way to the grid and the first one on the way back, so that one pass does both and its
// lines are never written in full.
template <class A>
void GridFft<A>::convolve(const std::complex<A>* modes, std::complex<A>* cells, const A* spectrum,
                          std::complex<A>* result, int batch, const Deconvolution<A>& factors,
                          cudaStream_t stream) const {
  const Passes<A> all{.grid = grid_, .box = box_, .factors = factors, .dim = dim_, .dependent = dependent_};
  for (int axis = dim_ - 1; axis > 0; --axis) pad_along(axis, all, modes, cells, batch, Sign::plus, stream);
  LinePass<A> pass = pass_along(0, all, Sign::plus, LineKind::pad);
  pass.to = pass.from;
  pass.spectrum = spectrum;
  run_lines<LineKind::convolve>(pass, dim_ == 1 ? modes : cells, dim_ == 1 ? result : cells, batch,
                                {stream, multiprocessors_});
  for (int axis = 1; axis < dim_; ++axis) crop_along(axis, all, cells, result, batch, Sign::minus, stream);
}

template <class A>
template <class T>
void GridFft<A>::grid_to_modes(std::complex<A>* cells, std::complex<T>* modes, int batch, Sign sign,
                               const Deconvolution<A>& factors, cudaStream_t stream) const {
  const Passes<A> all{.grid = grid_, .box = box_, .factors = factors, .dim = dim_, .dependent = dependent_};
  if (parts_.rows != 0) return crop_parts(all, cells, modes, batch, sign, stream);
  for (int axis = 0; by_lines_ && axis < dim_; ++axis) crop_along(axis, all, cells, modes, batch, sign, stream);
  if (by_lines_) return;
  run_whole(cells, batch, sign, stream);
  crop_kernel<T, A><<<blocks_of(box_.modes[0], box_.modes[1], box_.modes[2], batch), threads, 0, stream>>>(
      reinterpret_cast<const Complex<A>*>(cells), reinterpret_cast<Complex<T>*>(modes), grid_, box_, factors, batch);
  check_launch("deconvolution");
}

template <class A>
template <class T>
void GridFft<A>::modes_to_grid(const std::complex<T>* modes, std::complex<A>* cells, int batch, Sign sign,
                               const Deconvolution<A>& factors, cudaStream_t stream) const {
  const Passes<A> all{.grid = grid_, .box = box_, .factors = factors, .dim = dim_, .dependent = dependent_};
  if (parts_.rows != 0) return pad_parts(all, modes, cells, batch, sign, stream);
  for (int axis = dim_ - 1; by_lines_ && axis >= 0; --axis) pad_along(axis, all, modes, cells, batch, sign, stream);
  if (by_lines_) return;
  pad_kernel<T, A><<<blocks_of(grid_.n[0], grid_.n[1], grid_.n[2], batch), threads, 0, stream>>>(
      reinterpret_cast<const Complex<T>*>(modes), reinterpret_cast<Complex<A>*>(cells), grid_, box_, factors, batch);
  check_launch("deconvolution");
  run_whole(cells, batch, sign, stream);
}

#define OFFGRID_TO_MODES(A, T)                                                                                    \
  template void GridFft<A>::grid_to_modes(std::complex<A>*, std::complex<T>*, int, Sign, const Deconvolution<A>&, \
                                          cudaStream_t) const;
#define OFFGRID_TO_GRID(A, T)                                                                  \
  template void GridFft<A>::modes_to_grid(const std::complex<T>*, std::complex<A>*, int, Sign, \
                                          const Deconvolution<A>&, cudaStream_t) const;
template class GridFft<float>;
template class GridFft<double>;
OFFGRID_TO_MODES(float, float)
OFFGRID_TO_MODES(double, double)
OFFGRID_TO_MODES(double, float)
OFFGRID_TO_GRID(float, float)
OFFGRID_TO_GRID(double, double)
#undef OFFGRID_TO_MODES
#undef OFFGRID_TO_GRID

}  // namespace offgrid::cuda
