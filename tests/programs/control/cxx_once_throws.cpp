/*
 * claim: what std::call_once calls ends by an exception: it has not run, and the next thread tries
 * build: -O1
 * ends: exit 0
 */
#include <mutex>
#include <stdexcept>
#include <thread>
#include <vector>

static std::once_flag flag;
static int tries, value;

static void initialize()
{
    if (++tries == 1)
        throw std::runtime_error("not yet");
    value = 42;
}

static void use()
{
    try {
        std::call_once(flag, initialize);
    } catch (const std::runtime_error &) {
        std::call_once(flag, initialize);
    }
}

int main()
{
    std::vector<std::thread> threads;

    for (int i = 0; i < 3; i++)
        threads.emplace_back(use);
    for (auto &thread : threads)
        thread.join();
    return tries == 2 && value == 42 ? 0 : 1;
}
