// The options, and the one table that names them. The table feeds the C calls, the command line, the range checks and
// the documentation: an option is added here and nowhere else.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <variant>

#include "core/types.hpp"

namespace offgrid {

enum class DeviceKind { automatic, cpu, cuda };

struct Options {
  // behaviour
  int sign = 0;  // 0: -1 for type 1, +1 for type 2
  std::int64_t transforms = 1;
  ModeOrder mode_order = ModeOrder::centred;
  bool strict = false;
  bool deterministic = false;
  bool spread_only = false;
  DeviceKind device = DeviceKind::automatic;
  // performance
  std::int64_t points_hint = 0;  // 0: chosen when points are set
  double upsampling = 0;         // 0: chosen
  int width = 0;                 // 0: chosen
  WindowKind window = WindowKind::automatic;
  std::int64_t batch = 0;  // 0: chosen
  int threads = 0;         // 0: what OpenMP would take
  GramMethod gram = GramMethod::automatic;
  Type3Method type3 = Type3Method::automatic;
  // performance, on a GPU
  Method method = Method::automatic;
  std::int64_t bin1 = 0, bin2 = 0, bin3 = 0;  // cells; 0: chosen
  std::int64_t subproblem = 0;                // points; 0: chosen
  std::int64_t shared_bytes = 0;              // 0: what the device has
  bool operator==(const Options&) const = default;
};

inline UniformSide uniform_side(const Options& options) {
  return options.spread_only ? UniformSide::cells : UniformSide::modes;
}

inline std::int64_t expected_points(const Problem& problem, const Options& options) {
  return options.points_hint > 0 ? options.points_hint : problem.modes[0] * problem.modes[1] * problem.modes[2];
}

// Of the forward transform; the adjoint has the opposite one.
inline Sign sign_of(const Problem& problem, const Options& options) {
  if (options.sign != 0) return options.sign > 0 ? Sign::plus : Sign::minus;
  return problem.type == 1 ? Sign::minus : Sign::plus;
}

// One row of the table: `field` points into Options; `words` are the values of an enumeration, in its order.
// The help of an option that only GPUs heed begins with `gpu_only`; the program lists these apart.
inline constexpr std::string_view gpu_only = "on a GPU";
struct OptionRow {
  using Field = std::variant<int Options::*, std::int64_t Options::*, double Options::*, bool Options::*,
                             ModeOrder Options::*, DeviceKind Options::*, WindowKind Options::*, Method Options::*,
                             GramMethod Options::*, Type3Method Options::*>;
  std::string_view name;
  Field field;
  double low, high;
  std::span<const std::string_view> words;
  std::string_view help;
  std::string_view range = {};  // how a person writes it, where "low to high" is not the whole truth
};

std::span<const OptionRow> option_table();

// Both throw invalid_argument for an unknown name or a value out of range, and leave `options` as it was.
void set_option(Options& options, std::string_view name, double value);
void set_option(Options& options, std::string_view name, std::string_view word);

// The table in words, one option a line.
// The value by name; a word by its place in the row.
double get_option(const Options& options, std::string_view name);

std::string options_help();

}  // namespace offgrid
