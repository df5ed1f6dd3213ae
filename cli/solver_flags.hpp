// Flags of the commands that iterate, and the progress of their steps.
#pragma once

#include <CLI/CLI.hpp>
#include <memory>

#include "offgrid/solve.hpp"
#include "progress.hpp"
#include "text.hpp"

namespace cli {

struct SolverFlags {
  std::int64_t iterations = 20;
  double rtol = 0;
  bool progress = false;

  // `what`: the number that rtol is compared with
  void add_to(CLI::App& command, double default_rtol, const std::string& what) {
    rtol = default_rtol;
    command.add_option("--iterations", iterations, "steps, at most")->check(CLI::PositiveNumber)->capture_default_str();
    command.add_option("--rtol", rtol, "it stops where " + what + " is at most this; 0: after all steps")
        ->check(CLI::NonNegativeNumber)
        ->capture_default_str();
    command.add_flag("--progress", progress, "show progress even where stderr is no terminal");
  }
};

// Counts the steps of one solver and shows them: on a terminal one line that is drawn anew.
class SolverProgress {
 public:
  SolverProgress(const std::string& label, const char* number, const SolverFlags& flags)
      : flags_(flags),
        number_(number),
        bar_(std::make_unique<ProgressBar>(
            label, flags.iterations, progress_mode(flags.progress ? ProgressWish::always : ProgressWish::automatic))) {}

  [[nodiscard]] offgrid::Iteration iteration() {
    return {.iterations = flags_.iterations,
            .rtol = flags_.rtol > 0 ? flags_.rtol : -1,
            .callback = [this](std::int64_t step, double now) {
              steps_ = step;
              last_ = now;
              bar_->step(format("%s %.1e", number_, now));
              return false;
            }};
  }
  // "12 steps, residual 8.1e-07", and the bar goes.
  [[nodiscard]] std::string finish() {
    bar_.reset();
    if (steps_ == 0) return "no step was needed";
    return format("%lld steps, %s %.1e", static_cast<long long>(steps_), number_, last_);
  }

 private:
  SolverFlags flags_;
  const char* number_;
  std::unique_ptr<ProgressBar> bar_;
  std::int64_t steps_ = 0;
  double last_ = 0;
};

}  // namespace cli
