/*
 * claim: what libstdc++ does when a string is set or copied is a write of the string, also in optimized code
 * tsan: no
 * build: -O0
 * build: -O2
 * build: -O2 -DCOPIES
 * run: x 20
 * expect: data-race on *
 */
#include <cstddef>
#include <functional>
#include <string>
#include <thread>

#include "../unseen.h"

static std::string text;

static void set(const std::string &source)
{
#ifdef COPIES
    text = source;
#else
    text = source.empty() ? "short" : "as long as the name of a welsh village";
#endif
    unseen_tell();
}

int main()
{
    std::string source("something else that is on the heap");
    std::thread thread(set, std::cref(source));

    unseen_wait();
    std::size_t size = text.size();
    thread.join();
    return size < 10;
}
