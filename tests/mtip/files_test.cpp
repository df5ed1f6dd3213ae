// HDF5, MRC and checkpoint files: what is written comes back, and what is not ours is refused.
#include <gtest/gtest.h>
#include <cstdint>

#include <cmath>
#include <cstring>
#include <fstream>
#include <iterator>

#include "mtip/files/checkpoint.hpp"
#include "mtip/files/diffraction_file.hpp"
#include "mtip/files/mrc.hpp"
#include "mtip/rotations.hpp"
#include "temporary_folder.hpp"
#include "text.hpp"

namespace {

namespace mtip = cli::mtip;

std::string contents(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

template <class Call> std::string refusal(const Call& call) {
  try {
    call();
  } catch (const cli::InputError& error) {
    return error.what();
  }
  return "not refused";
}

mtip::Volume numbered_volume(int size) {
  mtip::Volume volume{.size = size, .values = {}};
  for (int i = 0; i < size * size * size; ++i) volume.values.push_back(static_cast<float>(i) - 7);
  return volume;
}

TEST(Mrc, HasTheHeaderOfTheFormat) {
  const TemporaryFolder folder;
  const std::string path = folder.file("a.mrc");
  mtip::write_mrc(path, {.volume = numbered_volume(5), .voxel = 2.5});
  const std::string bytes = contents(path);
  ASSERT_EQ(bytes.size(), 1024u + 4 * 125);
  const auto word = [&](std::size_t number) {
    std::int32_t value = 0;
    std::memcpy(&value, bytes.data() + 4 * (number - 1), 4);  // the format counts words from 1
    return value;
  };
  const auto real = [&](std::size_t number) {
    float value = 0;
    std::memcpy(&value, bytes.data() + 4 * (number - 1), 4);
    return value;
  };
  EXPECT_EQ(word(1), 5);
  EXPECT_EQ(word(3), 5);
  EXPECT_EQ(word(4), 2);
  EXPECT_EQ(word(8), 5);
  EXPECT_EQ(real(11), 12.5F);
  EXPECT_EQ(real(14), 90.0F);
  EXPECT_EQ(word(17), 1);
  EXPECT_EQ(word(19), 3);
  EXPECT_EQ(real(20), -7.0F);
  EXPECT_EQ(real(21), 117.0F);
  EXPECT_EQ(real(22), 55.0F);
  EXPECT_EQ(word(23), 1);
  EXPECT_EQ(word(28), 20140);
  EXPECT_EQ(real(50), -5.0F);
  EXPECT_EQ(bytes.substr(208, 4), "MAP ");
  EXPECT_EQ(bytes.substr(212, 2), "DD");
  EXPECT_NEAR(real(55), std::sqrt((125.0 * 125 - 1) / 12), 1e-3);
  EXPECT_EQ(word(56), 1);
}

TEST(Mrc, ComesBack) {
  const TemporaryFolder folder;
  const mtip::Volume volume = numbered_volume(4);
  mtip::write_mrc(folder.file("a.mrc"), {.volume = volume, .voxel = 1.75});
  const mtip::MrcVolume back = mtip::read_mrc(folder.file("a.mrc"));
  EXPECT_EQ(back.volume.size, 4);
  EXPECT_EQ(back.volume.values, volume.values);
  EXPECT_EQ(back.voxel, 1.75);
  std::ofstream(folder.file("b.mrc")) << "something else";
  EXPECT_EQ(refusal([&] { mtip::read_mrc(folder.file("b.mrc")); }), folder.file("b.mrc") + ": it is no MRC file");
  std::filesystem::resize_file(folder.file("a.mrc"), 1100);
  EXPECT_EQ(refusal([&] { mtip::read_mrc(folder.file("a.mrc")); }),
            folder.file("a.mrc") + ": it ends before its last voxel");
}

// Memory for all voxels was taken before the length of the file was known: here 256 GiB.
TEST(Mrc, TakesNoMemoryForVoxelsThatAreNotThere) {
  const TemporaryFolder folder;
  const std::string path = folder.file("a.mrc");
  mtip::write_mrc(path, {.volume = numbered_volume(4), .voxel = 1});
  std::string bytes = contents(path);
  const auto set_word = [&](std::size_t number, std::int32_t value) {
    std::memcpy(bytes.data() + 4 * (number - 1), &value, 4);
  };
  for (const std::size_t axis : {1, 2, 3}) set_word(axis, 4096);
  std::ofstream(path, std::ios::binary) << bytes;
  EXPECT_EQ(refusal([&] { mtip::read_mrc(path); }), path + ": it ends before its last voxel");
  for (const std::size_t axis : {1, 2, 3}) set_word(axis, 4);
  set_word(24, -1024);  // the length of the extended header
  std::ofstream(path, std::ios::binary) << bytes;
  EXPECT_EQ(refusal([&] { mtip::read_mrc(path); }), path + ": it ends before its last voxel");
}

mtip::State example_state() {
  mtip::State state{.problem = 42, .start = 1, .generation = 7, .current = {}, .best = {}, .history = {}};
  state.current = {.rotations = mtip::random_rotations(6, 3), .density = numbered_volume(3), .score = 0.25};
  state.best = {.rotations = mtip::random_rotations(2, 4), .density = numbered_volume(2), .score = 0.75};
  mtip::Progress line;
  line.start = 1;
  line.generation = 6;
  line.cutoff = 0.3;
  line.median_error = 3;
  line.seconds = {.merge = 1, .phase = 2, .slice = 3, .match = 4, .refine = 5};
  state.history = {line, {}};
  return state;
}

void expect_equal(const mtip::Model& a, const mtip::Model& b) {
  ASSERT_EQ(a.rotations.size(), b.rotations.size());
  for (std::size_t i = 0; i < a.rotations.size(); ++i) EXPECT_EQ(a.rotations[i].entries, b.rotations[i].entries);
  EXPECT_EQ(a.density.size, b.density.size);
  EXPECT_EQ(a.density.values, b.density.values);
  EXPECT_EQ(a.score, b.score);
}

TEST(Checkpoint, ComesBackBitForBit) {
  const TemporaryFolder folder;
  const mtip::State state = example_state();
  mtip::save_checkpoint(folder.file("a"), state);
  mtip::save_checkpoint(folder.file("a"), state);  // replaces the earlier one
  const mtip::State back = mtip::load_checkpoint(folder.file("a"), 42);
  EXPECT_EQ(back.start, 1);
  EXPECT_EQ(back.generation, 7);
  expect_equal(back.current, state.current);
  expect_equal(back.best, state.best);
  ASSERT_EQ(back.history.size(), 2u);
  EXPECT_EQ(back.history[0].cutoff, 0.3);
  EXPECT_EQ(back.history[0].median_error, 3);
  EXPECT_EQ(back.history[0].seconds.refine, 5);
  EXPECT_EQ(
      std::distance(std::filesystem::directory_iterator(std::filesystem::path(folder.file("a")).parent_path()), {}), 1);
}

TEST(Checkpoint, RefusesWhatIsNotItsOwn) {
  const TemporaryFolder folder;
  const std::string path = folder.file("a");
  mtip::save_checkpoint(path, example_state());
  const std::string whole = contents(path);
  const auto refusal_of = [&](const std::string& bytes, std::uint64_t problem) {
    std::ofstream(path, std::ios::binary) << bytes;
    return refusal([&] { mtip::load_checkpoint(path, problem); }).substr(path.size());
  };
  EXPECT_EQ(refusal_of(whole, 43).substr(0, 40), ": the checkpoint is of another problem: ");
  EXPECT_EQ(refusal_of("hello", 42), ": it is no checkpoint of offgrid mtip");
  for (const std::size_t length : {std::size_t{9}, std::size_t{15}, whole.size() / 2, whole.size() - 1})
    EXPECT_EQ(refusal_of(whole.substr(0, length), 42).substr(0, 27), ": the checkpoint is damaged") << length;
  std::string other = whole;
  other[8] = 9;
  EXPECT_EQ(refusal_of(other, 42), ": the checkpoint has version 9, expected 1");
  other = whole;
  other[whole.size() / 2] ^= 1;
  EXPECT_EQ(refusal_of(other, 42), ": the checkpoint is damaged: its checksum is wrong");
  EXPECT_NE(refusal([&] { mtip::load_checkpoint(folder.file("none"), 1); }).find("cannot open"), std::string::npos);
}

TEST(Checkpoint, FingerprintsDiffer) {
  mtip::Fingerprint a, b;
  a.add(1);
  b.add(2);
  EXPECT_NE(a.value(), b.value());
}

// A detector as it is simulated: P x P pixels, a circle of them, sorted by |q|; flat or on the Ewald sphere.
mtip::Detector circle_detector(int side, double wavelength) {
  std::vector<mtip::Vector3> pixels;
  for (int i = 0; i < side; ++i)
    for (int j = 0; j < side; ++j) {
      const double u = (i - (side - 1) / 2.0) / side, v = (j - (side - 1) / 2.0) / side;
      const double w = wavelength > 0 ? std::sqrt(1 / wavelength / wavelength - u * u - v * v) - 1 / wavelength : 0;
      if (std::hypot(u, v, w) <= 0.5) pixels.push_back({u, v, w});
    }
  const auto radius = [](const mtip::Vector3& q) { return std::hypot(q[0], q[1], q[2]); };
  std::stable_sort(pixels.begin(), pixels.end(), [&](const auto& a, const auto& b) { return radius(a) < radius(b); });
  mtip::Detector detector;
  detector.pixels = pixels;
  detector.shells = side / 2;
  detector.wavelength = wavelength;
  for (const auto& q : pixels) {
    detector.radius.push_back(radius(q));
    detector.shell.push_back(std::min(static_cast<int>(radius(q) * side), side / 2 - 1));
  }
  return detector;
}

mtip::DiffractionData example_data(double wavelength) {
  mtip::DiffractionData data;
  data.detector = circle_detector(12, wavelength);
  data.voxel = 1.5;
  data.rotations = mtip::random_rotations(3, 9);
  data.images = {.count = 3, .pixels = static_cast<std::int64_t>(data.detector.pixels.size()), .intensities = {}};
  for (std::int64_t i = 0; i < 3 * data.images.pixels; ++i) data.images.intensities.push_back(static_cast<float>(i));
  return data;
}

class Diffraction : public testing::TestWithParam<double> {
 protected:
  void SetUp() override {
    if (!mtip::has_hdf5()) GTEST_SKIP() << "built without HDF5";
  }
};

TEST_P(Diffraction, ComesBack) {
  const TemporaryFolder folder;
  const std::string path = folder.file("a.h5");
  const mtip::DiffractionData data = example_data(GetParam());
  mtip::write_diffraction(path, data, numbered_volume(3));
  EXPECT_EQ(mtip::count_images(path), 3);
  const mtip::DiffractionData back = mtip::read_diffraction(path);
  ASSERT_EQ(back.detector.pixels.size(), data.detector.pixels.size());
  EXPECT_NEAR(back.voxel, data.voxel, 1e-9);
  EXPECT_NEAR(back.detector.wavelength, data.detector.wavelength, 1e-9);
  EXPECT_EQ(back.detector.shells, data.detector.shells);
  for (std::size_t i = 0; i < data.detector.pixels.size(); ++i) {
    EXPECT_NEAR(back.detector.radius[i], data.detector.radius[i], 1e-12);
    EXPECT_EQ(back.detector.shell[i], data.detector.shell[i]);
  }
  // Pixels of equal |q| may change places; each keeps its value.
  for (std::size_t i = 0; i < data.detector.pixels.size(); ++i)
    for (std::size_t j = 0; j < data.detector.pixels.size(); ++j) {
      const auto &a = data.detector.pixels[i], &b = back.detector.pixels[j];
      if (std::hypot(a[0] - b[0], a[1] - b[1]) < 1e-9) {
        EXPECT_NEAR(a[2], b[2], 1e-12);
        EXPECT_EQ(data.images.image(1)[i], back.images.image(1)[j]);
      }
    }
  ASSERT_EQ(back.rotations.size(), 3u);
  EXPECT_LT(mtip::angle_degrees(mtip::transposed(back.rotations[2]) * data.rotations[2]), 1e-5);
  EXPECT_EQ(mtip::read_volume(path).size, 3);
  EXPECT_EQ(mtip::read_volume(path).values, numbered_volume(3).values);
  const mtip::DiffractionData part = mtip::read_diffraction(path, {.first = 1, .count = 2});
  EXPECT_EQ(part.images.count, 2);
  EXPECT_EQ(part.images.image(0)[4], back.images.image(1)[4]);
}

TEST_P(Diffraction, RefusesWhatIsNone) {
  const TemporaryFolder folder;
  const std::string path = folder.file("a.h5");
  std::ofstream(path) << "text";
  EXPECT_EQ(refusal([&] { mtip::read_diffraction(path); }), path + ": cannot open it as an HDF5 file");
  mtip::write_diffraction(path, example_data(GetParam()));
  EXPECT_EQ(mtip::read_volume(path).size, 0);
  EXPECT_EQ(refusal([&] { mtip::read_diffraction(path, {.first = 2, .count = 5}); }),
            path + ": it has 3 images, asked for 2 to 7");
}

INSTANTIATE_TEST_SUITE_P(FlatAndEwald, Diffraction, testing::Values(0.0, 0.5));

TEST(Diffraction, WithoutHdf5IsRefused) {
  if (mtip::has_hdf5()) GTEST_SKIP() << "built with HDF5";
  EXPECT_NE(refusal([&] { mtip::read_diffraction("a.h5"); }).find("built without HDF5"), std::string::npos);
}

}  // namespace
