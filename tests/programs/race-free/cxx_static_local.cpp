/*
 * claim: function-local statics, std::call_once and thread_local objects are never reported
 * build: -O0
 * build: -O2
 * run: --budget=max --noise=random:300/50 x 8
 * run: x 3
 * predict: hb
 * expect: none
 */
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace
{
struct Config {
    std::string name;
    std::vector<int> sizes;
    Config() : name("default configuration")
    {
        for (int i = 0; i < 16; i++)
            sizes.push_back(i);
    }
};

const Config &config()
{
    static const Config instance;
    return instance;
}

std::once_flag once;
std::string made_once;

struct Scratch {
    std::vector<int> values;
    ~Scratch()
    {
        values.clear();
    }
};
thread_local Scratch scratch;

void work(long &sum)
{
    std::call_once(once, [] { made_once = "made exactly once, and longer than a short string"; });
    for (int i = 0; i < 20; i++) {
        for (int size : config().sizes)
            sum += size;
        sum += static_cast<long>(config().name.size() + made_once.size());
        scratch.values.push_back(i);
    }
    sum += static_cast<long>(scratch.values.size());
}
} // namespace

int main()
{
    long sums[4] = {0, 0, 0, 0};
    std::vector<std::thread> threads;
    for (long &sum : sums)
        threads.emplace_back(work, std::ref(sum));
    for (auto &thread : threads)
        thread.join();
    long expected = 20 * (120 + 21 + static_cast<long>(made_once.size())) + 20;
    for (long sum : sums)
        if (sum != expected)
            return 1;
    return 0;
}
