// A command line that CLI11 refused: the first command or option in it that does not exist, and the nearest that does.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace cli {

// "there is no option --mode of run; did you mean --modes?", or "" where every word is known.
std::string unknown_word(const CLI::App& program, const std::vector<std::string>& words);

// How many letters have to be inserted, removed or replaced to make one word of the other.
std::size_t edits_between(const std::string& one, const std::string& other);

}  // namespace cli
