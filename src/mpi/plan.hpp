// A plan on many ranks, as the C functions see it: replicated.hpp or slabs.hpp.
#pragma once

#include <array>
#include <chrono>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "mpi/guard.hpp"
#include "mpi/ranks.hpp"

namespace offgrid::mpi::inside {

// What is asked for, the same on every rank.
struct Request {
  int type = 1, dim = 1;
  std::vector<std::int64_t> modes;
  double tolerance = 1e-6;
  offgrid_precision precision = OFFGRID_F64;
  offgrid_options options = nullptr;  // read while the plan is made

  [[nodiscard]] std::int64_t mode_count() const {
    std::int64_t all = 1;
    for (const std::int64_t n : modes) all *= n;
    return all;
  }
};

struct PointArrays {
  std::int64_t count = 0;
  std::array<const void*, 3> axes{};
};

// Along each axis the first index and the number of indices.
struct Box {
  std::array<std::int64_t, 3> first{0, 0, 0}, count{1, 1, 1};
};

enum class Way { forward, adjoint };

// Points that one rank refuses are refused by all. Some have taken theirs by then, so the plan has none on any rank until a
// later call succeeds: no execute then meets arrays of an earlier length.
constexpr std::int64_t unset = -1;  // a count of points or targets
inline void require_set(std::int64_t points) {
  if (points == unset)
    throw Error(OFFGRID_WRONG_STATE,
                "execute: the plan has no points yet, or a rank was refused its last ones; call set_points first");
}

class AnyPlan {
 public:
  virtual ~AnyPlan() = default;
  virtual void set_result(offgrid_mpi_result result) = 0;
  virtual void set_points(const PointArrays& points) = 0;
  virtual void set_points_and_targets(const PointArrays& points, const PointArrays& targets) = 0;
  virtual void execute(Way way, void* strengths, void* modes) = 0;
  [[nodiscard]] virtual Box local_modes() const = 0;
  [[nodiscard]] virtual Box local_vectors() const = 0;  // in the first axis
  [[nodiscard]] virtual double get(const std::string& name) const = 0;
  [[nodiscard]] virtual std::string describe() const = 0;
};

// Seconds of the parts of an execute, by name.
class Stopwatch {
 public:
  Stopwatch() { clear(); }
  void clear() {
    for (const char* name : {"points", "spread", "halo", "fft", "transpose", "sum"})
      seconds_["seconds_" + std::string(name)] = 0;
  }
  template <class F> void time(const char* name, F&& body) {
    const auto start = std::chrono::steady_clock::now();
    body();
    seconds_.at("seconds_" + std::string(name)) +=
        std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  }
  [[nodiscard]] const double* find(const std::string& name) const {
    const auto found = seconds_.find(name);
    return found == seconds_.end() ? nullptr : &found->second;
  }

 private:
  std::map<std::string, double> seconds_;
};

std::unique_ptr<AnyPlan> make_replicated(std::shared_ptr<const Ranks> ranks, const Request& request);
std::unique_ptr<AnyPlan> make_slabs(std::shared_ptr<const Ranks> ranks, const Request& request);

}  // namespace offgrid::mpi::inside
