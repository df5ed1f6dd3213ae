// The backends under test: every one that is built in and finds its device. A suite derives from BackendTest, is written
// once, and runs for each of them; arrays go through DeviceArray, so that another device needs a change here only.
#pragma once

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "core/error.hpp"
#include "gpu_memory.hpp"
#include "points.hpp"
#include "registry.hpp"

namespace support {

struct BackendUnderTest {
  std::string name;
  offgrid::Backend backend;
};

inline std::vector<BackendUnderTest> backends() {
  std::vector<BackendUnderTest> found;
  for (const auto& [name, kind] :
       {std::pair("cpu", offgrid::DeviceKind::cpu), std::pair("cuda", offgrid::DeviceKind::cuda)})
    try {
      found.push_back({name, offgrid::backend_for(kind)});
    } catch (const offgrid::Error&) {  // not built, or no such device here
    }
  return found;
}

inline void PrintTo(const BackendUnderTest& where, std::ostream* out) { *out << where.name; }

class BackendTest : public testing::TestWithParam<BackendUnderTest> {
 protected:
  [[nodiscard]] static const BackendUnderTest& where() { return GetParam(); }
};

inline std::string backend_name(const testing::TestParamInfo<BackendUnderTest>& tested) { return tested.param.name; }

#define OFFGRID_RUN_ON_BACKENDS(Suite) \
  INSTANTIATE_TEST_SUITE_P(Backends, Suite, testing::ValuesIn(support::backends()), support::backend_name)

// An array where the backend can reach it, with a way back. Host memory serves the CPU.
template <class V> class DeviceArray {
 public:
  DeviceArray(const BackendUnderTest& where, std::vector<V> values) : values_(std::move(values)) {
    if (where.name == "cuda") memory_ = copy_to_gpu(values_.data(), values_.size() * sizeof(V));
  }
  [[nodiscard]] V* data() { return memory_ ? static_cast<V*>(memory_.get()) : values_.data(); }
  [[nodiscard]] const std::vector<V>& host() const {
    if (memory_) copy_from_gpu(values_.data(), memory_.get(), values_.size() * sizeof(V));
    return values_;
  }

 private:
  mutable std::vector<V> values_;
  std::shared_ptr<void> memory_;  // on a GPU
};

// The coordinates of points on the device.
template <class T> class PlacedPoints {
 public:
  PlacedPoints(const BackendUnderTest& where, const PointSet<T>& points) : count_(points.count()) {
    for (const auto& axis : points.axis) arrays_.emplace_back(where, axis);
  }
  [[nodiscard]] std::array<const void*, offgrid::max_dim> raw() {
    std::array<const void*, offgrid::max_dim> axes{};
    for (std::size_t a = 0; a < arrays_.size(); ++a) axes[a] = arrays_[a].data();
    return axes;
  }
  [[nodiscard]] offgrid::Points<T> points() {
    offgrid::Points<T> points{count_, {}};
    for (std::size_t a = 0; a < arrays_.size(); ++a) points.axis[a] = arrays_[a].data();
    return points;
  }

 private:
  std::int64_t count_;
  std::vector<DeviceArray<T>> arrays_;
};

}  // namespace support
