#include "mpi/guard.hpp"

#include <cstdio>

namespace offgrid::mpi::inside {
namespace {

// A plain array, so that saying "out of memory" needs none.
thread_local char last_error[1024] = "";

}  // namespace

void remember_error(const char* message) noexcept { std::snprintf(last_error, sizeof last_error, "%s", message); }
const char* remembered_error() noexcept { return last_error; }

}  // namespace offgrid::mpi::inside
