// `offgrid demo`: reconstructs the Shepp-Logan phantom from radial samples of its Fourier transform, which are known in
// closed form. Once by gridding and once by conjugate gradients (reconstruct.hpp); prints sizes, times, the accuracy of
// the transforms against direct sums and the errors of the images, and draws them (demo_picture.hpp).
#include <cmath>
#include <cstdio>
#include <memory>
#include <numbers>

#include "commands.hpp"
#include "demo/demo_picture.hpp"
#include "demo/phantom.hpp"
#include "demo/reconstruct.hpp"
#include "files/output_file.hpp"
#include "oracle/direct_sum.hpp"
#include "oracle/parallel.hpp"
#include "plan_flags.hpp"
#include "progress.hpp"
#include "random.hpp"
#include "reach.hpp"
#include "text.hpp"

namespace cli {
namespace {

constexpr const char* footer =
    "Example:\n"
    "  offgrid demo                                         writes offgrid-demo.png\n"
    "  offgrid demo --spokes 120 --steps 100 --output few-spokes.png\n"
    "  offgrid demo --pixels 256 --spokes 400 --precision f32 --tolerance 1e-4";

struct Settings {
  std::int64_t pixels = 512, spokes = 0, samples = 0;
  int steps = 40;
  double tolerance = 1e-6;
  std::string precision = "f64", output = "offgrid-demo.png";
  bool progress = false;
  PlanFlags flags;
};

// The samples in units of the model: S(k) over the area of a pixel.
template <class T> std::vector<std::complex<T>> phantom_samples(const Points<T>& points, std::int64_t pixels) {
  std::vector<std::complex<T>> samples(static_cast<std::size_t>(points.count()));
  const double width = phantom_width / static_cast<double>(pixels), scale = 1 / (2 * std::numbers::pi * width);
  oracle::parallel_ranges(points.count(), [&](std::int64_t first, std::int64_t last) {
    for (auto j = static_cast<std::size_t>(first); j < static_cast<std::size_t>(last); ++j)
      samples[j] = std::complex<T>(phantom_fourier(points.coordinates[0][j] * scale, points.coordinates[1][j] * scale) /
                                   (width * width));
  });
  return samples;
}

template <class T> std::vector<double> real_part(const std::vector<std::complex<T>>& image) {
  std::vector<double> real(image.size());
  for (std::size_t i = 0; i < image.size(); ++i) real[i] = image[i].real();
  return real;
}

double image_error(const std::vector<double>& image, const std::vector<double>& truth) {
  double difference = 0, norm = 0;
  for (std::size_t i = 0; i < truth.size(); ++i) {
    difference += (image[i] - truth[i]) * (image[i] - truth[i]);
    norm += truth[i] * truth[i];
  }
  return std::sqrt(difference / norm);
}

template <class T> class Demo {
 public:
  explicit Demo(const Settings& settings) : settings_(settings) {}

  int run() {
    std::printf("image     %lld x %lld pixels\n", number(settings_.pixels), number(settings_.pixels));
    std::printf("samples   %lld spokes x %lld, %s, tolerance %g\n\n", number(settings_.spokes),
                number(settings_.samples), settings_.precision.c_str(), settings_.tolerance);
    prepare();
    reconstruct();
    const bool accurate = check_transforms();
    report_images();
    for (const auto& stage : stages_)
      std::printf("%-32s %s\n", stage.name.c_str(), readable_seconds(stage.seconds).c_str());
    pictures_.save(settings_.output);
    std::printf("\nwrote %s: truth, gridding and conjugate gradients; samples and errors below them\n",
                settings_.output.c_str());
    return accurate ? exit_success : exit_failure;
  }

 private:
  using Image = std::vector<std::complex<T>>;

  static long long number(std::int64_t value) { return static_cast<long long>(value); }

  template <class Work> void timed(const std::string& name, Work&& work) {
    stages_.push_back({name, seconds_of(work)});
  }

  [[nodiscard]] offgrid::Problem problem() const {
    offgrid::Problem result{.type = 2, .modes = {settings_.pixels, settings_.pixels}, .tolerance = settings_.tolerance};
    result.sign = -1;
    result.options = settings_.flags.given();
    return result;
  }

  void prepare() {
    timed("phantom and its samples", [&] {
      pictures_.pixels = settings_.pixels;
      pictures_.truth = phantom_pixels(settings_.pixels);
      trajectory_ = golden_angle_radial<T>(settings_.pixels, settings_.spokes, settings_.samples);
      samples_ = phantom_samples(trajectory_.points, settings_.pixels);
    });
    timed("plan", [&] {
      model_ = std::make_unique<SamplingModel<T>>(problem(), trajectory_.weights, place_of(settings_.flags));
    });
    warn_out_of_reach(*model_, settings_.tolerance);
    timed("set points", [&] { model_->set_points(trajectory_.points); });
  }

  void reconstruct() {
    timed("gridding, one adjoint", [&] { gridding_ = model_->weighted_adjoint(samples_); });
    Image image;
    double residual = 1;
    ProgressBar bar("conjugate gradients", settings_.steps,
                    progress_mode(settings_.progress ? ProgressWish::always : ProgressWish::automatic));
    const auto report = [&](std::int64_t, double now) {
      residual = now;
      bar.step(format("residual %.1e", now));
      return false;
    };
    const offgrid::Iteration iteration{.iterations = settings_.steps, .rtol = -1, .callback = report};
    timed(format("conjugate gradients, %d steps", settings_.steps),
          [&] { image = model_->least_squares(trajectory_.points, samples_, iteration); });
    residual_ = residual;
    pictures_.gridding = real_part(gridding_);
    pictures_.solved = real_part(image);
    pictures_.set_samples(trajectory_.points, samples_);
  }

  // Forward of the truth and adjoint of the data, both at sampled outputs.
  bool check_transforms() {
    constexpr std::int64_t checked = 100;
    const oracle::Problem forward{{settings_.pixels, settings_.pixels}, -1, oracle::ModeOrder::centred};
    const oracle::Problem adjoint{forward.modes, 1, oracle::ModeOrder::centred};
    const auto axes = trajectory_.points.spans();
    const Image truth(pictures_.truth.begin(), pictures_.truth.end());
    const auto at_points = sample_positions(trajectory_.points.count(), checked, 3);
    const double forward_error = oracle::relative_error<T>(
        model_->forward(truth), oracle::direct_type2<T>(forward, axes, truth, at_points), at_points);
    auto weighted = samples_;
    for (std::size_t j = 0; j < weighted.size(); ++j) weighted[j] *= trajectory_.weights[j];
    const auto at_modes = sample_positions(settings_.pixels * settings_.pixels, checked, 4);
    const double adjoint_error =
        oracle::relative_error<T>(gridding_, oracle::direct_type1<T>(adjoint, axes, weighted, at_modes), at_modes);
    std::printf("%s\n", model_->describe().c_str());
    std::printf("error of the transforms, against direct sums at %lld outputs (tolerance %g)\n", number(checked),
                settings_.tolerance);
    std::printf("  forward                        %.1e\n  adjoint                        %.1e\n\n", forward_error,
                adjoint_error);
    return forward_error <= settings_.tolerance && adjoint_error <= settings_.tolerance;
  }

  // Against the pixels of the truth, and against the truth as far as the sampled disc of k-space carries it: the rest
  // is Gibbs' ringing, which no method can remove without knowing more.
  void report_images() {
    const auto grid = cartesian_disc<T>(settings_.pixels);
    SamplingModel<T> complete(problem(), grid.weights, place_of(settings_.flags));
    complete.set_points(grid.points);
    const auto in_band = real_part(complete.weighted_adjoint(phantom_samples(grid.points, settings_.pixels)));
    pictures_.gridding_error = image_error(pictures_.gridding, pictures_.truth);
    pictures_.solved_error = image_error(pictures_.solved, pictures_.truth);
    std::printf("relative l2 error of the images  to the truth   to the truth in the sampled band\n");
    std::printf("  gridding                        %6.2f %%       %6.2f %%\n", 100 * pictures_.gridding_error,
                100 * image_error(pictures_.gridding, in_band));
    std::printf("  conjugate gradients             %6.2f %%       %6.2f %%    residual %.1e\n",
                100 * pictures_.solved_error, 100 * image_error(pictures_.solved, in_band), residual_);
    std::printf("  all of the band                 %6.2f %%         0\n\n",
                100 * image_error(in_band, pictures_.truth));
  }

  const Settings& settings_;
  std::vector<Stage> stages_;
  Trajectory<T> trajectory_;
  std::vector<std::complex<T>> samples_;
  std::unique_ptr<SamplingModel<T>> model_;
  Image gridding_;
  double residual_ = 1;
  DemoPicture pictures_;
};

int run(Settings settings) {
  require_writable(settings.output);
  if (settings.spokes == 0) settings.spokes = settings.pixels / 2;
  if (settings.samples == 0) settings.samples = 2 * settings.pixels;
  return settings.precision == "f32" ? Demo<float>(settings).run() : Demo<double>(settings).run();
}

}  // namespace

Command add_demo(CLI::App& program) {
  auto* app = program.add_subcommand("demo", "Reconstruct an image from radial Fourier samples, and draw it.");
  app->footer(footer);
  auto settings = std::make_shared<Settings>();
  app->add_option("--pixels", settings->pixels, "of the image, along each side")
      ->check(CLI::Range(16, 4096))
      ->capture_default_str();
  app->add_option("--spokes", settings->spokes,
                  "diameters of k-space; default: half the pixels, a third of what leaves no gap")
      ->check(CLI::Range(1, 100000));
  app->add_option("--samples", settings->samples, "along each spoke; default: twice the pixels")
      ->check(CLI::Range(2, 100000));
  app->add_option("--steps", settings->steps, "of conjugate gradients")
      ->check(CLI::Range(1, 10000))
      ->capture_default_str();
  app->add_option("--precision", settings->precision, "f32 or f64")
      ->check(CLI::IsMember({"f32", "f64"}))
      ->capture_default_str();
  app->add_option("--tolerance", settings->tolerance, "of the transforms")->capture_default_str();
  app->add_option("--output", settings->output, "PNG file to write")->capture_default_str();
  app->add_flag("--progress", settings->progress, "show progress even where stderr is no terminal");
  settings->flags.add_to(*app, {"transforms", "points_hint", "sign", "mode_order"});
  return {app, [settings] { return run(*settings); }};
}

}  // namespace cli
