#include "core/options.hpp"

#include <array>
#include <charconv>
#include <cmath>

#include "core/error.hpp"
#include "core/text.hpp"

namespace offgrid {
namespace {

constexpr std::array<std::string_view, 2> switch_words{"off", "on"};
constexpr std::array<std::string_view, 2> order_words{"centred", "fft"};
constexpr std::array<std::string_view, 3> device_words{"auto", "cpu", "cuda"};
constexpr std::array<std::string_view, 6> method_words{"auto", "gm", "gm_sort", "sm", "sweep", "owner"};
constexpr std::array<std::string_view, 3> window_words{"auto", "prolate", "semicircle"};

// Other spellings of a word. They are taken, and listed nowhere but in the help of their option.
struct Spelling {
  std::string_view given, word;
};
constexpr std::array spellings{Spelling{"centered", "centred"}};

const std::array table{
    OptionRow{"sign", &Options::sign, -1, 1, {}, "sign of i in the exponent; 0: -1 for type 1, +1 for type 2"},
    OptionRow{"transforms", &Options::transforms, 1, 0x1p40, {}, "how many vectors share the points"},
    OptionRow{"mode_order", &Options::mode_order, 0, 1, order_words,
              "modes from -N/2 up (\"centered\" is taken too), or from 0 up as an FFT has them"},
    OptionRow{"strict", &Options::strict, 0, 1, switch_words, "refuse a tolerance that cannot be reached"},
    OptionRow{
        "deterministic", &Options::deterministic, 0, 1, switch_words,
        "the same bits from run to run; slower spreading on a GPU, on a CPU with a fixed number of threads always so"},
    OptionRow{"device", &Options::device, 0, 2, device_words, "where to run"},
    OptionRow{"points_hint",
              &Options::points_hint,
              0,
              0x1p50,
              {},
              "points to expect, for the choice of the grid; 0: as many as modes"},
    OptionRow{"upsampling", &Options::upsampling, 0, 2.5, {}, "sigma, grid cells a mode, over 1; 0: chosen"},
    OptionRow{"width", &Options::width, 0, 16, {}, "width of the kernel in cells, from 2; 0: chosen"},
    OptionRow{"window", &Options::window, 0, 2, window_words,
              "the kernel's shape; semicircle is the paper's, with its width rule"},
    OptionRow{"batch", &Options::batch, 0, 0x1p20, {}, "vectors worked on together; 0: chosen"},
    OptionRow{"threads", &Options::threads, 0, 4096, {}, "threads of the CPU engine; 0: what OpenMP would take"},
    OptionRow{"method", &Options::method, 0, 5, method_words,
              "on a GPU: the paper's GM, GM-sort and SM, or by tensor cores a sweep or owners of tiles"},
    OptionRow{"bin1", &Options::bin1, 0, 0x1p20, {}, "on a GPU, cells of a bin along x; 0: chosen"},
    OptionRow{"bin2", &Options::bin2, 0, 0x1p20, {}, "the same along y"},
    OptionRow{"bin3", &Options::bin3, 0, 0x1p20, {}, "the same along z"},
    OptionRow{"subproblem", &Options::subproblem, 0, 0x1p30, {}, "on a GPU, points a block spreads; 0: chosen"},
    OptionRow{"shared_bytes",
              &Options::shared_bytes,
              0,
              0x1p20,
              {},
              "on a GPU, shared memory that a block may take; 0: all that there is"},
};

const OptionRow& find(std::string_view name) {
  std::string known;
  for (const OptionRow& row : table) {
    if (row.name == name) return row;
    known += (known.empty() ? "" : ", ") + std::string(row.name);
  }
  throw Error(Status::invalid_argument, text("option \"", name, "\" is unknown; there are: ", known));
}

[[noreturn]] void refuse(const OptionRow& row, const std::string& value) {
  std::string expected = text("expected ", row.low, " to ", row.high);
  if (!row.words.empty()) {
    expected = "expected";
    for (const auto word : row.words) expected += text(" ", word);
  }
  throw Error(Status::invalid_argument, text("option ", row.name, " = ", value, ": ", expected));
}

std::string_view spelt_as_listed(std::string_view word) {
  for (const Spelling& spelling : spellings)
    if (spelling.given == word) return spelling.word;
  return word;
}

template <class Field> void assign(Options& options, Field Options::*field, double value) {
  options.*field = static_cast<Field>(value);
}

bool is_real(const OptionRow& row) { return std::holds_alternative<double Options::*>(row.field); }

}  // namespace

std::span<const OptionRow> option_table() { return table; }

void set_option(Options& options, std::string_view name, double value) {
  const OptionRow& row = find(name);
  const bool in_range = value >= row.low && value <= row.high;  // false for NaN too
  if (!in_range || (!is_real(row) && value != std::floor(value))) refuse(row, text(value));
  if (name == "upsampling" && value != 0 && value <= 1) refuse(row, text(value, ", which is not over 1"));
  if (name == "width" && value == 1) refuse(row, "1, which is under 2");
  std::visit([&](auto field) { assign(options, field, value); }, row.field);
}

void set_option(Options& options, std::string_view name, std::string_view word) {
  const OptionRow& row = find(name);
  for (std::size_t i = 0; i < row.words.size(); ++i)
    if (row.words[i] == spelt_as_listed(word)) return set_option(options, name, static_cast<double>(i));
  double value = 0;
  const auto [end, problem] = std::from_chars(word.data(), word.data() + word.size(), value);
  if (problem != std::errc{} || end != word.data() + word.size()) refuse(row, text("\"", word, "\""));
  set_option(options, name, value);
}

std::string options_help() {
  std::string help;
  for (const OptionRow& row : table) {
    std::string values;
    for (const auto word : row.words) values += (values.empty() ? "" : "|") + std::string(word);
    if (row.words.empty()) values = text(row.low, " to ", row.high);
    help += text(row.name, " (", values, "): ", row.help, "\n");
  }
  return help;
}

}  // namespace offgrid
