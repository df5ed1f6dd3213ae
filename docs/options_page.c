/* Writes docs/options.md from offgrid_options_help(), whose lines are "name (values): meaning". */
#include <offgrid/offgrid.h>
#include <stdio.h>
#include <string.h>

static void print_part(const char* begin, const char* end) {
  for (const char* c = begin; c != end; ++c) fputs(*c == '|' ? ", " : (char[]){*c, 0}, stdout);
}

/* Prints one line of the help as a row and returns the next line, or null where the line has another form. */
static const char* print_row(const char* line) {
  const char* values = strstr(line, " (");
  const char* meaning = values ? strstr(values, "): ") : NULL;
  const char* end = meaning ? strchr(meaning, '\n') : NULL;
  if (!end) return NULL;
  printf("| `");
  print_part(line, values);
  printf("` | ");
  print_part(values + 2, meaning);
  printf(" | ");
  print_part(meaning + 3, end);
  printf(" |\n");
  return end + 1;
}

int main(void) {
  printf(
      "# Options\n\n"
      "Written by `./dev docs` from the library's table of options (`src/core/options.cpp`); do not edit.\n"
      "The same names serve `offgrid_options_set` and `offgrid_options_set_text` in C, `Problem::options` in C++,\n"
      "keyword arguments in Python and the command line. Words may be given by name or by their place in the list,\n"
      "counted from 0.\n\n"
      "| option | values | meaning |\n| --- | --- | --- |\n");
  const char* line = offgrid_options_help();
  while (line && *line) line = print_row(line);
  return line ? 0 : 1;
}
