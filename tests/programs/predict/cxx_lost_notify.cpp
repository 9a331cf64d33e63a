/*
 * claim: a notify_one that comes before the wait, which does not ask whether it has come, is lost
 * build: -O0
 * build: -O2
 * predict: notify
 * expect: notification at NOTIFY and WAIT with reason=lost-signal
 * compiler: 'std::condition_variable::wait' is not in a loop
 */
#include <chrono>
#include <condition_variable>
#include <cstdlib>
#include <mutex>
#include <thread>

namespace
{
std::mutex mutex;
std::condition_variable done;
int result, seen;

void work()
{
    std::lock_guard<std::mutex> guard(mutex);
    result = 42;
    done.notify_one(); // signal: NOTIFY
}

void wait()
{
    std::this_thread::sleep_for(std::chrono::milliseconds(40));
    std::unique_lock<std::mutex> guard(mutex);
    done.wait(guard); // wait: WAIT
    seen = result;
}
} // namespace

int main()
{
    std::thread waiter(wait), worker(work);
    waiter.detach();
    worker.join();
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    std::_Exit(0); // no destructors: the condition variable is still waited for
}
