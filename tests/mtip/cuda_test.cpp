// The heavy steps on a GPU against the same ones on the CPU.
#include <gtest/gtest.h>
#include <cstdint>

#include <cmath>
#include <numeric>

#include "gpu.hpp"
#include "mtip/numerics.hpp"
#include "mtip/particle.hpp"
#include "mtip/rotations.hpp"
#include "mtip/simulate.hpp"
#include "mtip/whiten.hpp"

namespace {

namespace mtip = cli::mtip;

double relative_error(const std::vector<float>& a, const std::vector<float>& b) {
  double difference = 0, total = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    difference += std::pow(static_cast<double>(a[i]) - b[i], 2);
    total += std::pow(static_cast<double>(b[i]), 2);
  }
  return std::sqrt(difference / total);
}

// 60 images of a small particle in known orientations, and both implementations on them.
class Cuda : public testing::Test {
 protected:
  void SetUp() override {
    if (!cli::gpu::available()) GTEST_SKIP() << "no GPU";
    const auto alone = [](std::span<double>) {};
    detector_ = mtip::make_detector(20, 0.5);
    rotations_ = mtip::random_rotations(60, 7);
    const mtip::Particle particle = mtip::make_particle(mtip::ParticleKind::gauss, 0.6, 3);
    const mtip::Transform transform = [&](std::span<const mtip::Vector3> q) {
      std::vector<std::complex<double>> values;
      for (const auto& at : q) values.push_back(particle.transform(at));
      return values;
    };
    images_ = mtip::simulate_images(transform, detector_, rotations_, {}, alone);
    whitened_ = mtip::whiten_images(detector_, images_,
                                    mtip::image_weights(detector_, images_, mtip::Noise::none, alone), alone);
    problem_.modes = 21;
    problem_.radius = 5.75;
    const mtip::NumericsData data{detector_, images_, whitened_};
    cpu_ = mtip::make_cpu_numerics(problem_, data);
    cuda_ = mtip::make_cuda_numerics(problem_, data);
  }

  [[nodiscard]] std::vector<mtip::Numerics*> both() const { return {cpu_.get(), cuda_.get()}; }
  [[nodiscard]] std::int64_t pixels() const { return static_cast<std::int64_t>(detector_.pixels.size()); }

  mtip::Detector detector_;
  std::vector<mtip::Rotation> rotations_;
  mtip::Images images_;
  mtip::Whitened whitened_;
  mtip::NumericsProblem problem_;
  std::unique_ptr<mtip::Numerics> cpu_, cuda_;
};

TEST_F(Cuda, KeepsADensity) {
  const mtip::Volume density = mtip::fresh_density(problem_, 5);
  cuda_->set_density(density);
  EXPECT_EQ(cuda_->density().values, density.values);
  EXPECT_EQ(cuda_->density().size, density.size);
}

TEST_F(Cuda, MergesAndPhasesAsTheCpu) {
  std::vector<mtip::Volume> found;
  std::vector<double> errors;
  mtip::PhaseSettings few;
  few.reduction = 5;
  few.hybrid = 3;
  few.last_reduction = 5;
  for (mtip::Numerics* numerics : both()) {
    numerics->set_density(mtip::fresh_density(problem_, 5));
    numerics->merge(rotations_, {.pixels = pixels(), .iterations = 20});
    errors.push_back(numerics->phase(few));
    found.push_back(numerics->density());
  }
  EXPECT_NEAR(errors[1], errors[0], 2e-3 * errors[0]);
  EXPECT_LT(relative_error(found[1].values, found[0].values), 5e-3);
}

// The third image and each second one after it, with the amplitudes that come back.
TEST_F(Cuda, MergesImagesThatAreNamedAsTheCpu) {
  std::vector<mtip::Rotation> some;
  for (std::size_t i = 2; i < rotations_.size(); i += 2) some.push_back(rotations_[i]);
  std::vector<std::vector<float>> found;
  for (mtip::Numerics* numerics : both()) {
    numerics->merge(some, {.pixels = pixels(), .iterations = 20, .first_image = 2, .image_step = 2});
    found.push_back(numerics->amplitudes());
  }
  ASSERT_EQ(found[1].size(), found[0].size());
  EXPECT_LT(relative_error(found[1], found[0]), 5e-3);
}

TEST_F(Cuda, PhasesSeveralAtOnce) {
  mtip::PhaseSettings few;
  few.rounds = 1;
  few.reduction = few.hybrid = few.last_reduction = 4;
  const std::vector<std::uint64_t> seeds{1, 2, 3};
  std::vector<std::vector<double>> errors;
  std::vector<mtip::Volume> found;
  for (mtip::Numerics* numerics : both()) {
    numerics->set_density(mtip::fresh_density(problem_, 9));
    numerics->merge(rotations_, {.pixels = pixels(), .iterations = 20});
    errors.push_back(numerics->phase_several(seeds, few));
    found.push_back(numerics->density());
  }
  ASSERT_EQ(errors[1].size(), 4u);
  for (std::size_t i = 0; i < 4; ++i) EXPECT_NEAR(errors[1][i], errors[0][i], 2e-3 * errors[0][i]) << i;
  EXPECT_LT(relative_error(found[1].values, found[0].values), 5e-3);
}

TEST_F(Cuda, MatchesAndRefinesAsTheCpu) {
  const auto candidates = mtip::super_fibonacci(700);
  const auto offsets = mtip::rotations_around_identity(8, 3);
  std::vector<mtip::Matches> matches, refined;
  for (const std::int64_t used : {pixels() / 2, pixels()}) {
    matches.clear();
    refined.clear();
    for (mtip::Numerics* numerics : both()) {
      numerics->set_density(mtip::fresh_density(problem_, 11));
      numerics->slice(candidates, used);
      matches.push_back(numerics->match());
      refined.push_back(numerics->refine(rotations_, offsets));
    }
    // Slices are right to 1e-4, and whitening divides them by the spread of a shell, about a tenth of its mean. A distance is
    // a sum over the pixels of numbers about 1.
    const double bound = 1e-3 * static_cast<double>(used);
    for (const auto& pair : {matches, refined})
      for (std::size_t i = 0; i < rotations_.size(); ++i)
        EXPECT_NEAR(pair[1].distance[i], pair[0].distance[i], bound) << i;
    int same = 0;
    for (std::size_t i = 0; i < rotations_.size(); ++i) same += matches[0].index[i] == matches[1].index[i] ? 1 : 0;
    EXPECT_GE(same, 57);  // two slices may be about as near
  }
}

// Merging is repeatable: no sum depends on the order in which blocks run, but for the spreading of the transform.
TEST_F(Cuda, GivesTheSameFromRunToRun) {
  mtip::PhaseSettings settings;
  settings.rounds = 1;
  std::vector<double> errors;
  for (int run = 0; run < 2; ++run) {
    cuda_->set_density(mtip::fresh_density(problem_, 5));
    cuda_->merge(rotations_, {.pixels = pixels(), .iterations = 20});
    errors.push_back(cuda_->phase(settings));
  }
  EXPECT_NEAR(errors[1], errors[0], 1e-3 * errors[0]);
}

}  // namespace
