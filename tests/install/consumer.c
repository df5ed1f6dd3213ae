/* One transform in float through the C header: the sum of the strengths is mode 0. */
#include <offgrid/offgrid.h>

int main(void) {
  const float x[] = {0.5f, 1.0f, 4.0f};
  float strengths[][2] = {{1, 0}, {2, 0}, {3, 0}}, modes[8][2];
  const int64_t sizes[] = {8};
  const void* points[] = {x};
  if (offgrid_transform(1, 1, sizes, 1e-5, OFFGRID_F32, 0, 3, points, strengths, modes) != OFFGRID_OK) return 1;
  return modes[4][0] > 5.999f && modes[4][0] < 6.001f ? 0 : 1;
}
