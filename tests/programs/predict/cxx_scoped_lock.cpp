/*
 * claim: std::scoped_lock and std::lock take their mutexes in any order without a deadlock
 * build: -O0
 * build: -O2
 * predict: deadlock
 * predict: hb
 * predict: hybrid
 * expect: none
 */
#include <mutex>
#include <thread>

namespace
{
constexpr int rounds = 100;
std::mutex a, b, c;
long total, other;

void first()
{
    for (int i = 0; i < rounds; i++) {
        std::scoped_lock guard(a, b, c);
        total++;
    }
}

void second()
{
    for (int i = 0; i < rounds; i++) {
        std::scoped_lock guard(c, b, a);
        total++;
        other++;
    }
}

void third()
{
    for (int i = 0; i < rounds; i++) {
        std::lock(b, a);
        std::lock_guard<std::mutex> one(a, std::adopt_lock), two(b, std::adopt_lock);
        total++;
    }
}
} // namespace

int main()
{
    std::thread threads[] = {std::thread(first), std::thread(second), std::thread(third)};
    for (auto &thread : threads)
        thread.join();
    return total != 3 * rounds || other != rounds;
}
