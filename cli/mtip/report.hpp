// What a run says and leaves behind: a line per generation, the outcome, and the files PREFIX.mrc, PREFIX-density.png and
// PREFIX-fsc.png.
#pragma once

#include <string>
#include <vector>

#include "mtip/experiment.hpp"
#include "mtip/fsc.hpp"
#include "mtip/loop.hpp"

namespace cli::mtip {

void print_head(const Experiment& experiment, const NumericsProblem& problem, const Numerics& numerics,
                const Ranks& ranks);
void print_restart(const State& state);
void print_columns();
void print_progress(const Progress& progress);
void print_outcome(const LoopResult& result);

// Where the truth is known: the comparison with it, printed and drawn. `others`: more densities in the same orientation.
struct NamedDensity {
  std::string label;
  Volume density;
};
void report_truth(const Experiment& experiment, const Rotation& rotation, const std::vector<NamedDensity>& densities,
                  const std::string& prefix, int modes);

// Where it is not: the density alone, and how the half sets agree.
void report_half_sets(const LoopResult& result, const Volume& density, const std::string& prefix);

}  // namespace cli::mtip
