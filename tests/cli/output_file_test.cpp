// Files that the program writes: what stands at the path decides how, and a failure leaves it as it was. All of it holds
// for root, too, who may write to anything.
#include "files/output_file.hpp"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "temporary_folder.hpp"
#include "text.hpp"

namespace {

namespace fs = std::filesystem;
using cli::InputError;
using cli::OutputFile;
using cli::write_file;

class Output : public testing::Test {
 protected:
  [[nodiscard]] std::string contents(const std::string& name) const {
    std::ostringstream text;
    text << std::ifstream(folder.file(name)).rdbuf();
    return text.str();
  }
  [[nodiscard]] mode_t mode(const std::string& name) const {
    struct stat status {};
    EXPECT_EQ(::stat(folder.file(name).c_str(), &status), 0);
    return status.st_mode & 07777;
  }
  [[nodiscard]] std::ptrdiff_t files() const {
    return std::distance(fs::directory_iterator(folder.file("")), fs::directory_iterator());
  }
  [[nodiscard]] std::string complaint(const std::string& path) const {
    try {
      write_file(path, "new");
    } catch (const InputError& error) {
      return error.what();
    }
    return "";
  }

  TemporaryFolder folder;
};

TEST_F(Output, NewFilesHaveThePermissionsOfTheUmask) {
  const mode_t before = ::umask(027);
  write_file(folder.file("a"), "new");
  ::umask(before);
  EXPECT_EQ(contents("a"), "new");
  EXPECT_EQ(mode("a"), 0640U);
  EXPECT_EQ(files(), 1);
}

TEST_F(Output, AFileThatIsReplacedKeepsItsPermissions) {
  folder.write("a", "old");
  ASSERT_EQ(::chmod(folder.file("a").c_str(), 0604), 0);
  write_file(folder.file("a"), "new");
  EXPECT_EQ(contents("a"), "new");
  EXPECT_EQ(mode("a"), 0604U);
  EXPECT_EQ(files(), 1);
}

TEST_F(Output, WhoHasTheOldFileOpenKeepsItsContents) {
  folder.write("a", "old");
  std::ifstream reader(folder.file("a"));
  write_file(folder.file("a"), "new");
  std::ostringstream text;
  text << reader.rdbuf();
  EXPECT_EQ(text.str(), "old");
}

TEST_F(Output, LinksAreFollowedToTheEnd) {
  fs::create_directory(folder.file("inside"));
  fs::create_symlink("inside/second", folder.file("first"));
  fs::create_symlink("../not-there-yet", folder.file("inside/second"));
  write_file(folder.file("first"), "new");
  EXPECT_EQ(contents("not-there-yet"), "new");
  EXPECT_FALSE(fs::is_symlink(folder.file("not-there-yet")));
  EXPECT_TRUE(fs::is_symlink(folder.file("first")));
  EXPECT_TRUE(fs::is_symlink(folder.file("inside/second")));
  fs::create_symlink("circle", folder.file("circle"));
  EXPECT_NE(complaint(folder.file("circle")).find("too many symbolic links"), std::string::npos);
  EXPECT_TRUE(fs::is_symlink(folder.file("circle")));
}

TEST_F(Output, ALinkToAReadOnlyFileIsRefused) {
  folder.write("real", "old");
  ASSERT_EQ(::chmod(folder.file("real").c_str(), 0400), 0);
  fs::create_symlink("real", folder.file("link"));
  EXPECT_NE(complaint(folder.file("link")).find("may not be written"), std::string::npos);
  EXPECT_THROW(cli::require_writable(folder.file("link")), InputError);
  EXPECT_EQ(contents("real"), "old");
}

TEST_F(Output, DevicesAreWrittenTo) {
  for (const std::string device : {"/dev/null", "/dev/zero"}) {
    fs::create_symlink(device, folder.file("device"));
    cli::require_writable(folder.file("device"));
    write_file(folder.file("device"), "new");
    EXPECT_TRUE(fs::is_symlink(folder.file("device")));
    EXPECT_TRUE(fs::is_character_file(device));
    fs::remove(folder.file("device"));
  }
  EXPECT_NE(complaint("/dev/full").find("cannot write it"), std::string::npos);
}

TEST_F(Output, WhatCannotBeWrittenIsRefusedEarly) {
  cli::require_writable("");
  cli::require_writable(folder.file("new"));
  EXPECT_EQ(files(), 0);
  for (const std::string& path : {folder.file(""), folder.file("missing/a"), std::string("/nonexistent/a")}) {
    EXPECT_THROW(cli::require_writable(path), InputError) << path;
    EXPECT_NE(complaint(path).find(path), std::string::npos) << path;
  }
  EXPECT_EQ(files(), 0);
}

TEST_F(Output, AFolderThatAllowsNoNewFilesLeavesTheFileToBeOverwritten) {
  if (::geteuid() == 0) GTEST_SKIP() << "root may make files anywhere";
  fs::create_directory(folder.file("closed"));
  folder.write("closed/a", "old contents");
  ASSERT_EQ(::chmod(folder.file("closed").c_str(), 0555), 0);
  write_file(folder.file("closed/a"), "new");
  EXPECT_EQ(contents("closed/a"), "new");
  EXPECT_THROW(cli::require_writable(folder.file("closed/b")), InputError);
  ASSERT_EQ(::chmod(folder.file("closed").c_str(), 0755), 0);
}

TEST_F(Output, WithoutFinishNothingChanges) {
  folder.write("a", "old");
  for (const char* name : {"a", "b"}) {
    OutputFile file(folder.file(name));
    file.write("new");
    EXPECT_GE(files(), 2);
  }
  EXPECT_EQ(contents("a"), "old");
  EXPECT_EQ(files(), 1);
}

TEST_F(Output, AFullDiskLeavesTheOldFile) {
  folder.write("a", "old");
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &before), 0);
  const rlimit small{1000, before.rlim_max};
  const auto handler = std::signal(SIGXFSZ, SIG_IGN);
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &small), 0);
  std::string words;
  try {
    write_file(folder.file("a"), std::string(5000, 'x'));
  } catch (const InputError& error) {
    words = error.what();
  }
  ::setrlimit(RLIMIT_FSIZE, &before);
  std::signal(SIGXFSZ, handler);
  EXPECT_NE(words.find("cannot write it"), std::string::npos) << words;
  EXPECT_EQ(contents("a"), "old");
  EXPECT_EQ(files(), 1);
}

TEST_F(Output, ASignalRemovesTheTemporaryFile) {
  folder.write("a", "old");
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    const pid_t child = ::fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      std::signal(signal, SIG_DFL);
      OutputFile file(folder.file("a"));
      file.write("new");
      if (files() == 2) std::raise(signal);
      std::_Exit(1);
    }
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == signal) << status;
    EXPECT_EQ(files(), 1);
  }
  EXPECT_EQ(contents("a"), "old");
}

TEST_F(Output, SignalsAreAsBeforeAfterwards) {
  write_file(folder.file("a"), "new");
  struct sigaction now {};
  ASSERT_EQ(::sigaction(SIGTERM, nullptr, &now), 0);
  EXPECT_EQ(now.sa_handler, SIG_DFL);
}

}  // namespace
