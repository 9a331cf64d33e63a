/*
 * claim: C++ threads, mutexes, condition variables, shared mutexes and call_once
 * build: -O1
 * ends: exit 0
 */
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <queue>
#include <shared_mutex>
#include <thread>
#include <vector>

namespace
{
std::mutex one, two;
std::recursive_mutex again;
std::timed_mutex timed;
std::shared_mutex shared;
std::once_flag once;
std::condition_variable filled;
std::queue<int> items;
int counter, counted_again, counted_timed, runs, pair[2];
bool torn;

void count()
{
    std::call_once(once, [] { runs++; });
    {
        std::scoped_lock both(one, two);
        counter++;
    }
    {
        std::lock_guard<std::recursive_mutex> outer(again), inner(again);
        counted_again++;
    }
    std::unique_lock<std::timed_mutex> lock(timed, std::defer_lock);
    while (!lock.try_lock_for(std::chrono::seconds(1)))
        ;
    counted_timed++;
}

void count_the_other_way()
{
    {
        std::scoped_lock both(two, one);
        counter++;
    }
    std::unique_lock<std::shared_mutex> lock(shared);
    pair[0]++;
    pair[1]++;
}

int take(int number)
{
    int sum = 0;
    std::unique_lock<std::mutex> lock(one);
    for (int i = 0; i < number; i++) {
        while (!filled.wait_for(lock, std::chrono::seconds(1), [] { return !items.empty(); }))
            ;
        sum += items.front();
        items.pop();
    }
    return sum;
}
} // namespace

int main()
{
    int sum = 0;
    std::vector<std::thread> threads;
    threads.emplace_back(count);
    threads.emplace_back(count);
    threads.emplace_back(count_the_other_way);
    for (auto &thread : threads)
        thread.join();
    threads.clear();
    threads.emplace_back([&sum] { sum = take(3); });
    threads.emplace_back([] {
        std::shared_lock<std::shared_mutex> lock(shared);
        torn = pair[0] != pair[1];
    });
    threads.emplace_back(count_the_other_way);
    for (int i = 1; i <= 3; i++) {
        std::lock_guard<std::mutex> lock(one);
        items.push(i);
        filled.notify_one();
    }
    for (auto &thread : threads)
        thread.join();
    return runs != 1 || counter != 4 || counted_again != 2 || counted_timed != 2 || pair[0] != 2 ||
           torn || sum != 6;
}
