// The local steps on the CPU: spreading by a plan of liboffgrid with the option spread_only, FFTs by the passes of the CPU engine,
// which crop, pad and deconvolve while they read and write.
#include <algorithm>
#include <new>
#include <optional>

#include "core/error.hpp"
#include "cpu/fft_modes.hpp"
#include "cpu/fft_pass.hpp"
#include "cpu/fft_plan.hpp"
#include "mpi/handles.hpp"
#include "mpi/local.hpp"

namespace offgrid::mpi::inside {
namespace {

// Uninitialised and aligned for vectors.
template <class V> class Array {
 public:
  explicit Array(std::int64_t size)
      : size_(static_cast<std::size_t>(size)),
        data_(static_cast<V*>(::operator new(std::max<std::size_t>(1, size_) * sizeof(V), alignment))) {}
  [[nodiscard]] std::span<V> span() const { return {data_.get(), size_}; }
  [[nodiscard]] V* data() const { return data_.get(); }

 private:
  static constexpr std::align_val_t alignment{64};
  struct Release {
    void operator()(V* data) const { ::operator delete(data, alignment); }
  };
  std::size_t size_;
  std::unique_ptr<V, Release> data_;
};

// Where an axis of modes lies in memory on one side of a pass, and the whole axis of the grid on the other.
struct Sides {
  std::int64_t stride, line_stride, row_stride;
};

// One axis: its FFT, its modes and their factors.
template <class T> class Axis {
 public:
  Axis(const SlabDesign& design, int axis)
      : plan_(design.grid[axis]),
        map_{design.grid[axis], design.modes[axis], design.fft_order ? ModeOrder::fft : ModeOrder::centred} {
    for (std::int64_t i = 0; i < map_.count; ++i)
      scale_.push_back(static_cast<T>(design.deconvolution[axis][static_cast<std::size_t>(map_.magnitude(i))]));
  }

  [[nodiscard]] std::int64_t scratch() const { return cpu::pass_scratch(plan_); }

  template <class Lines, class Element> void hold_cells(Lines& side, Element* data, const Sides& sides) const {
    place(side, data, sides);
    side.segments = {cpu::Segment{0, map_.n}};
  }
  template <class Lines, class Element> void hold_modes(Lines& side, Element* data, const Sides& sides) const {
    place(side, data, sides);
    side.segments = map_.segments(sides.stride);
    side.scale = scale_.data();
  }
  [[nodiscard]] cpu::AxisPass<T> pass(std::int64_t lines, std::int64_t rows, int sign) const {
    cpu::AxisPass<T> pass;
    pass.plan = &plan_;
    pass.lines = lines;
    pass.rows = rows;
    pass.sign = sign > 0 ? Sign::plus : Sign::minus;
    return pass;
  }

 private:
  template <class Lines, class Element> static void place(Lines& side, Element* data, const Sides& sides) {
    side.data = data;
    side.stride = sides.stride;
    side.line_stride = sides.line_stride;
    side.row_stride = sides.row_stride;
  }

  cpu::FftPlan<T> plan_;
  cpu::ModeMap map_;
  std::vector<T> scale_;  // [index of the mode]
};

template <class T> class LocalCpu final : public LocalSteps<T> {
 public:
  using Complex = std::complex<T>;

  LocalCpu(const SlabDesign& design, const SlabShape& shape)
      : design_(design),
        shape_(shape),
        plane_(design.dim == 3 ? design.grid[0] * design.grid[1] : design.grid[0]),
        block_(design.dim == 3 ? design.modes[0] * design.modes[1] : design.modes[0]),
        columns_count_(design.dim == 3 ? design.modes[0] * shape.rows : shape.rows),
        planes_((shape.own + 2 * shape.halo) * plane_),
        blocks_(shape.own * block_),
        columns_(design.grid[design.dim - 1] * columns_count_) {
    std::int64_t scratch = 0;
    for (int axis = 0; axis < design.dim; ++axis) {
      axes_[axis].emplace(design, axis);
      scratch = std::max(scratch, axes_[axis]->scratch());
    }
    scratch_.emplace(scratch * design.threads);
    workers_ = {design.threads, scratch_->data(), scratch};
    if (shape.own > 0) make_plan();
  }

  void set_points(std::int64_t count, const std::array<const T*, 3>& axes) override {
    count_ = count;
    if (plan_) check(offgrid_set_points(plan_.get(), count, axes[0], axes[1], axes[2], nullptr));
  }

  void spread(const Complex* strengths) override {
    if (plan_) check(offgrid_execute(plan_.get(), const_cast<Complex*>(strengths), planes_.data(), nullptr));
  }
  void interpolate(Complex* strengths) override {
    if (plan_) check(offgrid_execute_adjoint(plan_.get(), strengths, planes_.data(), nullptr));
  }

  void planes_to_blocks(int sign) override {
    if (shape_.own == 0 || block_ == 0) return;
    Complex* cells = planes_.data() + shape_.halo * plane_;
    if (design_.dim == 3) {
      auto pass = y_pass(sign);
      axes_[1]->hold_cells(pass.in, cells, y_sides());
      axes_[1]->hold_modes(pass.out, cells, y_sides());
      cpu::run_pass(pass, workers_);
    }
    auto pass = x_pass(sign);
    axes_[0]->hold_cells(pass.in, cells, x_sides_of_cells());
    axes_[0]->hold_modes(pass.out, blocks_.data(), x_sides_of_modes());
    cpu::run_pass(pass, workers_);
  }

  void blocks_to_planes(int sign) override {
    if (shape_.own == 0 || block_ == 0) return;
    Complex* cells = planes_.data() + shape_.halo * plane_;
    auto pass = x_pass(sign);
    axes_[0]->hold_modes(pass.in, blocks_.data(), x_sides_of_modes());
    axes_[0]->hold_cells(pass.out, cells, x_sides_of_cells());
    cpu::run_pass(pass, workers_);
    if (design_.dim == 2) return;
    pass = y_pass(sign);
    axes_[1]->hold_modes(pass.in, cells, y_sides());
    axes_[1]->hold_cells(pass.out, cells, y_sides());
    cpu::run_pass(pass, workers_);
  }

  void columns_to_modes(Complex* modes, int sign) override {
    if (columns_count_ == 0) return;
    auto pass = last().pass(columns_count_, 1, sign);
    last().hold_cells(pass.in, columns_.data(), last_sides());
    last().hold_modes(pass.out, modes, last_sides());
    cpu::run_pass(pass, workers_);
  }

  void modes_to_columns(const Complex* modes, int sign) override {
    if (columns_count_ == 0) return;
    auto pass = last().pass(columns_count_, 1, sign);
    last().hold_modes(pass.in, modes, last_sides());
    last().hold_cells(pass.out, columns_.data(), last_sides());
    cpu::run_pass(pass, workers_);
  }

  std::span<Complex> planes() override { return planes_.span(); }
  std::span<Complex> blocks() override { return blocks_.span(); }
  std::span<Complex> columns() override { return columns_.span(); }
  std::string describe() const override { return plan_ ? offgrid_plan_describe(plan_.get()) : ""; }

 private:
  void make_plan() {
    const OptionsHandle options = new_options();
    check(offgrid_options_set(options.get(), "spread_only", 1));
    check(offgrid_options_set(options.get(), "upsampling", design_.sigma));
    check(offgrid_options_set(options.get(), "width", design_.width));
    check(offgrid_options_set(options.get(), "window", design_.window));
    check(offgrid_options_set(options.get(), "threads", design_.threads));
    check(offgrid_options_set_text(options.get(), "device", "cpu"));
    std::array<std::int64_t, 3> cells = design_.grid;
    cells[static_cast<std::size_t>(design_.dim) - 1] = shape_.own + 2 * shape_.halo;
    offgrid_plan raw = nullptr;
    check(offgrid_plan_create(&raw, 1, design_.dim, cells.data(), 1e-6, sizeof(T) == 4 ? OFFGRID_F32 : OFFGRID_F64,
                              options.get()));
    plan_.reset(raw);
  }

  // x runs through the rows that have become modes along y; 2D has one row in each plane.
  [[nodiscard]] cpu::AxisPass<T> x_pass(int sign) const {
    return design_.dim == 3 ? axes_[0]->pass(design_.modes[1], shape_.own, sign) : axes_[0]->pass(shape_.own, 1, sign);
  }
  [[nodiscard]] cpu::AxisPass<T> y_pass(int sign) const { return axes_[1]->pass(design_.grid[0], shape_.own, sign); }
  [[nodiscard]] Sides x_sides_of_cells() const { return {1, design_.grid[0], plane_}; }
  [[nodiscard]] Sides x_sides_of_modes() const { return {1, design_.modes[0], block_}; }
  [[nodiscard]] Sides y_sides() const { return {design_.grid[0], 1, plane_}; }
  [[nodiscard]] Sides last_sides() const { return {columns_count_, 1, 0}; }
  [[nodiscard]] const Axis<T>& last() const { return *axes_[static_cast<std::size_t>(design_.dim) - 1]; }

  SlabDesign design_;
  SlabShape shape_;
  std::int64_t plane_, block_;  // numbers in a plane of cells, and in one of blocks
  std::int64_t columns_count_;
  Array<Complex> planes_, blocks_, columns_;
  std::array<std::optional<Axis<T>>, 3> axes_;
  std::optional<Array<T>> scratch_;
  cpu::Workers<T> workers_;
  PlanHandle plan_;
  std::int64_t count_ = 0;
};

}  // namespace

template <class T> std::unique_ptr<LocalSteps<T>> make_local_cpu(const SlabDesign& design, const SlabShape& shape) try {
  return std::make_unique<LocalCpu<T>>(design, shape);
} catch (const offgrid::Error& error) {
  throw Error(static_cast<offgrid_status>(error.status()), error.what());
}

template std::unique_ptr<LocalSteps<float>> make_local_cpu(const SlabDesign&, const SlabShape&);
template std::unique_ptr<LocalSteps<double>> make_local_cpu(const SlabDesign&, const SlabShape&);

}  // namespace offgrid::mpi::inside
