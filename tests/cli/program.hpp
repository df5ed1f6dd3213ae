// The program from the outside: arguments and files in; files, words and exit codes out.
#pragma once

#include <gtest/gtest.h>
#include <sys/wait.h>

#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string>

#include "temporary_folder.hpp"

struct Outcome {
  int code;
  std::string output, errors;
};

class Program : public testing::Test {
 protected:
  Outcome run(const std::string& arguments) const {
    const std::string command = std::string("'") + OFFGRID_PROGRAM + "' " + arguments + " >'" + folder.file("stdout") +
                                "' 2>'" + folder.file("stderr") + "'";
    const int status = std::system(command.c_str());
    return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, contents("stdout"), contents("stderr")};
  }

  [[nodiscard]] std::string contents(const std::string& name) const {
    std::ostringstream text;
    text << std::ifstream(folder.file(name)).rdbuf();
    return text.str();
  }

  void expect_refused(const std::string& arguments, const std::string& word) const {
    const auto outcome = run(arguments);
    EXPECT_EQ(outcome.code, 2) << arguments;
    EXPECT_NE(outcome.errors.find(word), std::string::npos) << arguments << "\n" << outcome.errors;
  }

  TemporaryFolder folder;
};
