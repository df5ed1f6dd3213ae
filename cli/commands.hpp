// The subcommands. Each add_*() declares its flags on the program and returns what runs when it is chosen. The exit
// code is 0 for success, 1 for a check that failed or work that could not be done, 2 for wrong usage or input.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>

namespace cli {

struct Command {
  CLI::App* app;
  std::function<int()> run;
};

inline constexpr int exit_success = 0, exit_failure = 1, exit_usage = 2;

Command add_run(CLI::App& program);
Command add_info(CLI::App& program);
Command add_inverse(CLI::App& program);
Command add_weights(CLI::App& program);
Command add_gram(CLI::App& program);
Command add_accuracy(CLI::App& program);
Command add_bench(CLI::App& program);
Command add_demo(CLI::App& program);
Command add_mtip(CLI::App& program);

}  // namespace cli
