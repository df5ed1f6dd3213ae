# The layers as targets. A target's include root is a folder of the build tree that holds one symbolic link, so that
# `#include "cpu/sort/sort.hpp"` compiles only in targets that were given the root of cpu.

# offgrid_root(<layer> <name> <path>): the root of <layer> gets <name>, a link to <path>.
function(offgrid_root layer name path)
  set(root ${PROJECT_BINARY_DIR}/roots/${layer})
  file(MAKE_DIRECTORY ${root})
  file(CREATE_LINK ${path} ${root}/${name} SYMBOLIC)
  set(OFFGRID_ROOT ${root} PARENT_SCOPE)
endfunction()

# offgrid_layer(<layer> [<libraries>..]): the caller's folder, with its rooms, as the internal library offgrid_<layer>.
function(offgrid_layer layer)
  file(GLOB sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/*.cpp ${CMAKE_CURRENT_SOURCE_DIR}/*.hpp
       ${CMAKE_CURRENT_SOURCE_DIR}/*/*.cpp ${CMAKE_CURRENT_SOURCE_DIR}/*/*.hpp)
  add_library(offgrid_${layer} STATIC ${sources})
  offgrid_root(${layer} ${layer} ${CMAKE_CURRENT_SOURCE_DIR})
  target_include_directories(offgrid_${layer} PUBLIC ${OFFGRID_ROOT})
  target_link_libraries(offgrid_${layer} PUBLIC ${ARGN} PRIVATE offgrid_flags)
endfunction()
