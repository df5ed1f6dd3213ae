// Where k-space is sampled, and what part of it a sample stands for. With N pixels across the field of view and kappa
// in cycles a field of view, the point of a sample is x = 2 pi kappa / N, and its weight is its share of the area in
// units of N^2, so that sum_j w_j s_j exp(i n.x_j) approximates the inverse Fourier integral.
#pragma once

#include <cstdint>
#include <vector>

#include "axes.hpp"

namespace cli {

template <class T> struct Trajectory {
  Points<T> points;
  std::vector<T> weights;
};

// Diameters of the disc |kappa| <= N/2, each turned by the golden angle of 111.246 degrees from the one before.
template <class T> Trajectory<T> golden_angle_radial(std::int64_t pixels, std::int64_t spokes, std::int64_t samples);

// Every whole kappa in the same disc: the band that the radial samples cover, on a grid without gaps.
template <class T> Trajectory<T> cartesian_disc(std::int64_t pixels);

}  // namespace cli
