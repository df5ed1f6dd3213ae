# Headers, library, program, licence, documentation and examples, and what find_package(offgrid) and pkg-config read. The tree may be moved after installation.
include(CMakePackageConfigHelpers)
set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/offgrid)
set(built ${PROJECT_BINARY_DIR}/package)

install(DIRECTORY include/offgrid DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN "*.h" PATTERN "*.hpp")
# Highway is found beside the library, or where it was when it was built.
set_target_properties(offgrid PROPERTIES INSTALL_RPATH $ORIGIN INSTALL_RPATH_USE_LINK_PATH ON)
install(TARGETS offgrid EXPORT offgridTargets)
if(TARGET offgrid_mpi)
  set_target_properties(offgrid_mpi PROPERTIES INSTALL_RPATH $ORIGIN INSTALL_RPATH_USE_LINK_PATH ON)
  install(TARGETS offgrid_mpi EXPORT offgridTargets)
endif()
if(TARGET offgrid_cli)
  file(RELATIVE_PATH to_lib /${CMAKE_INSTALL_BINDIR} /${CMAKE_INSTALL_LIBDIR})
  set_target_properties(offgrid_cli PROPERTIES INSTALL_RPATH $ORIGIN/${to_lib} INSTALL_RPATH_USE_LINK_PATH ON)
  install(TARGETS offgrid_cli)
endif()

# All that an installation holds, for a build that makes nothing else.
add_custom_target(installed)
foreach(part IN ITEMS offgrid offgrid_mpi offgrid_cli finufft cufinufft)
  if(TARGET ${part})
    add_dependencies(installed ${part})
  endif()
endforeach()

# The pages refer to each other as they do in the source tree.
install(FILES LICENSE README.md CHANGELOG.md CONTRIBUTING.md DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(DIRECTORY docs DESTINATION ${CMAKE_INSTALL_DOCDIR} FILES_MATCHING PATTERN "*.md" PATTERN "*.png" PATTERN "*.svg")
install(DIRECTORY examples DESTINATION ${CMAKE_INSTALL_DOCDIR}
        FILES_MATCHING PATTERN "*.c" PATTERN "*.cpp" PATTERN "*.py" PATTERN __pycache__ EXCLUDE)

configure_package_config_file(cmake/offgridConfig.cmake.in ${built}/offgridConfig.cmake INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(${built}/offgridConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${built}/offgridConfig.cmake ${built}/offgridConfigVersion.cmake DESTINATION ${package_dir})
install(EXPORT offgridTargets NAMESPACE offgrid:: DESTINATION ${package_dir})

file(RELATIVE_PATH to_prefix /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
cmake_path(SET to_prefix NORMALIZE ${to_prefix})
if(NOT BUILD_SHARED_LIBS)  # a static library hands on what it links, but no headers
  set(static_libs ${HWY_LDFLAGS} ${OpenMP_CXX_FLAGS} -lstdc++)
  if(OFFGRID_CUDA)
    list(APPEND static_libs -L${CUDAToolkit_LIBRARY_DIR} -lcudart_static -lrt -lpthread -ldl)
  endif()
  list(JOIN static_libs " " static_libs)
endif()
configure_file(cmake/offgrid.pc.in ${built}/offgrid.pc @ONLY)
install(FILES ${built}/offgrid.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
