#include "mtip/experiment.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <memory>

#include "mtip/files/diffraction_file.hpp"
#include "mtip/files/pdb.hpp"
#include "mtip/files/scattering.hpp"
#include "mtip/particle.hpp"
#include "mtip/rotations.hpp"
#include "mtip/simulate.hpp"

namespace cli::mtip {
namespace {

// Each use of the seed has a stream of its own.
constexpr std::uint64_t particle_stream = 1000, rotation_stream = 5000, photon_stream = 7000;

Transform transform_of(Particle particle) {
  return [particle = std::move(particle)](std::span<const Vector3> at) {
    std::vector<std::complex<double>> values;
    values.reserve(at.size());
    for (const Vector3& q : at) values.push_back(particle.transform(q));
    return values;
  };
}

// q in cycles per voxel becomes 1/Angstrom.
Transform transform_of(std::vector<Atom> atoms, double voxel) {
  return [atoms = std::move(atoms), voxel](std::span<const Vector3> at) {
    std::array<std::vector<double>, 3> axes;
    for (std::size_t a = 0; a < 3; ++a)
      for (const Vector3& q : at) axes[a].push_back(q[a] / voxel);
    return scatter(atoms, {axes[0], axes[1], axes[2]});
  };
}

void expose(Experiment& experiment, const ExperimentSettings& settings, const Ranks& ranks) {
  const Share share = share_of(settings.images, ranks);
  const CounterRandom random(rotation_stream + settings.seed);
  for (std::int64_t i = 0; i < share.count; ++i)
    experiment.truth->rotations.push_back(random_rotation(random, static_cast<std::uint64_t>(share.first + i)));
  experiment.images = simulate_images(
      experiment.truth->transform, experiment.detector, experiment.truth->rotations,
      {.photons = settings.photons, .seed = photon_stream + settings.seed, .first = share.first}, ranks.sum);
}

// The atoms around the origin. Returns the radius of their ball, in Angstrom.
double read_centred(const std::string& path, std::vector<Atom>& atoms) {
  constexpr double least = 1e-3;  // coordinates of a PDB file have three decimals
  atoms = read_pdb(path);
  const double radius = centre_atoms(atoms);
  if (radius < least) throw InputError(path + ": all its atoms are at one place, expected a particle of some extent");
  return radius;
}

Experiment simulate(const ExperimentSettings& settings, const Ranks& ranks) {
  Experiment result;
  result.detector = make_detector(settings.side == 0 ? settings.modes - 1 : settings.side, settings.wavelength);
  result.total = settings.images;
  result.noise = settings.photons > 0 ? Noise::poisson : Noise::none;
  if (settings.pdb.empty()) {
    const Particle particle =
        make_particle(particle_kind(settings.particle), settings.modes / 33.0, particle_stream + settings.seed);
    result.truth = Truth{.name = settings.particle, .transform = transform_of(particle), .rotations = {}};
  } else {
    constexpr double margin = 1.5;  // voxels around the atoms' centres
    std::vector<Atom> atoms;
    ranks.together([&] { result.voxel = read_centred(settings.pdb, atoms) / (ball_radius(settings.modes) - margin); });
    result.truth =
        Truth{.name = settings.pdb, .transform = transform_of(std::move(atoms), result.voxel), .rotations = {}};
  }
  expose(result, settings, ranks);
  return result;
}

// Whole numbers from 0 on are photons.
void tell_noise(Experiment& experiment, const Ranks& ranks) {
  std::array<double, 2> counts{};  // of broken and of negative numbers
  for (const float value : experiment.images.intensities) {
    counts[0] += value != std::floor(value) ? 1 : 0;
    counts[1] += value < 0 ? 1 : 0;
  }
  ranks.sum(counts);
  experiment.noise = counts[0] + counts[1] == 0 ? Noise::poisson : Noise::none;
  experiment.negative = static_cast<std::int64_t>(counts[1]);
}

Experiment read(const ExperimentSettings& settings, const Ranks& ranks) {
  Experiment result;
  DiffractionData data;
  ranks.together([&] {
    result.total = count_images(settings.input);
    const Share share = share_of(result.total, ranks);
    data = read_diffraction(settings.input, {.first = share.first, .count = share.count});
  });
  result.detector = std::move(data.detector);
  result.images = std::move(data.images);
  result.voxel = data.voxel;
  tell_noise(result, ranks);
  std::array<double, 1> oriented{static_cast<double>(data.rotations.size())};
  ranks.sum(oriented);  // a rank without images has no rotations, whatever the file has
  if (oriented[0] > 0)
    result.truth = Truth{.name = settings.input, .transform = {}, .rotations = std::move(data.rotations)};
  return result;
}

}  // namespace

double ball_radius(int modes) { return modes / 4.0 + 0.5; }

Experiment make_experiment(const ExperimentSettings& settings, const Ranks& ranks) {
  return settings.input.empty() ? simulate(settings, ranks) : read(settings, ranks);
}

}  // namespace cli::mtip
