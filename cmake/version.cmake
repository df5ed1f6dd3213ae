# OFFGRID_VERSION from include/offgrid/version.h, the one place where it is written.
file(STRINGS ${CMAKE_CURRENT_SOURCE_DIR}/include/offgrid/version.h line REGEX "define OFFGRID_VERSION \"")
string(REGEX MATCH "[0-9]+\\.[0-9]+\\.[0-9]+" OFFGRID_VERSION "${line}")
if(NOT OFFGRID_VERSION)
  message(FATAL_ERROR "include/offgrid/version.h defines no OFFGRID_VERSION")
endif()
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/include/offgrid/version.h)
