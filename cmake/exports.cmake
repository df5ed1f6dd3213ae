# What a shared library shows of itself: the functions that it is made for, and nothing else. Hidden visibility does not
# suffice: templates of the standard library, and all of it where the linker puts it in as an archive (-static-libstdc++),
# bring their own. Such symbols meet those of another copy in the same process, and then an exception that the library
# throws and catches inside ends the program.

# offgrid_functions(<variable> <header>): the functions that a header of include/offgrid declares.
function(offgrid_functions variable name)
  set(header ${PROJECT_SOURCE_DIR}/include/offgrid/${name})
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${header})
  file(READ ${header} text)
  string(REGEX MATCHALL "OFFGRID_API[^;(]*[ *]offgrid_[a-z0-9_]+\\(" functions "${text}")
  list(TRANSFORM functions REPLACE ".*[ *](offgrid_[a-z0-9_]+)\\(" "\\1")
  set(${variable} ${functions} PARENT_SCOPE)
endfunction()

# offgrid_export(<target> <name>..): of all symbols in the shared library or module, only these can be seen from outside.
function(offgrid_export target)
  if(APPLE OR NOT UNIX)  # their linkers know no version scripts
    return()
  endif()
  list(JOIN ARGN "; " names)
  set(script ${PROJECT_BINARY_DIR}/exports/${target}.map)
  file(CONFIGURE OUTPUT ${script} CONTENT "{ global: ${names}; local: *; };\n" @ONLY)
  target_link_options(${target} PRIVATE LINKER:--version-script=${script})
  set_property(TARGET ${target} APPEND PROPERTY LINK_DEPENDS ${script})
endfunction()
