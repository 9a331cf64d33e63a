/*
 * claim: a wait for a std::atomic orders what was done before its store, and no more, at every level of optimization
 * build: -O0
 * build: -O2
 * run: x 20
 * expect: data-race on later at WRITE and READ [write read]
 * never: before
 */
#include <atomic>
#include <thread>
#include "../unseen.h"

static int before, later;
static std::atomic<int> ready;

static void work()
{
    before = 1;
    ready.fetch_add(1);
    ready.store(2);
    later = 1; /* race: WRITE */
    unseen_tell();
}

int main()
{
    std::thread thread(work);
    int sum;

    unseen_wait(); /* the other one is done by then */
    while (ready.load() != 2)
        continue;
    sum = before + later; /* race: READ */
    thread.join();
    return sum < 1;
}
