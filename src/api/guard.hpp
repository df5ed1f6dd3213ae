// The C edge: exceptions end here and become a status and this thread's last message.
#pragma once

#include <new>
#include <string>

#include "core/error.hpp"
#include "offgrid/offgrid.h"

namespace offgrid {

void remember_error(const char* message) noexcept;
const char* remembered_error() noexcept;

template <class F> offgrid_status guard(F&& body) noexcept try {
  body();
  return OFFGRID_OK;
} catch (const Error& error) {
  remember_error(error.what());
  return static_cast<offgrid_status>(error.status());
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

}  // namespace offgrid
