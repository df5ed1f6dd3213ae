// Which instruction sets are compiled: SSE4.2 (the baseline, x86-64-v2), AVX2 and AVX-512 on x86-64, NEON on ARM. The ones
// in between would only add build time. Include this before any Highway header.
#pragma once

#define HWY_DISABLE_PCLMUL_AES  // not used here, and then the baseline does not need them

// Highway's target bits, written as numbers because their names differ from release to release and this macro must be
// defined before they are: 4 to 7 are specialisations of AVX-512, 12 is SSSE3, 24 to 27 SVE, whose vectors have no
// compile-time size.
#define HWY_DISABLED_TARGETS ((0xFLL << 4) | (1LL << 12) | (0xFLL << 24))
