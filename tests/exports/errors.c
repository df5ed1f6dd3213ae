/* errors LIBRARY: a refused call comes back as a status and a message, although the process holds another C++ runtime whose
 * symbols everybody sees first, and which does not fit. LIBRARY has a runtime of its own inside (-static-libstdc++). */
#include <dlfcn.h>
#include <offgrid/offgrid.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The other runtime: as far as an exception goes in a runtime that is half this and half that. */
static void refuse(const char* name) {
  fprintf(stderr, "the library called %s of another C++ runtime\n", name);
  exit(1);
}
#define OTHER(name) \
  void name(void);  \
  void name(void) { refuse(#name); }
OTHER(__cxa_allocate_exception)
OTHER(__cxa_throw)
OTHER(__cxa_begin_catch)
OTHER(__gxx_personality_v0)
OTHER(_Unwind_RaiseException)

typedef offgrid_status (*Create)(offgrid_plan*, int, int, const int64_t*, double, offgrid_precision, offgrid_options);
typedef const char* (*LastError)(void);

int main(int count, char** arguments) {
  void* library = count == 2 ? dlopen(arguments[1], RTLD_NOW) : NULL;
  if (!library) {
    fprintf(stderr, "errors LIBRARY: %s\n", count == 2 ? dlerror() : "expected one argument");
    return 2;
  }
  Create create = NULL;
  LastError last_error = NULL;
  *(void**)&create = dlsym(library, "offgrid_plan_create");
  *(void**)&last_error = dlsym(library, "offgrid_last_error");

  const int64_t modes[] = {16};
  offgrid_plan plan = NULL;
  const offgrid_status refused = create(&plan, 7, 1, modes, 1e-6, OFFGRID_F64, NULL);
  printf("status %d: %s\n", (int)refused, last_error());
  return refused == OFFGRID_INVALID_ARGUMENT && strstr(last_error(), "type is 7") ? 0 : 1;
}
