/*
 * claim: a wait for an atomic variable that is known by a reference comes after who has set it, and after nobody else
 * build: -O0
 * build: -O2
 * run: x 20
 * expect: data-race on later at WRITE and READ [write read]
 * never: before
 */
#include <atomic>
#include <thread>
#include "../unseen.h"

namespace
{
int before, later;

class waiter
{
  public:
    explicit waiter(std::atomic<int> &flag) : ready(flag)
    {
    }
    void wait() const
    {
        while (!ready.load())
            std::this_thread::yield();
    }

  private:
    std::atomic<int> &ready;
};
} // namespace

int main()
{
    std::atomic<int> flag(0);
    waiter waiter(flag);
    std::thread thread([&flag] {
        before = 1;
        flag.store(1);
        later = 1; /* race: WRITE */
        unseen_tell();
    });

    unseen_wait(); // the other one is done by then
    waiter.wait();
    int sum = before + later; /* race: READ */
    thread.join();
    return sum < 1;
}
