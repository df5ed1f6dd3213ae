// `offgrid mtip`: a particle's density from diffraction images in unknown orientations (mtip/loop.hpp).
#include <memory>

#include "commands.hpp"
#include "mtip/application.hpp"

namespace cli {

Command add_mtip(CLI::App& program) {
  auto* app = program.add_subcommand("mtip", "Reconstruct a particle from diffraction images in unknown orientations.");
  auto settings = std::make_shared<mtip::Settings>();
  app->add_option("--particle", settings->particle, "gauss, body or chain")->capture_default_str();
  app->add_option("--images", settings->images, "how many")->capture_default_str();
  app->add_option("--size", settings->modes, "M")->capture_default_str();
  app->add_option("--pixels", settings->side, "side");
  app->add_option("--photons", settings->photons, "per image");
  app->add_option("--ewald", settings->wavelength, "wavelength in voxels");
  app->add_option("--seed", settings->loop.seed, "seed");
  app->add_option("--starts", settings->loop.starts, "starts");
  app->add_option("--generations", settings->loop.generations, "generations");
  app->add_option("--candidates", settings->candidates, "candidates");
  app->add_option("--tolerance", settings->tolerance, "of the merging transforms");
  return {app, [settings] { return mtip::run(*settings, {}) ? exit_success : exit_failure; }};
}

}  // namespace cli
