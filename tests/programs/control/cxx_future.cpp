/*
 * claim: futures, promises and exceptions between threads
 * build: -O1
 * ends: exit 0
 */
#include <future>
#include <stdexcept>
#include <thread>

int main()
{
    std::promise<int> promise;
    std::shared_future<int> number = promise.get_future().share();
    auto twice = std::async(std::launch::async, [number] { return 2 * number.get(); });
    auto fails = std::async(std::launch::async, [number]() -> int {
        throw std::runtime_error(number.get() == 21 ? "expected" : "");
    });
    std::thread setter([&promise] { promise.set_value(21); });
    bool caught = false;
    try {
        fails.get();
    } catch (const std::runtime_error &error) {
        caught = error.what()[0] == 'e';
    }
    int result = twice.get();
    setter.join();
    return !caught || result != 42;
}
