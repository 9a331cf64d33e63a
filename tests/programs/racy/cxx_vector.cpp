/*
 * claim: elements of a std::vector are reported, through lambdas and templates
 * build: -O0
 * build: -O2
 * run: x 20
 * run: --halt-on-error --report-unknown-origin=0 --budget=max --noise=site:@ADD:1000/1000 x 20
 * expect: data-race on * at ADD and ADD
 * allow: data-race on *
 */
#include <atomic>
#include <thread>
#include <vector>

namespace
{
constexpr int rounds = 300;

template <typename Function> void in_two_threads(Function function)
{
    std::atomic<int> started(0);
    auto body = [&] {
        for (started++; started < 2;)
            std::this_thread::yield();
        function();
    };
    std::thread one(body), two(body);
    one.join();
    two.join();
}
} // namespace

int main()
{
    std::vector<int> totals(4);
    in_two_threads([&totals] {
        int *third = &totals[2];
        for (int i = 0; i < rounds; i++) {
            *third += i; /* race: ADD */
            std::this_thread::yield();
        }
    });
    return 0;
}
