/* Of the drop-in for FINUFFT: how its functions are declared. A program may use these macros as it does with FINUFFT's own
 * header; FINUFFT_DLL has no effect here, because the functions are always visible. */
#ifndef FINUFFT_COMMON_DEFINES_H
#define FINUFFT_COMMON_DEFINES_H

#if defined(__GNUC__)
#define FINUFFT_EXPORT __attribute__((visibility("default")))
#else
#define FINUFFT_EXPORT
#endif

#define FINUFFT_CDECL

#endif
