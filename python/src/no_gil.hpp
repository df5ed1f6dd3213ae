// A call without the GIL. When the interpreter ends, a thread that wants the GIL back is ended in the middle of the call,
// which no C++ frame survives ("terminate called without an active exception"). So the end of the interpreter waits for the
// calls that are under way, and those that daemon threads begin after it keep the GIL.
#pragma once

#include <nanobind/nanobind.h>

#include <atomic>
#include <chrono>
#include <thread>

class NoGil {
 public:
  NoGil() {
    if (is_ending) return;
    ++under_way;
    state_ = PyEval_SaveThread();
  }
  NoGil(const NoGil&) = delete;
  NoGil& operator=(const NoGil&) = delete;
  ~NoGil() {
    if (state_ == nullptr) return;
    PyEval_RestoreThread(state_);
    --under_way;
  }

  // For Python's atexit, which runs before the interpreter ends. Called with the GIL.
  static void end() {
    is_ending = true;
    const nanobind::gil_scoped_release no_gil;
    while (under_way > 0) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }

  static void install() {
    using nanobind::cpp_function;
    const auto forget = cpp_function([] { under_way = 0; });  // the other threads do not live on in a child
    nanobind::module_::import_("os").attr("register_at_fork")(nanobind::arg("after_in_child") = forget);
    nanobind::module_::import_("atexit").attr("register")(cpp_function(&NoGil::end));
  }

 private:
  static inline std::atomic<bool> is_ending = false;
  static inline std::atomic<int> under_way = 0;
  PyThreadState* state_ = nullptr;
};
