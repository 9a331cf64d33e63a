/*
 * claim: spins in methods of a class, with std::this_thread::yield, are recognised
 * build: -O0 -DVAR=
 * build: -O0 -DVAR=volatile
 * build: -O0 -DVAR=_Atomic
 * build: -O2 -DVAR=
 * build: -O2 -DVAR=volatile
 * build: -O2 -DVAR=_Atomic
 * predict: hb
 * expect: none
 * spin: WAIT from OPEN
 * tsan: racy without _Atomic
 */
#include <chrono>
#include <string>
#include <thread>
#include <vector>
#include "order.h"

namespace
{
constexpr int threads_count = 3, rounds = 8;

class Gate
{
    VAR int level = 0;

  public:
    void open(int to)
    {
        ORDER();
        level = to; // spin: OPEN
    }

    void wait(int from) const
    {
        while (level < from) { // spin: WAIT
            std::this_thread::yield();
            ORDER();
        }
        ORDER();
    }
};

class Board
{
    Gate written, erased[threads_count];
    std::vector<int> numbers;
    std::string text;

  public:
    void write(int round)
    {
        for (auto &gate : erased)
            gate.wait(round);
        std::this_thread::sleep_for(std::chrono::microseconds(200));
        numbers.assign(10 + round, round);
        text = "round number " + std::to_string(round);
        written.open(round + 1);
    }

    size_t read(int reader, int round)
    {
        written.wait(round + 1);
        size_t size = text.size();
        for (int number : numbers)
            size += number;
        erased[reader].open(round + 1);
        return size;
    }
};

Board board;
} // namespace

int main()
{
    size_t sums[threads_count] = {}, expected = 0;
    std::vector<std::thread> threads;
    threads.emplace_back([] {
        for (int i = 0; i < rounds; i++)
            board.write(i);
    });
    for (int t = 0; t < threads_count; t++)
        threads.emplace_back([t, &sums] {
            for (int i = 0; i < rounds; i++)
                sums[t] += board.read(t, i);
        });
    for (auto &thread : threads)
        thread.join();
    for (int i = 0; i < rounds; i++)
        expected += 14 + (10 + i) * i;
    for (size_t sum : sums)
        if (sum != expected)
            return 1;
    return 0;
}
