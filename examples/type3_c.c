#include <complex.h>
#include <math.h>
#include <offgrid/offgrid.h>
#include <stdio.h>

enum { count = 1000, targets = 300 };
static double x[count], y[count], s[targets], t[targets];
static double complex strengths[count], values[targets];

int main(void) {
  double complex exact = 0;  // at target 7
  for (int k = 0; k < targets; ++k) {
    s[k] = 80 * sin(1.3 * k);
    t[k] = 25 + 15 * cos(0.7 * k);
  }
  for (int j = 0; j < count; ++j) {
    x[j] = sin(1.7 * j);
    y[j] = 11 + cos(2.3 * j);
    strengths[j] = 1 + 0.5 * x[j] * I;
    exact += strengths[j] * cexp(I * (s[7] * x[j] + t[7] * y[j]));
  }

  const void *points[] = {x, y}, *places[] = {s, t};
  int failed = offgrid_transform3(2, 1e-9, OFFGRID_F64, NULL, count, points, targets, places, strengths, values);
  if (failed) fprintf(stderr, "%s\n", offgrid_last_error());

  printf("f = %.6f %+.6f i, by the sum %.6f %+.6f i\n", creal(values[7]), cimag(values[7]), creal(exact), cimag(exact));
  return failed || cabs(values[7] - exact) > 1e-9 * 1.2 * count;
}
