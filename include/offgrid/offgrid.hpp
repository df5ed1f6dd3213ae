// offgrid's C++20 interface: an RAII plan over the C functions, with spans and exceptions.
//
//   offgrid::Plan<double> plan({.type = 1, .modes = {256, 256}, .tolerance = 1e-9});
//   plan.set_points({x, y});
//   plan.execute(strengths, modes);
//
//   offgrid::transform<double>({.type = 3, .dim = 2}, {x, y}, {s, t}, strengths, values);
#pragma once

#if __cplusplus < 202002L
#error "offgrid.hpp needs C++20: compile with -std=c++20"
#endif

#include <array>
#include <complex>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "offgrid/offgrid.h"

namespace offgrid {
inline namespace api {  // keeps these names apart from the library's own when it is linked statically

class Error : public std::runtime_error {
 public:
  Error(offgrid_status status, const std::string& message) : std::runtime_error(message), status_(status) {}
  [[nodiscard]] offgrid_status status() const noexcept { return status_; }

 private:
  offgrid_status status_;
};

// One option by name, with a number or a word: {"upsampling", 1.5}, {"mode_order", "fft"}.
struct Option {
  std::string name;
  std::variant<double, std::string> value;
  Option(std::string option, double number) : name(std::move(option)), value(number) {}
  Option(std::string option, const char* word) : name(std::move(option)), value(std::string(word)) {}
};

struct Problem {
  int type = 1;                       // 1: points to modes, 2: modes to points, 3: points to targets
  std::vector<std::int64_t> modes{};  // N1, .. Nd; the first axis is contiguous in memory. None for type 3
  int dim = 0;                        // of type 3, which has no modes: 1, 2 or 3; otherwise it may be left out
  double tolerance = 1e-6;            // bound of the relative l2 error
  int sign = 0;                       // of i in the exponent; 0: -1 for type 1, +1 for types 2 and 3
  std::int64_t transforms = 1;        // vectors that share the points
  std::vector<Option> options{};      // everything else, by name
};

// Low and high ends of a box around the points or the targets of a type 3.
struct Box {
  std::array<double, 3> low{}, high{};
};

namespace detail {

inline void check(offgrid_status status) {
  if (status != OFFGRID_OK) throw Error(status, offgrid_last_error());
}

struct Destroy {
  void operator()(offgrid_options options) const { offgrid_options_destroy(options); }
  void operator()(offgrid_plan plan) const { offgrid_plan_destroy(plan); }
  void operator()(offgrid_gram gram) const { offgrid_gram_destroy(gram); }
};
using OptionsHandle = std::unique_ptr<std::remove_pointer_t<offgrid_options>, Destroy>;
using PlanHandle = std::unique_ptr<std::remove_pointer_t<offgrid_plan>, Destroy>;
using GramHandle = std::unique_ptr<std::remove_pointer_t<offgrid_gram>, Destroy>;

// How many axes a problem has, unless it contradicts itself.
inline int dim_of(const Problem& problem) {
  const int from_modes = static_cast<int>(problem.modes.size());
  if (problem.type == 3 && from_modes != 0) throw Error(OFFGRID_INVALID_ARGUMENT, "modes: a type 3 has none, give dim");
  if (problem.type != 3 && problem.dim != 0 && problem.dim != from_modes)
    throw Error(OFFGRID_INVALID_ARGUMENT, "dim is " + std::to_string(problem.dim) + ", but there are modes for " +
                                              std::to_string(from_modes) + " axes");
  return problem.type == 3 ? problem.dim : from_modes;
}

inline OptionsHandle make_options(const Problem& problem) {
  offgrid_options raw = nullptr;
  check(offgrid_options_create(&raw));
  OptionsHandle options(raw);
  check(offgrid_options_set(raw, "sign", problem.sign));
  check(offgrid_options_set(raw, "transforms", static_cast<double>(problem.transforms)));
  for (const Option& option : problem.options) {
    if (const auto* number = std::get_if<double>(&option.value))
      check(offgrid_options_set(raw, option.name.c_str(), *number));
    else
      check(offgrid_options_set_text(raw, option.name.c_str(), std::get<std::string>(option.value).c_str()));
  }
  return options;
}

}  // namespace detail

template <class T> class Plan {
  static_assert(std::is_same_v<T, float> || std::is_same_v<T, double>, "offgrid works in float and double");

 public:
  using Complex = std::complex<T>;
  using Axes = std::span<const std::span<const T>>;
  using Listed = std::initializer_list<std::span<const T>>;

  explicit Plan(const Problem& problem) : transforms_(problem.transforms), type_(problem.type) {
    const auto options = detail::make_options(problem);
    offgrid_plan raw = nullptr;
    const int dim = detail::dim_of(problem);
    detail::check(offgrid_plan_create(&raw, problem.type, dim, problem.modes.data(), problem.tolerance,
                                      sizeof(T) == 4 ? OFFGRID_F32 : OFFGRID_F64, options.get()));
    handle_.reset(raw);
    dim_ = static_cast<std::size_t>(dim);
    mode_count_ = problem.type == 3 ? -1 : 1;
    for (const std::int64_t n : problem.modes) mode_count_ *= n;
  }

  // One span per axis, all of the same length. The arrays need not be kept.
  void set_points(Listed axes, void* stream = nullptr) { set_points(Axes(axes.begin(), axes.size()), stream); }

  // The same with as many axes as are known at run time: a std::vector or std::array of spans.
  void set_points(Axes axes, void* stream = nullptr) {
    const Raw raw = raw_points("points", axes);
    detail::check(offgrid_set_points(handle_.get(), raw.count, raw.axis[0], raw.axis[1], raw.axis[2], stream));
    count_ = raw.count;
  }

  // Type 3: points and targets in one call, since the grids depend on the boxes around both; or one without the other, as soon
  // as both were set, or the boxes. Without boxes, few that follow many alone may need finer grids, and are refused then:
  // offgrid.h has more.
  void set_points(Listed points, Listed targets, void* stream = nullptr) {
    set_points(Axes(points.begin(), points.size()), Axes(targets.begin(), targets.size()), stream);
  }
  void set_points(Axes points, Axes targets, void* stream = nullptr) {
    const Raw x = raw_points("points", points), s = raw_points("targets", targets);
    detail::check(
        offgrid_set_points_and_targets(handle_.get(), x.count, x.axis.data(), s.count, s.axis.data(), stream));
    count_ = x.count;
    mode_count_ = s.count;
  }
  void set_targets(Listed axes, void* stream = nullptr) { set_targets(Axes(axes.begin(), axes.size()), stream); }
  void set_targets(Axes axes, void* stream = nullptr) {
    const Raw raw = raw_points("targets", axes);
    detail::check(offgrid_set_targets(handle_.get(), raw.count, raw.axis[0], raw.axis[1], raw.axis[2], stream));
    mode_count_ = raw.count;
  }

  // Type 3: chooses the grids before there are points, allocates nothing, and forgets earlier points and targets.
  void set_boxes(const Box& points, const Box& targets) {
    detail::check(offgrid_set_boxes(handle_.get(), points.low.data(), points.high.data(), targets.low.data(),
                                    targets.high.data()));
    count_ = mode_count_ = -1;
  }

  // Type 3, points in chunks: adds the points that are set now to a sum, whose values `finish` writes; then a new sum begins.
  void add(std::span<const Complex> strengths, void* stream = nullptr) {
    if (count_ < 0)
      detail::check(offgrid_add_points(handle_.get(), nullptr, stream));  // says that there are no points yet
    expect_length("strengths", strengths.size(), {"strengths", transforms_ * count_});
    detail::check(offgrid_add_points(handle_.get(), strengths.data(), stream));
  }
  void finish(std::span<Complex> values, void* stream = nullptr) {
    if (mode_count_ < 0)
      detail::check(offgrid_finish(handle_.get(), nullptr, stream));  // says that there are no targets yet
    expect_length("values", values.size(), {"values", transforms_ * mode_count_});
    detail::check(offgrid_finish(handle_.get(), values.data(), stream));
  }

  // `in` holds strengths and `out` modes for type 1, the other way round for type 2; for type 3 strengths and values at the
  // targets. They must not overlap: no transform is done in place.
  void execute(std::span<const Complex> in, std::span<Complex> out, void* stream = nullptr) const {
    run(offgrid_execute, type_ != 2, in, out, stream);
  }

  // The adjoint: `in` and `out` change roles.
  void adjoint(std::span<const Complex> in, std::span<Complex> out, void* stream = nullptr) const {
    run(offgrid_execute_adjoint, type_ == 2, in, out, stream);
  }

  // GPU plans: memory of the device for executes, at least workspace_bytes(); null: the plan's own again.
  void set_workspace(void* memory, std::size_t bytes) {
    detail::check(offgrid_set_workspace(handle_.get(), memory, bytes));
  }

  [[nodiscard]] std::string describe() const { return offgrid_plan_describe(handle_.get()); }

  // A number by name, such as "width" or "expected_error"; offgrid.h lists them.
  [[nodiscard]] double get(const char* name) const {
    double value = 0;
    detail::check(offgrid_plan_get(handle_.get(), name, &value));
    return value;
  }

  // Of a plan with the option spread_only: the kernel at a distance in cells, and its Fourier transform along an axis;
  // offgrid.h has the formulas.
  [[nodiscard]] double kernel(double distance) const {
    double value = 0;
    detail::check(offgrid_plan_kernel(handle_.get(), distance, &value));
    return value;
  }
  [[nodiscard]] double kernel_transform(int axis, double k) const {
    double value = 0;
    detail::check(offgrid_plan_kernel_transform(handle_.get(), axis, k, &value));
    return value;
  }

  [[nodiscard]] std::size_t workspace_bytes() const { return static_cast<std::size_t>(get("workspace_bytes")); }
  [[nodiscard]] std::int64_t points() const noexcept { return count_ < 0 ? 0 : count_; }
  [[nodiscard]] std::int64_t targets() const noexcept { return type_ != 3 || mode_count_ < 0 ? 0 : mode_count_; }
  [[nodiscard]] offgrid_plan handle() const noexcept { return handle_.get(); }

 private:
  using Execute = offgrid_status (*)(offgrid_plan, void*, void*, void*);

  static std::string word(const char* text) { return text; }
  static std::string word(std::size_t number) { return std::to_string(number); }
  template <class... Parts> [[noreturn]] static void refuse(const Parts&... parts) {
    throw Error(OFFGRID_INVALID_ARGUMENT, (word(parts) + ...));
  }

  struct Raw {
    std::int64_t count;
    std::array<const void*, 3> axis{};
  };
  Raw raw_points(const char* name, Axes axes) const {
    if (axes.size() != dim_) refuse(name, ": arrays for ", axes.size(), " axes, expected ", dim_);
    Raw raw{static_cast<std::int64_t>(axes[0].size())};
    for (std::size_t axis = 0; axis < axes.size(); ++axis) {
      if (axes[axis].size() != axes[0].size())
        refuse(name, ": axis ", axis, " has ", axes[axis].size(), " points, axis 0 has ", axes[0].size());
      raw.axis[axis] = axes[axis].data();
    }
    return raw;
  }

  struct Side {
    const char* what;
    std::int64_t length;
  };
  static void expect_length(const char* name, std::size_t length, const Side& side) {
    const auto expected = static_cast<std::size_t>(side.length);
    if (length != expected)
      refuse(name, ": the span has ", length, " elements, expected ", expected, ", the number of ", side.what);
  }

  void run(Execute call, bool to_modes, std::span<const Complex> in, std::span<Complex> out, void* stream) const {
    if (count_ < 0 || mode_count_ < 0)
      detail::check(call(handle_.get(), nullptr, nullptr, stream));  // says what is missing
    const Side strengths{"strengths", transforms_ * count_};
    const Side modes{type_ == 3 ? "values" : "modes", transforms_ * mode_count_};
    expect_length("in", in.size(), to_modes ? strengths : modes);
    expect_length("out", out.size(), to_modes ? modes : strengths);
    auto* source = const_cast<Complex*>(in.data());  // the C call reads this side only
    detail::check(to_modes ? call(handle_.get(), source, out.data(), stream)
                           : call(handle_.get(), out.data(), source, stream));
  }

  detail::PlanHandle handle_;
  std::int64_t transforms_;
  std::int64_t mode_count_ = 0;  // of one vector; for type 3 the number of targets, -1: not set yet
  std::int64_t count_ = -1;      // -1: no points were set yet
  int type_;
  std::size_t dim_ = 0;
};

// One call for a single transform. `points` as in Plan::set_points, `in` and `out` as in Plan::execute.
template <class T>
void transform(const Problem& problem, std::span<const std::span<const T>> points, std::span<const std::complex<T>> in,
               std::span<std::complex<T>> out) {
  Plan<T> plan(problem);
  plan.set_points(points);
  plan.execute(in, out);
}

template <class T>
void transform(const Problem& problem, std::initializer_list<std::span<const T>> points,
               std::span<const std::complex<T>> in, std::span<std::complex<T>> out) {
  transform<T>(problem, std::span<const std::span<const T>>(points.begin(), points.size()), in, out);
}

// The same for a type 3: strengths at the points to values at the targets.
template <class T>
void transform(const Problem& problem, std::span<const std::span<const T>> points,
               std::span<const std::span<const T>> targets, std::span<const std::complex<T>> strengths,
               std::span<std::complex<T>> values) {
  Plan<T> plan(problem);
  plan.set_points(points, targets);
  plan.execute(strengths, values);
}

template <class T>
void transform(const Problem& problem, std::initializer_list<std::span<const T>> points,
               std::initializer_list<std::span<const T>> targets, std::span<const std::complex<T>> strengths,
               std::span<std::complex<T>> values) {
  Plan<T> plan(problem);
  plan.set_points(points, targets);
  plan.execute(strengths, values);
}

// The Gram operator f -> A* W A f of points and weights, A of type 2; offgrid.h has what it does. problem.type is not heeded.
//
//   const offgrid::Gram<double> gram({.modes = {256, 256}, .tolerance = 1e-6}, points, weights);
//   gram.apply(f, h);
template <class T> class Gram {
  static_assert(std::is_same_v<T, float> || std::is_same_v<T, double>, "offgrid works in float and double");

 public:
  using Complex = std::complex<T>;
  using Axes = std::span<const std::span<const T>>;

  // One span per axis; one weight per point, or none: then they are 1. The arrays need not be kept.
  Gram(const Problem& problem, Axes points, std::span<const T> weights = {}, void* stream = nullptr)
      : Gram(problem, points, Weights{weights.data(), weights.size(), OFFGRID_REAL_WEIGHTS}, stream) {}
  Gram(const Problem& problem, Axes points, std::span<const Complex> weights, void* stream = nullptr)
      : Gram(problem, points, Weights{weights.data(), weights.size(), OFFGRID_COMPLEX_WEIGHTS}, stream) {}

  // The convolution with a given kernel of 2N - 1 modes along each axis, such as a sum of kernels; offgrid.h has the formula.
  // `kind` says whether the weights behind it are real, so that t[-m] = conj(t[m]).
  [[nodiscard]] static Gram from_kernel(const Problem& problem, std::span<const Complex> kernel,
                                        offgrid_weights kind = OFFGRID_REAL_WEIGHTS, void* stream = nullptr) {
    std::size_t length = 1;
    for (const std::int64_t n : problem.modes) length *= static_cast<std::size_t>(n > 0 ? 2 * n - 1 : 0);
    expect("kernel", kernel.size(), length, "its modes, 2N - 1 along each axis");
    const auto options = detail::make_options(problem);
    offgrid_gram raw = nullptr;
    detail::check(offgrid_gram_create_from_kernel(&raw, static_cast<int>(problem.modes.size()), problem.modes.data(),
                                                  sizeof(T) == 4 ? OFFGRID_F32 : OFFGRID_F64, options.get(),
                                                  kernel.data(), kind, stream));
    return Gram(problem, raw);
  }

  // Takes over a handle that the C interface has made for this problem.
  [[nodiscard]] static Gram from_handle(const Problem& problem, offgrid_gram made) { return Gram(problem, made); }

  // f and h: all vectors, one after the other. They may be the same array, and may not overlap otherwise.
  void apply(std::span<const Complex> f, std::span<Complex> h, void* stream = nullptr) const {
    expect("f", f.size(), numbers_, "modes");
    expect("h", h.size(), numbers_, "modes");
    detail::check(offgrid_gram_apply(handle_.get(), f.data(), h.data(), stream));
  }

  [[nodiscard]] std::string describe() const { return offgrid_gram_describe(handle_.get()); }

  // A number by name, such as "convolution" or "expected_error"; offgrid.h lists them.
  [[nodiscard]] double get(const char* name) const {
    double value = 0;
    detail::check(offgrid_gram_get(handle_.get(), name, &value));
    return value;
  }
  [[nodiscard]] offgrid_gram handle() const noexcept { return handle_.get(); }

 private:
  struct Weights {
    const void* data;
    std::size_t size;
    offgrid_weights kind;
  };

  Gram(const Problem& problem, Axes points, const Weights& weights, void* stream) {
    expect("points", points.size(), problem.modes.size(), "axes");
    std::array<const void*, 3> axes{};
    const std::size_t count = points.empty() ? 0 : points[0].size();
    for (std::size_t axis = 0; axis < points.size(); ++axis) {
      expect("an axis of points", points[axis].size(), count, "points along the first one");
      axes[axis] = points[axis].data();
    }
    if (weights.size != 0) expect("weights", weights.size, count, "points");
    const auto options = detail::make_options(problem);
    offgrid_gram raw = nullptr;
    detail::check(offgrid_gram_create(&raw, static_cast<int>(problem.modes.size()), problem.modes.data(),
                                      problem.tolerance, sizeof(T) == 4 ? OFFGRID_F32 : OFFGRID_F64, options.get(),
                                      static_cast<std::int64_t>(count), axes.data(),
                                      weights.size == 0 ? nullptr : weights.data, weights.kind, stream));
    take(problem, raw);
  }
  Gram(const Problem& problem, offgrid_gram made) { take(problem, made); }

  void take(const Problem& problem, offgrid_gram made) {
    handle_.reset(made);
    numbers_ = static_cast<std::size_t>(problem.transforms);
    for (const std::int64_t n : problem.modes) numbers_ *= static_cast<std::size_t>(n);
  }

  static void expect(const char* name, std::size_t length, std::size_t expected, const char* what) {
    if (length == expected) return;
    throw Error(OFFGRID_INVALID_ARGUMENT, std::string(name) + ": there are " + std::to_string(length) + ", expected " +
                                              std::to_string(expected) + ", the number of " + what);
  }

  detail::GramHandle handle_;
  std::size_t numbers_ = 0;  // in all vectors
};

}  // namespace api
}  // namespace offgrid
