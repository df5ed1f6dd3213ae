// The f32 engine: plain single precision, unless the points are so crowded that sums in single precision would miss the
// tolerance (crowding.hpp). Then spreading and its FFT run in double precision; interpolation, which adds few terms, never
// needs to.
#pragma once

#include <complex>
#include <memory>
#include <string>
#include <vector>

#include "core/engine.hpp"
#include "cpu/crowding.hpp"
#include "cpu/plain_engine.hpp"

namespace offgrid::cpu {

class WideEngine final : public Engine<float> {
 public:
  explicit WideEngine(const Design& design) : design_(design), narrow_(design) {}

  void set_points(const Points<float>& points, Stream stream) override {
    auto sets = narrow_.prepare(points);
    std::unique_ptr<PlainEngine<double>> wide;
    for (const auto& set : sets)
      if (!wide && too_crowded(design_, set.points.crowding)) wide = make_wide(points, stream);
    narrow_.commit(std::move(sets));
    wide_ = std::move(wide);
    count_ = points.count;
  }

  GridLease lease_grid(std::int64_t batch) const override {
    if (!wide_) return narrow_.lease_grid(batch);
    auto pair = std::make_unique<GridPair>();
    pair->batch = batch;
    pair->narrow = narrow_.lease_grid(batch);
    pair->wide = wide_->lease_grid(batch);
    return GridLease(pair.release(), [](Grid* grid) { delete grid; });
  }

  void spread(const Complex* strengths, Grid& grid, Stream stream) const override {
    if (!wide_) return narrow_.spread(strengths, grid, stream);
    auto& pair = static_cast<GridPair&>(grid);
    const std::vector<std::complex<double>> doubled(strengths, strengths + pair.batch * count_);
    wide_->spread(doubled.data(), *pair.wide, stream);
    pair.holds_wide = true;
  }

  void grid_to_modes(Grid& grid, Complex* modes, Sign sign, Stream stream) const override {
    if (!wide_) return narrow_.grid_to_modes(grid, modes, sign, stream);
    auto& pair = static_cast<GridPair&>(grid);
    std::vector<std::complex<double>> doubled(pair.batch * design_.mode_count());
    wide_->grid_to_modes(*pair.wide, doubled.data(), sign, stream);
    for (std::size_t i = 0; i < doubled.size(); ++i) modes[i] = Complex(doubled[i]);
  }

  void modes_to_grid(const Complex* modes, Grid& grid, Sign sign, Stream stream) const override {
    if (!wide_) return narrow_.modes_to_grid(modes, grid, sign, stream);
    auto& pair = static_cast<GridPair&>(grid);
    narrow_.modes_to_grid(modes, *pair.narrow, sign, stream);
    pair.holds_wide = false;
  }

  void interpolate(const Grid& grid, Complex* strengths, Stream stream) const override {
    if (!wide_) return narrow_.interpolate(grid, strengths, stream);
    const auto& pair = static_cast<const GridPair&>(grid);
    if (!pair.holds_wide) return narrow_.interpolate(*pair.narrow, strengths, stream);
    std::vector<std::complex<double>> doubled(pair.batch * count_);
    wide_->interpolate(*pair.wide, doubled.data(), stream);
    for (std::size_t i = 0; i < doubled.size(); ++i) strengths[i] = Complex(doubled[i]);
  }

  std::size_t workspace_bytes() const override {
    const std::int64_t doubled = design_.batch * (count_ + design_.mode_count());
    return narrow_.workspace_bytes() +
           (wide_ ? wide_->workspace_bytes() + sizeof(std::complex<double>) * static_cast<std::size_t>(doubled) : 0);
  }

  std::string describe() const override {
    return narrow_.describe() + (wide_ ? "crowded      points are spread in double precision\n" : "");
  }

 private:
  // What is leased while there is a wide engine.
  struct GridPair final : Grid {
    std::int64_t batch = 0;
    GridLease narrow, wide;
    bool holds_wide = false;  // whether the last stage filled the wide grid
  };

  std::unique_ptr<PlainEngine<double>> make_wide(const Points<float>& points, Stream stream) const {
    std::array<std::vector<double>, max_dim> axes;
    Points<double> doubled{points.count, {}};
    for (int axis = 0; axis < design_.dim(); ++axis) {
      axes[axis].assign(points.axis[axis], points.axis[axis] + points.count);
      doubled.axis[axis] = axes[axis].data();
    }
    Design design = design_;
    design.problem.precision = Precision::f64;
    auto wide = std::make_unique<PlainEngine<double>>(design);
    wide->set_points(doubled, stream);
    return wide;
  }

  Design design_;
  PlainEngine<float> narrow_;
  std::unique_ptr<PlainEngine<double>> wide_;  // null unless the points are crowded
  std::int64_t count_ = 0;
};

}  // namespace offgrid::cpu
