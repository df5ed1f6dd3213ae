#include "gram.hpp"

#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <mutex>
#include <shared_mutex>

#include "gpu.hpp"
#include "memory.hpp"
#include "no_gil.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace {

// The axes in the order of C, and the weights: none where they have no bytes.
struct Samples {
  std::vector<MemoryTuple> axes;
  MemoryTuple weights;
  bool complex_weights;
  WhereTuple where;
};

struct Kernel {
  MemoryTuple modes;
  bool complex_weights;
  WhereTuple where;
};

// Applied by several threads at once; close waits until nobody does. Sizes are compared with the operator's own.
class Gram {
 public:
  Gram(const offgrid::Problem& problem, offgrid_precision precision, const Samples& samples)
      : gpu_(samples.where.first) {
    const std::int64_t real_bytes = precision == OFFGRID_F32 ? 4 : 8;
    const std::int64_t count = samples.axes.empty() ? 0 : samples.axes[0].second / real_bytes;
    if (samples.axes.size() != problem.modes.size()) refuse("points: the number of arrays is not the number of axes");
    std::vector<const void*> axes;
    for (const auto& [address, bytes] : samples.axes) {
      if (bytes != count * real_bytes) refuse("points: the arrays differ in their length or precision");
      axes.push_back(pointer(address));
    }
    const std::int64_t weight_bytes = (samples.complex_weights ? 2 : 1) * real_bytes * count;
    if (samples.weights.second != 0 && samples.weights.second != weight_bytes)
      refuse("weights: the array has not one number for each point");
    const GpuGuard guard(gpu_);
    const auto options = offgrid::detail::make_options(problem);
    offgrid_gram raw = nullptr;
    offgrid::detail::check(offgrid_gram_create(
        &raw, static_cast<int>(problem.modes.size()), problem.modes.data(), problem.tolerance, precision, options.get(),
        count, axes.data(), samples.weights.second == 0 ? nullptr : pointer(samples.weights.first),
        samples.complex_weights ? OFFGRID_COMPLEX_WEIGHTS : OFFGRID_REAL_WEIGHTS, pointer(samples.where.second)));
    take(raw, problem, real_bytes);
  }
  // The convolution with a kernel of 2N - 1 modes along each axis.
  Gram(const offgrid::Problem& problem, offgrid_precision precision, const Kernel& kernel) : gpu_(kernel.where.first) {
    const std::int64_t real_bytes = precision == OFFGRID_F32 ? 4 : 8;
    std::int64_t bytes = 2 * real_bytes;
    for (const std::int64_t size : problem.modes) bytes *= size == 0 ? 0 : 2 * size - 1;
    if (kernel.modes.second != bytes) refuse("kernel: the array has not 2N - 1 modes along each axis");
    const GpuGuard guard(gpu_);
    const auto options = offgrid::detail::make_options(problem);
    offgrid_gram raw = nullptr;
    offgrid::detail::check(offgrid_gram_create_from_kernel(
        &raw, static_cast<int>(problem.modes.size()), problem.modes.data(), precision, options.get(),
        pointer(kernel.modes.first), kernel.complex_weights ? OFFGRID_COMPLEX_WEIGHTS : OFFGRID_REAL_WEIGHTS,
        pointer(kernel.where.second)));
    take(raw, problem, real_bytes);
  }
  Gram(const Gram&) = delete;
  Gram& operator=(const Gram&) = delete;
  ~Gram() {
    try {
      close();
    } catch (const offgrid::Error&) {  // the CUDA runtime may be gone when the interpreter ends
    }
  }

  void apply(MemoryTuple f, MemoryTuple h, WhereTuple where) {
    const std::shared_lock lock(in_use_);
    require_open();
    if (where.first != gpu_) refuse("the arrays are not on the device of the operator");
    if (f.second != bytes_ || h.second != bytes_) refuse("an array has not the size of the operator's modes");
    const GpuGuard guard(gpu_);
    offgrid::detail::check(
        offgrid_gram_apply(handle_.get(), pointer(f.first), pointer(h.first), pointer(where.second)));
  }

  double get(const std::string& name) {
    const std::shared_lock lock(in_use_);
    require_open();
    return number(name.c_str());
  }

  std::string describe() {
    const std::unique_lock lock(in_use_);
    require_open();
    return offgrid_gram_describe(handle_.get());
  }

  void close() {
    const std::unique_lock lock(in_use_);
    const GpuGuard guard(gpu_);
    handle_.reset();
  }

 private:
  void take(offgrid_gram raw, const offgrid::Problem& problem, std::int64_t real_bytes) {
    handle_.reset(raw);
    bytes_ = 2 * real_bytes * static_cast<std::int64_t>(number("transforms"));
    for (const std::int64_t size : problem.modes) bytes_ = size == 0 ? 0 : bytes_ * size;
  }
  void require_open() const {
    if (!handle_) throw offgrid::Error(OFFGRID_WRONG_STATE, "the operator was closed");
  }
  double number(const char* name) const {
    double value = 0;
    offgrid::detail::check(offgrid_gram_get(handle_.get(), name, &value));
    return value;
  }

  offgrid::detail::GramHandle handle_;
  std::int64_t bytes_ = 0;  // of all vectors
  int gpu_;
  std::shared_mutex in_use_;
};

}  // namespace

void bind_gram(nb::module_& module) {
  using WithoutGil = nb::call_guard<NoGil>;
  nb::class_<Gram>(module, "Gram")
      .def(
          "__init__",
          [](Gram* self, std::vector<std::int64_t> modes, double tolerance, bool single, const nb::dict& options,
             std::vector<MemoryTuple> axes, MemoryTuple weights, bool complex_weights, WhereTuple where) {
            offgrid::Problem problem;
            problem.type = 2;
            problem.modes = std::move(modes);
            problem.tolerance = tolerance;
            problem.options = options_of(options);
            const NoGil no_gil;
            new (self)
                Gram(problem, single ? OFFGRID_F32 : OFFGRID_F64, {std::move(axes), weights, complex_weights, where});
          },
          "modes"_a, "tolerance"_a, "single"_a, "options"_a, "axes"_a, "weights"_a, "complex_weights"_a, "where"_a)
      .def_static(
          "from_kernel",
          [](std::vector<std::int64_t> modes, bool single, const nb::dict& options, MemoryTuple kernel,
             bool complex_weights, WhereTuple where) {
            offgrid::Problem problem;
            problem.type = 2;
            problem.modes = std::move(modes);
            problem.options = options_of(options);
            const NoGil no_gil;
            return new Gram(problem, single ? OFFGRID_F32 : OFFGRID_F64, {kernel, complex_weights, where});
          },
          "modes"_a, "single"_a, "options"_a, "kernel"_a, "complex_weights"_a, "where"_a, nb::rv_policy::take_ownership)
      .def("apply", &Gram::apply, "f"_a, "h"_a, "where"_a, WithoutGil())
      .def("get", &Gram::get, "name"_a, WithoutGil())
      .def("describe", &Gram::describe, WithoutGil())
      .def("close", &Gram::close, WithoutGil());
}
