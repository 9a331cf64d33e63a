/*
 * claim: data before a relaxed store is ordered with who waits for it, whatever else is stored to such variables
 * tsan: racy
 * build: -O0
 * build: -O2
 * run: x 20
 * run: --budget=max x 20
 * expect: none
 */
#include <atomic>
#include <thread>

static int data;
static std::atomic<int> begun, ready;

static void work()
{
    begun.store(1);
    data = 1;
    std::atomic_signal_fence(std::memory_order_release); /* the compiler leaves it there */
    ready.store(1, std::memory_order_relaxed);
}

int main()
{
    std::thread thread(work);

    while (!begun.load())
        continue;
    while (!ready.load(std::memory_order_acquire))
        continue;
    int result = data != 1;
    thread.join();
    return result;
}
