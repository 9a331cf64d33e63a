/*
 * claim: threads that wait for another one to initialize a static local let it go on
 * build: -O1
 * ends: exit 0
 */
#include <mutex>
#include <thread>
#include <vector>

namespace
{
std::mutex lock;
int made;

struct table {
    int size;
    /* With a lock inside: the others come to the guard while it is held. */
    table()
    {
        for (int i = 0; i < 3; i++) {
            std::lock_guard<std::mutex> guard(lock);
            size = 40 + i;
            made++;
        }
    }
};

int use()
{
    static table once;
    return once.size;
}
} // namespace

int main()
{
    std::vector<std::thread> threads;
    int seen[3] = {0, 0, 0};
    for (int &result : seen)
        threads.emplace_back([&result] { result = use(); });
    for (auto &thread : threads)
        thread.join();
    return made != 3 || seen[0] != 42 || seen[1] != 42 || seen[2] != 42;
}
