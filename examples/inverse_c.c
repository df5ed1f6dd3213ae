#include <math.h>
#include <offgrid/offgrid.h>
#include <stdio.h>

enum { count = 600, n = 32 };
static double x[count], weights[count], values[count][2], modes[n][2];

static int print_step(void* context, int64_t step, double residual) {
  (void)context;
  printf("step %d: residual %.1e\n", (int)step, residual);
  return 0; /* go on */
}

int main(void) {
  for (int j = 0; j < count; ++j) {
    x[j] = 3.14 * cos(0.1 + 3.1 * j / count); /* dense at both ends */
    values[j][0] = 1 + 2 * cos(5 * x[j]);     /* modes 0 and 5 and -5 are 1 */
  }

  const int64_t sizes[] = {n};
  const void* points[] = {x};
  offgrid_least_squares asked = {.weights = weights, .regularisation = 1e-9};
  asked.iteration = (offgrid_iteration){.iterations = 30, .rtol = 1e-5, .callback = print_step};
  int failed = offgrid_density_weights(1, sizes, OFFGRID_F64, NULL, count, points, NULL, weights, NULL) ||
               offgrid_inverse(1, sizes, 1e-9, OFFGRID_F64, NULL, count, points, values, &asked, modes, NULL);
  if (failed) fprintf(stderr, "%s\n", offgrid_last_error());

  printf("f(0) = %.4f, f(5) = %.4f, f(6) = %.4f\n", modes[n / 2][0], modes[n / 2 + 5][0], modes[n / 2 + 6][0]);
  return failed || fabs(modes[n / 2][0] - 1) > 1e-2 || fabs(modes[n / 2 + 6][0]) > 1e-2;
}
