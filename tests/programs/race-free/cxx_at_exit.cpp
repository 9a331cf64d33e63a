/*
 * claim: what runs at exit comes after the thread that has registered it, also when nobody joins that thread
 * tsan: no
 * build: -O0
 * build: -O2
 * build: -O1 -DQUICK
 * run: x 10
 * run: --budget=max x 10
 * predict: hb x 2
 * expect: none
 */
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <thread>
#include <unistd.h>

namespace
{
long left_behind, left_for_quick; /* plain: registration orders them */
std::atomic<bool> done;

struct Log {
    long lines = 0;
    ~Log()
    {
        lines++;
        if (lines != 3)
            _exit(7);
    }
};

Log &log()
{
    static Log instance; /* its destructor is registered by whoever comes first */
    return instance;
}

void at_end()
{
    left_behind++;
    if (left_behind != 2)
        _exit(8);
}

void at_quick_end()
{
    left_for_quick++;
    if (left_for_quick != 2)
        _exit(9);
}

void work()
{
    left_behind = 1;
    std::atexit(at_end);
    left_for_quick = 1;
    std::at_quick_exit(at_quick_end);
    log().lines = 2;
    done.store(true, std::memory_order_relaxed); /* orders nothing */
    for (;;)
        pause();
}
} // namespace

int main()
{
    std::thread(work).detach();
    while (!done.load(std::memory_order_relaxed))
        usleep(100);
#ifdef QUICK
    std::quick_exit(0);
#endif
    return 0;
}
