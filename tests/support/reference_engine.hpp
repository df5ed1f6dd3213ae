// A slow engine of direct sums behind core's interface: its grid keeps what it was given, and the sums are made on the
// way out. It shows that plan and execute need nothing of an engine but its interface, and it writes down every call.
#pragma once

#include <limits>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/engine.hpp"
#include "core/error.hpp"
#include "core/text.hpp"
#include "kernel_sum.hpp"
#include "oracle.hpp"

namespace support {

// The calls of all reference engines, in order, as "spread 3" for a batch of three.
inline std::vector<std::string>& engine_log() {
  static std::vector<std::string> log;
  return log;
}

// The most points that reference engines say they serve.
inline std::int64_t& most_served_points() {
  static std::int64_t most = std::numeric_limits<std::int64_t>::max();
  return most;
}

inline bool& no_memory_for_engines() {
  static bool none = false;
  return none;
}

template <class T> class ReferenceEngine final : public offgrid::Engine<T> {
 public:
  using Complex = std::complex<T>;

  explicit ReferenceEngine(const offgrid::Design& design) : design_(design) {
    if (no_memory_for_engines()) throw offgrid::Error(offgrid::Status::out_of_memory, "no memory for another engine");
    engine_log().push_back("make");
  }

  void set_points(const offgrid::Points<T>& points, offgrid::Stream) override {
    PointSet<T> next;
    for (int a = 0; a < design_.dim(); ++a) next.axis.emplace_back(points.axis[a], points.axis[a] + points.count);
    for (const auto& axis : next.axis)
      for (const T x : axis)
        if (!std::isfinite(x)) throw offgrid::Error(offgrid::Status::invalid_argument, "points: not finite");
    points_ = std::move(next);
    note("set_points", points.count);
  }

  [[nodiscard]] bool serves(std::int64_t points) const override {
    note("serves", points);
    return points <= most_served_points();
  }

  offgrid::GridLease lease_grid(std::int64_t batch, offgrid::Stream) const override {
    note("lease", batch);
    return {new Kept{{}, batch}, [](offgrid::Grid* grid) { delete grid; }};
  }

  void spread(const Complex* strengths, offgrid::Grid& grid, offgrid::Stream) const override {
    Kept& kept = dynamic_cast<Kept&>(grid);
    kept.values.assign(strengths, strengths + kept.batch * points_.count());
    note("spread", kept.batch);
  }

  void grid_to_modes(offgrid::Grid& grid, Complex* modes, offgrid::Sign sign, offgrid::Stream) const override {
    write(dynamic_cast<Kept&>(grid), To::modes, sign, modes);
    note(sign == offgrid::Sign::plus ? "to_modes+" : "to_modes-", dynamic_cast<Kept&>(grid).batch);
  }

  void modes_to_grid(const Complex* modes, offgrid::Grid& grid, offgrid::Sign sign, offgrid::Stream) const override {
    Kept& kept = dynamic_cast<Kept&>(grid);
    kept.values.assign(modes, modes + kept.batch * design_.uniform_count());
    kept.sign = sign;
    note(sign == offgrid::Sign::plus ? "from_modes+" : "from_modes-", kept.batch);
  }

  void interpolate(const offgrid::Grid& grid, const offgrid::PointFactors<T>&, Complex* strengths,
                   offgrid::Stream) const override {
    const Kept& kept = dynamic_cast<const Kept&>(grid);
    if (design_.has_modes())
      write(kept, To::points, kept.sign, strengths);
    else
      give(kernel_sum().template to_points<T>(points_, kept.values), strengths);
    note("interpolate", kept.batch);
  }

  void grid_to_cells(offgrid::Grid& grid, Complex* cells, offgrid::Stream) const override {
    const Kept& kept = dynamic_cast<const Kept&>(grid);
    give(kernel_sum().template to_cells<T>(points_, kept.values), cells);
    note("to_cells", kept.batch);
  }

  void cells_to_grid(const Complex* cells, offgrid::Grid& grid, offgrid::Stream) const override {
    Kept& kept = dynamic_cast<Kept&>(grid);
    kept.values.assign(cells, cells + kept.batch * design_.uniform_count());
    note("from_cells", kept.batch);
  }

  [[nodiscard]] std::size_t workspace_bytes() const override { return 0; }
  [[nodiscard]] std::size_t memory_bytes() const override { return 0; }
  [[nodiscard]] std::size_t peak_bytes() const override { return 0; }
  [[nodiscard]] std::string describe() const override { return "engine       reference\n"; }

 private:
  struct Kept final : offgrid::Grid {
    Kept(std::vector<Complex> v, std::int64_t b) : values(std::move(v)), batch(b) {}
    std::vector<Complex> values;
    std::int64_t batch;
    offgrid::Sign sign = offgrid::Sign::plus;
  };

  static void note(const char* what, std::int64_t batch) { engine_log().push_back(offgrid::text(what, " ", batch)); }

  void write(const Kept& kept, To to, offgrid::Sign sign, Complex* out) const {
    const auto& modes = design_.problem.modes;
    const Sum sum{{modes.begin(), modes.begin() + design_.dim()},
                  static_cast<int>(sign),
                  kept.batch,
                  design_.options.mode_order == offgrid::ModeOrder::fft};
    give(direct_sum<T>(to, sum, points_, kept.values), out);
  }
  static void give(const Sums& sums, Complex* out) {
    for (const auto& value : sums) *out++ = Complex(value);
  }
  [[nodiscard]] KernelSum kernel_sum() const {
    return KernelSum(design_.window, {design_.grid.begin(), design_.grid.begin() + design_.dim()});
  }

  offgrid::Design design_;
  PointSet<T> points_;
};

inline offgrid::Backend reference_backend() {
  offgrid::Backend backend;
  backend.traits.name = "reference";
  backend.make_f32 = [](const offgrid::Design& design) -> std::unique_ptr<offgrid::Engine<float>> {
    return std::make_unique<ReferenceEngine<float>>(design);
  };
  backend.make_f64 = [](const offgrid::Design& design) -> std::unique_ptr<offgrid::Engine<double>> {
    return std::make_unique<ReferenceEngine<double>>(design);
  };
  return backend;
}

}  // namespace support
