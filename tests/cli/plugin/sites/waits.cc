// Waits of C++: the loop is in the library, and what it tests is in a lambda.
#include <condition_variable>
#include <deque>
#include <mutex>

std::mutex lock;
std::condition_variable changed;
bool ready;
int level;

struct queue {
    std::mutex lock;
    std::condition_variable changed;
    std::deque<int> items;
    bool closed = false;

    // site: in_loop wait - 0 this->closed,this->items
    // may: in_loop _ _ _ _
    void in_loop()
    {
        std::unique_lock<std::mutex> guard(lock);

        while (!closed && items.empty())
            changed.wait(guard);
    }

    // site: wait<queue::Wanted> wait - 0 of->closed,of->items
    // may: wait<queue::Wanted> _ _ _ _
    struct Wanted {
        queue *of;
        bool operator()() const
        {
            return of->closed || !of->items.empty();
        }
    };

    void by_object()
    {
        std::unique_lock<std::mutex> guard(lock);

        changed.wait(guard, Wanted{this});
    }
};

// site: in_loop_of_globals wait - 0 level,ready
// may: in_loop_of_globals _ _ _ _
void in_loop_of_globals()
{
    std::unique_lock<std::mutex> guard(lock);

    while (!ready || level < 3)
        changed.wait(guard);
}

void use(queue &q)
{
    q.in_loop();
    q.by_object();
}
