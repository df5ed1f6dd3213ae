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
constexpr std::array<std::string_view, 3> gram_words{"auto", "convolution", "pair"};
constexpr std::array<std::string_view, 3> type3_words{"auto", "grid", "direct"};
constexpr std::array<std::string_view, 3> window_words{"auto", "prolate", "semicircle"};

// Other spellings of a word. They are taken, and listed nowhere but in the help of their option.
struct Spelling {
  std::string_view given, word;
};
constexpr std::array spellings{Spelling{"centered", "centred"}};

const std::array table{
    OptionRow{"sign",
              &Options::sign,
              -1,
              1,
              {},
              "sign of i in the exponent; 0, the default, is -1 for type 1 and +1 for types 2 and 3",
              "1 or -1"},
    OptionRow{"transforms", &Options::transforms, 1, 0x1p40, {}, "how many vectors share the points"},
    OptionRow{"mode_order", &Options::mode_order, 0, 1, order_words,
              "centred (or centered): k runs from -floor(N/2) up; fft: k runs from 0 up, then through the negative "
              "ones, as in an FFT"},
    OptionRow{"strict", &Options::strict, 0, 1, switch_words, "refuse a tolerance that cannot be reached"},
    OptionRow{"deterministic", &Options::deterministic, 0, 1, switch_words,
              "equal results, bit by bit, in every run. On a GPU this makes spreading slower. On the CPU it changes "
              "nothing: results are always equal for the same number of threads"},
    OptionRow{
        "spread_only", &Options::spread_only, 0, 1, switch_words,
        "only spread (type 1) or interpolate (type 2): the plan's sizes are the cells of the grid, without FFT and "
        "deconvolution. upsampling, 2 by default, then is a parameter of the kernel; sign and mode_order have no "
        "effect"},
    OptionRow{"device", &Options::device, 0, 2, device_words, "where to run"},
    OptionRow{"points_hint",
              &Options::points_hint,
              0,
              0x1p50,
              {},
              "how many points to expect: the grid is then chosen when the plan is made; 0: it is chosen when points "
              "are set"},
    OptionRow{
        "upsampling",
        &Options::upsampling,
        0,
        1000,
        {},
        "sigma, how much finer the internal grid is: it has about sigma N cells along an axis of N modes. A larger "
        "sigma makes the FFT slower and the kernel narrower; 0: the library chooses",
        "over 1, at most 2.5; with spread_only at most 1000"},
    OptionRow{"width",
              &Options::width,
              0,
              16,
              {},
              "how many cells of the grid the kernel covers along each axis; 0: the library chooses",
              "2 to 16"},
    OptionRow{"window", &Options::window, 0, 2, window_words,
              "the kernel's shape; semicircle is the one of the cuFINUFFT paper, with the paper's rule for the width"},
    OptionRow{
        "batch", &Options::batch, 0, 0x1p20, {}, "how many vectors are worked on together; 0: the library chooses"},
    OptionRow{"threads", &Options::threads, 0, 4096, {}, "threads of the CPU engine; 0: as many as OpenMP would take"},
    OptionRow{"gram", &Options::gram, 0, 2, gram_words,
              "of a Gram operator: how it is applied, as a convolution on a grid of twice the modes or as a pair of "
              "transforms; auto takes what costs less. Other plans do not heed it"},
    OptionRow{"type3", &Options::type3, 0, 2, type3_words,
              "of a type 3: by two grids, or direct, which sums over all pairs of points and targets; auto takes what "
              "costs less. Other plans do not heed it, nor does one that is made from boxes"},
    OptionRow{"method", &Options::method, 0, 5, method_words,
              "on a GPU: how points are spread and interpolated. gm, gm_sort and sm are the paper's methods; sweep and "
              "owner use tensor cores"},
    OptionRow{"bin1",
              &Options::bin1,
              0,
              0x1p20,
              {},
              "on a GPU: cells of a bin along x, the axis that is contiguous in memory; 0: the library chooses"},
    OptionRow{"bin2", &Options::bin2, 0, 0x1p20, {}, "on a GPU: the same along y"},
    OptionRow{"bin3", &Options::bin3, 0, 0x1p20, {}, "on a GPU: the same along z, the slowest axis"},
    OptionRow{"subproblem",
              &Options::subproblem,
              0,
              0x1p30,
              {},
              "on a GPU: how many points one thread block spreads; 0: the library chooses"},
    OptionRow{"shared_bytes",
              &Options::shared_bytes,
              0,
              0x1p20,
              {},
              "on a GPU: how much shared memory one thread block may take; 0: all that there is"},
};

const OptionRow& find(std::string_view name) {
  std::string known;
  for (const OptionRow& row : table) {
    if (row.name == name) return row;
    known += (known.empty() ? "" : ", ") + std::string(row.name);
  }
  throw Error(Status::invalid_argument, text("option \"", name, "\" is unknown; there are: ", known));
}

// "4096", and "2^40" for the powers of two that nobody would write out.
std::string readable(double number) {
  const int exponent = std::ilogb(number);
  return exponent >= 20 && number == std::ldexp(1, exponent) ? text("2^", exponent) : text(number);
}

// What a person may write, words with a `separator` between them.
std::string values_of(const OptionRow& row, std::string_view separator) {
  if (!row.range.empty()) return std::string(row.range);
  if (row.words.empty()) return text(readable(row.low), " to ", readable(row.high));
  std::string words;
  for (const auto word : row.words) words += text(words.empty() ? "" : separator, word);
  return words;
}

[[noreturn]] void refuse(const OptionRow& row, const std::string& value) {
  throw Error(Status::invalid_argument, text("option ", row.name, " = ", value, ": expected ", values_of(row, ", ")));
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
  if (name == "upsampling" && value != 0 && value <= 1) refuse(row, text(value));
  if (name == "width" && value == 1) refuse(row, text(value));
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

double get_option(const Options& options, std::string_view name) {
  return std::visit([&](auto field) { return static_cast<double>(options.*field); }, find(name).field);
}

std::string options_help() {
  std::string help;
  for (const OptionRow& row : table) help += text(row.name, " (", values_of(row, "|"), "): ", row.help, "\n");
  return help;
}

}  // namespace offgrid
