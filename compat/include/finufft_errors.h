/* Of the drop-in for FINUFFT and cuFINUFFT: what their functions return, under the peers' names and numbers.
 * The comments say when offgrid returns which; those marked "never" are there for their names, and say why they do not occur.
 * Words are on stderr. */
#ifndef FINUFFT_ERRORS_H
#define FINUFFT_ERRORS_H

enum {
  FINUFFT_WARN_EPS_TOO_SMALL = 1,          /* tolerance out of FINUFFT's reach, allow_eps_too_small 2; destroy(null) */
  FINUFFT_ERR_MAXNALLOC = 2,               /* over 1e12 modes */
  FINUFFT_ERR_SPREAD_BOX_SMALL = 3,        /* spreadinterponly: fewer cells along an axis than the kernel is wide */
  FINUFFT_ERR_SPREAD_PTS_OUT_RANGE = 4,    /* never: points are folded, and those that cannot be are 21 */
  FINUFFT_ERR_SPREAD_ALLOC = 5,            /* never: memory that is missing is 11, on a GPU 15 */
  FINUFFT_ERR_SPREAD_DIR = 6,              /* never: no argument is a direction, the type decides */
  FINUFFT_ERR_UPSAMPFAC_TOO_SMALL = 7,     /* upsampfac is not over 1 */
  FINUFFT_ERR_HORNER_WRONG_BETA = 8,       /* on a GPU the same, where gpu_kerevalmeth is 1 */
  FINUFFT_ERR_NTRANS_NOTVALID = 9,         /* fewer than one transform */
  FINUFFT_ERR_TYPE_NOTVALID = 10,          /* the type is not 1, 2 or 3; or 3 with spreadinterponly */
  FINUFFT_ERR_ALLOC = 11,                  /* out of memory, on the CPU */
  FINUFFT_ERR_DIM_NOTVALID = 12,           /* the dimension is not 1, 2 or 3 */
  FINUFFT_ERR_SPREAD_THREAD_NOTVALID = 13, /* spread_thread is not 0, 1 or 2, as in FINUFFT 2.5 */
  FINUFFT_ERR_NDATA_NOTVALID = 14,         /* a size that is negative; on a GPU also 0, or beyond 2^31 - 1 */
  FINUFFT_ERR_CUDA_FAILURE = 15,           /* no GPU, no such GPU, no memory on it, or a call of CUDA failed */
  FINUFFT_ERR_PLAN_NOTVALID = 16,          /* the plan is null, or has no points yet */
  FINUFFT_ERR_METHOD_NOTVALID = 17,        /* gpu_method is not 0 to 4, or 4 outside of three dimensions */
  FINUFFT_ERR_BINSIZE_NOTVALID = 18,       /* a bin of the GPU is negative, or an outer bin no multiple of the inner */
  FINUFFT_ERR_INSUFFICIENT_SHMEM = 19,     /* the bins asked for do not fit into shared memory */
  FINUFFT_ERR_NUM_NU_PTS_INVALID = 20,     /* the number of points or targets is negative or over 1e14 */
  FINUFFT_ERR_INVALID_ARGUMENT = 21,       /* anything else that is wrong with an argument; stderr says what */
  FINUFFT_ERR_LOCK_FUNS_INVALID = 22,      /* one of the lock functions without the other */
  FINUFFT_ERR_NTHREADS_NOTVALID = 23,      /* never: less than 1 means all, over 4096 is taken for 4096 */
  FINUFFT_ERR_KERFORMULA_NOTVALID = 24,    /* spread_kerformula is not 0, 7 or 8 */
  FINUFFT_ERR_UNKNOWN_EXCEPTION = 25,      /* an error inside of the library */
  FINUFFT_ERR_EPS_TOO_SMALL = 26,          /* the tolerance is below the precision, and allow_eps_too_small is 0 */
  FINUFFT_ERR_PSWF_SETUP = 27              /* never: the kernel is there for every tolerance and upsampling taken */
};

#endif
