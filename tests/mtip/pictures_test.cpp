// The pictures of a density and of FSC curves, and the plots that they are made of.
#include "mtip/files/pictures.hpp"

#include <gtest/gtest.h>
#include <png.h>
#include <cstdint>

#include "picture/picture.hpp"
#include "picture/plot.hpp"
#include "temporary_folder.hpp"

namespace {

namespace mtip = cli::mtip;

struct Pixels {
  std::int64_t width = 0, height = 0;
  std::vector<std::uint8_t> samples;  // RGB

  [[nodiscard]] cli::Colour at(std::int64_t x, std::int64_t y) const {
    const auto* sample = &samples[static_cast<std::size_t>(3 * (y * width + x))];
    return {sample[0], sample[1], sample[2]};
  }
  [[nodiscard]] int count(cli::Colour colour) const {
    int found = 0;
    for (std::int64_t y = 0; y < height; ++y)
      for (std::int64_t x = 0; x < width; ++x) found += at(x, y) == colour ? 1 : 0;
    return found;
  }
};

Pixels read_png(const std::string& path) {
  png_image image{};
  image.version = PNG_IMAGE_VERSION;
  EXPECT_NE(png_image_begin_read_from_file(&image, path.c_str()), 0) << image.message;
  image.format = PNG_FORMAT_RGB;
  Pixels pixels{.width = image.width, .height = image.height, .samples = {}};
  pixels.samples.resize(PNG_IMAGE_SIZE(image));
  EXPECT_NE(png_image_finish_read(&image, nullptr, pixels.samples.data(), 0, nullptr), 0);
  return pixels;
}

TEST(Plot, TicksAreRound) {
  EXPECT_EQ(cli::axis_ticks(0, 10), (std::vector<double>{0, 2, 4, 6, 8, 10}));
  const auto small = cli::axis_ticks(-0.03, 0.11);
  ASSERT_EQ(small.size(), 7u);
  EXPECT_NEAR(small[0], -0.02, 1e-12);
  for (const double high : {0.7, 1.0, 3.0, 44.0, 1e5}) {
    EXPECT_GE(cli::axis_ticks(0, high).size(), 4u) << high;
    EXPECT_LE(cli::axis_ticks(0, high).size(), 8u) << high;
  }
}

TEST(Plot, CurvesLieWhereTheirValuesAre) {
  const TemporaryFolder folder;
  const cli::Plot plot{.title = "title",
                       .x = {.label = "x", .low = 0, .high = 1},
                       .y = {.label = "y", .low = 0, .high = 1},
                       .curves = {{.label = "", .x = {0, 1}, .y = {0.75, 0.75}, .colour = {200, 0, 0}}}};
  plot.save(folder.file("a.png"), 400, 300);
  const Pixels pixels = read_png(folder.file("a.png"));
  ASSERT_EQ(pixels.width, 400);
  ASSERT_EQ(pixels.height, 300);
  std::int64_t row = -1;
  for (std::int64_t y = 0; y < 300 && row < 0; ++y)
    if (pixels.at(200, y) == cli::Colour{200, 0, 0}) row = y;
  ASSERT_GT(row, 0);
  EXPECT_EQ(pixels.at(300, row), (cli::Colour{200, 0, 0}));
  EXPECT_LT(row, 130);  // three quarters up
  EXPECT_GT(row, 60);
}

TEST(Plot, DashesLeaveGaps) {
  cli::Picture picture(200, 100, 255);
  cli::Plot plot{.title = "", .x = {}, .y = {}, .curves = {}};
  plot.curves = {{.label = "", .x = {0, 1}, .y = {0.5, 0.5}, .colour = {0, 0, 200}, .style = cli::CurveStyle::dashed}};
  plot.draw(picture, {{0, 0}, 200, 100});
  int most = 0;
  for (std::int64_t y = 0; y < 100; ++y) {
    int blue = 0;
    for (std::int64_t x = 0; x < 200; ++x) blue += picture.get({x, y}) == cli::Colour{0, 0, 200} ? 1 : 0;
    most = std::max(most, blue);
  }
  EXPECT_GT(most, 50);
  EXPECT_LT(most, 110);
}

TEST(Picture, LinesHaveTheirThickness) {
  cli::Picture picture(20, 20, 0);
  picture.line({2, 10, 17, 10, 3, 255});
  for (std::int64_t y = 0; y < 20; ++y) EXPECT_EQ(picture.get({9, y}) == cli::Colour(255), y >= 9 && y <= 11) << y;
  EXPECT_EQ(picture.get({19, 10}), cli::Colour(0));
}

TEST(Picture, WordsRunUpwards) {
  cli::Picture picture(20, 40, 0);
  picture.write_upwards({3, 30}, 1, "L");  // its stem lies at the left, so now at the bottom
  for (std::int64_t x = 3; x < 10; ++x) EXPECT_EQ(picture.get({x, 30}), cli::Colour(255)) << x;
  EXPECT_EQ(picture.get({9, 26}), cli::Colour(255));  // the end of its foot
  EXPECT_EQ(picture.get({3, 26}), cli::Colour(0));
}

TEST(Picture, HeatRisesInBrightness) {
  int before = -1;
  for (double share = -0.1; share < 1.2; share += 0.1) {
    const cli::Colour colour = cli::heat_map(share);
    const int brightness = 3 * colour.red + 6 * colour.green + colour.blue;
    EXPECT_GE(brightness, before);
    before = brightness;
  }
}

// A bright voxel at x = 2, y = -1, z = 1 of five per axis is seen in no slice and in the projection.
TEST(DensityPicture, ShowsSlicesAndProjection) {
  const TemporaryFolder folder;
  mtip::Volume off{.size = 5, .values = std::vector<float>(125)}, middle = off;
  off.values[(3 * 5 + 1) * 5 + 4] = 1;
  middle.values[62] = 1;
  mtip::save_density_picture(folder.file("a.png"), {{"truth", middle}, {"found", off}});
  const Pixels pixels = read_png(folder.file("a.png"));
  // Each voxel is 40 x 40 pixels: the middle one is seen in four panels, the other one in one.
  const int voxel = 40 * 40, bright = pixels.count(cli::heat_map(1));
  EXPECT_EQ(bright, 5 * voxel);
  EXPECT_EQ(pixels.width, 28 + 4 * 206);
  EXPECT_EQ(pixels.height, 28 + 2 * 206) << "nothing below the last row";
}

TEST(FscPicture, DrawsAllCurves) {
  const TemporaryFolder folder;
  mtip::save_fsc_picture(folder.file("a.png"), "FSC",
                         {{"one", {0, 0.25, 0.5}, {1, 0.9, 0.2}}, {"two", {0, 0.5}, {1, 0.6}}});
  const Pixels pixels = read_png(folder.file("a.png"));
  EXPECT_GT(pixels.count(cli::curve_colour(0)), 500);
  EXPECT_GT(pixels.count(cli::curve_colour(1)), 500);
  const cli::Plot plot = mtip::fsc_plot("t", {{"one", {0.25}, {1}}});
  EXPECT_EQ(plot.curves[0].x[0], 0.5);  // in units of Nyquist
}

}  // namespace
