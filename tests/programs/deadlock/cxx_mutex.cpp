/*
 * claim: two threads that wait for each other's std::mutex are reported while they hang
 * build: -O0
 * build: -O2
 * run: --halt-on-error
 * run:
 * hangs: yes
 * timeout: 20
 * expect: deadlock at WANTS_B and WANTS_A
 */
#include <atomic>
#include <mutex>
#include <thread>

namespace
{
std::mutex a, b;
std::atomic<int> met{0};

void meet()
{
    met++;
    while (met < 2)
        std::this_thread::yield();
}

void first()
{
    std::lock_guard<std::mutex> outer(a);
    meet();
    std::lock_guard<std::mutex> inner(b); // lock: WANTS_B
}

void second()
{
    std::unique_lock<std::mutex> outer(b);
    meet();
    std::unique_lock<std::mutex> inner(a); // lock: WANTS_A
}
} // namespace

int main()
{
    std::thread one(first), two(second);
    one.join();
    two.join();
    return 0;
}
