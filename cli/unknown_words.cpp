#include "unknown_words.hpp"

#include <algorithm>
#include <cctype>
#include <numeric>
#include <utility>

namespace cli {
namespace {

// The nearest of `known`, if it is near: a third of its letters may differ.
std::string suggestion(const std::string& word, const std::vector<std::string>& known) {
  const auto nearer = [&](const std::string& a, const std::string& b) {
    return edits_between(word, a) < edits_between(word, b);
  };
  const auto nearest = std::min_element(known.begin(), known.end(), nearer);
  const bool near = nearest != known.end() && edits_between(word, *nearest) <= (nearest->size() + 2) / 3;
  return near ? "; did you mean " + *nearest + "?" : "";
}

std::vector<std::string> option_names(const CLI::App& command) {
  std::vector<std::string> names;
  for (const CLI::Option* option : command.get_options())
    for (const auto& name : option->get_lnames()) names.push_back("--" + name);
  return names;
}

// "--modes" of "--modes=64", and "-1" and the like are values.
std::string option_in(const std::string& word) {
  const bool is_option = word.size() > 1 && word[0] == '-' && std::isdigit(static_cast<unsigned char>(word[1])) == 0 &&
                         word[1] != '.' && word != "--";
  return is_option ? word.substr(0, word.find('=')) : "";
}

std::string unknown_option(const CLI::App& command, const std::string& word) {
  const std::string option = option_in(word);
  if (option.empty() || command.get_option_no_throw(option) != nullptr) return "";
  const std::string of = command.get_parent() != nullptr ? " of offgrid " + command.get_name() : "";
  const std::string near = suggestion(option, option_names(command));
  const std::string help = command.get_parent() != nullptr ? "offgrid " + command.get_name() : "offgrid";
  return "there is no option " + option + of + (near.empty() ? "; `" + help + " --help` lists them" : near);
}

std::string unknown_command(const CLI::App& program, const std::string& word) {
  std::vector<std::string> names;
  for (const CLI::App* command : program.get_subcommands({})) names.push_back(command->get_name());
  const auto list = [](const std::string& all, const std::string& name) {
    return all + (all.empty() ? "" : ", ") + name;
  };
  const std::string all = std::accumulate(names.begin(), names.end(), std::string(), list);
  const std::string near = suggestion(word, names);
  return "there is no command \"" + word + "\"" + (near.empty() ? "; there are: " + all : near);
}

}  // namespace

std::size_t edits_between(const std::string& one, const std::string& other) {
  std::vector<std::size_t> row(other.size() + 1);  // edits between what was seen of `one` and each beginning of `other`
  std::iota(row.begin(), row.end(), 0);
  for (std::size_t i = 0; i < one.size(); ++i) {
    std::size_t diagonal = std::exchange(row[0], i + 1);
    for (std::size_t j = 0; j < other.size(); ++j) {
      const std::size_t replaced = diagonal + (one[i] == other[j] ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({replaced, row[j] + 1, diagonal + 1});
    }
  }
  return row.back();
}

std::string unknown_word(const CLI::App& program, const std::vector<std::string>& words) {
  const CLI::App* command = &program;
  for (const auto& word : words) {
    std::string problem = unknown_option(*command, word);
    if (!problem.empty()) return problem;
    if (command != &program || word.empty() || word[0] == '-') continue;
    const auto found = program.get_subcommands([&](const CLI::App* one) { return one->get_name() == word; });
    if (found.empty()) return unknown_command(program, word);
    command = found[0];
  }
  return "";
}

}  // namespace cli
