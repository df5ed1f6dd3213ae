// Whether Python code can run on this thread alone. sys._current_frames() would tell, but up to Python 3.11 it may wait for
// ever where another thread ends meanwhile (python/cpython#106883). So there the thread states are looked at, which the GIL
// keeps from going away. The stable ABI, which is there from Python 3.12 on, does not show them.
#pragma once

#include <nanobind/nanobind.h>

inline bool is_only_thread() {
#ifdef Py_LIMITED_API
  return nanobind::len(nanobind::module_::import_("sys").attr("_current_frames")()) == 1;
#else
  PyThreadState* first = PyInterpreterState_ThreadHead(PyThreadState_GetInterpreter(PyThreadState_Get()));
  return PyThreadState_Next(first) == nullptr;
#endif
}
