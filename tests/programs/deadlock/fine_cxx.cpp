/*
 * claim: std::timed_mutex, std::scoped_lock and a wait with a predicate are not reported
 * build: -O0
 * build: -O2
 * run: x 2
 * expect: none
 */
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>

namespace
{
using namespace std::chrono_literals;

std::timed_mutex timed[2];
std::mutex plain[2];
std::condition_variable changed;
bool go;
int total;

void want_both(int self)
{
    std::unique_lock<std::timed_mutex> mine(timed[self]);
    std::this_thread::sleep_for(20ms);
    std::unique_lock<std::timed_mutex> other(timed[!self], std::defer_lock);
    if (!other.try_lock_for(self ? 100ms : 200ms))
        mine.unlock();
}

void add(int self)
{
    for (int i = 0; i < 100; i++) {
        std::scoped_lock guard(plain[self], plain[!self]);
        total++;
    }
    std::unique_lock<std::mutex> guard(plain[0]);
    changed.wait(guard, [] { return go; });
}
} // namespace

int main()
{
    std::thread threads[] = {std::thread(want_both, 0), std::thread(want_both, 1),
                             std::thread(add, 0), std::thread(add, 1)};
    std::this_thread::sleep_for(400ms);
    {
        std::lock_guard<std::mutex> guard(plain[0]);
        go = true;
    }
    changed.notify_all();
    for (auto &thread : threads)
        thread.join();
    return total != 200;
}
