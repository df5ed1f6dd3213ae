/* Of the drop-in for FINUFFT: its options, with the layout of versions 2.5 and 2.6 on 64-bit machines.
 * All fields are accepted. Those that say so work; the others have no meaning for offgrid and are ignored. */
#ifndef FINUFFT_OPTS_H
#define FINUFFT_OPTS_H

typedef struct finufft_opts {
  int modeord;                    /* works: 1 the order of an FFT, else modes ascend from -N/2 */
  int spreadinterponly;           /* works: 1 only spreads (type 1) or interpolates (type 2) */
  int debug;                      /* works: over 0 setpts prints to stdout what was chosen */
  int spread_debug;               /* ignored */
  int showwarn;                   /* works: 0 prints no warnings to stderr; errors are printed all the same */
  int nthreads;                   /* works: 0 as many as OpenMP would take */
  int fftw;                       /* ignored: there is no FFTW inside */
  int spread_sort;                /* ignored: points are always sorted */
  int spread_kerevalmeth;         /* ignored; deprecated */
  int spread_kerpad;              /* ignored; deprecated */
  double upsampfac;               /* works: 0 chosen by the library, else over 1; at most 2.5 is used */
  int spread_thread;              /* checked (0, 1 or 2), and ignored; deprecated */
  int maxbatchsize;               /* works: 0 chosen by the library */
  int spread_nthr_atomic;         /* ignored */
  int spread_max_sp_size;         /* ignored */
  int spread_kerformula;          /* checked (0, 7 or 8), and ignored */
  int allow_eps_too_small;        /* works: 1 takes a tolerance below the precision, 2 also warns by code 1 */
  void (*fftw_lock_fun)(void*);   /* checked (both or none), and never called */
  void (*fftw_unlock_fun)(void*); /* see fftw_lock_fun */
  void* fftw_lock_data;           /* ignored */
} finufft_opts;

#endif
