// Progress on stderr for work that takes a while: shown on a terminal, or anywhere on request (then a line for every
// tenth). A bar counts steps; a StageTicker names the stage that is running and how long it has been.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <string>
#include <thread>

#include "timing.hpp"

namespace cli {

enum class ProgressMode { silent, lines, terminal };

// Terminal where stderr is one; lines where it is not but the user asked; otherwise silent.
enum class ProgressWish { automatic, always };
ProgressMode progress_mode(ProgressWish wish);

class ProgressBar {
 public:
  ProgressBar(std::string label, std::int64_t total, ProgressMode mode);
  ProgressBar(const ProgressBar&) = delete;
  ProgressBar& operator=(const ProgressBar&) = delete;
  ~ProgressBar();

  // `note` is shown behind the bar.
  void step(const std::string& note = "");

 private:
  void draw(const std::string& note);

  std::string label_;
  std::int64_t total_, done_ = 0, last_tenth_ = 0;
  ProgressMode mode_;
  double last_drawn_ = -1;
  Stopwatch watch_;
};

class StageTicker {
 public:
  explicit StageTicker(ProgressMode mode);
  StageTicker(const StageTicker&) = delete;
  StageTicker& operator=(const StageTicker&) = delete;
  ~StageTicker();

  void enter(const std::string& stage);

  // Silent until the next stage, so that the caller may print.
  void clear();

 private:
  void tick();

  ProgressMode mode_;
  std::mutex lock_;
  std::condition_variable wake_;
  std::string stage_;
  Stopwatch watch_;
  bool finished_ = false;
  std::thread thread_;
};

}  // namespace cli
