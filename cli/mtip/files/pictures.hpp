// The pictures of a reconstruction: the density in slices and a projection, with the truth beside it where there is one, and
// curves of the Fourier shell correlation.
#pragma once

#include <string>
#include <vector>

#include "mtip/types.hpp"
#include "picture/plot.hpp"

namespace cli::mtip {

// One row of the density's picture. All rows have the same number of voxels; each has its own scale of brightness.
struct DensityRow {
  std::string label;
  Volume density;
};

// Columns: the slices x = 0, y = 0 and z = 0 through the middle, and the projection along z.
void save_density_picture(const std::string& path, const std::vector<DensityRow>& rows);

// One curve of the Fourier shell correlation: values of shells at |q| in cycles per voxel.
struct FscCurve {
  std::string label;
  std::vector<double> q, fsc;
};

// Over |q| / Nyquist from 0 to 1, with the line at 0.5 by which the resolution is told.
Plot fsc_plot(const std::string& title, const std::vector<FscCurve>& curves);
void save_fsc_picture(const std::string& path, const std::string& title, const std::vector<FscCurve>& curves);

}  // namespace cli::mtip
