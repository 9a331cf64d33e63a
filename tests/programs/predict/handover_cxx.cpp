/*
 * claim: std::mutex, condition_variable, shared_mutex, call_once and future are never predicted
 * build: -O0
 * build: -O2
 * predict: hb
 * predict: hybrid
 * predict: deadlock,notify
 * expect: none
 */
#include <condition_variable>
#include <deque>
#include <future>
#include <map>
#include <mutex>
#include <shared_mutex>
#include <string>
#include <thread>
#include <vector>

namespace
{
constexpr int rounds = 20;

std::mutex lock;
std::condition_variable filled;
std::deque<std::string> items;

std::shared_mutex shared;
std::map<int, std::string> names;

std::once_flag once;
std::vector<int> squares;

void initialize()
{
    for (int i = 0; i < rounds; i++)
        squares.push_back(i * i);
}

void produce()
{
    std::call_once(once, initialize);
    for (int i = 0; i < rounds; i++) {
        {
            std::unique_lock<std::shared_mutex> guard(shared);
            names[i] = "number " + std::to_string(squares[i]);
        }
        std::lock_guard<std::mutex> guard(lock);
        items.push_back(std::to_string(i));
        filled.notify_one();
    }
}

size_t consume()
{
    size_t size = 0;
    std::call_once(once, initialize);
    for (int i = 0; i < rounds; i++) {
        int number;
        {
            std::unique_lock<std::mutex> guard(lock);
            filled.wait(guard, [] { return !items.empty(); });
            number = std::stoi(items.front());
            items.pop_front();
        }
        std::shared_lock<std::shared_mutex> guard(shared);
        size += names.at(number).size() + squares[number];
    }
    return size;
}
} // namespace

int main()
{
    std::promise<std::vector<int>> promise;
    std::future<std::vector<int>> future = promise.get_future();
    std::future<size_t> consumed = std::async(std::launch::async, consume);
    std::thread producer(produce);
    std::thread sender([&promise] { promise.set_value({1, 2, 3}); });
    size_t sum = consumed.get();
    for (int number : future.get())
        sum += number;
    producer.join();
    sender.join();
    size_t expected = 6;
    for (int i = 0; i < rounds; i++)
        expected += std::to_string(i * i).size() + 7 + i * i;
    return sum != expected;
}
