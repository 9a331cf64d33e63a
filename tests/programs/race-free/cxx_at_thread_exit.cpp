/*
 * claim: what becomes ready at the end of a thread is ordered with all that the thread did, its destructors included
 * tsan: no
 * build: -O0
 * build: -O2
 * run: --budget=max --noise=random:50/20 x 3
 * run: x 3
 * predict: hb,syncp
 * expect: none
 */
#include <cassert>
#include <condition_variable>
#include <cstdio>
#include <future>
#include <mutex>
#include <thread>
struct Last { int *where; ~Last() { if (where) *where = 77; } };
static thread_local Last last{nullptr};
int main()
{
	std::promise<int> p;
	auto f = p.get_future();
	int slot = 0, slot2 = 0;
	std::thread t([&] {
		last.where = &slot;
		p.set_value_at_thread_exit(3);
	});
	t.detach();
	assert(f.get() == 3);
	std::mutex m;
	std::condition_variable cv;
	bool done = false;
	std::thread u([&] {
		last.where = &slot2;
		std::unique_lock<std::mutex> l(m);
		done = true;
		std::notify_all_at_thread_exit(cv, std::move(l));
	});
	{
		std::unique_lock<std::mutex> l(m);
		cv.wait(l, [&] { return done; });
		assert(slot2 == 77);
	}
	u.join();
	assert(slot == 77);
	std::puts("ok");
}
