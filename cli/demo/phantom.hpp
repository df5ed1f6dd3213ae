// The Shepp-Logan phantom with modified intensities: ten ellipses on [-1, 1]^2, as pixels, and in k-space:
//
//   S(k) = sum over ellipses of  rho a b J1(2 pi K) / K exp(-2 pi i k.d),   K = |(a k'_1, b k'_2)|
//
// with k in cycles a unit of length, k' = k in the axes of the ellipse, and rho pi a b in the limit K -> 0
// (Koay et al., Magn. Reson. Med. 58:430, 2007).
#pragma once

#include <complex>
#include <cstdint>
#include <vector>

namespace cli {

inline constexpr double phantom_width = 2;  // of the square that holds it, the field of view

// The mean over every pixel of the square, from a raster of 8 x 8 samples a pixel. Pixel (n1, n2) is at
// (n1 - size/2, n2 - size/2) * width/size, n1 contiguous.
std::vector<double> phantom_pixels(std::int64_t size);

// The Fourier transform at k, in cycles a unit of length.
std::complex<double> phantom_fourier(double k1, double k2);

}  // namespace cli
