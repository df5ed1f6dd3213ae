// Rooms of one size (pointwise.hpp), one per execute that runs: they are kept from one execute to the next.
#pragma once

#include <algorithm>
#include <memory>
#include <mutex>
#include <vector>

#include "core/pointwise.hpp"

namespace offgrid {

template <class T> class RoomPool {
 public:
  struct GiveBack {
    const RoomPool* pool;
    Stream stream;
    void operator()(Room<T>* room) const noexcept { pool->give_back(room, stream); }
  };
  using Lease = std::unique_ptr<Room<T>, GiveBack>;

  RoomPool(Pointwise<T>& pointwise, std::int64_t size) : pointwise_(pointwise), size_(size) {
    idle_.push_back(pointwise_.make_room(size_));
  }

  [[nodiscard]] std::int64_t size() const { return size_; }

  // The room that was last used on this stream needs no waiting.
  [[nodiscard]] Lease lease(Stream stream) const {
    Lease room(nullptr, {this, stream});
    {
      const std::scoped_lock lock(mutex_);
      if (idle_.empty()) {
        idle_.reserve(made_ + 1);  // so that giving back needs no memory
        room.reset(pointwise_.make_room(size_).release());
        ++made_;
      } else {
        auto best = std::find_if(idle_.begin(), idle_.end(), [&](const auto& idle) { return idle->stream == stream; });
        if (best == idle_.end()) best = std::prev(idle_.end());
        room.reset(best->release());
        idle_.erase(best);
      }
    }
    pointwise_.begin(*room, stream);
    room->stream = stream;
    return room;
  }

 private:
  void give_back(Room<T>* room, Stream stream) const noexcept {
    pointwise_.end(*room, stream);
    const std::scoped_lock lock(mutex_);
    idle_.emplace_back(room);
  }

  Pointwise<T>& pointwise_;
  std::int64_t size_;
  mutable std::mutex mutex_;
  mutable std::vector<std::unique_ptr<Room<T>>> idle_;
  mutable std::size_t made_ = 1;
};

}  // namespace offgrid
