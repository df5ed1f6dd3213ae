// The C edge: exceptions end here and become a status and this thread's last message.
#pragma once

#include <new>

#include "mpi/error.hpp"
#include "mpi/ranks.hpp"

namespace offgrid::mpi::inside {

void remember_error(const char* message) noexcept;
const char* remembered_error() noexcept;

template <class F> offgrid_status guard(F&& body) noexcept try {
  body();
  return OFFGRID_OK;
} catch (const Error& error) {
  remember_error(error.what());
  return error.status();
} catch (const std::bad_alloc&) {
  remember_error("out of memory");
  return OFFGRID_OUT_OF_MEMORY;
} catch (const std::exception& error) {
  remember_error(error.what());
  return OFFGRID_INTERNAL_ERROR;
} catch (...) {
  remember_error("an unknown exception");
  return OFFGRID_INTERNAL_ERROR;
}

// Local work, after which all ranks agree: where one has thrown, all throw.
template <class F> void together(const Ranks& ranks, F&& body) {
  std::string message;
  offgrid_status status = guard(body);
  if (status != OFFGRID_OK) message = remembered_error();
  ranks.agree(status, message);
}

}  // namespace offgrid::mpi::inside
