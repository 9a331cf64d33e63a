/*
 * claim: what destructors of thread-local objects do comes before the join, and after all that the thread did
 * build: -O0
 * build: -O2
 * run: x 10
 * run: --budget=max x 10
 * predict: hb x 2
 * expect: none
 */
#include <pthread.h>
#include <thread>
#include <vector>

namespace
{
enum { ROUNDS = 10, THREADS = 3 };

struct Sums {
    long left[THREADS];  /* written by destructors, read after the join */
    long right[THREADS]; /* the same by pthread_key_create */
};

struct Counter {
    long *into = nullptr;
    long count = 0;
    ~Counter()
    {
        *into = count;
    }
};

thread_local Counter counter;
pthread_key_t key;

struct Pair {
    long *into, count;
};

void at_end(void *argument)
{
    Pair *pair = static_cast<Pair *>(argument);
    *pair->into = pair->count;
    delete pair;
}

void work(Sums *sums, int i)
{
    Pair *pair = new Pair{&sums->right[i], 0};
    counter.into = &sums->left[i];
    pthread_setspecific(key, pair);
    for (int n = 0; n < 100; n++) {
        counter.count++;
        pair->count += 2;
    }
}
} // namespace

int main()
{
    pthread_key_create(&key, at_end);
    for (int round = 0; round < ROUNDS; round++) {
        Sums sums = {};
        std::vector<std::thread> threads;
        for (int i = 0; i < THREADS; i++)
            threads.emplace_back(work, &sums, i);
        for (auto &thread : threads)
            thread.join();
        for (int i = 0; i < THREADS; i++)
            if (sums.left[i] != 100 || sums.right[i] != 200)
                return 1;
    }
    return 0;
}
