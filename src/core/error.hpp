// The one exception of the library. The C edge (api/guard) turns it into a status and a message.
#pragma once

#include <stdexcept>
#include <string>

namespace offgrid {

enum class Status { ok, invalid_argument, wrong_state, out_of_memory, device_error, internal_error };

class Error : public std::runtime_error {
 public:
  Error(Status status, const std::string& message) : std::runtime_error(message), status_(status) {}
  [[nodiscard]] Status status() const noexcept { return status_; }

 private:
  Status status_;
};

// Makes what can be done without: false where there is no memory for it. Any other error is thrown on.
template <class Make> bool has_memory_for(Make&& make) {
  try {
    make();
  } catch (const Error& error) {
    if (error.status() != Status::out_of_memory) throw;
    return false;
  }
  return true;
}

}  // namespace offgrid
