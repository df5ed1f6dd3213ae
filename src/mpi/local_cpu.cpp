// The local steps on the CPU: spreading by a plan of liboffgrid with the option spread_only, FFTs by the passes of the CPU
// engine, which crop, pad and deconvolve while they read and write.
#include <algorithm>
#include <optional>

#include "core/error.hpp"
#include "cpu/fft/fft_modes.hpp"
#include "cpu/fft/fft_pass.hpp"
#include "cpu/fft/fft_plan.hpp"
#include "mpi/spread_plan.hpp"

namespace offgrid::mpi::inside {
namespace {

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
        own_(shape.own()),
        plane_(plane_length(design)),
        row_(row_length(design)),
        block_(shape.rows.length * row_),
        columns_count_(shape.own_rows() * row_),
        planes_(host_memory(), (own_ + 2 * shape.halo()) * plane_),
        blocks_(host_memory(), own_ * block_),
        packed_(host_memory(), own_ * block_),
        columns_(host_memory(), design.grid[design.dim - 1] * columns_count_) {
    std::int64_t scratch = 0;
    for (int axis = 0; axis < design.dim; ++axis) {
      axes_[axis].emplace(design, axis);
      scratch = std::max(scratch, axes_[axis]->scratch());
    }
    scratch_ = Buffer<T>(host_memory(), scratch * design.threads);
    workers_ = {design.threads, scratch_.data(), scratch};
    if (own_ > 0) plan_ = make_spread_plan(design, shape, sizeof(T) == 4 ? OFFGRID_F32 : OFFGRID_F64, "cpu");
  }

  void set_points(std::int64_t count, const std::array<const T*, 3>& axes) override {
    if (plan_) check(offgrid_set_points(plan_.get(), count, axes[0], axes[1], axes[2], nullptr));
  }

  void spread(const Complex* strengths) override {
    if (plan_) check(offgrid_execute(plan_.get(), const_cast<Complex*>(strengths), planes_.data(), nullptr));
  }
  void interpolate(Complex* strengths) override {
    if (plan_) check(offgrid_execute_adjoint(plan_.get(), strengths, planes_.data(), nullptr));
  }

  void planes_to_blocks(int sign) override {
    if (own_ == 0) return;
    Complex* cells = planes_.data() + shape_.halo() * plane_;
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
    if (own_ == 0) return;
    Complex* cells = planes_.data() + shape_.halo() * plane_;
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

  void pack() override {
    copy_rows([](Complex* block, Complex* packed, std::int64_t length) { std::copy_n(block, length, packed); });
  }
  void unpack() override {
    copy_rows([](Complex* block, Complex* packed, std::int64_t length) { std::copy_n(packed, length, block); });
  }

  Complex* planes() const override { return planes_.data(); }
  Complex* packed() const override { return packed_.data(); }
  Complex* columns() const override { return columns_.data(); }
  std::int64_t memory_bytes() const override {
    return planes_.bytes() + blocks_.bytes() + packed_.bytes() + columns_.bytes() + scratch_.bytes() + memory_of(plan_);
  }

 private:
  // Calls copy(block, packed, length) for each rank's rows of each plane.
  template <class Copy> void copy_rows(Copy copy) const {
    Complex* packed = packed_.data();
    for (int rank = 0; rank < shape_.rows.parts; ++rank) {
      const std::int64_t length = shape_.rows.count(rank) * row_;
      for (std::int64_t plane = 0; plane < own_; ++plane, packed += length)
        copy(blocks_.data() + plane * block_ + shape_.rows.first(rank) * row_, packed, length);
    }
  }

  // x runs through the rows that have become modes along y; 2D has one row in each plane.
  [[nodiscard]] cpu::AxisPass<T> x_pass(int sign) const {
    return design_.dim == 3 ? axes_[0]->pass(design_.modes[1], own_, sign) : axes_[0]->pass(own_, 1, sign);
  }
  [[nodiscard]] cpu::AxisPass<T> y_pass(int sign) const { return axes_[1]->pass(design_.grid[0], own_, sign); }
  [[nodiscard]] Sides x_sides_of_cells() const { return {1, design_.grid[0], plane_}; }
  [[nodiscard]] Sides x_sides_of_modes() const { return {1, design_.modes[0], block_}; }
  [[nodiscard]] Sides y_sides() const { return {design_.grid[0], 1, plane_}; }
  [[nodiscard]] Sides last_sides() const { return {columns_count_, 1, 0}; }
  [[nodiscard]] const Axis<T>& last() const { return *axes_[static_cast<std::size_t>(design_.dim) - 1]; }

  SlabDesign design_;
  SlabShape shape_;
  std::int64_t own_;
  std::int64_t plane_, row_, block_;  // numbers in a plane of cells, in a row of modes, and in a plane of blocks
  std::int64_t columns_count_;
  Buffer<Complex> planes_, blocks_, packed_, columns_;  // blocks: [own][rows][N1]
  std::array<std::optional<Axis<T>>, 3> axes_;
  Buffer<T> scratch_;
  cpu::Workers<T> workers_;
  PlanHandle plan_;
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
