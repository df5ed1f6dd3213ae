#include <algorithm>

#include "cuda/fft.hpp"
#include "cuda/policy.hpp"
#include "cuda/team.cuh"

namespace offgrid::cuda {
namespace {

constexpr int threads = 256;

// Where mode k of an axis stands in an array in the caller's order, and the other way round.
__host__ __device__ inline std::int64_t mode_of(std::int64_t place, std::int64_t modes, bool fft_order) {
  if (!fft_order) return place - modes / 2;
  return place < (modes + 1) / 2 ? place : place - modes;
}
__host__ __device__ inline std::int64_t place_of(std::int64_t mode, std::int64_t modes, bool fft_order) {
  if (!fft_order) return mode + modes / 2;
  return mode < 0 ? mode + modes : mode;
}
// -1 for cells of the grid that hold no mode.
__device__ inline std::int64_t place_of_cell(std::int64_t cell, std::int64_t grid, std::int64_t modes, bool fft_order) {
  const std::int64_t mode = cell < (modes + 1) / 2 ? cell : cell - grid;
  return mode >= -(modes / 2) ? place_of(mode, modes, fft_order) : -1;
}
__device__ inline std::int64_t magnitude(std::int64_t mode) { return mode < 0 ? -mode : mode; }

// Blocks: x along a row, y rows, z planes; the vectors of a batch in a loop.
template <class T, class A>
__global__ void __launch_bounds__(threads) crop_kernel(const Complex<A>* cells, Complex<T>* modes, GridShape grid,
                                                       ModeBox box, Deconvolution<A> factors, int batch) {
  const std::int64_t x = std::int64_t{blockIdx.x} * threads + threadIdx.x;
  if (x >= box.modes[0]) return;
  const std::int64_t kx = mode_of(x, box.modes[0], box.fft_order), cx = kx < 0 ? kx + grid.n[0] : kx;
  const A fx = factors.axis[0][magnitude(kx)];
  for (std::int64_t z = blockIdx.z; z < box.modes[2]; z += gridDim.z)
    for (std::int64_t y = blockIdx.y; y < box.modes[1]; y += gridDim.y) {
      const std::int64_t ky = mode_of(y, box.modes[1], box.fft_order), kz = mode_of(z, box.modes[2], box.fft_order);
      const std::int64_t cy = ky < 0 ? ky + grid.n[1] : ky, cz = kz < 0 ? kz + grid.n[2] : kz;
      const A factor = fx * factors.axis[1][magnitude(ky)] * factors.axis[2][magnitude(kz)];
      const Complex<A>* from = cells + (cz * grid.n[1] + cy) * grid.n[0] + cx;
      Complex<T>* to = modes + (z * box.modes[1] + y) * box.modes[0] + x;
      for (int vector = 0; vector < batch;
           ++vector, from += grid.cells, to += box.modes[0] * box.modes[1] * box.modes[2])
        *to = {static_cast<T>(from->x * factor), static_cast<T>(from->y * factor)};
    }
}

// Writes every cell of the planes [0, kept) and [n3 - kept, n3), or of all of them where kept is 0.
template <class T, class A>
__global__ void __launch_bounds__(threads)
    pad_kernel(const Complex<T>* modes, Complex<A>* cells, GridShape grid, ModeBox box, Deconvolution<A> factors,
               int batch, std::int64_t kept) {
  const std::int64_t x = std::int64_t{blockIdx.x} * threads + threadIdx.x;
  if (x >= grid.n[0]) return;
  const std::int64_t px = place_of_cell(x, grid.n[0], box.modes[0], box.fft_order);
  const A fx = px >= 0 ? factors.axis[0][magnitude(mode_of(px, box.modes[0], box.fft_order))] : A(0);
  const std::int64_t planes = kept > 0 ? 2 * kept : grid.n[2];
  for (std::int64_t plane = blockIdx.z; plane < planes; plane += gridDim.z)
    for (std::int64_t y = blockIdx.y; y < grid.n[1]; y += gridDim.y) {
      const std::int64_t z = kept > 0 && plane >= kept ? plane + grid.n[2] - planes : plane;
      const std::int64_t py = place_of_cell(y, grid.n[1], box.modes[1], box.fft_order);
      const std::int64_t pz = place_of_cell(z, grid.n[2], box.modes[2], box.fft_order);
      Complex<A>* to = cells + (z * grid.n[1] + y) * grid.n[0] + x;
      if (px < 0 || py < 0 || pz < 0) {
        for (int vector = 0; vector < batch; ++vector, to += grid.cells) *to = {0, 0};
        continue;
      }
      const A factor = fx * factors.axis[1][magnitude(mode_of(py, box.modes[1], box.fft_order))] *
                       factors.axis[2][magnitude(mode_of(pz, box.modes[2], box.fft_order))];
      const Complex<T>* from = modes + (pz * box.modes[1] + py) * box.modes[0] + px;
      for (int vector = 0; vector < batch;
           ++vector, to += grid.cells, from += box.modes[0] * box.modes[1] * box.modes[2])
        *to = {static_cast<A>(from->x) * factor, static_cast<A>(from->y) * factor};
    }
}

dim3 blocks_of(std::int64_t length, std::int64_t rows, std::int64_t planes) {
  const auto limited = [](std::int64_t count) { return static_cast<unsigned>(std::min<std::int64_t>(count, 65535)); };
  return {static_cast<unsigned>((length + threads - 1) / threads), limited(rows), limited(planes)};
}

template <class A> constexpr cufftType type_of = sizeof(A) == 4 ? CUFFT_C2C : CUFFT_Z2Z;

}  // namespace

std::size_t FftPlan::make(const Layout& layout, cufftType type) {
  call("FFT plan", [&] { return cufftCreate(&handle_); });
  made_ = true;
  call("FFT plan", [&] { return cufftSetAutoAllocation(handle_, 0); });
  std::size_t bytes = 0;
  Layout l = layout;
  call("FFT plan", [&] {
    return cufftMakePlanMany64(handle_, l.rank, l.size, l.size, l.stride, l.distance, l.size, l.stride, l.distance,
                               type, l.batch, &bytes);
  });
  return bytes;
}

void FftPlan::set_work_area(void* memory) {
  if (made_) call("FFT work area", [&] { return cufftSetWorkArea(handle_, memory); });
}

template <class A> void FftPlan::run(std::complex<A>* cells, Sign sign, cudaStream_t stream) const {
  const int direction = sign == Sign::minus ? CUFFT_FORWARD : CUFFT_INVERSE;
  call("FFT stream", [&] { return cufftSetStream(handle_, stream); });
  call("FFT", [&] {
    if constexpr (sizeof(A) == 4) {
      auto* data = reinterpret_cast<cufftComplex*>(cells);
      return cufftExecC2C(handle_, data, data, direction);
    } else {
      auto* data = reinterpret_cast<cufftDoubleComplex*>(cells);
      return cufftExecZ2Z(handle_, data, data, direction);
    }
  });
}

template <class A>
GridFft<A>::GridFft(const Design& design, const GridShape& grid, std::int64_t batch)
    : dim_(design.dim()), grid_(grid), batch_(batch) {
  box_ = {{design.problem.modes[0], design.problem.modes[1], design.problem.modes[2]},
          design.options.mode_order == ModeOrder::fft};
  const auto cells = static_cast<long long>(grid.cells);
  pruned_ = dim_ == 3 && cells * std::int64_t{sizeof(std::complex<A>)} >= pruned_fft_bytes;
  planes_ = grid.n[dim_ - 1], plane_cells_ = cells / planes_;
  FftPlan::Layout layout{dim_, {}, 1, cells, batch};
  for (int axis = 0; axis < dim_; ++axis) layout.size[dim_ - 1 - axis] = grid.n[axis];
  if (!pruned_) {
    work_bytes_ = whole_.make(layout, type_of<A>);
    layout.batch = design.options.transforms % batch;
    if (layout.batch > 0) work_bytes_ = std::max(work_bytes_, rest_.make(layout, type_of<A>));
    return;
  }
  kept_ = (box_.modes[dim_ - 1] + 1) / 2;
  work_bytes_ = along_.make({1, {planes_}, plane_cells_, 1, plane_cells_}, type_of<A>);
  FftPlan::Layout plane{dim_ - 1, {}, 1, plane_cells_, kept_};
  for (int axis = 0; axis < dim_ - 1; ++axis) plane.size[dim_ - 2 - axis] = grid.n[axis];
  work_bytes_ = std::max(work_bytes_, planes_plan_.make(plane, type_of<A>));
}

template <class A> void GridFft<A>::set_work_area(void* memory) {
  for (FftPlan* plan : {&whole_, &rest_, &along_, &planes_plan_}) plan->set_work_area(memory);
}

template <class A> void GridFft<A>::run_whole(std::complex<A>* cells, int batch, Sign sign, cudaStream_t stream) const {
  (batch == batch_ ? whole_ : rest_).run(cells, sign, stream);
}

template <class A> void GridFft<A>::run_planes(std::complex<A>* cells, Sign sign, cudaStream_t stream) const {
  planes_plan_.run(cells, sign, stream);
  planes_plan_.run(cells + (planes_ - kept_) * plane_cells_, sign, stream);
}

template <class A>
template <class T>
void GridFft<A>::grid_to_modes(std::complex<A>* cells, std::complex<T>* modes, int batch, Sign sign,
                               const Deconvolution<A>& factors, cudaStream_t stream) const {
  if (!pruned_) run_whole(cells, batch, sign, stream);
  for (int vector = 0; pruned_ && vector < batch; ++vector) {
    along_.run(cells + vector * grid_.cells, sign, stream);
    run_planes(cells + vector * grid_.cells, sign, stream);
  }
  crop_kernel<T, A><<<blocks_of(box_.modes[0], box_.modes[1], box_.modes[2]), threads, 0, stream>>>(
      reinterpret_cast<const Complex<A>*>(cells), reinterpret_cast<Complex<T>*>(modes), grid_, box_, factors, batch);
  check_launch("deconvolution");
}

template <class A>
template <class T>
void GridFft<A>::modes_to_grid(const std::complex<T>* modes, std::complex<A>* cells, int batch, Sign sign,
                               const Deconvolution<A>& factors, cudaStream_t stream) const {
  const std::int64_t kept = pruned_ ? kept_ : 0;
  pad_kernel<T, A><<<blocks_of(grid_.n[0], grid_.n[1], pruned_ ? 2 * kept : grid_.n[2]), threads, 0, stream>>>(
      reinterpret_cast<const Complex<T>*>(modes), reinterpret_cast<Complex<A>*>(cells), grid_, box_, factors, batch,
      kept);
  check_launch("deconvolution");
  if (!pruned_) return run_whole(cells, batch, sign, stream);
  const auto idle = static_cast<std::size_t>((planes_ - 2 * kept_) * plane_cells_) * sizeof(std::complex<A>);
  for (int vector = 0; vector < batch; ++vector) {
    std::complex<A>* mine = cells + vector * grid_.cells;
    call("clearing the grid", [&] { return cudaMemsetAsync(mine + kept_ * plane_cells_, 0, idle, stream); });
    run_planes(mine, sign, stream);
    along_.run(mine, sign, stream);
  }
}

template class GridFft<float>;
template class GridFft<double>;
#define OFFGRID_INSTANTIATE(A, T)                                                                                 \
  template void GridFft<A>::grid_to_modes(std::complex<A>*, std::complex<T>*, int, Sign, const Deconvolution<A>&, \
                                          cudaStream_t) const;                                                    \
  template void GridFft<A>::modes_to_grid(const std::complex<T>*, std::complex<A>*, int, Sign,                    \
                                          const Deconvolution<A>&, cudaStream_t) const;
OFFGRID_INSTANTIATE(float, float)
OFFGRID_INSTANTIATE(double, double)
OFFGRID_INSTANTIATE(double, float)
#undef OFFGRID_INSTANTIATE

}  // namespace offgrid::cuda
