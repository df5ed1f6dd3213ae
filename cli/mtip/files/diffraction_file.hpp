// Diffraction images in HDF5 files with the layout of spinifel and skopi.
//   intensities                (images, panels, H, W)      photon counts or intensities
//   pixel_position_reciprocal  (panels, H, W, 3)           scattering vectors in 1/m; (3, panels, H, W) is read, too
//   pixel_index_map            (panels, H, W, 2)           row and column of a pixel in the assembled detector; written, not read
//   orientations               (images, 4) or (images, 1, 4)   quaternions w, x, y, z, where they are known
//   volume                     (n, n, n)                   the density [z, y, x] in voxels, where it is known
//   pixel_mask                 (panels, H, W)              0: the pixel is not used. Ours; where it is missing, all are used
// In a build without HDF5 all functions throw InputError.
#pragma once

#include <string>
#include <vector>

#include "mtip/types.hpp"

namespace cli::mtip {

// Which images of a file: all of them, or a rank's part, which may be none.
struct ImageRange {
  std::int64_t first = 0, count = -1;  // -1: all from the first on
};

struct DiffractionData {
  Detector detector;
  Images images;
  double voxel = 1;                 // Angstrom: half of the resolution at the edge of the detector
  std::vector<Rotation> rotations;  // empty where the file has no orientations
};

bool has_hdf5();
std::int64_t count_images(const std::string& path);

// The pixels within the largest circle around q = 0 that the detector covers are used: its edge is Nyquist, 0.5 cycles per
// voxel. That sets the size of the voxel. Shells are as wide as a pixel.
DiffractionData read_diffraction(const std::string& path, const ImageRange& range = {});

// The density of a file. Of size 0 where there is none, or where something else has its name: files of other programs may have
// complex numbers there.
Volume read_volume(const std::string& path);

// Pixels that lie on a grid in q_x and q_y become one panel with the rows and columns of that grid, and what the detector does
// not use is masked; others become a panel of one row. `volume` may be empty. `total`, where it is more than the data has: room
// for the images of other ranks, which write_more_images adds.
void write_diffraction(const std::string& path, const DiffractionData& data, const Volume& volume = {},
                       std::int64_t total = 0);

// Images with the same detector into a file that has room for them, from image number `first` on.
void write_more_images(const std::string& path, const DiffractionData& data, std::int64_t first);

}  // namespace cli::mtip
