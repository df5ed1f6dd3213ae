// Least squares and density weights in C++20, over the C functions; offgrid.h says what they compute.
//
//   const std::vector<double> weights = offgrid::density_weights<double>({.modes = {64, 48}}, points);
//   offgrid::inverse<double>({.modes = {64, 48}}, points, values, {.weights = weights}, found);
#pragma once

#include <array>
#include <complex>
#include <cstdint>
#include <exception>
#include <functional>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "offgrid/offgrid.hpp"

namespace offgrid {
inline namespace api {

// When a solver stops. `callback` is called after each step with its number and the relative residual or change; it stops where
// this returns true. What it throws ends the call and is thrown from there.
struct Iteration {
  std::int64_t iterations = 0;  // at most; 0: 20
  double rtol = 0;              // 0: 1e-6 for the inverse, 1e-2 for density weights; below 0: no such rule
  std::function<bool(std::int64_t step, double residual)> callback{};
};

// What an inverse takes beside points and values; empty spans are left out.
template <class T> struct LeastSquares {
  std::span<const T> weights{};              // one for each point
  double regularisation = 0;                 // the factor of |f|^2
  std::span<const std::complex<T>> coils{};  // sensitivities, one coil after the other
  std::span<const std::complex<T>> start{};  // the modes to begin with; may be `found` of the call
  Iteration iteration{};
};

namespace detail {

inline void expect_length(const char* name, std::size_t length, std::size_t expected, const char* what) {
  if (length == expected) return;
  throw Error(OFFGRID_INVALID_ARGUMENT, std::string(name) + ": there are " + std::to_string(length) + ", expected " +
                                            std::to_string(expected) + ", the number of " + what);
}

// The C callback of a C++ one: no exception passes through the C functions.
class Callback {
 public:
  explicit Callback(const Iteration& iteration) : iteration_(&iteration) {}
  Callback(const Callback&) = delete;
  Callback& operator=(const Callback&) = delete;

  [[nodiscard]] offgrid_iteration raw() {
    return {iteration_->iterations, iteration_->rtol, iteration_->callback ? call : nullptr, this};
  }
  // Throws what the callback threw, or what the status says.
  void finish(offgrid_status status) const {
    if (thrown_) std::rethrow_exception(thrown_);
    check(status);
  }

 private:
  static int call(void* context, std::int64_t step, double residual) {
    auto* self = static_cast<Callback*>(context);
    try {
      return self->iteration_->callback(step, residual) ? 1 : 0;
    } catch (...) {
      self->thrown_ = std::current_exception();
      return 1;
    }
  }

  const Iteration* iteration_;
  std::exception_ptr thrown_;
};

// Arrays of points, one for each axis of the modes.
template <class T> struct RawAxes {
  using Axes = std::span<const std::span<const T>>;
  RawAxes(const Problem& problem, Axes points) : dim(static_cast<int>(problem.modes.size())) {
    expect_length("points", points.size(), problem.modes.size(), "axes of the modes");
    if (points.size() > axis.size()) return;  // refused by the C function
    count = points.empty() ? 0 : points[0].size();
    for (std::size_t a = 0; a < points.size(); ++a) {
      expect_length("an axis of points", points[a].size(), count, "points along the first one");
      axis[a] = points[a].data();
    }
  }
  int dim;
  std::size_t count = 0;
  std::array<const void*, 3> axis{};
};

template <class T> inline constexpr offgrid_precision precision = sizeof(T) == 4 ? OFFGRID_F32 : OFFGRID_F64;

// Null where there are no numbers: then the C functions leave the array out.
template <class V> const V* data_or_null(std::span<const V> array) { return array.empty() ? nullptr : array.data(); }

}  // namespace detail

// Writes to `found` the modes whose values at the points come nearest to `values`. problem.type and transforms are not heeded.
// values: one for each point, or for each coil and point.
template <class T>
void inverse(const Problem& problem, std::span<const std::span<const T>> points,
             std::span<const std::complex<T>> values, const std::type_identity_t<LeastSquares<T>>& asked,
             std::span<std::complex<T>> found, void* stream = nullptr) {
  const detail::RawAxes<T> axes(problem, points);
  std::size_t modes = 1;
  for (const std::int64_t n : problem.modes) modes *= static_cast<std::size_t>(n > 0 ? n : 0);
  const std::size_t coils = modes == 0 ? 0 : asked.coils.size() / modes;
  if (!asked.coils.empty()) detail::expect_length("coils", asked.coils.size(), coils * modes, "whole sets of modes");
  if (!asked.weights.empty()) detail::expect_length("weights", asked.weights.size(), axes.count, "points");
  if (!asked.start.empty()) detail::expect_length("start", asked.start.size(), modes, "modes");
  detail::expect_length("values", values.size(), axes.count * (coils > 0 ? coils : 1), "points, times that of coils");
  detail::expect_length("found", found.size(), modes, "modes");
  detail::Callback callback(asked.iteration);
  const offgrid_least_squares raw{.weights = detail::data_or_null(asked.weights),
                                  .regularisation = asked.regularisation,
                                  .coils = detail::data_or_null(asked.coils),
                                  .coil_count = static_cast<std::int64_t>(coils),
                                  .start = detail::data_or_null(asked.start),
                                  .iteration = callback.raw()};
  Problem one = problem;
  one.transforms = 1;
  const auto options = detail::make_options(one);
  callback.finish(offgrid_inverse(axes.dim, problem.modes.data(), problem.tolerance, detail::precision<T>,
                                  options.get(), static_cast<std::int64_t>(axes.count), axes.axis.data(), values.data(),
                                  &raw, found.data(), stream));
}

// Writes to `weights` the part of the period that each point stands for. Of the problem, modes and options are heeded.
template <class T>
void density_weights(const Problem& problem, std::span<const std::span<const T>> points, std::span<T> weights,
                     const Iteration& iteration = {}, void* stream = nullptr) {
  const detail::RawAxes<T> axes(problem, points);
  detail::expect_length("weights", weights.size(), axes.count, "points");
  detail::Callback callback(iteration);
  const offgrid_iteration raw = callback.raw();
  Problem one = problem;
  one.transforms = 1;
  const auto options = detail::make_options(one);
  callback.finish(offgrid_density_weights(axes.dim, problem.modes.data(), detail::precision<T>, options.get(),
                                          static_cast<std::int64_t>(axes.count), axes.axis.data(), &raw, weights.data(),
                                          stream));
}

// The same in an array of the host's.
template <class T>
[[nodiscard]] std::vector<T> density_weights(const Problem& problem, std::span<const std::span<const T>> points,
                                             const Iteration& iteration = {}) {
  std::vector<T> weights(points.empty() ? 0 : points[0].size());
  density_weights<T>(problem, points, std::span<T>(weights), iteration);
  return weights;
}

}  // namespace api
}  // namespace offgrid
