/* The header and a whole transform from C: three points at zero make every mode three. Returns 0 where all is well, else
 * the number of the step that failed. Called by c_header_test.cpp. */
#include "offgrid/offgrid.h"

static int far_from(float value, float expected) { return value < expected - 1e-4f || value > expected + 1e-4f; }

int offgrid_from_c(void) {
  const int64_t modes[1] = {4};
  const float x[3] = {0, 0, 0};
  float strengths[6] = {1, 0, 1, 0, 1, 0}, values[8] = {0};
  offgrid_options options = NULL;
  offgrid_plan plan = NULL;
  double width = 0;
  int i;
  if (offgrid_options_create(&options) != OFFGRID_OK) return 1;
  if (offgrid_options_set_text(options, "mode_order", "fft") != OFFGRID_OK) return 2;
  if (offgrid_plan_create(&plan, 1, 1, modes, 1e-5, OFFGRID_F32, options) != OFFGRID_OK) return 3;
  offgrid_options_destroy(options);
  if (offgrid_set_points(plan, 3, x, NULL, NULL, NULL) != OFFGRID_OK) return 4;
  if (offgrid_execute(plan, strengths, values, NULL) != OFFGRID_OK) return 5;
  for (i = 0; i < 4; ++i)
    if (far_from(values[2 * i], 3) || far_from(values[2 * i + 1], 0)) return 6;
  if (offgrid_plan_get(plan, "width", &width) != OFFGRID_OK || width < 2) return 7;
  if (offgrid_plan_destroy(plan) != OFFGRID_OK) return 8;
  return 0;
}
