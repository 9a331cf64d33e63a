/*
 * claim: exceptions change threads, threads are cancelled in C++ frames, and coroutines move
 * build: -O1 -std=c++20
 * modes: run max record hunt explore heal only
 * stdout: 40 exceptions changed threads
 * stdout: 20 threads were cancelled, 20 left, and all was cleaned up
 * stdout: 8 coroutines moved 15 times each
 */
#include "hostile.h"
#include <atomic>
#include <condition_variable>
#include <coroutine>
#include <deque>
#include <exception>
#include <future>
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace
{
constexpr int rounds = 20, coroutines = 8, moves = 15, places = 3;

std::mutex lock;
long cleaned;

struct Cleanup {
    ~Cleanup()
    {
        std::lock_guard<std::mutex> guard(lock);
        cleaned++;
    }
};

/* Thrown in one thread, handed over, thrown again in others, with another exception in flight. */
void change_threads(int round)
{
    std::exception_ptr carried;
    std::thread([&] {
        try {
            throw std::runtime_error("round " + std::to_string(round));
        } catch (...) {
            carried = std::current_exception();
        }
    }).join();
    auto catch_it = [&carried, round] {
        try {
            try {
                throw 1;
            } catch (int) {
                std::rethrow_exception(carried);
            }
        } catch (const std::runtime_error &error) {
            must(error.what() == "round " + std::to_string(round));
        }
    };
    std::thread one(catch_it), two(catch_it);
    one.join();
    two.join();
}

void change_by_future(int round)
{
    std::promise<int> promise;
    std::thread thread([&promise, round] {
        try {
            throw std::out_of_range(std::to_string(round));
        } catch (...) {
            promise.set_exception(std::current_exception());
        }
    });
    try {
        promise.get_future().get();
        must(false);
    } catch (const std::out_of_range &error) {
        must(error.what() == std::to_string(round));
    }
    thread.join();
}

void clean(void *arg)
{
    ++*static_cast<int *>(arg);
}

/* Cancelled in the wait, which takes the lock again; what is on the stack is destroyed on the way
 * out. */
void *wait_for_ever(void *arg)
{
    static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
    static pthread_cond_t never = PTHREAD_COND_INITIALIZER;
    Cleanup outer;
    pthread_mutex_lock(&mutex);
    pthread_cleanup_push(
        [](void *held) { pthread_mutex_unlock(static_cast<pthread_mutex_t *>(held)); }, &mutex);
    pthread_cleanup_push(clean, arg);
    try {
        Cleanup inner;
        for (;;)
            pthread_cond_wait(&never, &mutex);
    } catch (...) {
        throw; /* the forced unwinding has to go on */
    }
    pthread_cleanup_pop(0);
    pthread_cleanup_pop(0);
    return nullptr;
}

void *leave(void *arg)
{
    Cleanup outer;
    [arg] {
        Cleanup inner;
        pthread_exit(arg);
    }();
    return nullptr;
}

void cancel_and_leave()
{
    for (int i = 0; i < rounds; i++) {
        int mine = 0;
        pthread_t cancelled = start(wait_for_ever, &mine), left = start(leave, &mine);
        must(pthread_cancel(cancelled) == 0);
        must(join(cancelled) == PTHREAD_CANCELED);
        must(join(left) == &mine);
    }
}

/* A thread with a queue of coroutines to go on with. */
class Place
{
  public:
    Place() : thread([this] { work(); })
    {
    }
    ~Place()
    {
        put(nullptr);
        thread.join();
    }
    void put(std::coroutine_handle<> next)
    {
        std::lock_guard<std::mutex> guard(mutex);
        queue.push_back(next);
        changed.notify_one();
    }

  private:
    void work()
    {
        for (;;) {
            std::unique_lock<std::mutex> guard(mutex);
            changed.wait(guard, [this] { return !queue.empty(); });
            auto next = queue.front();
            queue.pop_front();
            guard.unlock();
            if (!next)
                return;
            next.resume();
        }
    }
    std::mutex mutex;
    std::condition_variable changed;
    std::deque<std::coroutine_handle<>> queue;
    std::thread thread; /* last: it uses the others */
};

struct Task {
    struct promise_type {
        Task get_return_object()
        {
            return {};
        }
        std::suspend_never initial_suspend() noexcept
        {
            return {};
        }
        std::suspend_never final_suspend() noexcept
        {
            return {};
        }
        void return_void()
        {
        }
        void unhandled_exception()
        {
            std::terminate();
        }
    };
};

struct MoveTo {
    Place &place;
    bool await_ready()
    {
        return false;
    }
    void await_suspend(std::coroutine_handle<> self)
    {
        place.put(self);
    }
    void await_resume()
    {
    }
};

Task wander(std::vector<Place> &all, int number, std::atomic<int> &arrived)
{
    long steps = 0, trail[moves];
    for (int i = 0; i < moves; i++) {
        co_await MoveTo{all[(number + i) % places]};
        trail[i] = i;
        try {
            if (++steps % 5 == 0)
                throw steps;
        } catch (long thrown) {
            must(thrown == steps);
        }
    }
    for (int i = 0; i < moves; i++)
        must(trail[i] == i);
    must(steps == moves);
    arrived++;
    arrived.notify_one();
}

void move_coroutines()
{
    std::atomic<int> arrived(0);
    std::vector<Place> all(places);
    for (int i = 0; i < coroutines; i++)
        wander(all, i, arrived);
    for (int seen = 0; (seen = arrived.load()) < coroutines;)
        arrived.wait(seen);
}
} // namespace

int main()
{
    for (int i = 0; i < rounds; i++) {
        change_threads(i);
        change_by_future(i);
    }
    say("40 exceptions changed threads");
    cancel_and_leave();
    must(cleaned >= 2 * rounds);
    say("20 threads were cancelled, 20 left, and all was cleaned up");
    move_coroutines();
    say("8 coroutines moved 15 times each");
    return 0;
}
