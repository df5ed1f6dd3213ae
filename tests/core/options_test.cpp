// The option table: every row can be set by name at both ends of its range, refuses what is outside, is in the help, and
// a refused value changes nothing.
#include "core/options.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "core/error.hpp"

namespace {

using namespace offgrid;

double value_of(const Options& options, const OptionRow& row) {
  return std::visit([&](auto field) { return static_cast<double>(options.*field); }, row.field);
}

// The message of a refusal; empty where the value was taken.
template <class Value> std::string refusal(Options& options, std::string_view name, Value value) {
  try {
    set_option(options, name, value);
    return "";
  } catch (const Error& error) {
    EXPECT_EQ(error.status(), Status::invalid_argument);
    return error.what();
  }
}

TEST(Options, both_ends_of_every_range_are_taken) {
  for (const OptionRow& row : option_table())
    for (const double end : {row.low, row.high}) {
      Options options;
      set_option(options, row.name, end);
      EXPECT_EQ(value_of(options, row), end) << row.name;
    }
}

TEST(Options, values_outside_every_range_are_refused_with_name_and_value_and_change_nothing) {
  const double infinity = std::numeric_limits<double>::infinity();
  for (const OptionRow& row : option_table())
    for (const double bad : {row.low - 1, row.high + 1, row.high * 2 + 1, -infinity, infinity, std::nan("")}) {
      if (bad >= row.low && bad <= row.high) continue;  // high + 1 is high for the largest
      Options options;
      const double before = value_of(options, row);
      const std::string message = refusal(options, row.name, bad);
      EXPECT_NE(message.find(row.name), std::string::npos) << row.name << " = " << bad << ": " << message;
      EXPECT_NE(message.find("expected"), std::string::npos) << message;
      EXPECT_EQ(value_of(options, row), before) << row.name;
    }
}

TEST(Options, whole_numbers_are_whole) {
  for (const OptionRow& row : option_table()) {
    if (std::holds_alternative<double Options::*>(row.field)) continue;
    Options options;
    EXPECT_FALSE(refusal(options, row.name, row.low + 0.5).empty()) << row.name;
    EXPECT_EQ(value_of(options, row), value_of(Options{}, row)) << row.name;
  }
}

TEST(Options, every_word_is_taken_by_name_and_by_number) {
  for (const OptionRow& row : option_table())
    for (std::size_t i = 0; i < row.words.size(); ++i) {
      Options by_word, by_number;
      set_option(by_word, row.name, row.words[i]);
      set_option(by_number, row.name, static_cast<double>(i));
      EXPECT_EQ(value_of(by_word, row), static_cast<double>(i)) << row.name << " " << row.words[i];
      EXPECT_EQ(value_of(by_number, row), static_cast<double>(i));
    }
}

TEST(Options, centered_is_centred) {
  Options options;
  set_option(options, "mode_order", "fft");
  set_option(options, "mode_order", "centered");
  EXPECT_EQ(options.mode_order, ModeOrder::centred);
  EXPECT_FALSE(refusal(options, "device", std::string_view("centered")).empty());
}

TEST(Options, numbers_are_read_from_text) {
  Options options;
  set_option(options, "upsampling", "1.5");
  set_option(options, "transforms", "12");
  set_option(options, "sign", "-1");
  EXPECT_EQ(options.upsampling, 1.5);
  EXPECT_EQ(options.transforms, 12);
  EXPECT_EQ(options.sign, -1);
}

TEST(Options, text_that_is_neither_word_nor_number_is_refused_with_what_there_is) {
  Options options;
  for (const std::string_view bad : {"", "sideways", "1x", "1 ", " 1", "nan", "0x10", "1e999"})
    EXPECT_FALSE(refusal(options, "transforms", bad).empty()) << bad;
  const std::string message = refusal(options, "mode_order", std::string_view("sideways"));
  for (const char* part : {"mode_order", "sideways", "centred", "fft"})
    EXPECT_NE(message.find(part), std::string::npos) << message;
}

TEST(Options, unknown_names_are_refused_with_the_known_ones) {
  Options options;
  for (const std::string_view name : {"colour", "", "Sign", "sign "}) {
    EXPECT_NE(refusal(options, name, 1.0).find("upsampling"), std::string::npos) << name;
    EXPECT_NE(refusal(options, name, std::string_view("on")).find("upsampling"), std::string::npos) << name;
  }
}

TEST(Options, upsampling_is_over_one_and_width_at_least_two) {
  Options options;
  for (const double sigma : {1.0, 0.5, 1e-300, -1.0, 1000.1, std::nan("")})
    EXPECT_NE(refusal(options, "upsampling", sigma).find("upsampling"), std::string::npos) << sigma;
  EXPECT_FALSE(refusal(options, "width", 1.0).empty());
  EXPECT_FALSE(refusal(options, "width", 17.0).empty());
  EXPECT_EQ(options.upsampling, 0);
  EXPECT_EQ(options.width, 0);
}

TEST(Options, help_lists_every_name_word_and_text) {
  const std::string help = options_help();
  for (const OptionRow& row : option_table()) {
    EXPECT_NE(help.find(row.name), std::string::npos) << row.name;
    EXPECT_NE(help.find(row.help), std::string::npos) << row.name;
    for (const auto word : row.words) EXPECT_NE(help.find(word), std::string::npos) << word;
  }
}

TEST(Options, ranges_read_as_a_person_writes_them) {
  Options options;
  EXPECT_NE(refusal(options, "sign", 2.0).find("sign = 2: expected 1 or -1"), std::string::npos);
  EXPECT_NE(refusal(options, "upsampling", 1.0).find("upsampling = 1: expected over 1, at most 2.5"),
            std::string::npos);
  EXPECT_NE(refusal(options, "width", 1.0).find("width = 1: expected 2 to 16"), std::string::npos);
  EXPECT_NE(refusal(options, "transforms", 0.0).find("expected 1 to 2^40"), std::string::npos);
  EXPECT_NE(refusal(options, "device", 7.0).find("expected auto, cpu, cuda"), std::string::npos);
  const std::string help = options_help();
  EXPECT_EQ(help.find("e+"), std::string::npos) << help;
  EXPECT_NE(help.find("\nupsampling (over 1, at most 2.5; with spread_only at most 1000): "), std::string::npos)
      << help;
  EXPECT_NE(help.find("\ndevice (auto|cpu|cuda): "), std::string::npos) << help;
}

TEST(Options, help_of_those_that_only_gpus_heed_begins_so) {
  for (const OptionRow& row : option_table()) {
    const std::string_view name = row.name;
    const bool gpu = name == "method" || name.starts_with("bin") || name == "subproblem" || name == "shared_bytes";
    EXPECT_EQ(row.help.starts_with(gpu_only), gpu) << name;
  }
}

TEST(Options, table_has_no_name_twice_and_defaults_in_range) {
  for (const OptionRow& row : option_table()) {
    int same = 0;
    for (const OptionRow& other : option_table()) same += other.name == row.name;
    EXPECT_EQ(same, 1) << row.name;
    EXPECT_GE(value_of(Options{}, row), row.low) << row.name;
    EXPECT_LE(value_of(Options{}, row), row.high) << row.name;
  }
}

}  // namespace
