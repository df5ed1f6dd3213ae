// Simulated particles: sums of Gaussians, whose Fourier transform is known in closed form.
//   density(r) = sum_g weight_g exp(-|r - c_g|^2 / (2 sigma_g^2))
//   F(q)       = sum_g weight_g (2 pi)^(3/2) sigma_g^3 exp(-2 pi^2 sigma_g^2 |q|^2 - 2 pi i q.c_g)
#pragma once

#include <complex>
#include <span>
#include <string>
#include <vector>

#include "mtip/types.hpp"

namespace cli::mtip {

struct Gaussian {
  Vector3 centre{};
  double sigma = 1, weight = 1;
};

struct Particle {
  std::vector<Gaussian> parts;

  [[nodiscard]] std::complex<double> transform(const Vector3& q) const;
  [[nodiscard]] double density(const Vector3& r) const;
};

enum class ParticleKind {
  gauss,  // a few broad Gaussians anywhere in a ball
  body,   // atoms that fill an ellipsoid: at low resolution nearly symmetric
  chain,  // atoms along a compact random walk
};
ParticleKind particle_kind(const std::string& name);  // throws InputError
const std::vector<std::string>& particle_names();

// `scale` stretches the particle: 1 is for M = 33, where it is about 13 voxels long. Larger particles have more parts, so that
// there is as much detail per volume. The centre of mass is the origin.
Particle make_particle(ParticleKind kind, double scale, std::uint64_t seed);

}  // namespace cli::mtip
