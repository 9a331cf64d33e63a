/*
 * claim: what is handed over by a std::atomic<std::shared_ptr> is never reported
 * tsan: no
 * build: -O0 -std=c++20
 * build: -O2 -std=c++20
 * run: --budget=max x 3
 * run: x 3
 * predict: hb
 * expect: none
 */
#include <atomic>
#include <cstdlib>
#include <memory>
#include <thread>
#include <vector>

namespace
{
struct Node {
    explicit Node(int v) : value(v)
    {
    }
    ~Node()
    {
        value = -1;
    }
    int value;
};

std::atomic<std::shared_ptr<Node>> head;

/* After a load, libstdc++ gives its lock back by a relaxed operation. */
void work()
{
    long sum = 0;

    for (int i = 1; i < 200; i++) {
        head.store(std::make_shared<Node>(i));
        std::shared_ptr<Node> seen = head.load();
        sum += seen->value;
        if (i % 8 == 0)
            head.exchange(std::make_shared<Node>(1));
    }
    if (sum < 0)
        std::abort();
}
} // namespace

int main()
{
    std::vector<std::thread> threads;

    head.store(std::make_shared<Node>(0));
    for (int i = 0; i < 3; i++)
        threads.emplace_back(work);
    for (auto &thread : threads)
        thread.join();
    head.store(nullptr);
}
