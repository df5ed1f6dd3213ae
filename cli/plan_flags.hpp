// The library's options as command-line flags. They are generated from offgrid_options_help(), so that an option added
// to the library's one table appears here without a line of code.
#pragma once

#include <CLI/CLI.hpp>
#include <deque>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "offgrid/offgrid.hpp"

namespace cli {

// One line of offgrid_options_help(): `name (values): help`.
struct LibraryOption {
  std::string name, values, help;

  [[nodiscard]] bool gpu_only() const { return help.starts_with("on a GPU: "); }
};
std::vector<LibraryOption> library_options();

class PlanFlags {
 public:
  // Adds a flag per option, in dashes and in underscores, but for the options that the command sets by itself.
  void add_to(CLI::App& command, std::initializer_list<std::string_view> set_by_command);

  // The options that were given, in the order of the library's table.
  [[nodiscard]] std::vector<offgrid::Option> given() const;

  // The value of one option as it was written, or "" where it was not given.
  [[nodiscard]] std::string value(std::string_view name) const;

 private:
  struct Flag {
    std::string name, value;
    CLI::Option* option = nullptr;
  };
  std::deque<Flag> flags_;  // CLI11 keeps references to the values
};

}  // namespace cli
