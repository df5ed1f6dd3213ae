// Densities in MRC files (the format MRC2014 of cryo-EM, which every viewer of the field opens): a header of 1,024 bytes, then
// the values as 32-bit floats, x fastest. Little-endian, mode 2.
#pragma once

#include <string>

#include "mtip/types.hpp"

namespace cli::mtip {

struct MrcVolume {
  Volume volume;
  double voxel = 1;  // Angstrom
};

void write_mrc(const std::string& path, const MrcVolume& density);

// A cube in mode 2. Throws InputError for anything else.
MrcVolume read_mrc(const std::string& path);

}  // namespace cli::mtip
