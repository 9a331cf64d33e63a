/*
 * claim: std::thread, std::mutex, std::shared_mutex and std::condition_variable are never reported
 * build: -O0
 * build: -O2
 * run: --budget=max --noise=random:50/20 x 6
 * run: x 3
 * predict: hb
 * expect: none
 */
#include <chrono>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <shared_mutex>
#include <string>
#include <thread>
#include <vector>

namespace
{
constexpr int rounds = 150;

class Channel
{
    std::mutex lock;
    std::condition_variable filled;
    std::deque<std::string> items;

  public:
    void put(std::string item)
    {
        {
            std::lock_guard<std::mutex> guard(lock);
            items.push_back(std::move(item));
        }
        filled.notify_one();
    }

    std::string take()
    {
        std::unique_lock<std::mutex> guard(lock);
        while (!filled.wait_for(guard, std::chrono::seconds(1), [this] { return !items.empty(); }))
            continue;
        std::string item = std::move(items.front());
        items.pop_front();
        return item;
    }
};

Channel channel;
std::shared_mutex shared;
std::vector<int> numbers;
std::recursive_mutex recursive;
long counter;

void produce()
{
    for (int i = 0; i < rounds; i++) {
        channel.put("item number " + std::to_string(i));
        std::unique_lock<std::shared_mutex> guard(shared);
        numbers.push_back(i);
    }
}

void consume(size_t &characters)
{
    for (int i = 0; i < rounds; i++) {
        characters += channel.take().size();
        {
            std::shared_lock<std::shared_mutex> guard(shared);
            if (!numbers.empty() && numbers.back() < 0)
                characters = 0;
        }
        std::scoped_lock twice(recursive);
        std::lock_guard<std::recursive_mutex> inner(recursive);
        counter++;
    }
}
} // namespace

int main()
{
    size_t characters[2] = {0, 0};
    std::vector<std::thread> threads;
    for (int i = 0; i < 2; i++) {
        threads.emplace_back(produce);
        threads.emplace_back(consume, std::ref(characters[i]));
    }
    for (auto &thread : threads)
        thread.join();
    size_t expected = 0;
    for (int i = 0; i < rounds; i++)
        expected += 2 * ("item number " + std::to_string(i)).size();
    return characters[0] + characters[1] != expected || counter != 2 * rounds ||
           numbers.size() != 2 * rounds;
}
