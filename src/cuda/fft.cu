#include <algorithm>

#include "cuda/fft.hpp"
#include "cuda/line_fft.cuh"

namespace offgrid::cuda {
namespace {

constexpr int threads = 256, warps = threads / 32;
constexpr int together = 8;           // loads of a lane that are under way
constexpr int piece = 32 * together;  // of a row that a warp works on, at most

// The modes of a row or plane, in the caller's order, and the cells of the grid that hold them: the first `above`, and the
// last `below`.
struct AxisModes {
  int n, above, below, first_place, last_place;

  __host__ __device__ AxisModes(std::uint32_t cells, std::int64_t modes, bool fft_order)
      : n(static_cast<int>(cells)),
        above(static_cast<int>((modes + 1) / 2)),
        below(static_cast<int>(modes / 2)),
        first_place(fft_order ? 0 : below),
        last_place(static_cast<int>(fft_order ? modes : below)) {}
  __device__ bool holds(int cell) const { return cell < above || cell >= n - below; }
  __device__ int k(int cell) const { return cell < above ? cell : n - cell; }  // |k|
  __device__ int place(int cell) const { return cell < above ? cell + first_place : cell - n + last_place; }
  __device__ int cell(int place) const {
    const int mode = place - first_place;
    return mode < 0 ? mode + n : mode < above ? mode : place - last_place + n;
  }
};

// Blocks: x rows of a plane, y vectors, z planes. A warp takes a piece of a row: Row is called with its y, and with the
// first of its places that is this lane's and the last + 1.
template <class Row> __device__ void for_row(std::uint32_t length, std::uint32_t rows, Row row) {
  const std::uint32_t pieces = (length + piece - 1) / piece, mine = blockIdx.x * warps + threadIdx.x / 32;
  const std::uint32_t y = mine / pieces, first = (mine - y * pieces) * piece, end = min(length, first + piece);
  if (y < rows) row(static_cast<int>(y), static_cast<int>(min(first + threadIdx.x % 32, end)), static_cast<int>(end));
}

// Calls load(i, place) for all of the lane's places, so that its loads are under way together, and then store(i, place)
// for those before `end`.
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
          value[i] = from[cx], all[i] = factors.axis[0][ax.k(cx)];
        };
        load_and_store(first, end, load, [&](int i, int x) {
          const A scale = factor * all[i];
          to[x] = {static_cast<T>(value[i].x * scale), static_cast<T>(value[i].y * scale)};
        });
      }
    }
  });
}

// Writes every cell of the planes [0, kept) and [n3 - kept, n3), or of all of them where kept is 0.
template <class T, class A>
__global__ void __launch_bounds__(threads) pad_kernel(const Complex<T>* modes, Complex<A>* cells, GridShape grid,
                                                      ModeBox box, Deconvolution<A> factors, int batch, int kept) {
  const AxisModes ax(grid.n[0], box.modes[0], box.fft_order), ay(grid.n[1], box.modes[1], box.fft_order),
      az(grid.n[2], box.modes[2], box.fft_order);
  const int planes = kept > 0 ? 2 * kept : az.n;
  for_row(grid.n[0], grid.n[1], [&](int y, int first, int end) {
    for (int plane = blockIdx.z; plane < planes; plane += gridDim.z) {
      const int z = kept > 0 && plane >= kept ? plane + az.n - planes : plane;
      const bool empty = !ay.holds(y) || !az.holds(z);
      const A factor = empty ? A(0) : factors.axis[1][ay.k(y)] * factors.axis[2][az.k(z)];
      for (std::int64_t vector = blockIdx.y; vector < batch; vector += gridDim.y) {
        Complex<A>* to = cells + vector * grid.cells + (std::int64_t{z} * grid.n[1] + y) * grid.n[0];
        const Complex<T>* from =
            modes + ((vector * box.modes[2] + az.place(z)) * box.modes[1] + ay.place(y)) * box.modes[0];
        if (empty) {
          for (int i = 0; i < end - first; i += 32) to[first + i] = {0, 0};
          continue;
        }
        Complex<T> mode[together];
        A all[together];
        const auto load = [&](int i, int x) {
          const bool holds = ax.holds(x);
          mode[i] = from[holds ? ax.place(x) : 0], all[i] = factors.axis[0][holds ? ax.k(x) : 0];
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

// The lines of an axis on the grid, where the axes before it have their modes only, [N3][N2][N1], and the slowest axis has
// its modes in the caller's array.
template <class A> struct Passes {
  const GridShape& grid;
  const ModeBox& box;
  const Deconvolution<A>& factors;
  int dim;
  bool early;
};
template <class A> LinePass<A> pass_along(int axis, const Passes<A>& all, Sign sign, LineKind kind) {
  const std::uint32_t *n = all.grid.n, plane = n[0] * n[1];
  const std::uint32_t modes[] = {static_cast<std::uint32_t>(all.box.modes[0]),
                                 static_cast<std::uint32_t>(all.box.modes[1]),
                                 static_cast<std::uint32_t>(all.box.modes[2])};
  const std::uint64_t cells = all.grid.cells;
  const LineLayout layouts[] = {{1, n[0], plane, cells}, {n[0], 1, plane, cells}, {plane, 1, n[0], cells}};
  LinePass<A> pass{};
  pass.from = pass.to = layouts[axis], pass.n = static_cast<int>(n[axis]), pass.modes = static_cast<int>(modes[axis]);
  pass.sign = sign == Sign::minus ? -1 : 1, pass.fft_order = all.box.fft_order, pass.early = all.early;
  pass.u_count = axis == 0 ? n[1] : modes[0], pass.lines = pass.u_count * (axis == 2 ? modes[1] : n[2]);
  pass.factors = all.factors.axis[axis], pass.roots = all.factors.roots[axis];
  const std::uint32_t before[] = {1, modes[0], modes[0] * modes[1]};
  if (axis == all.dim - 1)
    (kind == LineKind::crop ? pass.to : pass.from) = {before[axis], 1, modes[0],
                                                      std::uint64_t{before[axis]} * modes[axis]};
  return pass;
}

template <class A> constexpr cufftType type_of = sizeof(A) == 4 ? CUFFT_C2C : CUFFT_Z2Z;

}  // namespace

bool goes_by_lines(const Design& design, std::size_t real_bytes) {
  const std::int64_t cells = design.grid[0] * design.grid[1] * design.grid[2];
  return cells * design.batch <= most_line_cells(design.dim(), real_bytes) &&
         *std::max_element(design.grid.begin(), design.grid.end()) <= longest_line;
}

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
GridFft<A>::GridFft(const Design& design, const GridShape& grid, const Device& device)
    : dim_(design.dim()), grid_(grid), batch_(design.batch), early_(device.major >= early_major) {
  box_ = {{design.problem.modes[0], design.problem.modes[1], design.problem.modes[2]},
          design.options.mode_order == ModeOrder::fft};
  const auto cells = static_cast<long long>(grid.cells);
  by_lines_ = goes_by_lines(design, sizeof(A));
  if (by_lines_) return;
  pruned_ = dim_ == 3 && cells * std::int64_t{sizeof(std::complex<A>)} >= pruned_fft_bytes;
  planes_ = grid.n[dim_ - 1], plane_cells_ = cells / planes_;
  FftPlan::Layout layout{dim_, {}, 1, cells, batch_};
  for (int axis = 0; axis < dim_; ++axis) layout.size[dim_ - 1 - axis] = grid.n[axis];
  if (!pruned_) {
    work_bytes_ = whole_.make(layout, type_of<A>);
    layout.batch = design.options.transforms % batch_;
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
  for (int axis = 0; by_lines_ && axis < dim_; ++axis) {
    const LinePass<A> pass = pass_along(axis, Passes<A>{grid_, box_, factors, dim_, early_}, sign, LineKind::crop);
    if (axis == dim_ - 1) return run_lines<LineKind::crop>(pass, cells, modes, batch, stream);
    run_lines<LineKind::crop>(pass, cells, cells, batch, stream);
  }
  if (!pruned_) run_whole(cells, batch, sign, stream);
  for (int vector = 0; pruned_ && vector < batch; ++vector) {
    along_.run(cells + vector * grid_.cells, sign, stream);
    run_planes(cells + vector * grid_.cells, sign, stream);
  }
  crop_kernel<T, A><<<blocks_of(box_.modes[0], box_.modes[1], box_.modes[2], batch), threads, 0, stream>>>(
      reinterpret_cast<const Complex<A>*>(cells), reinterpret_cast<Complex<T>*>(modes), grid_, box_, factors, batch);
  check_launch("deconvolution");
}

template <class A>
template <class T>
void GridFft<A>::modes_to_grid(const std::complex<T>* modes, std::complex<A>* cells, int batch, Sign sign,
                               const Deconvolution<A>& factors, cudaStream_t stream) const {
  for (int axis = dim_ - 1; by_lines_ && axis >= 0; --axis) {
    const LinePass<A> pass = pass_along(axis, Passes<A>{grid_, box_, factors, dim_, early_}, sign, LineKind::pad);
    if (axis == dim_ - 1)
      run_lines<LineKind::pad>(pass, modes, cells, batch, stream);
    else
      run_lines<LineKind::pad>(pass, cells, cells, batch, stream);
  }
  if (by_lines_) return;
  const int kept = pruned_ ? static_cast<int>(kept_) : 0;
  pad_kernel<T, A><<<blocks_of(grid_.n[0], grid_.n[1], pruned_ ? 2 * kept : grid_.n[2], batch), threads, 0, stream>>>(
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
