// The local steps on a GPU: spreading by a plan of liboffgrid with the option spread_only, FFTs by cuFFT, and one kernel on
// each side of the exchange, which crops, deconvolves and writes modes in the order of sending. Each step waits for the GPU, so
// that its failures are its own and times are true.
#include "core/error.hpp"
#include "mpi/cuda/batched_fft.hpp"
#include "mpi/cuda/crop.cuh"
#include "mpi/cuda/launch.cuh"
#include "mpi/spread_plan.hpp"

namespace offgrid::mpi::inside {
namespace {

template <class T> constexpr cufftType fft_type = sizeof(T) == 4 ? CUFFT_C2C : CUFFT_Z2Z;

// The deconvolution factors of all axes, and an axis of one mode for 2D, on the GPU.
template <class T> class Tables {
 public:
  explicit Tables(const SlabDesign& design) {
    std::vector<T> all{T(1)};
    std::array<std::size_t, 3> begins{};
    for (int axis = 0; axis < design.dim; ++axis) {
      begins[axis] = all.size();
      for (const double factor : design.deconvolution[axis]) all.push_back(static_cast<T>(factor));
    }
    memory_ = Buffer<T>(gpu_memory(), static_cast<std::int64_t>(all.size()));
    copy_bytes(memory_.data(), all.data(), memory_.bytes());
    wait_for_gpu("tables");
    for (int axis = 0; axis < design.dim; ++axis)
      axes_.push_back({{design.grid[axis], design.modes[axis], design.fft_order}, memory_.data() + begins[axis]});
  }
  [[nodiscard]] const AxisFactors<T>& axis(int number) const { return axes_[static_cast<std::size_t>(number)]; }
  [[nodiscard]] AxisFactors<T> one_mode() const { return {{1, 1, false}, memory_.data()}; }

 private:
  Buffer<T> memory_;
  std::vector<AxisFactors<T>> axes_;
};

template <class T> class LocalCuda final : public LocalSteps<T> {
 public:
  using Complex = std::complex<T>;

  LocalCuda(const SlabDesign& design, const SlabShape& shape)
      : design_(design),
        shape_(shape),
        own_(shape.own()),
        plane_(plane_length(design)),
        row_(row_length(design)),
        columns_count_(shape.own_rows() * row_),
        planes_(gpu_memory(), (own_ + 2 * shape.halo()) * plane_),
        packed_(gpu_memory(), own_ * shape.rows.length * row_),
        columns_(gpu_memory(), design.grid[last_axis()] * columns_count_),
        tables_(design),
        plane_fft_({.sizes = plane_sizes(), .stride = 1, .distance = plane_, .count = own_}, fft_type<T>),
        column_fft_(
            {.sizes = {design.grid[last_axis()]}, .stride = columns_count_, .distance = 1, .count = columns_count_},
            fft_type<T>),
        work_(gpu_memory(), static_cast<std::int64_t>(std::max(plane_fft_.work_bytes(), column_fft_.work_bytes()))) {
    plane_fft_.set_work_area(work_.data());
    column_fft_.set_work_area(work_.data());
    if (own_ > 0) plan_ = make_spread_plan(design, shape, sizeof(T) == 4 ? OFFGRID_F32 : OFFGRID_F64, "cuda");
  }

  void set_points(std::int64_t count, const std::array<const T*, 3>& axes) override {
    if (plan_) check(offgrid_set_points(plan_.get(), count, axes[0], axes[1], axes[2], nullptr));
    wait_for_gpu("set_points");
  }
  void spread(const Complex* strengths) override {
    if (plan_) check(offgrid_execute(plan_.get(), const_cast<Complex*>(strengths), planes_.data(), nullptr));
    wait_for_gpu("spread");
  }
  void interpolate(Complex* strengths) override {
    if (plan_) check(offgrid_execute_adjoint(plan_.get(), strengths, planes_.data(), nullptr));
    wait_for_gpu("interpolate");
  }

  void planes_to_blocks(int sign) override {
    plane_fft_.run(own_planes(), sign);
    const CropPlanes<T> crop{plane_axes(), numbers(own_planes()), numbers(packed_.data())};
    launch("crop of planes", own_, shape_.rows.length * row_, crop);
    wait_for_gpu("FFT of planes");
  }
  void blocks_to_planes(int sign) override {
    const PadPlanes<T> pad{plane_axes(), numbers(packed_.data()), numbers(own_planes())};
    launch("padding of planes", own_, plane_, pad);
    plane_fft_.run(own_planes(), sign);
    wait_for_gpu("FFT of planes");
  }
  void pack() override {}  // the crop has written modes as they are sent
  void unpack() override {}

  void columns_to_modes(Complex* modes, int sign) override {
    column_fft_.run(columns_.data(), sign);
    const CropColumns<T> crop{last(), columns_count_, numbers(columns_.data()), numbers(modes)};
    launch("crop of columns", design_.modes[last_axis()], columns_count_, crop);
    wait_for_gpu("FFT of columns");
  }
  void modes_to_columns(const Complex* modes, int sign) override {
    const PadColumns<T> pad{last(), columns_count_, numbers(modes), numbers(columns_.data())};
    launch("padding of columns", design_.grid[last_axis()], columns_count_, pad);
    column_fft_.run(columns_.data(), sign);
    wait_for_gpu("FFT of columns");
  }

  Complex* planes() const override { return planes_.data(); }
  Complex* packed() const override { return packed_.data(); }
  Complex* columns() const override { return columns_.data(); }
  std::int64_t memory_bytes() const override {
    return planes_.bytes() + packed_.bytes() + columns_.bytes() + work_.bytes() + memory_of(plan_);
  }

 private:
  [[nodiscard]] int last_axis() const { return design_.dim - 1; }
  [[nodiscard]] std::vector<long long> plane_sizes() const {
    if (design_.dim == 2) return {design_.grid[0]};
    return {design_.grid[1], design_.grid[0]};
  }
  [[nodiscard]] Complex* own_planes() const { return planes_.data() + shape_.halo() * plane_; }
  [[nodiscard]] AxisFactors<T> last() const { return tables_.axis(last_axis()); }
  [[nodiscard]] PlaneAxes<T> plane_axes() const {
    const bool flat = design_.dim == 2;
    return {.x = flat ? tables_.one_mode() : tables_.axis(0),
            .row = tables_.axis(flat ? 0 : 1),
            .packed = {.rows = shape_.rows, .own = own_, .length = row_}};
  }

  SlabDesign design_;
  SlabShape shape_;
  std::int64_t own_;
  std::int64_t plane_, row_;  // numbers in a plane of cells, and in a row of modes
  std::int64_t columns_count_;
  Buffer<Complex> planes_, packed_, columns_;
  Tables<T> tables_;
  BatchedFft plane_fft_, column_fft_;
  Buffer<std::byte> work_;  // of either FFT
  PlanHandle plan_;
};

}  // namespace

template <class T>
std::unique_ptr<LocalSteps<T>> make_local_cuda(const SlabDesign& design, const SlabShape& shape) try {
  return std::make_unique<LocalCuda<T>>(design, shape);
} catch (const offgrid::Error& error) {  // cuFFT is missing
  throw Error(static_cast<offgrid_status>(error.status()), error.what());
}

template std::unique_ptr<LocalSteps<float>> make_local_cuda(const SlabDesign&, const SlabShape&);
template std::unique_ptr<LocalSteps<double>> make_local_cuda(const SlabDesign&, const SlabShape&);

}  // namespace offgrid::mpi::inside
