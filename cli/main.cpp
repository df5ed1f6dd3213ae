// offgrid, the program: nonuniform FFTs of files, what the library would choose, its accuracy, its speed, and a
// demonstration. One file per subcommand; this one only picks it and turns exceptions into messages and exit codes.
#include <CLI/CLI.hpp>
#include <cstdio>
#include <exception>
#include <vector>

#include "commands.hpp"
#include "offgrid/offgrid.hpp"
#include "text.hpp"
#include "unknown_words.hpp"

namespace {

constexpr const char* footer =
    "Try:\n"
    "  offgrid demo                         reconstruct an image from radial Fourier samples, into offgrid-demo.png\n"
    "  offgrid info --modes 256,256         what the library would choose for a problem\n"
    "  offgrid run --help                   transform NPY files\n"
    "  offgrid inverse --help               least squares: modes from values at points, in NPY files\n"
    "  offgrid gram --help                  A* W A of modes, the operator of least squares, in NPY files\n"
    "Exit codes: 0 success, 1 a check failed or the work could not be done, 2 wrong usage or input.";

int run_chosen(const std::vector<cli::Command>& commands) {
  for (const auto& command : commands)
    if (command.app->parsed()) return command.run();
  return cli::exit_usage;
}

int guarded(const std::vector<cli::Command>& commands) {
  try {
    return run_chosen(commands);
  } catch (const cli::InputError& error) {
    std::fprintf(stderr, "offgrid: %s\n", error.what());
    return cli::exit_usage;
  } catch (const offgrid::Error& error) {
    std::fprintf(stderr, "offgrid: %s\n", error.what());
    return error.status() == OFFGRID_INVALID_ARGUMENT ? cli::exit_usage : cli::exit_failure;
  } catch (const std::bad_alloc&) {
    std::fprintf(stderr, "offgrid: out of memory; take fewer points or modes\n");
    return cli::exit_failure;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "offgrid: %s\n", error.what());
    return cli::exit_failure;
  }
}

// An unknown word is named first: CLI11 would rather complain of what is missing because of it.
int refuse_usage(const CLI::App& program, const CLI::ParseError& error, const std::vector<std::string>& words) {
  if (error.get_exit_code() == 0) return program.exit(error);  // --help, --version
  const std::string unknown = cli::unknown_word(program, words);
  if (unknown.empty()) {
    program.exit(error);
  } else {
    std::fprintf(stderr, "offgrid: %s\n", unknown.c_str());
  }
  return cli::exit_usage;
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App program{"Nonuniform FFTs: sums of Fourier exponentials between points anywhere and modes on a grid."};
  program.name("offgrid");
  program.footer(footer);
  program.set_version_flag("--version", std::string("offgrid ") + offgrid_version());
  program.require_subcommand(1);
  const std::vector<cli::Command> commands{
      cli::add_run(program),     cli::add_info(program), cli::add_inverse(program),
      cli::add_weights(program), cli::add_gram(program), cli::add_accuracy(program),
      cli::add_bench(program),   cli::add_demo(program), cli::add_mtip(program)};
  if (argc == 1) {
    std::fputs(program.help().c_str(), stderr);
    return cli::exit_usage;
  }
  try {
    program.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return refuse_usage(program, error, {argv + 1, argv + argc});
  }
  return guarded(commands);
}
