/*
 * claim: a string that is copied to itself is not written
 * build: -O0
 * build: -O2
 * run: x 5
 * run: --budget=max x 5
 * expect: none
 */
#include <cstddef>
#include <functional>
#include <string>
#include <thread>

#include "../unseen.h"

static std::string text("something that is on the heap"), other("and this");

static void copy(std::string &to, const std::string &from)
{
    to = from;
    unseen_tell();
}

int main()
{
    std::thread thread(copy, std::ref(text), std::cref(text));

    unseen_wait();
    std::size_t size = text.size();
    thread.join();
    copy(text, other);
    return size < 10 || text.size() != 8;
}
