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
  double tolerance = 1e-6;      // of the transforms of merging
  std::int64_t candidates = 0;  // 0: by M
  int shares = 1;               // over 1: also from one of as many shares of the images, to see what all of them gain
  std::string device = "auto", output = "offgrid-mtip", checkpoint, restart, save_images;
};

// Candidates and rounds of refinement for an M: 6,000 and 2 at M = 33, 15,000 and 3 at 49, 47,000 and 4 at 81. The speckles'
// angle, 1/(M/2), wants candidates as M^3; refinement makes up for the rest.
void scale_to_size(LoopSettings& loop, int modes);

// Returns whether the score tells success.
bool run(const Settings& settings, const Ranks& ranks);

}  // namespace cli::mtip
