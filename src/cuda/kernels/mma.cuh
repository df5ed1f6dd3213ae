// Matrix multiply-add of the tensor cores in f64, by one warp: 16 x 8 += (16 x 8) (8 x 8).
#pragma once

namespace offgrid::cuda {

// c += a b, with fragments as the PTX manual lays them out for mma.m16n8k8. Compiled for devices before 9.0, it is four
// m8n8k4: owners use those there, and the sweep is never chosen (method/sweep.cpp).
__device__ inline void multiply_add(double (&c)[4], const double (&a)[4], double b0, double b1) {
#if __CUDA_ARCH__ >= 900
  asm("mma.sync.aligned.m16n8k8.row.col.f64.f64.f64.f64 {%0,%1,%2,%3},{%4,%5,%6,%7},{%8,%9},{%0,%1,%2,%3};"
      : "+d"(c[0]), "+d"(c[1]), "+d"(c[2]), "+d"(c[3])
      : "d"(a[0]), "d"(a[1]), "d"(a[2]), "d"(a[3]), "d"(b0), "d"(b1));
#else
  const auto quarter = [&](int half, double left, double right) {
    asm("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0,%1},{%2},{%3},{%0,%1};"
        : "+d"(c[half]), "+d"(c[half + 1])
        : "d"(left), "d"(right));
  };
  quarter(0, a[0], b0);
  quarter(0, a[2], b1);
  quarter(2, a[1], b0);
  quarter(2, a[3], b1);
#endif
}

}  // namespace offgrid::cuda
