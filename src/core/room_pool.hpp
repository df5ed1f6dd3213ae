// The rooms (pointwise.hpp) in which a plan's executes work, several of them where several run at the same time.
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
  using Rooms = std::vector<std::unique_ptr<Room<T>>>;

  explicit RoomPool(Pointwise<T>& pointwise) : pointwise_(&pointwise) {}
  RoomPool(Pointwise<T>& pointwise, std::int64_t size) : RoomPool(pointwise) { replace_by(prepare(size), size); }

  [[nodiscard]] std::int64_t size() const { return size_; }

  // The room of the first execute, or nothing where the rooms are large enough.
  [[nodiscard]] Rooms prepare(std::int64_t size) {
    const auto fits = [&](const auto& room) { return room->size >= size; };
    Rooms rooms;
    if (size == 0 || (!idle_.empty() && std::all_of(idle_.begin(), idle_.end(), fits))) return rooms;
    rooms.push_back(pointwise_->make_room(size));
    return rooms;
  }
  // Takes what prepare made; no execute is under way.
  void replace_by(Rooms rooms, std::int64_t size) noexcept {
    size_ = size;
    if (rooms.empty()) return;
    made_ = rooms.size();
    idle_ = std::move(rooms);
  }

  // The room that was last used on this stream needs no waiting.
  [[nodiscard]] Lease lease(Stream stream) const {
    Lease room(nullptr, {this, stream});
    {
      const std::scoped_lock lock(mutex_);
      if (idle_.empty()) {
        idle_.reserve(made_ + 1);  // so that giving back needs no memory
        room.reset(pointwise_->make_room(size_).release());
        ++made_;
      } else {
        auto best = std::find_if(idle_.begin(), idle_.end(), [&](const auto& idle) { return idle->stream == stream; });
        if (best == idle_.end()) best = std::prev(idle_.end());
        room.reset(best->release());
        idle_.erase(best);
      }
    }
    pointwise_->begin(*room, stream);
    room->stream = stream;
    return room;
  }

 private:
  void give_back(Room<T>* room, Stream stream) const noexcept {
    pointwise_->end(*room, stream);
    const std::scoped_lock lock(mutex_);
    idle_.emplace_back(room);
  }

  Pointwise<T>* pointwise_;
  std::int64_t size_ = 0;
  mutable std::mutex mutex_;
  mutable Rooms idle_;
  mutable std::size_t made_ = 0;
};

}  // namespace offgrid
