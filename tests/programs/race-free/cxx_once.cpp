/*
 * claim: what std::call_once and local statics order is never reported, nor what a try that threw has left behind
 * tsan: no
 * build: -O0
 * build: -O2
 * run: x 10
 * run: --budget=max x 10
 * predict: hb x 2
 * expect: none
 */
#include <mutex>
#include <thread>
#include <vector>

namespace
{
enum { ROUNDS = 30, THREADS = 3 };

struct Slot {
    std::once_flag once;
    int tries = 0, value = 0;
};

Slot slots[ROUNDS];
int attempts; /* plain: the guard of the local static orders the tries */

void fill(Slot &slot, int value)
{
    slot.tries++;
    if (slot.tries == 1)
        throw 1; /* the next one tries again, after this one */
    slot.value = value;
}

struct Table {
    std::vector<int> cells;
    Table()
    {
        attempts++;
        if (attempts < 3)
            throw attempts;
        cells.assign(8, 5);
    }
};

Table &table()
{
    static Table instance;
    return instance;
}

void work(long &sum)
{
    for (int i = 0; i < ROUNDS; i++) {
        bool is_done = false;
        while (!is_done) {
            try {
                std::call_once(slots[i].once, fill, std::ref(slots[i]), i);
                is_done = true;
            } catch (int) {
            }
        }
        sum += slots[i].value;
    }
    for (bool is_made = false; !is_made;) {
        try {
            sum += table().cells[3];
            is_made = true;
        } catch (int) {
        }
    }
}
} // namespace

int main()
{
    std::vector<std::thread> threads;
    long sums[THREADS] = {};
    for (long &sum : sums)
        threads.emplace_back(work, std::ref(sum));
    for (auto &thread : threads)
        thread.join();
    for (long sum : sums)
        if (sum != ROUNDS * (ROUNDS - 1) / 2 + 5)
            return 1;
    return attempts != 3;
}
