/* Of the drop-in for cuFINUFFT: its options, with the layout of versions 2.5 and 2.6 on 64-bit machines.
 * All fields are accepted. Those that say so work; the others have no meaning for offgrid and are ignored. */
#ifndef CUFINUFFT_OPTS_H
#define CUFINUFFT_OPTS_H

typedef struct cufinufft_opts {
  double upsampfac;         /* works: 0 chosen by the library, else over 1; at most 2.5 is used */
  int gpu_method;           /* works: 0, 3 and 4 the fastest, 1 gm_sort, 2 sm (docs/gpu.md) */
  int gpu_sort;             /* works with method 1: 0 leaves the points in the caller's order */
  int gpu_binsizex;         /* checked, and ignored */
  int gpu_binsizey;         /* checked, and ignored */
  int gpu_binsizez;         /* checked, and ignored */
  int gpu_obinsizex;        /* checked, and ignored */
  int gpu_obinsizey;        /* checked, and ignored */
  int gpu_obinsizez;        /* checked, and ignored */
  int gpu_maxsubprobsize;   /* ignored */
  int gpu_kerevalmeth;      /* only says which code an upsampfac that is too small returns */
  int gpu_spreadinterponly; /* works: 1 only spreads (type 1) or interpolates (type 2) */
  int gpu_maxbatchsize;     /* works: 0 chosen by the library */
  int gpu_device_id;        /* works: which GPU; the caller's current one is restored after every call */
  void* gpu_stream;         /* works: a cudaStream_t, null for the default stream */
  int modeord;              /* works: 0 modes ascend from -N/2, else the order of an FFT */
  int gpu_np;               /* ignored */
  int debug;                /* works: over 0 setpts prints to stdout what was chosen */
} cufinufft_opts;

#endif
