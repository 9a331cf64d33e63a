/*
 * claim: C++20 latches, barriers, semaphores, jthreads and atomic waiting are never reported
 * tsan: no
 * build: -O0 -std=c++20
 * build: -O2 -std=c++20
 * run: --budget=max --noise=random:50/20 x 6
 * run: x 3
 * predict: hb
 * expect: none
 */
#include <atomic>
#include <barrier>
#include <latch>
#include <semaphore>
#include <thread>
#include <vector>

namespace
{
constexpr int rounds = 60;

std::latch started(2);
std::barrier steps(2);
std::binary_semaphore mine(1), yours(0);
std::atomic<int> number(0);
long cells[2], ball, last;

void work(int me)
{
    cells[me] = 1;
    started.arrive_and_wait();
    if (cells[!me] != 1)
        cells[me] = -1000000;
    steps.arrive_and_wait();
    for (int i = 0; i < rounds; i++) {
        cells[me] += 1;
        steps.arrive_and_wait();
        if (cells[!me] != i + 2)
            ball = -1000000;
        steps.arrive_and_wait();
    }
    for (int i = 0; i < rounds; i++) {
        (me ? yours : mine).acquire();
        ball++;
        (me ? mine : yours).release();
    }
}
} // namespace

int main()
{
    {
        std::jthread one(work, 0), two(work, 1);
        std::jthread waiter([](std::stop_token stop) {
            for (int seen = 0; seen < rounds && !stop.stop_requested();) {
                number.wait(seen);
                seen = number.load();
                if (last < seen)
                    ball = -1000000;
            }
        });
        for (int i = 1; i <= rounds; i++) {
            if (i == 1)
                last = rounds; /* published by the first store below */
            number.store(i);
            number.notify_all();
        }
        waiter.join();
    }
    return ball != 2 * rounds || cells[0] != rounds + 1;
}
