// What `offgrid mtip` does with its flags: makes or reads images, reconstructs, reports, and writes files.
#pragma once

#include <cstdint>
#include <string>

#include "mtip/experiment.hpp"
#include "mtip/loop.hpp"
#include "mtip/ranks.hpp"

namespace cli::mtip {

struct Settings {
  ExperimentSettings experiment;
  LoopSettings loop;
  double tolerance = 1e-12;     // of the transforms of merging, as in the paper
  std::int64_t candidates = 0;  // 0: by M
  int generations = 0;          // 0: by M
  int shares = 1;               // over 1: also from one of as many shares of the images, to see what all of them gain
  std::string device = "auto", output = "offgrid-mtip", checkpoint, restart, save_images;
};

// The loop's settings for an M, from those for M = 33. The first cutoff is that many speckles, and the cutoff grows by about as
// many of them in each generation: 16 generations at M = 33, 33 at 81. There are 6,000 candidates and 3 rounds of refinement at
// M = 33, 15,000 and 4 at 49, 47,000 and 5 at 81: the speckles' angle, 1/(M/2), wants candidates as M^3, and refinement makes
// up for the rest. Phasings have more rounds in proportion to M.
void scale_to_size(LoopSettings& loop, int modes);

// Returns whether score and half sets tell success.
bool run(const Settings& settings, const Ranks& ranks);

}  // namespace cli::mtip
