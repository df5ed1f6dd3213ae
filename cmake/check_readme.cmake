# Fails unless the code blocks of README.md, and the C++ one of docs/scaling.md, are the programs of examples/, which the tests compile
# and run.
cmake_path(GET CMAKE_CURRENT_LIST_DIR PARENT_PATH root)

function(expect_program page language program)
  file(READ ${root}/${page} words)
  file(READ ${root}/${program} source)
  string(FIND "${words}" "```${language}\n${source}```" place)
  if(place EQUAL -1)
    message(FATAL_ERROR "the ${language} block of ${page} is not ${program}; copy the program into the block")
  endif()
endfunction()

expect_program(README.md c examples/readme_c.c)
expect_program(README.md cpp examples/readme_cpp.cpp)
expect_program(README.md python examples/readme_python.py)
expect_program(docs/scaling.md cpp examples/ranks.cpp)
