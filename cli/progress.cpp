#include "progress.hpp"

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <utility>

#include "text.hpp"

namespace cli {
namespace {

constexpr int bar_width = 28;
constexpr double redraw_seconds = 0.1;
constexpr const char* start_of_line = "\r\x1b[K";  // back to the left and clear the line

}  // namespace

ProgressMode progress_mode(ProgressWish wish) {
  if (::isatty(STDERR_FILENO) == 1) return ProgressMode::terminal;
  return wish == ProgressWish::always ? ProgressMode::lines : ProgressMode::silent;
}

ProgressBar::ProgressBar(std::string label, std::int64_t total, ProgressMode mode)
    : label_(std::move(label)), total_(std::max<std::int64_t>(total, 1)), mode_(mode) {}

ProgressBar::~ProgressBar() {
  if (mode_ == ProgressMode::terminal && last_drawn_ >= 0) std::fputs(start_of_line, stderr);
}

void ProgressBar::step(const std::string& note) {
  ++done_;
  const std::int64_t tenth = 10 * done_ / total_;
  if (mode_ == ProgressMode::lines && tenth > last_tenth_)
    std::fprintf(stderr, "%s: %lld %% %s\n", label_.c_str(), static_cast<long long>(10 * tenth), note.c_str());
  last_tenth_ = tenth;
  if (mode_ != ProgressMode::terminal) return;
  if (done_ < total_ && last_drawn_ >= 0 && watch_.seconds() - last_drawn_ < redraw_seconds) return;
  draw(note);
}

void ProgressBar::draw(const std::string& note) {
  last_drawn_ = watch_.seconds();
  const int filled = static_cast<int>(std::min<std::int64_t>(bar_width, bar_width * done_ / total_));
  const std::string bar = std::string(static_cast<std::size_t>(filled), '=') +
                          std::string(static_cast<std::size_t>(bar_width - filled), ' ');
  const double left = last_drawn_ / static_cast<double>(done_) * static_cast<double>(total_ - done_);
  std::fprintf(stderr, "%s%s [%s] %3lld %%, %.0f s left  %s", start_of_line, label_.c_str(), bar.c_str(),
               static_cast<long long>(100 * done_ / total_), left, note.c_str());
  std::fflush(stderr);
}

StageTicker::StageTicker(ProgressMode mode) : mode_(mode) {
  if (mode_ == ProgressMode::terminal) thread_ = std::thread([this] { tick(); });
}

StageTicker::~StageTicker() {
  if (!thread_.joinable()) return;
  {
    const std::scoped_lock guard(lock_);
    finished_ = true;
  }
  wake_.notify_one();
  thread_.join();
  std::fputs(start_of_line, stderr);
}

void StageTicker::enter(const std::string& stage) {
  const std::scoped_lock guard(lock_);
  stage_ = stage;
  watch_ = Stopwatch();
  if (mode_ == ProgressMode::lines) std::fprintf(stderr, "%s ..\n", stage.c_str());
}

void StageTicker::clear() {
  const std::scoped_lock guard(lock_);
  stage_.clear();
  if (mode_ == ProgressMode::terminal) std::fputs(start_of_line, stderr);
}

void StageTicker::tick() {
  std::unique_lock guard(lock_);
  while (!wake_.wait_for(guard, std::chrono::milliseconds(200), [this] { return finished_; })) {
    if (stage_.empty()) continue;
    std::fprintf(stderr, "%s%s .. %.0f s", start_of_line, stage_.c_str(), watch_.seconds());
    std::fflush(stderr);
  }
}

}  // namespace cli
