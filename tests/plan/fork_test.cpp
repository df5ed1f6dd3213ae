// A process that was forked after its parent has used several threads, as torch's DataLoader does: it inherits plans, and
// not the threads. It waited for them for ever.
#include <sys/wait.h>
#include <unistd.h>

#include "sanitizers.hpp"
#include "transform.hpp"

namespace {

using namespace support;

// What body() returns in a forked process; false where it does not end within seconds.
template <class F> bool in_child(F&& body) {
  constexpr unsigned seconds = under_tsan || under_asan ? 60 : 20;
  const pid_t child = ::fork();
  if (child == 0) {
    ::alarm(seconds);
    ::_exit(body() ? 0 : 1);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  EXPECT_FALSE(WIFSIGNALED(status)) << "ended by signal " << WTERMSIG(status);
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

BackendUnderTest cpu() { return {"cpu", offgrid::backend_for(offgrid::DeviceKind::cpu)}; }

template <class T> struct Case {
  explicit Case(std::int64_t transforms) : transform(cpu(), spec(transforms)), points(uniform_points<T>(2, 20000)) {
    transform.set_points(points);
  }
  static Spec spec(std::int64_t transforms) {
    return {.modes = {96, 100}, .tolerance = 1e-5, .options = {.transforms = transforms, .threads = 2}};
  }
  [[nodiscard]] std::vector<std::complex<T>> forward() const {
    return transform.execute(random_values<T>(transform.size_of(To::points), 1));
  }
  [[nodiscard]] std::vector<std::complex<T>> back() const {
    return transform.adjoint(random_values<T>(transform.size_of(To::modes), 2));
  }

  Transform<T> transform;
  PointSet<T> points;
};

TEST(Fork, a_child_transforms_with_the_plans_of_its_parent) {
  for_both_precisions([&](auto zero) {
    using T = decltype(zero);
    for (const std::int64_t transforms : {1, 5}) {
      Case<T> one(transforms);
      const auto forward = one.forward(), back = one.back();
      EXPECT_TRUE(in_child([&] { return one.forward() == forward && one.back() == back; }));
      EXPECT_EQ(one.forward(), forward);
    }
  });
}

TEST(Fork, a_child_makes_plans_and_sets_points) {
  const Case<double> one(3);
  const auto forward = one.forward();
  EXPECT_TRUE(in_child([&] { return Case<double>(3).forward() == forward; }));
}

TEST(Fork, so_does_the_child_of_a_child) {
  const Case<double> one(1);
  const auto forward = one.forward();
  EXPECT_TRUE(in_child([&] { return in_child([&] { return one.forward() == forward; }); }));
}

TEST(Fork, a_child_says_that_it_has_one_thread) {
  const Case<float> one(1);
  (void)one.forward();
  const auto says = [&] { return one.transform.plan().describe().find("forked") != std::string::npos; };
  EXPECT_FALSE(says());
  EXPECT_TRUE(in_child(says));
}

}  // namespace
