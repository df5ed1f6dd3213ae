// What Python hands over: addresses, sizes and streams as numbers, and options by name.
#pragma once

#include <nanobind/nanobind.h>

#include <cstdint>
#include <offgrid/offgrid.hpp>
#include <string>
#include <utility>
#include <vector>

using Address = std::uintptr_t;

inline void* pointer(Address address) { return reinterpret_cast<void*>(address); }

// The memory of an array: contiguous, on the GPU of that number or on the CPU (-1).
struct Memory {
  Address address;
  std::int64_t bytes;
};

struct Where {
  int gpu;
  Address stream;
};

// Python hands an array over as (address, bytes), and where it lies as (gpu, stream).
using MemoryTuple = std::pair<Address, std::int64_t>;
using WhereTuple = std::pair<int, Address>;
inline Memory memory_of(const MemoryTuple& given) { return {given.first, given.second}; }

[[noreturn]] inline void refuse(const std::string& message) { throw offgrid::Error(OFFGRID_WRONG_STATE, message); }

inline std::vector<offgrid::Option> options_of(const nanobind::dict& given) {
  std::vector<offgrid::Option> options;
  for (const auto [name, value] : given) {
    const auto key = nanobind::cast<std::string>(name);
    if (nanobind::isinstance<nanobind::str>(value))
      options.emplace_back(key, nanobind::cast<std::string>(value).c_str());
    else
      options.emplace_back(key, nanobind::cast<double>(nanobind::float_(value)));
  }
  return options;
}
