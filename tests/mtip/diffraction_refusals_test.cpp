// HDF5 files that are not as they must be: what is wrong is said with the name of the file and of the dataset. The files are
// written dataset by dataset.
#ifdef OFFGRID_HAS_HDF5
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "mtip/files/diffraction_file.hpp"
#include "mtip/files/hdf5_file.hpp"
#include "temporary_folder.hpp"
#include "text.hpp"

namespace cli::mtip {
namespace {

struct Array {
  Shape shape;
  std::vector<double> values;
};

constexpr hsize_t images = 3, side = 6;
constexpr std::size_t pixels = side * side;
constexpr double step = 1e8;  // 1/m between two pixels

// Three images on a detector of 6 x 6 pixels around q = 0.
class DiffractionRefusals : public testing::Test {
 protected:
  DiffractionRefusals() {
    Array positions{{1, side, side, 3}, {}}, intensities{{images, 1, side, side}, {}};
    for (std::size_t row = 0; row < side; ++row)
      for (std::size_t column = 0; column < side; ++column)
        for (const double q :
             {step * (static_cast<double>(row) - 2.5), step * (static_cast<double>(column) - 2.5), 0.0})
          positions.values.push_back(q);
    for (std::size_t i = 0; i < images * pixels; ++i) intensities.values.push_back(static_cast<double>(i));
    sets["pixel_position_reciprocal"] = positions;
    sets["intensities"] = intensities;
    sets["orientations"] = {{images, 4}, {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 2, 0}};
  }

  // What reading says after the name of the file; empty where the file is read.
  [[nodiscard]] std::string refusal() const {
    const std::string path = folder.file("a.h5");
    {
      Hdf5File file(path, Hdf5File::Access::create);
      for (const auto& [name, array] : sets) file.write(name, array.shape, std::span(array.values));
    }
    return refusal_of(path);
  }
  static std::string refusal_of(const std::string& path) {
    try {
      read_diffraction(path);
    } catch (const InputError& error) {
      const std::string words = error.what();
      EXPECT_EQ(words.substr(0, path.size() + 2), path + ": ");
      return words.substr(std::min(words.size(), path.size() + 2));
    }
    return "";
  }

  TemporaryFolder folder;
  std::map<std::string, Array> sets;
};

TEST_F(DiffractionRefusals, NoneForAWholeFile) { EXPECT_EQ(refusal(), ""); }

// A detector without pixels ended the program by a division by zero.
TEST_F(DiffractionRefusals, MaskThatLeavesNothing) {
  Array mask{{1, side, side}, std::vector<double>(pixels, 0)};
  sets["pixel_mask"] = mask;
  EXPECT_EQ(refusal().substr(0, 16), "no pixel is left");
  mask.values[0] = 1;  // in the corner, outside the circle
  sets["pixel_mask"] = mask;
  EXPECT_EQ(refusal().substr(0, 16), "no pixel is left");
  mask.values[2 * side + 2] = 1;
  sets["pixel_mask"] = mask;
  EXPECT_EQ(refusal(), "");
  EXPECT_EQ(read_diffraction(folder.file("a.h5")).images.intensities, (std::vector<float>{14, 50, 86}));
}

TEST_F(DiffractionRefusals, MissingDatasets) {
  for (const std::string name : {"intensities", "pixel_position_reciprocal"}) {
    const auto taken = sets.extract(name);
    EXPECT_EQ(refusal(), "it has no dataset \"" + name + "\"");
    sets[name] = taken.mapped();
  }
  sets.erase("orientations");
  EXPECT_EQ(refusal(), "");
}

TEST_F(DiffractionRefusals, WrongShapes) {
  const auto refusal_with = [&](const std::string& name, const Shape& shape) {
    const auto whole = sets;
    hsize_t count = 1;
    for (const hsize_t length : shape) count *= length;
    sets[name] = {shape, std::vector<double>(count, 1)};
    const std::string words = refusal();
    sets = whole;
    return words;
  };
  EXPECT_EQ(refusal_with("intensities", {30}), "\"intensities\" has one axis, expected (images, panels, H, W)");
  EXPECT_EQ(refusal_with("intensities", {0, 1, side, side}), "\"intensities\" is empty");
  EXPECT_EQ(refusal_with("intensities", {images, 1, side, side + 1}),
            "\"pixel_position_reciprocal\" has an unexpected shape");
  EXPECT_EQ(refusal_with("pixel_position_reciprocal", {1, side, side, 2}),
            "\"pixel_position_reciprocal\" has no axis of 3, expected (panels, H, W, 3)");
  EXPECT_EQ(refusal_with("pixel_position_reciprocal", {1, side, 3}),
            "\"pixel_position_reciprocal\" has an unexpected shape");
  EXPECT_EQ(refusal_with("pixel_mask", {1, side}), "\"pixel_mask\" has an unexpected shape");
  EXPECT_EQ(refusal_with("orientations", {images, 3}), "\"orientations\" has an unexpected shape");
  EXPECT_EQ(refusal_with("orientations", {images - 1, 4}), "\"orientations\" has 2 rows, expected 3");
  EXPECT_EQ(refusal_with("orientations", {images, 1, 4}), "");
}

TEST_F(DiffractionRefusals, WhatIsNoArrayOfNumbers) {
  const std::string path = folder.file("a.h5");
  for (const char* name : {"intensities", "pixel_position_reciprocal", "orientations"}) {
    ASSERT_EQ(refusal(), "");
    const hid_t file = H5Fopen(path.c_str(), H5F_ACC_RDWR, H5P_DEFAULT), set = H5Dopen2(file, name, H5P_DEFAULT);
    const hid_t space = H5Dget_space(set), words = H5Tcopy(H5T_C_S1);
    H5Dclose(set);
    H5Ldelete(file, name, H5P_DEFAULT);
    H5Dclose(H5Dcreate2(file, name, words, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    EXPECT_EQ(refusal_of(path), std::string("cannot read \"") + name + "\" as numbers");
    H5Ldelete(file, name, H5P_DEFAULT);
    H5Gclose(H5Gcreate2(file, name, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    EXPECT_EQ(refusal_of(path), std::string("\"") + name + "\" is no dataset");
    H5Tclose(words);
    H5Sclose(space);
    H5Fclose(file);
  }
}

TEST_F(DiffractionRefusals, ValuesThatAreNotFinite) {
  for (const double bad : {std::nan(""), std::numeric_limits<double>::infinity()}) {
    for (const std::string name : {"intensities", "pixel_position_reciprocal"}) {
      const auto whole = sets;
      sets[name].values[name == "intensities" ? 2 * side + 2 : 40] = bad;
      EXPECT_EQ(refusal(), "\"" + name + "\" has values that are not finite");
      sets = whole;
    }
  }
  sets["intensities"].values[0] = std::nan("");  // of a pixel in the corner, which is not used
  EXPECT_EQ(refusal(), "");
}

// The rotation of a quaternion of zeros had entries that were no numbers.
TEST_F(DiffractionRefusals, QuaternionsWithoutADirection) {
  for (const double bad : {0.0, std::nan(""), 1e200}) {
    std::fill_n(sets["orientations"].values.begin() + 4, 4, bad);
    EXPECT_EQ(refusal().substr(0, 29), "\"orientations\" of image 1 is ") << bad;
  }
}

TEST_F(DiffractionRefusals, DetectorOnOneSideOfTheBeam) {
  for (std::size_t i = 0; i < sets["pixel_position_reciprocal"].values.size(); i += 3)
    sets["pixel_position_reciprocal"].values[i] += 10 * step;
  EXPECT_EQ(refusal(), "its detector does not surround q = 0");
}

TEST_F(DiffractionRefusals, ImagesBeyondTheLast) {
  ASSERT_EQ(refusal(), "");
  const std::string path = folder.file("a.h5");
  EXPECT_THROW(read_diffraction(path, {.first = 2, .count = 2}), InputError);
  const DiffractionData none = read_diffraction(path, {.first = 3, .count = 0});  // a rank's share may be empty
  EXPECT_EQ(none.images.count, 0);
  EXPECT_EQ(none.images.pixels, read_diffraction(path).images.pixels);
}

}  // namespace
}  // namespace cli::mtip
#endif
