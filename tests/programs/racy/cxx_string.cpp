/*
 * claim: members of std::string that are calls of libstdc++ touch the string
 * build: -O0
 * run: x 5
 * expect: data-race on * at GROW and SIZE
 * never: local
 */
#include <cstddef>
#include <string>
#include <thread>

#include "../unseen.h"

static std::string text;

static void grow()
{
    std::string local;

    text.push_back('a'); // race: GROW
    local.push_back('b');
    unseen_tell();
}

int main()
{
    std::thread thread(grow);

    unseen_wait();
    std::size_t size = text.size(); // race: SIZE
    thread.join();
    return size != 1;
}
