// Compiles the source file HWY_TARGET_INCLUDE, which includes this header, once per instruction set: all but the baseline
// from here, and the baseline by the rest of the file itself. HWY_TARGET_TOGGLE changes from one to the next, so that the
// headers that are compiled per target know that they are to be read again.
#ifndef OFFGRID_HWY_FOREACH_TARGET
#define OFFGRID_HWY_FOREACH_TARGET

#include <hwy/targets.h>

#if defined(__x86_64__)

#undef HWY_TARGET
#define HWY_TARGET HWY_AVX3
#include HWY_TARGET_INCLUDE

#define HWY_TARGET_TOGGLE
#undef HWY_TARGET
#define HWY_TARGET HWY_AVX2
#include HWY_TARGET_INCLUDE

#undef HWY_TARGET_TOGGLE
#undef HWY_TARGET
#define HWY_TARGET HWY_STATIC_TARGET

#endif
#endif
