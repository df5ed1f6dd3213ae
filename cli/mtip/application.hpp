// What `offgrid mtip` does with its flags: makes or reads images, reconstructs, reports, and writes files.
#pragma once

#include <cstdint>
#include <string>

#include "mtip/loop.hpp"
#include "mtip/ranks.hpp"

namespace cli::mtip {

struct Settings {
  std::string particle = "gauss";
  std::int64_t images = 500;
  int modes = 33;         // M
  int side = 0;           // pixels along each side of the detector; 0: M - 1
  double photons = 0;     // per image; 0: no noise
  double wavelength = 0;  // in voxels; 0: flat
  std::string device = "auto", output = "offgrid-mtip", checkpoint, restart, input, pdb;
  double tolerance = 1e-6;
  std::int64_t candidates = 0;  // 0: by M
  LoopSettings loop;
};

// Returns whether the score tells success.
bool run(const Settings& settings, const Ranks& ranks);

}  // namespace cli::mtip
