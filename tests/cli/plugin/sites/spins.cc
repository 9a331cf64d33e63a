// Spin loops of C++. At -O0 each read is a call of a function that calls others, and they are put in
// the place of the call: the functions themselves stay as they are. The sites are the library's;
// here they are told apart by their size.
#include <atomic>
#include <chrono>
#include <thread>

std::atomic<bool> ready;
std::atomic<short> late;
std::atomic<int> count;
std::atomic_flag lock = ATOMIC_FLAG_INIT;
std::atomic<bool> taken;

struct node {
    node *next;
    std::atomic<long> waits;
};

// site: load read atomic,spin,acquires 1 _
// site: load read atomic,spin,acquires 2 _
// site: load read atomic,spin,acquires 4 _
// site: load read atomic,spin,acquires 8 _
// site: load read atomic,spin 1 _
// may: load read _ _ _
void until_ready()
{
    while (!ready.load(std::memory_order_acquire))
        std::this_thread::yield();
}

void until_converted()
{
    while (!ready)
        ;
}

bool until_time(std::chrono::steady_clock::time_point end)
{
    while (!late.load()) {
        if (std::chrono::steady_clock::now() > end)
            return false;
    }
    return true;
}

void until_count(int n)
{
    while (count < n)
        std::this_thread::sleep_for(std::chrono::microseconds(50));
}

void mcs(node *me)
{
    while (me->waits.load(std::memory_order_acquire))
        ;
}

// site: test_and_set update atomic,spin,acquires 1 _
// may at -O0: test_and_set update _ _ _
void take_flag()
{
    while (lock.test_and_set(std::memory_order_acquire))
        ;
}

// site: exchange update atomic,acquires,releases 1 _
// may at -O0: exchange update atomic 1 _
// may at -O0: exchange update atomic,acquires 1 _
// may at -O0: exchange update atomic,releases 1 _
void take_exchange()
{
    while (taken.exchange(true)) {
        while (taken.load(std::memory_order_relaxed))
            __builtin_ia32_pause();
    }
}

// site: compare_exchange_weak update atomic,spin,acquires,releases 1 _
// may at -O0: compare_exchange_weak _ _ _ _
void take_compare()
{
    bool expected = false;

    while (!taken.compare_exchange_weak(expected, true))
        expected = false;
}
