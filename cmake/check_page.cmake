# cmake -DPROGRAM=<path> -DPAGE=<path> -P check_page.cmake: fails unless the program prints what the page holds.
execute_process(COMMAND ${PROGRAM} OUTPUT_VARIABLE printed COMMAND_ERROR_IS_FATAL ANY)
file(READ ${PAGE} page)
if(NOT printed STREQUAL page)
  message(FATAL_ERROR "${PAGE} is out of date; write it anew with: ./dev docs")
endif()
