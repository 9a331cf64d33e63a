/*
 * claim: a template class whose methods lock; one of them tests and takes in two steps
 * build: -O0
 * build: -O1
 * build: -O2
 * sections: infer --kind=load-and-store,test-and-use
 * expect: atomicity-violation on this->size or size at TEST and TAKE and TAKE
 * fixed: yes
 */
#include <chrono>
#include <mutex>
#include <thread>

enum { MEETINGS = 60, ROOM = 4 };

template <typename T> class Store
{
  public:
    void fill(T value)
    {
        std::lock_guard<std::mutex> guard(lock);
        for (int i = 0; i < ROOM; i++)
            items[i] = value;
        size = 1;
    }

    bool take(T *item)
    {
        bool found;
        std::unique_lock<std::mutex> guard(lock);
        found = size > 0; // access: TEST
#ifndef FIXED
        guard.unlock();
        std::this_thread::sleep_for(std::chrono::microseconds(150));
        guard.lock();
#endif
        if (found) {
            size--; // access: TAKE
            *item = items[0];
        }
        return found;
    }

  private:
    std::mutex lock;
    int size = 0;
    T items[ROOM] = {};
};

int main()
{
    Store<long> store;
    for (int i = 0; i < MEETINGS; i++) {
        long items[2] = {0, 0};
        store.fill(i + 1);
        std::thread first([&] { store.take(&items[0]); });
        std::thread second([&] { store.take(&items[1]); });
        first.join();
        second.join();
        if (items[0] == 0 && items[1] == 0)
            return 1;
#ifdef FIXED
        if (items[0] != 0 && items[1] != 0)
            return 1;
#endif
    }
    return 0;
}
