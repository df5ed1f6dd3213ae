// A plan of type 3, sources to targets, made of two engines and products at points (type3/design.hpp has the formulas):
//   execute   strengths -> [phases of the sources] -> spread -> cells -> inner type 2 -> factors of the targets -> values
//   adjoint   the same backwards, with conjugate factors
// Where there are few sources and targets the sum over all pairs costs less; then execute and adjoint are that sum.
// It is designed when its sources and targets are set together, or from two boxes around them. After that either of them may
// be set anew, as long as it stays in its box and needs no finer grids.
#pragma once

#include <memory>
#include <optional>

#include "core/plan.hpp"
#include "core/room_pool.hpp"
#include "core/type3/design.hpp"

namespace offgrid {

template <class T> class Type3Plan final : public AnyPlan {
 public:
  Type3Plan(const Problem& problem, const Options& options, const Backend& backend);

  void set_points(std::int64_t count, const std::array<const void*, max_dim>& axes, Stream stream) override;
  void set_targets(std::int64_t count, const std::array<const void*, max_dim>& axes, Stream stream) override;
  void set_points_and_targets(const RawPoints& sources, const RawPoints& targets, Stream stream) override;
  void set_boxes(const Box& sources, const Box& targets) override;
  void execute(void* strengths, void* values, Stream stream) const override;
  void adjoint(void* strengths, void* values, Stream stream) const override;
  void add_sources(const void* strengths, Stream stream) override;
  void finish(void* values, Stream stream) override;
  [[nodiscard]] bool has_sum() const override { return stages_ && stages_->has_sums; }
  void set_workspace(void* memory, std::size_t bytes) override;
  [[nodiscard]] std::string describe() const override;
  [[nodiscard]] double get(std::string_view name) const override;

 private:
  using Complex = std::complex<T>;
  using RoomHandle = std::unique_ptr<Room<T>>;

  enum class End { sources, targets };
  // One end, as an engine and the products have it.
  struct Side {
    std::unique_ptr<Engine<T>> engine;
    RoomHandle factors;  // null where they are all 1
    RoomHandle points;   // of a sum over all pairs: their coordinates, [dim][count]
    std::int64_t count = -1;
    bool in_sums_only = false;  // points that the grids are too coarse for, if they are alone
  };
  struct Stages {
    Type3Design design;
    Type3Boxes boxes;  // that it was designed for
    Side sources, targets;
    RoomHandle sums{};  // cells that chunks of sources were added to, and what rounding took from them
    bool has_sums = false;
    [[nodiscard]] Side& at(End end) { return end == End::sources ? sources : targets; }
    [[nodiscard]] const Side& at(End end) const { return end == End::sources ? sources : targets; }
  };
  struct Call {
    Direction direction;
    Sign sign;
    Stream stream;
  };

  [[nodiscard]] Points<T> checked(End end, const RawPoints& raw) const;
  void fill(Stages& stages, End end, Points<T> points, Stream stream);
  void keep(Side& side, const Points<T>& points, Stream stream);
  [[nodiscard]] Type3Design design_by_grids(const Type3Boxes& boxes) const;
  void take_grids(Stream stream);
  void refill(End end, const RawPoints& raw, Stream stream);
  bool require_suited(End end, const Points<T>& points, Stream stream);
  [[nodiscard]] std::int64_t& count_at(End end) { return end == End::sources ? source_count_ : target_count_; }
  [[nodiscard]] std::int64_t count_at(End end) const { return end == End::sources ? source_count_ : target_count_; }
  static const char* name_of(End end) { return end == End::sources ? "points" : "targets"; }  // as callers know it
  void fill_or_lose(End end, const Points<T>& points, Stream stream);
  void fill_both(const Points<T>& sources, const Points<T>& targets, Stream stream);
  void set_by_points(const Points<T>& sources, const Points<T>& targets, Stream stream);
  void commit(std::optional<Stages> fresh);
  [[nodiscard]] static std::int64_t room_size(const Type3Design& design, std::int64_t sources, std::int64_t targets);
  [[nodiscard]] const Stages& stages(std::string_view asker) const;
  void require_box_known() const;
  void require_set(const char* asker, End end) const;
  void require_no_chunk(const char* asker) const;
  void run(const Call& call, Complex* strengths, Complex* values) const;
  void sum_directly(const Call& call, Complex* strengths, Complex* values) const;
  void spread(const Complex* strengths, Complex* scratch, Complex* cells, const Call& call) const;
  void read(Complex* cells, Complex* values, const Call& call) const;
  void run_adjoint(Complex* strengths, Complex* values, const Room<T>& room, const Call& call) const;
  void to_cells(const Side& side, const Design& design, const Vectors<T>& group, Complex* scratch,
                const Call& call) const;
  void from_cells(const Side& side, const Design& design, const Vectors<T>& group, const Call& call) const;
  void multiply(const Side& side, Sign sign, const Complex* from, Complex* to, Stream stream) const;

  Backend backend_;
  Problem problem_;
  Options options_;
  std::unique_ptr<Pointwise<T>> pointwise_;
  std::optional<Stages> stages_;
  bool from_boxes_ = false;                             // the caller's, which stay until others are given
  std::int64_t source_count_ = -1, target_count_ = -1;  // -1: not set yet
  RoomPool<T> rooms_;
};

}  // namespace offgrid
