/*
 * claim: results and exceptions that travel through futures and promises are never reported
 * tsan: no
 * build: -O0
 * build: -O2
 * run: --budget=max --noise=random:50/20 x 6
 * run: x 3
 * predict: hb
 * expect: none
 */
#include <future>
#include <numeric>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace
{
std::string describe(const std::vector<int> &values)
{
    if (values.empty())
        throw std::runtime_error("nothing to add");
    return std::to_string(std::accumulate(values.begin(), values.end(), 0));
}
} // namespace

int main()
{
    int wrong = 0;
    for (int round = 0; round < 20; round++) {
        std::vector<int> values(round, 3);
        auto answer = std::async(std::launch::async, describe, std::cref(values));
        try {
            wrong += answer.get() != std::to_string(3 * round);
        } catch (const std::runtime_error &error) {
            wrong += round != 0 || std::string(error.what()) != "nothing to add";
        }

        std::promise<std::vector<int>> promise;
        auto future = promise.get_future();
        std::thread thread([&promise] { promise.set_value({1, 2, 3}); });
        wrong += future.get().size() != 3;
        thread.join();

        std::packaged_task<int(int)> task([](int x) { return x + 1; });
        auto result = task.get_future();
        std::thread runner(std::move(task), round);
        wrong += result.get() != round + 1;
        runner.join();
    }
    return wrong != 0;
}
