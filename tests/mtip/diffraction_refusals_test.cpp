// HDF5 files that are not as they must be: what is wrong is said with the name of the file and of the dataset. The files are
// written dataset by dataset.
#ifdef OFFGRID_HAS_HDF5
#include <gtest/gtest.h>

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

}  // namespace
}  // namespace cli::mtip
#endif
