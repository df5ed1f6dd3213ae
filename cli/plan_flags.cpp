#include "plan_flags.hpp"

#include <algorithm>
#include <sstream>

namespace cli {
namespace {

// "mode_order" becomes "--mode-order,--mode_order"; the commonest has a short name too.
std::string spellings(const std::string& name) {
  std::string dashed = name;
  std::replace(dashed.begin(), dashed.end(), '_', '-');
  std::string all = "--" + dashed;
  if (dashed != name) all += ",--" + name;
  if (name == "mode_order") all += ",--order";
  return all;
}

}  // namespace

std::vector<LibraryOption> library_options() {
  std::vector<LibraryOption> options;
  std::istringstream lines(offgrid_options_help());
  for (std::string line; std::getline(lines, line);) {
    const auto open = line.find(" ("), close = line.find("): ");
    if (open == std::string::npos || close == std::string::npos || close < open) continue;
    options.push_back({line.substr(0, open), line.substr(open + 2, close - open - 2), line.substr(close + 3)});
  }
  return options;
}

void PlanFlags::add_to(CLI::App& command, std::initializer_list<std::string_view> set_by_command) {
  for (const LibraryOption& option : library_options()) {
    if (std::find(set_by_command.begin(), set_by_command.end(), option.name) != set_by_command.end()) continue;
    Flag& flag = flags_.emplace_back(Flag{option.name, "", nullptr});
    flag.option = command.add_option(spellings(option.name), flag.value, option.help)
                      ->type_name(option.values)
                      ->group(option.gpu_only() ? "Options of the library, for GPUs only" : "Options of the library");
  }
}

std::vector<offgrid::Option> PlanFlags::given() const {
  std::vector<offgrid::Option> options;
  for (const Flag& flag : flags_) {
    if (flag.option->count() == 0) continue;
    const bool plus = flag.value.size() > 1 && flag.value[0] == '+';  // "--sign +1" reads well; the library wants "1"
    options.emplace_back(flag.name, flag.value.c_str() + (plus ? 1 : 0));
  }
  return options;
}

std::string PlanFlags::value(std::string_view name) const {
  for (const Flag& flag : flags_)
    if (flag.name == name && flag.option->count() > 0) return flag.value;
  return "";
}

}  // namespace cli
