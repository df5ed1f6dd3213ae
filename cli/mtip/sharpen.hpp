// Sharpening, before anything else is done with the images. Intensities of a particle whose parts are about a voxel wide fall
// by five or six orders of magnitude up to Nyquist. In a least-squares fit, and in a phasing, small relative errors of the
// bright centre then outweigh all that is faint. So the loop works on the particle with a Gaussian taken off it,
//   I(q) -> I(q) exp(4 pi^2 sigma^2 |q|^2),
// which is as compact and as positive as long as its parts are wider than sigma; the density gets its Gaussian back at the end.
#pragma once

#include <functional>
#include <span>

#include "mtip/types.hpp"
#include "mtip/whiten.hpp"

namespace cli::mtip {

// A part of the width that the images' mean intensity has in the outer half of the detector, from Wilson's plot: the logarithm
// of a shell's mean over |q|^2 is a straight line with the slope -4 pi^2 width^2. In voxels; 0 where intensities do not fall.
double sharpening_width(const Detector& detector, const Images& images,
                        const std::function<void(std::span<double>)>& sum);

Images sharpened(const Detector& detector, Images images, double width);

// The density block with its Gaussian: exp(-2 pi^2 width^2 |q|^2) on the Fourier grid of `modes` samples per axis.
Volume blurred(const Volume& block, double width, int modes);

// What the loop works on. Throws AgreedError for images without contrast, such as zeros alone.
struct Prepared {
  double width = 0;   // of the sharpening
  Images images;      // sharpened
  Whitened whitened;  // the sharpened ones, with the weights of the measured ones
};
Prepared prepare(const Detector& detector, const Images& images, Noise noise,
                 const std::function<void(std::span<double>)>& sum);

}  // namespace cli::mtip
