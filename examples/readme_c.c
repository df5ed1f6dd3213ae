#include <math.h>
#include <offgrid/offgrid.h>
#include <stdio.h>

enum { count = 1000, n = 32 };
static float x[count], strengths[count][2], modes[n][2];

int main(void) {
  for (int j = 0; j < count; ++j) {
    x[j] = (float)fmod(0.7 * j, 6.28);
    strengths[j][0] = 1;
  }

  const int64_t sizes[] = {n};
  offgrid_options options = NULL;
  offgrid_plan plan = NULL;
  int failed = offgrid_options_create(&options) || offgrid_options_set_text(options, "mode_order", "fft") ||
               offgrid_plan_create(&plan, 1, 1, sizes, 1e-5, OFFGRID_F32, options) ||
               offgrid_set_points(plan, count, x, NULL, NULL, NULL) || offgrid_execute(plan, strengths, modes, NULL);
  if (failed) fprintf(stderr, "%s\n", offgrid_last_error());
  offgrid_plan_destroy(plan);
  offgrid_options_destroy(options);

  printf("f(0) = %.3f, the sum of the strengths\n", modes[0][0]);
  return failed || fabsf(modes[0][0] - count) > 1;
}
