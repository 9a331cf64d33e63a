/*
 * claim: exceptions thrown through instrumented frames unwind as always and are never reported
 * build: -O0
 * build: -O2
 * build: -O3
 * run: --budget=max --noise=random:50/20 x 6
 * run: x 3
 * predict: hb
 * expect: none
 */
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace
{
constexpr int rounds = 150;

std::mutex lock;
long balance, undone;

struct Undo {
    ~Undo()
    {
        undone++; /* runs while the exception passes, before the guard below unlocks */
    }
};

__attribute__((noinline)) void withdraw(int depth, std::vector<int> &log)
{
    log.push_back(depth);
    if (depth == 0)
        throw std::out_of_range("depth " + std::to_string(log.size()));
    withdraw(depth - 1, log);
    log.pop_back();
}

void work()
{
    for (int i = 0; i < rounds; i++) {
        std::vector<int> log;
        try {
            std::lock_guard<std::mutex> guard(lock);
            Undo undo;
            balance++;
            withdraw(i % 6, log);
            balance += 1000000;
        } catch (const std::exception &error) {
            std::lock_guard<std::mutex> guard(lock);
            if (error.what() != "depth " + std::to_string(log.size()))
                balance += 1000000;
        }
    }
}
} // namespace

int main()
{
    std::thread first(work), second(work);
    first.join();
    second.join();
    return balance != 2 * rounds || undone != 2 * rounds;
}
