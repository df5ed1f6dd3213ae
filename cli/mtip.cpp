// `offgrid mtip`: a particle's density from diffraction images in unknown orientations. Under mpirun the images are shared out
// over the ranks. The work is in mtip/application.hpp; here are the flags and the ranks.
#include <cstdio>
#include <memory>

#include "commands.hpp"
#include "mtip/application.hpp"
#include "mtip/particle.hpp"
#ifdef OFFGRID_HAS_MPI
#include "offgrid/mpi.hpp"
#endif

namespace cli {
namespace {

constexpr const char* footer =
    "A beam of X-rays makes one diffraction image of each copy of a particle, and nobody knows how the copy was "
    "turned.\n"
    "M-TIP (multi-tiered iterative phasing) finds the turns and the density together. Each generation\n"
    "  merges   all images into the particle's autocorrelation: a type 1 transform and conjugate gradients,\n"
    "  phases   that into a density: error reduction, hybrid input-output, shrink-wrap,\n"
    "  slices   the density in thousands of orientations: a type 2 transform,\n"
    "  matches  each image with the nearest slice: a matrix product,\n"
    "  refines  the orientations, in the last generations,\n"
    "and prints a line:\n"
    "  cutoff        pixels with |q| up to this part of Nyquist are used; it grows to 1\n"
    "  score         part of the images' variance that the slices explain: 1 is all; it may fall while the cutoff "
    "grows\n"
    "  phasing       relative error of the amplitudes after phasing\n"
    "  FSC           where the Fourier shell correlation falls below 0.5, in parts of Nyquist: the resolution. It is "
    "that with\n"
    "                the truth, or with the density of the generation before where no truth is known\n"
    "  orientations  median error, and the part within 15 degrees; only where the true ones are known\n"
    "  merge ...     seconds of the steps\n"
    "Success needs no truth. A run has failed with a score below 0.3, or where the half sets agree up to less than "
    "0.65 of\n"
    "Nyquist. The half sets are the even and the odd images, merged apart: up to where they agree, the images support "
    "the\n"
    "density.\n"
    "Under mpirun the images are shared out over the ranks. --checkpoint and --restart then mean a file for each "
    "rank,\n"
    "FILE.0, FILE.1 and so on; a restart takes as many ranks, and the newest generation that all of them have.\n"
    "Lengths are in voxels of the density, and Nyquist is 0.5 cycles per voxel.\n"
    "Exit codes: 0 success, 1 the reconstruction failed, 2 wrong usage or input.\n"
    "Example:\n"
    "  offgrid mtip                                              15 blobs, 500 images, ten seconds on two cores\n"
    "  offgrid mtip --particle body --images 1000 --ewald 0.5 --photons 3000 --output body\n"
    "  offgrid mtip --images 25                                  too few images: FAILED, without the truth\n"
    "  offgrid mtip --pdb 1abc.pdb --photons 10000 --save-images images.h5\n"
    "  offgrid mtip --input images.h5 --starts 3 --checkpoint run.state     and when that was stopped:\n"
    "  offgrid mtip --input images.h5 --starts 3 --checkpoint run.state --restart run.state\n"
    "  mpirun -n 4 offgrid mtip --images 2000                    each rank has 500 images; all of them make one "
    "density";

int run_on(const mtip::Settings& settings, const mtip::Ranks& ranks) {
  return mtip::run(settings, ranks) ? exit_success : exit_failure;
}

#ifdef OFFGRID_HAS_MPI
mtip::Ranks ranks_of(const offgrid::mpi::Communicator& world) {
  return {.rank = world.rank(),
          .size = world.size(),
          .sum = [&world](std::span<double> values) { world.sum(values); },
          .broadcast = [&world](std::span<std::byte> bytes) { world.broadcast(bytes); },
          .agree =
              [&world](const std::string& reason) {
                try {
                  world.agree(reason.empty() ? OFFGRID_OK : OFFGRID_INVALID_ARGUMENT, reason);
                } catch (const offgrid::Error& error) {
                  throw mtip::AgreedError(error.what());
                }
              }};
}

// What all ranks refuse, one of them says. Where one rank alone fails, the others would wait for it for ever: it ends the job.
int run(const mtip::Settings& settings) {
  const auto world = offgrid::mpi::connect();
  if (world->size() == 1) return run_on(settings, {});
  try {
    return run_on(settings, ranks_of(*world));
  } catch (const mtip::AgreedError& error) {
    if (world->rank() == 0) std::fprintf(stderr, "offgrid: %s\n", error.what());
    return exit_usage;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "offgrid: rank %d: %s\n", world->rank(), error.what());
    world->abort();
    return exit_failure;
  }
}
#else
int run(const mtip::Settings& settings) { return run_on(settings, {}); }
#endif

void add_simulation(CLI::App& app, mtip::ExperimentSettings& e) {
  constexpr const char* group = "Images to simulate";
  auto* particle =
      app.add_option("--particle", e.particle, "gauss (blobs), body (atoms in an ellipsoid) or chain (of atoms)")
          ->check(CLI::IsMember(mtip::particle_names()))
          ->capture_default_str()
          ->group(group);
  app.add_option("--pdb", e.pdb, "PDB file whose atoms are the particle, instead")->excludes(particle)->group(group);
  app.add_option("--images", e.images, "how many images, on all ranks together")
      ->check(CLI::Range(1, 10000000))
      ->capture_default_str()
      ->group(group);
  app.add_option("--pixels", e.side,
                 "along each side of the detector, of which the largest circle is used; default: M - 1")
      ->check(CLI::Range(8, 4096))
      ->group(group);
  app.add_option("--photons", e.photons, "photons per image outside |q| < 0.06, in the mean; default: no noise")
      ->check(CLI::Range(0.0, 1e12))
      ->group(group);
  app.add_option("--ewald", e.wavelength,
                 "wavelength in voxels, for pixels on the Ewald sphere; default: they lie in a plane")
      ->check(CLI::Range(0.0, 1.9))
      ->group(group);
}

void add_files(CLI::App& app, mtip::Settings& settings) {
  constexpr const char* group = "Files";
  auto* input = app.add_option("--input", settings.experiment.input,
                               "HDF5 file with the images, in the layout of spinifel; nothing is simulated then");
  for (const char* simulated : {"--particle", "--pdb", "--images", "--pixels", "--photons", "--ewald"})
    input->excludes(app.get_option(simulated));
  input->group(group);
  app.add_option("--output", settings.output,
                 "PREFIX: writes the density as PREFIX.mrc and PREFIX-density.png, and PREFIX-fsc.png: the FSC with "
                 "the truth, or "
                 "of the half sets where no truth is known")
      ->capture_default_str()
      ->group(group);
  app.add_option("--save-images", settings.save_images, "HDF5 file for the images and what is known of them")
      ->group(group);
  app.add_option("--checkpoint", settings.checkpoint, "file for the state, replaced after each generation")
      ->group(group);
  app.add_option("--restart", settings.restart,
                 "go on from this checkpoint, which is of the same images and settings; --checkpoint is not implied")
      ->group(group);
}

void add_loop(CLI::App& app, mtip::Settings& settings) {
  constexpr const char* group = "Reconstruction";
  app.add_option("--size", settings.experiment.modes,
                 "M, odd: the autocorrelation has M^3 voxels, the particle about M/2 along each axis")
      ->check(CLI::Range(9, 401))
      ->capture_default_str()
      ->group(group);
  app.add_option("--seed", settings.loop.seed, "of all random numbers, those of the simulation too")
      ->capture_default_str()
      ->group(group);
  app.add_option("--starts", settings.loop.starts, "random first densities, of which the best score wins")
      ->check(CLI::Range(1, 1000))
      ->capture_default_str()
      ->group(group);
  app.add_option("--generations", settings.generations, "of each start; default: by M, 16 at 33 and 33 at 81")
      ->check(CLI::Range(1, 999))
      ->group(group);
  app.add_option("--candidates", settings.candidates, "orientations per generation; default: 6000 (M/33)^2.3")
      ->check(CLI::Range(1, 100000000))
      ->group(group);
  app.add_option("--tolerance", settings.tolerance,
                 "of the type 1 transforms that merge; 1e-12 is the paper's, 1e-6 does as well and is quicker")
      ->capture_default_str()
      ->group(group);
  app.add_option("--shares", settings.shares,
                 "over 1: also a density from one of as many shares of the images, to see what all of them gain")
      ->check(CLI::Range(1, 1000))
      ->capture_default_str()
      ->group(group);
  app.add_option("--device", settings.device, "auto (a GPU where there is one), cpu or cuda")
      ->check(CLI::IsMember({"auto", "cpu", "cuda"}))
      ->capture_default_str()
      ->group(group);
}

}  // namespace

Command add_mtip(CLI::App& program) {
  auto* app = program.add_subcommand("mtip", "Reconstruct a particle from diffraction images in unknown orientations.");
  app->footer(footer);
  auto settings = std::make_shared<mtip::Settings>();
  add_simulation(*app, settings->experiment);
  add_files(*app, *settings);
  add_loop(*app, *settings);
  return {app, [settings] {
            settings->experiment.seed = settings->loop.seed;
            return run(*settings);
          }};
}

}  // namespace cli
