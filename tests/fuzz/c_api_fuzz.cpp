// Fuzzes the C interface: the bytes choose a problem, options, points and a sequence of calls. Whatever they are, a
// call returns a status, a refused call leaves the plan usable, and nothing is read or written out of bounds.
#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>
#include <type_traits>
#include <vector>

#include "offgrid/offgrid.h"

namespace {

// Takes values from the front of the input; zeros once it is used up.
class Source {
 public:
  Source(const std::uint8_t* data, std::size_t size) : data_(data), left_(size) {}

  template <class Value> Value take() {
    Value value{};
    const std::size_t bytes = std::min(sizeof(Value), left_);
    if (bytes > 0) std::memcpy(&value, data_, bytes);
    data_ += bytes;
    left_ -= bytes;
    return value;
  }

  int below(int bound) { return take<std::uint8_t>() % bound; }
  [[nodiscard]] bool empty() const { return left_ == 0; }

 private:
  const std::uint8_t* data_;
  std::size_t left_;
};

struct FreeOptions {
  void operator()(offgrid_options options) const { offgrid_options_destroy(options); }
};
struct FreePlan {
  void operator()(offgrid_plan plan) const { offgrid_plan_destroy(plan); }
};
using Options = std::unique_ptr<std::remove_pointer_t<offgrid_options>, FreeOptions>;
using Plan = std::unique_ptr<std::remove_pointer_t<offgrid_plan>, FreePlan>;

void require(bool good) {
  if (!good) std::abort();
}

// A failure has a message.
bool ok(offgrid_status status) {
  require(status >= OFFGRID_OK && status <= OFFGRID_INTERNAL_ERROR);
  require(status == OFFGRID_OK || std::strlen(offgrid_last_error()) > 0);
  return status == OFFGRID_OK;
}

Options make_options(Source& source) {
  static constexpr const char* names[] = {"sign",  "mode_order", "strict", "device",  "points_hint", "upsampling",
                                          "width", "window",     "batch",  "threads", "spread_only", "no such option"};
  static constexpr const char* words[] = {"fft", "on", "auto", "cpu", "semicircle", "prolate", "", "1e3", "-1", "nan"};
  offgrid_options raw = nullptr;
  require(ok(offgrid_options_create(&raw)));
  Options options(raw);
  for (int count = source.below(6); count > 0; --count) {
    const char* name = names[source.below(std::size(names))];
    if (source.below(2) == 0)
      ok(offgrid_options_set_text(raw, name, words[source.below(std::size(words))]));
    else
      ok(offgrid_options_set(raw, name, source.below(2) == 0 ? source.below(20) : source.take<double>()));
  }
  ok(offgrid_options_set(raw, "threads", 1 + source.below(2)));  // more would only be slow
  return options;
}

// Mostly small sizes, so that plans are made; sometimes anything at all, which must be refused or be small after all.
std::array<std::int64_t, 3> make_modes(Source& source) {
  std::array<std::int64_t, 3> modes{};
  const bool wild = source.below(8) == 0;
  for (auto& size : modes) size = wild ? source.take<std::int64_t>() | (std::int64_t{1} << 60) : source.below(14);
  return modes;
}

template <class T> class Session {
 public:
  Session(offgrid_plan plan, int dim, std::int64_t modes, std::int64_t transforms)
      : plan_(plan), dim_(dim), transforms_(transforms), modes_(static_cast<std::size_t>(2 * modes * transforms)) {}

  void step(Source& source) {
    switch (source.below(4)) {
      case 0:
        return set_points(source);
      case 1:
        return execute(offgrid_execute);
      case 2:
        return execute(offgrid_execute_adjoint);
      default:
        return ask(source);
    }
  }

 private:
  void set_points(Source& source) {
    const int count = source.below(40) - 1;  // -1 must be refused
    std::vector<T> axes[3];
    for (auto& axis : axes) {
      axis.resize(static_cast<std::size_t>(std::max(count, 0)));
      for (auto& x : axis) x = source.below(4) == 0 ? source.take<T>() : static_cast<T>(source.below(256)) / 20;
    }
    const void* y = dim_ > 1 ? axes[1].data() : nullptr;
    const void* z = dim_ > 2 ? axes[2].data() : nullptr;
    const bool done = ok(offgrid_set_points(plan_, count, axes[0].data(), y, z, nullptr));
    require(!(done && count < 0));
    if (done) count_ = count;
  }

  void execute(offgrid_status (*call)(offgrid_plan, void*, void*, void*)) {
    std::vector<T> strengths(static_cast<std::size_t>(2 * std::max(count_, 0) * transforms_), T{1});
    const bool done = ok(call(plan_, strengths.data(), modes_.data(), nullptr));
    require(done == (count_ >= 0) || strengths.empty() || modes_.empty());
    std::fill(modes_.begin(), modes_.end(), T{1});
  }

  void ask(Source& source) {
    static constexpr const char* names[] = {"upsampling",     "width",           "grid1",  "grid3",
                                            "expected_error", "workspace_bytes", "points", "nothing"};
    double value = 0;
    ok(offgrid_plan_get(plan_, names[source.below(std::size(names))], &value));
    require(std::strlen(offgrid_plan_describe(plan_)) > 0);
  }

  offgrid_plan plan_;
  int dim_, count_ = -1;
  std::int64_t transforms_;
  std::vector<T> modes_;
};

template <class T> void play(Source& source, offgrid_precision precision) {
  const auto options = make_options(source);
  const int transforms = 1 + source.below(3), type = source.below(5), dim = source.below(5);
  require(ok(offgrid_options_set(options.get(), "transforms", transforms)));
  const auto modes = make_modes(source);
  const double tolerance =
      source.below(8) == 0 ? source.take<double>() : std::array{1e-1, 1e-3, 1e-6, 1e-9}[source.below(4)];
  offgrid_plan raw = nullptr;
  const bool made = ok(offgrid_plan_create(&raw, type, dim, modes.data(), tolerance, precision, options.get()));
  require(made == (raw != nullptr));
  const Plan plan(raw);
  if (!made) return;
  std::int64_t count = 1;
  for (int axis = 0; axis < dim; ++axis) count *= modes[static_cast<std::size_t>(axis)];
  Session<T> session(raw, dim, count, transforms);
  for (int calls = 0; calls < 12 && !source.empty(); ++calls) session.step(source);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  Source source(data, size);
  if (source.below(2) == 0)
    play<float>(source, OFFGRID_F32);
  else
    play<double>(source, OFFGRID_F64);
  return 0;
}
