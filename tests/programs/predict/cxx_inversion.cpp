/*
 * claim: std::mutex and std::shared_mutex in both orders are predicted
 * build: -O0
 * build: -O2
 * predict: deadlock
 * expect: deadlock at WANTS_SHARED and WANTS_MUTEX
 */
#include <chrono>
#include <mutex>
#include <shared_mutex>
#include <thread>

namespace
{
std::mutex mutex;
std::shared_mutex shared;
int count[2];

void first()
{
    std::lock_guard<std::mutex> outer(mutex);
    std::shared_lock<std::shared_mutex> inner(shared); // lock: WANTS_SHARED
    count[0]++;
}

void second()
{
    std::unique_lock<std::shared_mutex> outer(shared);
    std::lock_guard<std::mutex> inner(mutex); // lock: WANTS_MUTEX
    count[1]++;
}
} // namespace

int main()
{
    std::thread one(first);
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    std::thread two(second);
    one.join();
    two.join();
    return count[0] + count[1] != 2;
}
