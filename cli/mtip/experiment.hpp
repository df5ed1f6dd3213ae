// The images of a run and what is known of them: simulated from Gaussians or from the atoms of a PDB file, or read from HDF5.
#pragma once

#include <optional>
#include <string>

#include "mtip/ranks.hpp"
#include "mtip/types.hpp"

namespace cli::mtip {

struct ExperimentSettings {
  std::string particle = "gauss", pdb{}, input{};  // a PDB file or an HDF5 file takes the particle's place
  std::int64_t images = 500;                       // of a simulation, on all ranks together
  int modes = 33;                                  // M
  int side = 0;                                    // pixels along each side of the detector; 0: M - 1
  double photons = 0;                              // mean per image outside |q| < 0.06; 0: no noise
  double wavelength = 0;                           // in voxels; 0: flat
  std::uint64_t seed = 1;
};

struct Experiment {
  Detector detector;
  Images images;              // of this rank
  std::int64_t total = 0;     // of all ranks
  std::int64_t negative = 0;  // intensities below 0 that were read, of all ranks
  Noise noise = Noise::none;
  double voxel = 1;            // in Angstrom, where the length is known
  std::optional<Truth> truth;  // without `transform` where only the orientations are known
};

// The ball that holds the particle, in voxels: the autocorrelation is twice as wide and fills M^3.
double ball_radius(int modes);

Experiment make_experiment(const ExperimentSettings& settings, const Ranks& ranks);

}  // namespace cli::mtip
