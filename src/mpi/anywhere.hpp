// The attribute of functions that run on the host and, where nvcc compiles them, on a GPU as well.
#pragma once

#ifdef __CUDACC__
#define OFFGRID_ANYWHERE __host__ __device__
#else
#define OFFGRID_ANYWHERE
#endif
