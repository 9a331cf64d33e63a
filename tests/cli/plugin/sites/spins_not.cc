// Loops of C++ that do not wait, and reads outside of loops.
#include <atomic>

std::atomic<int> count;
std::atomic<bool> stop;

void work();

// site: load read atomic,acquires 4 _
// site: load read atomic 4 _
// site: load read atomic,acquires 1 _
// may at -O0: load read atomic 1 _
// site: compare_exchange_weak update atomic,acquires,releases 4 _
// may at -O0: compare_exchange_weak update atomic 4 _
// may at -O0: compare_exchange_weak update atomic,acquires 4 _
// may at -O0: compare_exchange_weak update atomic,releases 4 _
// may at -O0: compare_exchange_weak read - 4 _
// may at -O0: compare_exchange_weak write - 4 _
int retry()
{
    int old = count.load();

    while (!count.compare_exchange_weak(old, old + 1))
        ;
    return old;
}

int maximum(int value)
{
    int old = count.load(std::memory_order_relaxed);

    while (old < value && !count.compare_exchange_weak(old, value))
        ;
    return old;
}

void until_stop()
{
    while (!stop)
        work();
}

bool peek()
{
    return stop.load();
}

// site: fetch_add update atomic,acquires,releases 4 _
// may at -O0: fetch_add update _ 4 _
long sum(const std::atomic<int> *numbers, int n)
{
    long s = 0;

    for (int i = 0; i < n; i++)
        s += numbers[i];
    return s + count++;
}
