# Fails unless the code blocks of README.md and of these pages of docs/ are the programs of examples/, which the tests compile
# and run.
cmake_path(GET CMAKE_CURRENT_LIST_DIR PARENT_PATH root)

function(require_program page language program)
  file(READ ${root}/${page} words)
  file(READ ${root}/examples/${program} source)
  string(FIND "${words}" "```${language}\n${source}```" place)
  if(place EQUAL -1)
    message(FATAL_ERROR "the ${language} block of ${page} is not examples/${program}; copy the program into the block")
  endif()
endfunction()

require_program(README.md c readme_c.c)
require_program(README.md cpp readme_cpp.cpp)
require_program(README.md python readme_python.py)
require_program(docs/scaling.md cpp ranks.cpp)
require_program(docs/type3.md c type3_c.c)
require_program(docs/type3.md cpp type3.cpp)
require_program(docs/gram.md c inverse_c.c)
require_program(docs/gram.md cpp inverse_cpp.cpp)
