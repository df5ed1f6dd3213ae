// The functions of one precision of one peer under one name each, so that a test is written once for float and double, on the
// CPU and on the GPU.
#pragma once

#include <cufinufft.h>
#include <finufft.h>

#include <complex>

namespace support {

// P: prefix of the peer's names. R, C: its real and complex type. O: its options.
#define OFFGRID_TEST_PEER(NAME, P, R, C, O)         \
  struct NAME {                                     \
    using Real = R;                                 \
    using Complex = C;                              \
    using Plan = P##_plan;                          \
    using Opts = O;                                 \
    static constexpr auto makeplan = P##_makeplan;  \
    static constexpr auto setpts = P##_setpts;      \
    static constexpr auto execute = P##_execute;    \
    static constexpr auto destroy = P##_destroy;    \
    static constexpr auto call1d1 = P##1d1;         \
    static constexpr auto call1d2 = P##1d2;         \
    static constexpr auto call1d3 = P##1d3;         \
    static constexpr auto call2d1 = P##2d1;         \
    static constexpr auto call2d2 = P##2d2;         \
    static constexpr auto call2d3 = P##2d3;         \
    static constexpr auto call3d1 = P##3d1;         \
    static constexpr auto call3d2 = P##3d2;         \
    static constexpr auto call3d3 = P##3d3;         \
    static constexpr auto call1d1many = P##1d1many; \
    static constexpr auto call1d2many = P##1d2many; \
    static constexpr auto call1d3many = P##1d3many; \
    static constexpr auto call2d1many = P##2d1many; \
    static constexpr auto call2d2many = P##2d2many; \
    static constexpr auto call2d3many = P##2d3many; \
    static constexpr auto call3d1many = P##3d1many; \
    static constexpr auto call3d2many = P##3d2many; \
    static constexpr auto call3d3many = P##3d3many; \
  }

OFFGRID_TEST_PEER(Finufft, finufft, double, std::complex<double>, finufft_opts);
OFFGRID_TEST_PEER(Finufftf, finufftf, float, std::complex<float>, finufft_opts);
OFFGRID_TEST_PEER(Cufinufft, cufinufft, double, cuDoubleComplex, cufinufft_opts);
OFFGRID_TEST_PEER(Cufinufftf, cufinufftf, float, cuFloatComplex, cufinufft_opts);
#undef OFFGRID_TEST_PEER

}  // namespace support
