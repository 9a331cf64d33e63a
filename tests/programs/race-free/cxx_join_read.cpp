/*
 * claim: what a thread did last is ordered with who joins it, also when nothing else is heard of it
 * build: -O0
 * build: -O2
 * run: x 5
 * run: --budget=max x 5
 * expect: none
 */
#include <cstdio>
#include <thread>

static volatile char text[16] = "0123456789";

static void work(int at)
{
    for (int i = 0; i < 500; i++)
        text[at] = 'a';
}

int main()
{
    std::thread one(work, 1), other(work, 2);

    one.join();
    other.join();
    return std::puts(const_cast<const char *>(text)) < 0;
}
