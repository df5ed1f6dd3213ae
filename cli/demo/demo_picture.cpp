#include "demo/demo_picture.hpp"

#include <algorithm>

#include "picture/picture.hpp"
#include "text.hpp"

namespace cli {
namespace {

constexpr std::int64_t gap = 6, label_height = 30, label_zoom = 2;
constexpr std::uint8_t separator = 70;
constexpr double display_low = 0, display_high = 0.5;  // the skull, at 1, is white; the brain's details lie at 0 to 0.4
constexpr double error_range = 0.1;

std::vector<double> difference(const std::vector<double>& image, const std::vector<double>& truth) {
  std::vector<double> result(image.size());
  for (std::size_t i = 0; i < image.size(); ++i) result[i] = std::abs(image[i] - truth[i]);
  return result;
}

}  // namespace

void DemoPicture::save(const std::string& path) const {
  const std::int64_t column_step = side() + gap, row_step = side() + label_height;
  Picture picture(3 * column_step - gap, 2 * row_step, separator);
  const auto panel = [&](std::int64_t column, std::int64_t row, const std::string& label, Picture::Panel look,
                         const std::vector<double>& values) {
    const Position corner{column * column_step, row * row_step};
    picture.write({corner.x + (side() - Picture::words_width(label_zoom, label)) / 2, corner.y + 8}, label_zoom, label);
    look.corner = {corner.x, corner.y + label_height};
    picture.draw(look, values);
  };
  const Picture::Panel image{{}, pixels, zoom(), display_low, display_high}, error{{}, pixels, zoom(), 0, error_range};
  const double brightest = *std::max_element(k_space.begin(), k_space.end());
  panel(0, 0, "truth", image, truth);
  panel(1, 0, format("gridding: error %.1f %%", 100 * gridding_error), image, gridding);
  panel(2, 0, format("conjugate gradients: error %.1f %%", 100 * solved_error), image, solved);
  panel(0, 1, "the samples of k-space", {{}, side(), 1, -0.5, brightest}, k_space);
  panel(1, 1, format("its error, white is %.1f", error_range), error, difference(gridding, truth));
  panel(2, 1, format("its error, white is %.1f", error_range), error, difference(solved, truth));
  picture.save_png(path);
}

}  // namespace cli
