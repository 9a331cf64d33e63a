/*
 * claim: spins on std::atomic and std::atomic_flag, with their weaker orders, order the data
 * build: -O0
 * build: -O2
 * predict: hb
 * expect: none
 */
#include <atomic>
#include <chrono>
#include <map>
#include <string>
#include <thread>
#include <vector>

namespace
{
constexpr int threads_count = 4, rounds = 25;

class SpinLock
{
    std::atomic_flag taken = ATOMIC_FLAG_INIT;

  public:
    void lock()
    {
        while (taken.test_and_set(std::memory_order_acquire))
            std::this_thread::yield();
    }

    void unlock()
    {
        taken.clear(std::memory_order_release);
    }
};

SpinLock lock;
std::atomic<bool> go{false};
std::map<std::string, int> counts; // behind the lock
std::vector<int> steps;            // behind `go`

void work(int self)
{
    while (!go.load(std::memory_order_acquire))
        std::this_thread::yield();
    for (int i = 0; i < rounds; i++) {
        lock.lock();
        counts["of thread " + std::to_string(self)] += steps[i];
        if (i % 8 == 0)
            std::this_thread::sleep_for(std::chrono::microseconds(50));
        lock.unlock();
    }
}
} // namespace

int main()
{
    std::vector<std::thread> threads;
    for (int i = 0; i < threads_count; i++)
        threads.emplace_back(work, i);
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
    for (int i = 0; i < rounds; i++)
        steps.push_back(i);
    go.store(true, std::memory_order_release);
    for (auto &thread : threads)
        thread.join();
    for (const auto &count : counts)
        if (count.second != rounds * (rounds - 1) / 2)
            return 1;
    return counts.size() != threads_count;
}
