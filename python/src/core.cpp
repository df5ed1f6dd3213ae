// The extension offgrid._core: a plan of the C interface that takes addresses and streams as numbers, and a view of a
// DLPack capsule. What an array is, and whether it fits, is decided in python/offgrid before anything here is called.
//
// Calls run without the GIL. A plan may be executed by several threads at once; what changes the plan (points, targets, boxes,
// sums of chunks, close) waits until nobody executes. Arrays come with their sizes in bytes and their device, and the plan
// compares them with its own: neither a thread that changes the points meanwhile nor Python code that writes to a plan's
// private fields can make a call read or write past an array.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <chrono>
#include <mutex>
#include <offgrid/offgrid.hpp>
#include <shared_mutex>

#include "gpu.hpp"
#include "gram.hpp"
#include "memory.hpp"
#include "no_gil.hpp"
#include "only_thread.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace {

using Modes = std::vector<std::int64_t>;
using Execute = offgrid_status (*)(offgrid_plan, void*, void*, void*);

using Numbers = nb::ndarray<const double, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Results = nb::ndarray<double, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

// What a plan is made from. Sizes are in the order of C: the first axis is contiguous.
struct Spec {
  offgrid::Problem problem;
  offgrid_precision precision;
  int gpu;  // -1: the CPU
};

class Plan {
 public:
  using Ends = std::pair<std::vector<double>, std::vector<double>>;

  explicit Plan(const Spec& spec) : gpu_(spec.gpu) {
    const GpuGuard guard(gpu_);
    const auto options = offgrid::detail::make_options(spec.problem);
    offgrid_plan raw = nullptr;
    const int dim = offgrid::detail::dim_of(spec.problem);
    offgrid::detail::check(offgrid_plan_create(&raw, spec.problem.type, dim, spec.problem.modes.data(),
                                               spec.problem.tolerance, spec.precision, options.get()));
    handle_.reset(raw);
    dim_ = static_cast<std::size_t>(dim);
    real_bytes_ = spec.precision == OFFGRID_F32 ? 4 : 8;
    complex_bytes_ = 2 * real_bytes_ * static_cast<std::int64_t>(number("transforms"));
    modes_bytes_ = complex_bytes_;
    for (const std::int64_t size : spec.problem.modes)
      if (size == 0) modes_bytes_ = 0;
    if (modes_bytes_ > 0)
      for (const std::int64_t size : spec.problem.modes) modes_bytes_ *= size;
    if (spec.problem.type == 3) modes_bytes_ = no_targets;
  }
  Plan(const Plan&) = delete;
  Plan& operator=(const Plan&) = delete;
  ~Plan() {
    try {
      close();
    } catch (const offgrid::Error&) {  // the CUDA runtime may be gone when the interpreter ends
    }
  }

  // axes: in the order of C.
  void set_points(const std::vector<Memory>& axes, Where where) {
    const std::unique_lock lock(in_use_);
    const Axes x = checked("points", axes, where);
    const GpuGuard guard(gpu_);
    offgrid::detail::check(
        offgrid_set_points(handle_.get(), x.count, x.at[0], x.at[1], x.at[2], pointer(where.stream)));
    count_ = x.count;
  }

  void set_targets(const std::vector<Memory>& axes, Where where) {
    const std::unique_lock lock(in_use_);
    const Axes s = checked("targets", axes, where);
    const GpuGuard guard(gpu_);
    offgrid::detail::check(
        offgrid_set_targets(handle_.get(), s.count, s.at[0], s.at[1], s.at[2], pointer(where.stream)));
    modes_bytes_ = s.count * complex_bytes_;
  }

  void set_points_and_targets(const std::vector<Memory>& points, const std::vector<Memory>& targets, Where where) {
    const std::unique_lock lock(in_use_);
    const Axes x = checked("points", points, where), s = checked("targets", targets, where);
    const GpuGuard guard(gpu_);
    offgrid::detail::check(
        offgrid_set_points_and_targets(handle_.get(), x.count, x.at, s.count, s.at, pointer(where.stream)));
    count_ = x.count;
    modes_bytes_ = s.count * complex_bytes_;
  }

  // Low and high ends, in the order of C.
  void set_boxes(const Ends& points, const Ends& targets) {
    const std::unique_lock lock(in_use_);
    require_open();
    for (const Ends* box : {&points, &targets})
      if (box->first.size() != dim_ || box->second.size() != dim_)
        refuse("boxes: the number of ends is not the plan's number of axes");
    const GpuGuard guard(gpu_);
    offgrid::detail::check(offgrid_set_boxes(handle_.get(), points.first.data(), points.second.data(),
                                             targets.first.data(), targets.second.data()));
    count_ = -1;
    modes_bytes_ = no_targets;
  }

  void add(Memory strengths, Where where) {
    const std::unique_lock lock(in_use_);
    require_open();
    require_gpu(where.gpu);
    require_points(strengths.bytes);
    const GpuGuard guard(gpu_);
    offgrid::detail::check(offgrid_add_points(handle_.get(), pointer(strengths.address), pointer(where.stream)));
  }

  void finish(Memory values, Where where) {
    const std::unique_lock lock(in_use_);
    require_open();
    require_gpu(where.gpu);
    require_modes(values.bytes);
    const GpuGuard guard(gpu_);
    offgrid::detail::check(offgrid_finish(handle_.get(), pointer(values.address), pointer(where.stream)));
  }

  template <Execute call> void run(Memory strengths, Memory modes, Where where) {
    const std::shared_lock lock(in_use_);
    require_open();
    require_gpu(where.gpu);
    require_points(strengths.bytes);
    require_modes(modes.bytes);
    const GpuGuard guard(gpu_);
    offgrid::detail::check(
        call(handle_.get(), pointer(strengths.address), pointer(modes.address), pointer(where.stream)));
  }

  // What a call costs in C: seconds an execute, for bench/python_overhead.py.
  double seconds(Address strengths, Address modes, int repeats) {
    const std::shared_lock lock(in_use_);
    require_open();
    const GpuGuard guard(gpu_);
    const auto start = std::chrono::steady_clock::now();
    for (int i = 0; i < repeats; ++i)
      offgrid::detail::check(offgrid_execute(handle_.get(), pointer(strengths), pointer(modes), nullptr));
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count() / repeats;
  }

  double get(const std::string& name) {
    const std::shared_lock lock(in_use_);
    require_open();
    return number(name.c_str());
  }

  // The kernel at distances, and its Fourier transform at frequencies along an axis in the order of C.
  void kernel(Numbers distances, Results values) {
    fill(distances, values,
         [&](double distance, double* value) { return offgrid_plan_kernel(handle_.get(), distance, value); });
  }
  void kernel_transform(int axis, Numbers frequencies, Results values) {
    fill(frequencies, values,
         [&](double k, double* value) { return offgrid_plan_kernel_transform(handle_.get(), axis, k, value); });
  }

  std::string describe() {
    const std::unique_lock lock(in_use_);
    require_open();
    return offgrid_plan_describe(handle_.get());
  }

  void close() {
    const std::unique_lock lock(in_use_);
    const GpuGuard guard(gpu_);
    handle_.reset();
  }

 private:
  static constexpr std::int64_t no_targets = -1;
  struct Axes {
    std::int64_t count;
    const void* at[3] = {};
  };

  template <class Ask> void fill(const Numbers& given, const Results& values, Ask ask) {
    const std::shared_lock lock(in_use_);
    require_open();
    if (given.size() != values.size()) refuse("kernel: the arrays differ in their length");
    for (std::size_t i = 0; i < given.size(); ++i) offgrid::detail::check(ask(given.data()[i], values.data() + i));
  }
  void require_open() const {
    if (!handle_) throw offgrid::Error(OFFGRID_WRONG_STATE, "the plan was closed");
  }
  void require_gpu(int gpu) const {
    if (gpu != gpu_) refuse("the arrays are not on the device of the plan");
  }
  // strengths: the bytes of the array that was made for as many points as the plan had when the call was checked.
  void require_points(std::int64_t strengths) const {
    if (count_ < 0) refuse("execute: the plan has no points yet, call set_points first");
    if (strengths != count_ * complex_bytes_) refuse("execute: another thread changed the points meanwhile");
  }
  void require_modes(std::int64_t modes) const {
    if (modes_bytes_ == no_targets) refuse("the plan has no targets yet, call set_points or set_targets first");
    if (modes != modes_bytes_)
      refuse("modes: the array has not the size of the plan's modes, or of its values at the targets");
  }
  Axes checked(const char* name, const std::vector<Memory>& axes, Where where) const {
    require_open();
    require_gpu(where.gpu);
    if (axes.size() != dim_) refuse(std::string(name) + ": the number of arrays is not the plan's number of axes");
    Axes found{axes[0].bytes / real_bytes_};
    for (std::size_t axis = 0; axis < axes.size(); ++axis) {
      if (axes[axis].bytes != found.count * real_bytes_)
        refuse(std::string(name) + ": the arrays differ in their length or precision");
      found.at[axis] = pointer(axes[axis].address);
    }
    return found;
  }
  double number(const char* name) const {
    double value = 0;
    offgrid::detail::check(offgrid_plan_get(handle_.get(), name, &value));
    return value;
  }

  offgrid::detail::PlanHandle handle_;
  std::size_t dim_ = 0;
  std::int64_t real_bytes_ = 0;     // of a coordinate
  std::int64_t complex_bytes_ = 0;  // of one number in each of the vectors
  std::int64_t modes_bytes_ = 0;    // of all vectors; of a type 3 the values at the targets
  std::int64_t count_ = -1;         // points; -1: not set yet
  int gpu_;
  std::shared_mutex in_use_;
};

// A DLPack capsule, kept as long as the view lives.
class View {
 public:
  explicit View(nb::ndarray<nb::ro> array) : array_(std::move(array)) {}
  [[nodiscard]] Address address() const { return reinterpret_cast<Address>(array_.data()); }
  [[nodiscard]] std::size_t bytes() const { return array_.nbytes(); }
  [[nodiscard]] nb::tuple shape() const {
    nb::list sizes;
    for (std::size_t axis = 0; axis < array_.ndim(); ++axis) sizes.append(array_.shape(axis));
    return nb::tuple(sizes);
  }
  [[nodiscard]] std::string dtype() const {
    const auto type = array_.dtype();
    const std::string bits = std::to_string(type.bits);
    if (type.lanes != 1) return "vectors";
    if (type.code == static_cast<std::uint8_t>(nb::dlpack::dtype_code::Float)) return "float" + bits;
    if (type.code == static_cast<std::uint8_t>(nb::dlpack::dtype_code::Complex)) return "complex" + bits;
    return "a dtype of " + bits + " bits";
  }
  [[nodiscard]] int gpu() const { return array_.device_type() == nb::device::cpu::value ? -1 : array_.device_id(); }
  [[nodiscard]] bool contiguous() const {
    std::int64_t expected = 1;
    for (std::size_t axis = array_.ndim(); axis-- > 0; expected *= static_cast<std::int64_t>(array_.shape(axis)))
      if (array_.shape(axis) > 1 && array_.stride(axis) != expected) return false;
    return true;
  }

 private:
  nb::ndarray<nb::ro> array_;
};

// Where a contiguous array of numpy lies, in a fraction of the time that its __array_interface__ takes to be made.
MemoryTuple memory(nb::handle array) {
  Py_buffer view;
  if (PyObject_GetBuffer(array.ptr(), &view, PyBUF_STRIDES) != 0) throw nb::python_error();
  const MemoryTuple found{reinterpret_cast<Address>(view.buf), view.len};
  PyBuffer_Release(&view);
  return found;
}

template <Execute call> void run(Plan& plan, MemoryTuple strengths, MemoryTuple modes, WhereTuple where) {
  plan.run<call>(memory_of(strengths), memory_of(modes), {where.first, where.second});
}

std::vector<Memory> memories_of(const std::vector<MemoryTuple>& axes) {
  std::vector<Memory> given;
  for (const MemoryTuple& axis : axes) given.push_back(memory_of(axis));
  return given;
}

template <auto call> void set_axes(Plan& plan, const std::vector<MemoryTuple>& axes, WhereTuple where) {
  (plan.*call)(memories_of(axes), {where.first, where.second});
}

void set_points_and_targets(Plan& plan, const std::vector<MemoryTuple>& points, const std::vector<MemoryTuple>& targets,
                            WhereTuple where) {
  plan.set_points_and_targets(memories_of(points), memories_of(targets), {where.first, where.second});
}

template <auto call> void run_one(Plan& plan, MemoryTuple memory, WhereTuple where) {
  (plan.*call)(memory_of(memory), {where.first, where.second});
}

// offgrid._error.error_of(status, message), which picks the class.
void raise_error(const std::exception_ptr& thrown, void*) {
  try {
    std::rethrow_exception(thrown);
  } catch (const offgrid::Error& error) {
    const nb::object make = nb::module_::import_("offgrid._error").attr("error_of");
    const nb::object value = make(static_cast<int>(error.status()), error.what());
    PyErr_SetObject(value.type().ptr(), value.ptr());
  }
}

using WithoutGil = nb::call_guard<NoGil>;

}  // namespace

NB_MODULE(_core, module) {
  module.doc() = "The C interface of offgrid for the Python package; not for direct use.";
  nb::set_leak_warnings(false);  // the library never prints, not even when the interpreter ends in the middle of a call
  nb::register_exception_translator(raise_error);
  NoGil::install();

  nb::class_<Plan>(module, "Plan")
      .def(
          "__init__",
          [](Plan* self, int type, Modes modes, double tolerance, bool single, const nb::dict& options, int gpu,
             int dim) {
            Spec spec{{}, single ? OFFGRID_F32 : OFFGRID_F64, gpu};
            spec.problem.dim = dim;
            spec.problem.type = type, spec.problem.modes = std::move(modes), spec.problem.tolerance = tolerance;
            spec.problem.options = options_of(options);
            const NoGil no_gil;
            new (self) Plan(spec);
          },
          "type"_a, "modes"_a, "tolerance"_a, "single"_a, "options"_a, "gpu"_a, "dim"_a = 0)
      .def("set_points", &set_axes<&Plan::set_points>, "axes"_a, "where"_a, WithoutGil())
      .def("set_targets", &set_axes<&Plan::set_targets>, "axes"_a, "where"_a, WithoutGil())
      .def("set_points_and_targets", &set_points_and_targets, "points"_a, "targets"_a, "where"_a, WithoutGil())
      .def("set_boxes", &Plan::set_boxes, "points"_a, "targets"_a, WithoutGil())
      .def("add", &run_one<&Plan::add>, "strengths"_a, "where"_a, WithoutGil())
      .def("finish", &run_one<&Plan::finish>, "values"_a, "where"_a, WithoutGil())
      .def("execute", &run<offgrid_execute>, "strengths"_a, "modes"_a, "where"_a, WithoutGil())
      .def("adjoint", &run<offgrid_execute_adjoint>, "strengths"_a, "modes"_a, "where"_a, WithoutGil())
      .def("seconds", &Plan::seconds, "strengths"_a, "modes"_a, "repeats"_a, WithoutGil())
      .def("get", &Plan::get, "name"_a, WithoutGil())
      .def("kernel", &Plan::kernel, "distances"_a, "values"_a)
      .def("kernel_transform", &Plan::kernel_transform, "axis"_a, "frequencies"_a, "values"_a)
      .def("describe", &Plan::describe, WithoutGil())
      .def("close", &Plan::close, WithoutGil());

  bind_gram(module);

  nb::class_<View>(module, "View")
      .def(nb::init<nb::ndarray<nb::ro>>(), "capsule"_a)
      .def_prop_ro("address", &View::address)
      .def_prop_ro("bytes", &View::bytes)
      .def_prop_ro("shape", &View::shape)
      .def_prop_ro("dtype", &View::dtype)
      .def_prop_ro("gpu", &View::gpu)
      .def_prop_ro("contiguous", &View::contiguous);

  module.def("memory", &memory, "array"_a);
  module.def("version", &offgrid_version);
  module.def("devices", &offgrid_devices, WithoutGil());
  module.def("options_help", &offgrid_options_help);
  module.def("is_only_thread", &is_only_thread);
  module.def(
      "release_memory", [] { offgrid_release_memory(); }, WithoutGil());
  module.def("gpu_empty", &gpu_empty, "shape"_a, "dtype"_a, "gpu"_a, "stream"_a);
  module.def("gpu_wait", &gpu_wait, "gpu"_a, "stream"_a, WithoutGil());
}
