// What a call is refused with.
#pragma once

#include <gtest/gtest.h>

#include <string>

#include "core/error.hpp"

namespace support {

// The message; the test fails where nothing is refused, or with another status.
template <class F> std::string refusal(F call, offgrid::Status status = offgrid::Status::invalid_argument) {
  try {
    call();
  } catch (const offgrid::Error& error) {
    EXPECT_EQ(error.status(), status) << error.what();
    return error.what();
  }
  ADD_FAILURE() << "nothing was refused";
  return "";
}

}  // namespace support
